/* Where do the judged documents stand in a TREC run? One pass over the file, on all cores.

   The file is cut into chunks that end where a query ends. Of each query the scores and ids are held
   until its last line, then its judged documents are ranked and the rest is forgotten, so memory
   does not grow with the file. Only whole numbers come back: every value is computed by the caller.

   Whatever is unusual (a query in two places, a document twice, a comment, a number in an odd form,
   text that is not UTF-8) is "not ours": the caller reads the file by its own means, and says what
   is wrong in its own words. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define PUBLIC __attribute__((visibility("default")))
#if !defined(CHUNK)
enum { CHUNK = 2 << 20, WINDOW = 1 << 16 }; /* tests make them small */
#endif
enum { VERSION = 1, FIELDS = 6, PADDING = 64, MAX_THREADS = 64 };
enum outcome { OURS, NOT_OURS, CHANGED, UNREADABLE, NO_MEMORY };

typedef struct { const char *text; uint32_t size; } Field;

/* What is judged: queries in order of their first judgment, and of each its rows, one after another. */
typedef struct {
    const char *queries, *docs;      /* names without anything between them */
    const int64_t *query_ends, *doc_ends;
    const int64_t *first_row;        /* of each query; one more for the end */
    int64_t query_count;
} Judged;

/* What is found. Arrays are the caller's: `ranks` has four numbers for each judged row. */
typedef struct {
    int32_t *ranks;                  /* first and last of its ties, by document id, by input; 0: not there */
    int64_t *retrieved;              /* by query */
    int64_t lines, tied, others, place; /* `others`: queries without judgments; `place`: a byte of the file */
} Found;

typedef struct { int64_t at, size; uint32_t count; } Other; /* a query without judgments: where its name stands */

typedef struct {
    const Judged *judged;
    Found *found;
    int file, bits;
    int64_t *bounds;                 /* of chunks */
    int64_t chunk_count;
    atomic_llong next;
    atomic_int outcome;
    atomic_llong place;
    int32_t *query_table, *row_table; /* open addressing; -1 is free */
    uint64_t *query_hashes, *row_hashes;
    int64_t *row_slots;              /* where the table of a query begins */
    uint64_t query_mask;
    pthread_mutex_t lock;            /* of what follows, and of the sums in `found` */
    Other *others;
    int64_t others_room;
} Work;

typedef struct { double score; uint32_t line; } Scored;
typedef struct { Field doc; uint32_t line; } Named;

/* What a thread holds of the query it reads. */
typedef struct {
    char *buffer;
    size_t room;
    double *scores;
    Field *docs;
    uint64_t *hashes;
    int32_t *rows;                   /* the judged row of each line; -1 is none */
    Scored *order;
    Named *names;
    uint32_t *seen;                  /* a set of lines by the hash of their document */
    uint32_t count, lines_room, seen_size, hits;
    int64_t lines, tied;
    Other *others;
    int64_t other_count, others_room;
} Reader;

static const double POWERS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

static inline uint64_t mix(uint64_t hash) {
    hash *= 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
}

static inline uint64_t hash_text(const char *text, uint64_t size) {
    uint64_t hash = size, word = 0;
    for (; size >= 8; text += 8, size -= 8) {
        memcpy(&word, text, 8);
        hash = mix(hash ^ word);
    }
    word = 0;
    memcpy(&word, text, size);
    return mix(hash ^ word ^ 0x5bd1e995);
}

static inline int same_text(const char *one, uint64_t size, const char *other, uint64_t other_size) {
    return size == other_size && !memcmp(one, other, size);
}

static inline int is_blank(char c) { return c == ' ' || (uint8_t)(c - 9) < 5; } /* line ends included */

/* Of the next 64 bytes a bit for each that is blank. */
static inline uint64_t find_blanks(const char *text) {
    uint64_t mask = 0;
#if defined(__SSE2__)
    const __m128i space = _mm_set1_epi8(' '), nine = _mm_set1_epi8(9), four = _mm_set1_epi8(4);
    for (int i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + 16 * i)), above = _mm_sub_epi8(bytes, nine);
        __m128i blank = _mm_or_si128(_mm_cmpeq_epi8(bytes, space), _mm_cmpeq_epi8(_mm_min_epu8(above, four), above));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(blank) << (16 * i);
    }
#else
    for (int i = 0; i < 64; i++) mask |= (uint64_t)is_blank(text[i]) << i;
#endif
    return mask;
}

/* The fields of a line, their number in *count, and its end: at the newline, or at `end`. */
static inline const char *split_line(const char *line, const char *end, Field *fields, int *count) {
    uint64_t blanks = find_blanks(line);
    const char *at = line;
    if (!(blanks & (blanks >> 1)) && !(blanks & 1)) { /* single blanks: a tidy line */
        for (int i = 0; i < FIELDS && blanks; i++, at++, blanks &= blanks - 1) {
            const char *stop = line + __builtin_ctzll(blanks);
            fields[i] = (Field){at, (uint32_t)(stop - at)};
            at = stop;
            if (*at == '\n') {
                *count = i + 1;
                return at < end ? at : end;
            }
        }
        at = line;
    }
    for (*count = 0;; ++*count) {
        while (at < end && *at != '\n' && is_blank(*at)) at++;
        if (at >= end || *at == '\n') return at;
        const char *start = at;
        while (at < end && !is_blank(*at)) at++;
        if (*count < FIELDS) fields[*count] = (Field){start, (uint32_t)(at - start)};
    }
}

/* A finite number in plain digits, exact: 15 digits over a power of ten, or else by strtod. */
static int parse_number(Field field, double *number) {
    const char *at = field.text, *end = at + field.size;
    int negative = 0, digits = 0, fraction = 0;
    uint64_t whole = 0;
    if (*at == '-' || *at == '+') negative = *at++ == '-';
    const char *start = at;
    for (; at < end && (unsigned)(*at - '0') < 10; at++, digits++) whole = whole * 10 + (uint64_t)(*at - '0');
    if (!digits) return 0;
    if (at < end && *at == '.') {
        for (at++; at < end && (unsigned)(*at - '0') < 10; at++, fraction++) whole = whole * 10 + (uint64_t)(*at - '0');
        if (!fraction) return 0;
    }
    if (at == end && digits + fraction <= 15) {
        double value = (double)whole / POWERS[fraction];
        *number = negative ? -value : value;
        return 1;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '-' || *at == '+')) at++;
        const char *exponent = at;
        while (at < end && (unsigned)(*at - '0') < 10) at++;
        if (at == exponent) return 0;
    }
    char copy[128], *stop;
    if (at < end || (size_t)(end - start) >= sizeof copy) return 0;
    memcpy(copy, start, (size_t)(end - start));
    copy[end - start] = 0;
    double value = strtod(copy, &stop); /* with a comma for a point it stops early: not ours */
    if (*stop || value - value != 0) return 0;
    *number = negative ? -value : value;
    return 1;
}

static int is_utf8(const unsigned char *text, const unsigned char *end) {
    while (text < end) {
        uint64_t word;
        while (end - text >= 8 && (memcpy(&word, text, 8), !(word & 0x8080808080808080ull))) text += 8;
        if (text >= end) return 1;
        if (*text < 0x80) { text++; continue; }
        int more = *text >= 0xf0 ? 3 : *text >= 0xe0 ? 2 : 1;
        if (*text < 0xc2 || *text > 0xf4 || end - text <= more) return 0;
        if ((*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] > 0x9f)) return 0;
        if ((*text == 0xf0 && text[1] < 0x90) || (*text == 0xf4 && text[1] > 0x8f)) return 0;
        for (int i = 1; i <= more; i++) if ((text[i] & 0xc0) != 0x80) return 0;
        text += more + 1;
    }
    return 1;
}

static int compare_scores(const void *one, const void *other) { /* descending; equal ones as they came */
    const Scored *a = one, *b = other;
    if (a->score != b->score) return a->score < b->score ? 1 : -1;
    return a->line < b->line ? -1 : 1;
}

static int compare_names(const void *one, const void *other) { /* descending by bytes */
    const Named *a = one, *b = other;
    int order = memcmp(b->doc.text, a->doc.text, a->doc.size < b->doc.size ? a->doc.size : b->doc.size);
    return order ? order : (b->doc.size > a->doc.size) - (b->doc.size < a->doc.size);
}

static int has_duplicates(Reader *reader, enum outcome *outcome) {
    uint32_t size = 64;
    while (size < 2 * reader->count) size <<= 1;
    if (size > reader->seen_size) {
        uint32_t *seen = realloc(reader->seen, size * sizeof *seen);
        if (!seen) return *outcome = NO_MEMORY, 1;
        reader->seen = seen;
        reader->seen_size = size;
    }
    memset(reader->seen, 0xff, size * sizeof *reader->seen);
    for (uint32_t line = 0; line < reader->count; line++) {
        uint32_t at = (uint32_t)(reader->hashes[line] >> 20) & (size - 1);
        for (uint32_t other; (other = reader->seen[at]) != UINT32_MAX; at = (at + 1) & (size - 1))
            if (reader->hashes[other] == reader->hashes[line] &&
                same_text(reader->docs[other].text, reader->docs[other].size, reader->docs[line].text, reader->docs[line].size))
                return 1;
        reader->seen[at] = line;
    }
    return 0;
}

/* All lines of one query are here: rank those that are judged. */
static enum outcome rank_query(Work *work, Reader *reader, int64_t query) {
    uint32_t count = reader->count;
    int rising = 0;
    enum outcome outcome = NOT_OURS;
    if (has_duplicates(reader, &outcome)) return outcome;
    for (uint32_t i = 1; i < count; i++) rising |= reader->scores[i] > reader->scores[i - 1];
    for (uint32_t i = 0; i < count; i++) reader->order[i] = (Scored){reader->scores[i], i};
    if (rising) qsort(reader->order, count, sizeof *reader->order, compare_scores);
    reader->lines += count;
    for (uint32_t first = 0, last; first < count; first = last) {
        uint32_t hits = 0;
        for (last = first; last < count && reader->order[last].score == reader->order[first].score; last++)
            hits += reader->rows[reader->order[last].line] >= 0;
        if (last - first > 1) reader->tied += last - first;
        if (!hits) continue;
        for (uint32_t place = first; place < last; place++) {
            uint32_t line = reader->order[place].line;
            reader->names[place - first] = (Named){reader->docs[line], line};
            if (reader->rows[line] < 0) continue;
            int32_t *ranks = work->found->ranks + 4 * (int64_t)reader->rows[line];
            ranks[0] = (int32_t)first + 1;
            ranks[1] = (int32_t)last;
            ranks[2] = ranks[3] = (int32_t)place + 1;
        }
        if (last - first == 1) continue;
        qsort(reader->names, last - first, sizeof *reader->names, compare_names);
        for (uint32_t place = 0; place < last - first; place++) {
            int32_t row = reader->rows[reader->names[place].line];
            if (row >= 0) work->found->ranks[4 * (int64_t)row + 2] = (int32_t)(first + place) + 1;
        }
    }
    if (query >= 0) {
        pthread_mutex_lock(&work->lock);
        int64_t before = work->found->retrieved[query];
        work->found->retrieved[query] = before + count;
        pthread_mutex_unlock(&work->lock);
        if (before) return NOT_OURS; /* the query stands in two places */
    }
    return OURS;
}

static int grow_lines(Reader *reader) {
    uint32_t room = reader->lines_room * 2 + 1024;
    void *scores = realloc(reader->scores, room * sizeof *reader->scores);
    if (scores) reader->scores = scores;
    void *docs = realloc(reader->docs, room * sizeof *reader->docs);
    if (docs) reader->docs = docs;
    void *hashes = realloc(reader->hashes, room * sizeof *reader->hashes);
    if (hashes) reader->hashes = hashes;
    void *rows = realloc(reader->rows, room * sizeof *reader->rows);
    if (rows) reader->rows = rows;
    void *order = realloc(reader->order, room * sizeof *reader->order);
    if (order) reader->order = order;
    void *names = realloc(reader->names, room * sizeof *reader->names);
    if (names) reader->names = names;
    if (!scores || !docs || !hashes || !rows || !order || !names) return 0;
    reader->lines_room = room;
    return 1;
}

static int64_t find_query(const Work *work, Field name) {
    const Judged *judged = work->judged;
    uint64_t hash = hash_text(name.text, name.size);
    for (uint64_t at = hash & work->query_mask; work->query_table[at] >= 0; at = (at + 1) & work->query_mask) {
        int32_t query = work->query_table[at];
        int64_t start = judged->query_ends[query], size = judged->query_ends[query + 1] - start;
        if (work->query_hashes[query] == hash && same_text(judged->queries + start, (uint64_t)size, name.text, name.size)) return query;
    }
    return -1;
}

static int32_t find_row(const Work *work, int64_t query, Field doc, uint64_t hash) {
    const Judged *judged = work->judged;
    int64_t start = work->row_slots[query];
    uint64_t mask = (uint64_t)(work->row_slots[query + 1] - start) - 1;
    for (uint64_t at = hash & mask; work->row_table[start + (int64_t)at] >= 0; at = (at + 1) & mask) {
        int32_t row = work->row_table[start + (int64_t)at];
        int64_t begin = judged->doc_ends[row], size = judged->doc_ends[row + 1] - begin;
        if (work->row_hashes[row] == hash && same_text(judged->docs + begin, (uint64_t)size, doc.text, doc.size)) return row;
    }
    return -1;
}

static int remember_other(Reader *reader, int64_t at, int64_t size, uint32_t count) {
    if (reader->other_count == reader->others_room) {
        int64_t room = reader->others_room * 2 + 64;
        Other *others = realloc(reader->others, (size_t)room * sizeof *others);
        if (!others) return 0;
        reader->others = others;
        reader->others_room = room;
    }
    reader->others[reader->other_count++] = (Other){at, size, count};
    return 1;
}

/* Reads so many bytes of the file; how many there were. */
static int64_t read_at(int file, char *buffer, int64_t size, int64_t at) {
    int64_t got = 0;
    while (got < size) {
        ssize_t more = pread(file, buffer + got, (size_t)(size - got), (off_t)(at + got));
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return -1;
        if (!more) break;
        got += more;
    }
    return got;
}

static enum outcome read_chunk(Work *work, Reader *reader, int64_t begin, int64_t end, int64_t *place) {
    size_t size = (size_t)(end - begin);
    *place = begin;
    if (size + PADDING > reader->room) {
        free(reader->buffer);
        reader->buffer = malloc(reader->room = size + size / 8 + PADDING);
        if (!reader->buffer) return reader->room = 0, NO_MEMORY;
    }
    int64_t got = read_at(work->file, reader->buffer, (int64_t)size, begin);
    if (got < (int64_t)size) return *place = begin + (got > 0 ? got : 0), got < 0 ? UNREADABLE : CHANGED;
    memset(reader->buffer + size, '\n', PADDING);
    const char *at = reader->buffer, *stop = at + size;
    if (!is_utf8((const unsigned char *)at, (const unsigned char *)stop) || memchr(at, 0, size)) return NOT_OURS;
    Field fields[FIELDS], name = {"", 0};
    int64_t query = -1;
    int open = 0, count;
    for (int done = 0; !done; at++) { /* one step behind the last line, which may have no end */
        done = at >= stop;
        count = 0;
        *place = begin + (at - reader->buffer);
        if (!done) at = split_line(at, stop, fields, &count);
        if (!done && !count) continue;
        if (count && (count != FIELDS || *fields[0].text == '#')) return NOT_OURS;
        if (done || !open || !same_text(name.text, name.size, fields[0].text, fields[0].size)) {
            enum outcome outcome = open ? rank_query(work, reader, query) : OURS;
            if (outcome != OURS) return outcome;
            if (open && query < 0 && !remember_other(reader, begin + (name.text - reader->buffer), name.size, reader->count)) return NO_MEMORY;
            if (done) break;
            name = fields[0];
            open = 1;
            reader->count = 0;
            query = find_query(work, name);
        }
        if (reader->count == reader->lines_room && !grow_lines(reader)) return NO_MEMORY;
        double score;
        if (reader->count == INT32_MAX || !parse_number(fields[4], &score)) return NOT_OURS;
        uint64_t hash = hash_text(fields[2].text, fields[2].size);
        reader->scores[reader->count] = work->bits == 32 ? (double)(float)score : score;
        reader->docs[reader->count] = fields[2];
        reader->hashes[reader->count] = hash;
        reader->rows[reader->count++] = query < 0 ? -1 : find_row(work, query, fields[2], hash);
    }
    return OURS;
}

static void *read_chunks(void *argument) {
    Work *work = argument;
    Reader reader = {0};
    int64_t chunk, place = 0;
    while (!atomic_load(&work->outcome) && (chunk = atomic_fetch_add(&work->next, 1)) < work->chunk_count) {
        enum outcome outcome = read_chunk(work, &reader, work->bounds[chunk], work->bounds[chunk + 1], &place);
        int none = OURS;
        if (outcome != OURS && atomic_compare_exchange_strong(&work->outcome, &none, (int)outcome)) atomic_store(&work->place, place);
    }
    pthread_mutex_lock(&work->lock);
    work->found->lines += reader.lines;
    work->found->tied += reader.tied;
    if (reader.other_count) {
        int64_t count = work->found->others + reader.other_count;
        Other *others = realloc(work->others, (size_t)count * sizeof *others);
        if (others) {
            memcpy(others + work->found->others, reader.others, (size_t)reader.other_count * sizeof *others);
            work->others = others;
            work->found->others = count;
        } else atomic_store(&work->outcome, NO_MEMORY);
    }
    pthread_mutex_unlock(&work->lock);
    free(reader.buffer), free(reader.scores), free(reader.docs), free(reader.hashes), free(reader.rows);
    free(reader.order), free(reader.names), free(reader.seen), free(reader.others);
    return NULL;
}

/* Where chunks begin: at the first line of a query, one for about every CHUNK bytes. */
static enum outcome find_bounds(Work *work, int64_t size) {
    int64_t room = size / CHUNK + 2, window = WINDOW, at = 0;
    char *buffer = malloc(WINDOW + PADDING), *name = NULL;
    enum outcome outcome = buffer ? OURS : NO_MEMORY;
    work->bounds = malloc((size_t)room * sizeof *work->bounds);
    if (!work->bounds) outcome = NO_MEMORY;
    else work->bounds[0] = 0;
    for (int64_t next = CHUNK; outcome == OURS && next < size; next = at + CHUNK) {
        int64_t known = -1; /* the size of the name of the query of the line before */
        int skipped = 0;    /* is the line that was cut at `next` passed over? */
        for (at = next; at < size;) {
            int64_t wanted = size - at < window ? size - at : window, got = read_at(work->file, buffer, wanted, at);
            if (got < wanted) { work->place = at; outcome = got < 0 ? UNREADABLE : CHANGED; break; }
            memset(buffer + got, '\n', PADDING);
            const char *line = buffer, *end = buffer + got, *stop;
            int changed = 0;
            while (line < end && (stop = memchr(line, '\n', (size_t)(end - line)))) {
                Field fields[FIELDS];
                int count;
                if (!skipped) { skipped = 1; line = stop + 1; continue; }
                split_line(line, stop, fields, &count);
                if (count) {
                    if (known >= 0 && !same_text(name, (uint64_t)known, fields[0].text, fields[0].size)) { changed = 1; break; }
                    if (known < 0) {
                        free(name);
                        name = malloc(fields[0].size + 1);
                        if (!name) { outcome = NO_MEMORY; break; }
                        memcpy(name, fields[0].text, fields[0].size);
                        known = fields[0].size;
                    }
                }
                line = stop + 1;
            }
            at += line - buffer;
            if (changed || outcome != OURS) break;
            if (line == buffer) { /* no line end in all of it: a longer window */
                if (got == size - at) { at = size; break; }
                char *longer = realloc(buffer, (size_t)(window *= 2) + PADDING);
                if (!longer) { outcome = NO_MEMORY; break; }
                buffer = longer;
            }
        }
        if (outcome == OURS && at < size) work->bounds[++work->chunk_count] = at;
    }
    if (outcome == OURS) work->bounds[++work->chunk_count] = size;
    free(buffer), free(name);
    return outcome;
}

static int build_tables(Work *work) {
    const Judged *judged = work->judged;
    int64_t queries = judged->query_count, rows = judged->first_row[queries], slots = 0;
    uint64_t size = 16;
    while (size < 2 * (uint64_t)queries) size <<= 1;
    work->query_mask = size - 1;
    work->query_table = malloc(size * sizeof *work->query_table);
    work->query_hashes = malloc((size_t)(queries + 1) * sizeof *work->query_hashes);
    work->row_hashes = malloc((size_t)(rows + 1) * sizeof *work->row_hashes);
    work->row_slots = malloc((size_t)(queries + 1) * sizeof *work->row_slots);
    if (!work->query_table || !work->query_hashes || !work->row_hashes || !work->row_slots) return 0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t own = 4;
        while (own < 2 * (judged->first_row[query + 1] - judged->first_row[query]) + 1) own <<= 1;
        work->row_slots[query] = slots;
        slots += own;
    }
    work->row_slots[queries] = slots;
    work->row_table = malloc((size_t)(slots + 1) * sizeof *work->row_table);
    if (!work->row_table) return 0;
    memset(work->query_table, 0xff, size * sizeof *work->query_table);
    memset(work->row_table, 0xff, (size_t)slots * sizeof *work->row_table);
    for (int64_t query = 0; query < queries; query++) {
        int64_t start = judged->query_ends[query], slot = work->row_slots[query];
        uint64_t hash = work->query_hashes[query] = hash_text(judged->queries + start, (uint64_t)(judged->query_ends[query + 1] - start));
        uint64_t at = hash & work->query_mask, mask = (uint64_t)(work->row_slots[query + 1] - slot) - 1;
        while (work->query_table[at] >= 0) at = (at + 1) & work->query_mask;
        work->query_table[at] = (int32_t)query;
        for (int64_t row = judged->first_row[query]; row < judged->first_row[query + 1]; row++) {
            int64_t begin = judged->doc_ends[row];
            hash = work->row_hashes[row] = hash_text(judged->docs + begin, (uint64_t)(judged->doc_ends[row + 1] - begin));
            for (at = hash & mask; work->row_table[slot + (int64_t)at] >= 0;) at = (at + 1) & mask;
            work->row_table[slot + (int64_t)at] = (int32_t)row;
        }
    }
    return 1;
}

PUBLIC int gainful_version(void) { return VERSION; }

/* The judged rows of a run with their ranks; an `outcome`. Of other queries the place and size of
   their names and their number of lines come back in *others, to be freed by gainful_free. */
PUBLIC int gainful_match(const char *path, int threads, int bits, const Judged *judged, Found *found, Other **others) {
    Work work = {.judged = judged, .found = found, .bits = bits};
    struct stat before, after;
    pthread_t others_at_work[MAX_THREADS];
    int started = 0;
    *others = NULL;
    found->lines = found->tied = found->others = found->place = 0;
    work.file = open(path, O_RDONLY | O_CLOEXEC);
    if (work.file < 0) return UNREADABLE;
    if (fstat(work.file, &before) || !S_ISREG(before.st_mode)) return close(work.file), UNREADABLE;
    pthread_mutex_init(&work.lock, NULL);
    enum outcome outcome = find_bounds(&work, (int64_t)before.st_size);
    if (outcome == OURS && !build_tables(&work)) outcome = NO_MEMORY;
    if (outcome == OURS) {
        if (threads > work.chunk_count) threads = (int)work.chunk_count;
        for (; started < threads - 1 && started < MAX_THREADS; started++)
            if (pthread_create(&others_at_work[started], NULL, read_chunks, &work)) break;
        read_chunks(&work);
        for (int i = 0; i < started; i++) pthread_join(others_at_work[i], NULL);
        outcome = (enum outcome)atomic_load(&work.outcome);
    }
    found->place = atomic_load(&work.place);
    if (outcome == OURS && !fstat(work.file, &after) && after.st_size != before.st_size) {
        outcome = CHANGED;
        found->place = (int64_t)(after.st_size < before.st_size ? after.st_size : before.st_size);
    }
    close(work.file);
    pthread_mutex_destroy(&work.lock);
    free(work.bounds), free(work.query_table), free(work.query_hashes), free(work.row_hashes);
    free(work.row_slots), free(work.row_table);
    if (outcome == OURS) *others = work.others;
    else free(work.others);
    return outcome;
}

PUBLIC void gainful_free(void *memory) { free(memory); }
