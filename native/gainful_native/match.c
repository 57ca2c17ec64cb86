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
enum { VERSION = 2, FIELDS = 6, PADDING = 64, MAX_THREADS = 64 };
enum outcome { OURS, NOT_OURS, CHANGED, UNREADABLE, NO_MEMORY };

typedef struct { const char *text; uint32_t size; } Field;

typedef struct { const char *text; const int64_t *ends; } Names; /* one after another, nothing between them */

/* What is judged: queries in order of their first judgment, and of each its rows, one after another. */
typedef struct {
    Names queries, docs;
    const int64_t *first_row;        /* of each query; one more for the end */
    int64_t query_count;
} Judged;

typedef struct { int64_t at, size; uint32_t count; } Other; /* a query without judgments: where its name stands */

/* What is found. Arrays are the caller's: `ranks` has four numbers for each judged row. */
typedef struct {
    int32_t *ranks;                  /* first and last of its ties, by document id, by input; 0: not there */
    int64_t *retrieved;              /* by query */
    int64_t lines, tied, other_count, place; /* `place`: a byte of the file */
    Other *others;                   /* to be freed by gainful_free */
} Found;

typedef struct { Names names; int32_t *slots; uint64_t *hashes; } Table; /* open addressing; -1 is free */

typedef struct {
    const Judged *judged;
    Found *found;
    int file, bits;
    int64_t size;
    Table queries, rows;             /* in `rows`, each query has a table of its own, */
    int64_t *row_slots;              /* which begins here */
    uint64_t query_mask;
    pthread_mutex_t lock;            /* of what follows, and of the sums in `found` */
    int64_t next;                    /* where the next chunk begins */
    int64_t other_room;
    atomic_int outcome;
} Work;

typedef struct { double score; Field doc; uint64_t hash; int32_t row; } Line; /* the judged row; -1 is none */
typedef struct { double score; uint32_t line; } Scored;
typedef struct { Field doc; uint32_t line; } Named;

/* What a thread holds of the query it reads. */
typedef struct {
    char *buffer;
    int64_t buffer_room;
    Line *lines;
    Scored *order;
    Named *names;
    uint32_t *seen;                  /* a set of lines by the hash of their document */
    uint32_t count, room;            /* of lines; a power of two */
} Reader;

static const double POWERS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

static inline uint64_t mix(uint64_t hash) {
    hash *= 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
}

static inline uint64_t hash_text(Field field) {
    const char *text = field.text;
    uint64_t size = field.size, hash = size, word = 0;
    for (; size >= 8; text += 8, size -= 8) {
        memcpy(&word, text, 8);
        hash = mix(hash ^ word);
    }
    word = 0;
    memcpy(&word, text, size);
    return mix(hash ^ word ^ 0x5bd1e995);
}

static inline int same_text(Field one, Field other) {
    return one.size == other.size && !memcmp(one.text, other.text, one.size);
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

static int has_duplicates(const Reader *reader) {
    const Line *lines = reader->lines;
    uint32_t size = 64;
    while (size < 2 * reader->count) size <<= 1;
    memset(reader->seen, 0xff, size * sizeof *reader->seen);
    for (uint32_t line = 0; line < reader->count; line++) {
        uint32_t at = (uint32_t)(lines[line].hash >> 20) & (size - 1);
        for (uint32_t other; (other = reader->seen[at]) != UINT32_MAX; at = (at + 1) & (size - 1))
            if (lines[other].hash == lines[line].hash && same_text(lines[other].doc, lines[line].doc)) return 1;
        reader->seen[at] = line;
    }
    return 0;
}

static int remember_other(Work *work, Other other) {
    Found *found = work->found;
    if (found->other_count == work->other_room) {
        int64_t room = work->other_room * 2 + 64;
        Other *others = realloc(found->others, (size_t)room * sizeof *others);
        if (!others) return 0;
        found->others = others;
        work->other_room = room;
    }
    found->others[found->other_count++] = other;
    return 1;
}

/* All lines of one query are here, whose name stands at `at`: rank those that are judged. */
static enum outcome rank_query(Work *work, Reader *reader, int64_t query, int64_t at, int64_t size) {
    const Line *lines = reader->lines;
    uint32_t count = reader->count, tied = 0;
    int rising = 0;
    if (has_duplicates(reader)) return NOT_OURS;
    for (uint32_t i = 1; i < count; i++) rising |= lines[i].score > lines[i - 1].score;
    for (uint32_t i = 0; i < count; i++) reader->order[i] = (Scored){lines[i].score, i};
    if (rising) qsort(reader->order, count, sizeof *reader->order, compare_scores);
    for (uint32_t first = 0, last; first < count; first = last) {
        uint32_t hits = 0;
        for (last = first; last < count && reader->order[last].score == reader->order[first].score; last++)
            hits += lines[reader->order[last].line].row >= 0;
        if (last - first > 1) tied += last - first;
        if (!hits) continue;
        for (uint32_t place = first; place < last; place++) {
            uint32_t line = reader->order[place].line;
            reader->names[place - first] = (Named){lines[line].doc, line};
            if (lines[line].row < 0) continue;
            int32_t *ranks = work->found->ranks + 4 * (int64_t)lines[line].row;
            ranks[0] = (int32_t)first + 1;
            ranks[1] = (int32_t)last;
            ranks[2] = ranks[3] = (int32_t)place + 1;
        }
        if (last - first == 1) continue;
        qsort(reader->names, last - first, sizeof *reader->names, compare_names);
        for (uint32_t place = 0; place < last - first; place++) {
            int32_t row = lines[reader->names[place].line].row;
            if (row >= 0) work->found->ranks[4 * (int64_t)row + 2] = (int32_t)(first + place) + 1;
        }
    }
    enum outcome outcome = OURS;
    pthread_mutex_lock(&work->lock);
    work->found->lines += count;
    work->found->tied += tied;
    if (query < 0) outcome = remember_other(work, (Other){at, size, count}) ? OURS : NO_MEMORY;
    else if (work->found->retrieved[query]) outcome = NOT_OURS; /* the query stands in two places */
    else work->found->retrieved[query] = count;
    pthread_mutex_unlock(&work->lock);
    return outcome;
}

static int grow_lines(Reader *reader) {
    uint32_t room = reader->room ? reader->room * 2 : 1024;
    Line *lines = realloc(reader->lines, room * sizeof *lines);
    if (lines) reader->lines = lines;
    Scored *order = realloc(reader->order, room * sizeof *order);
    if (order) reader->order = order;
    Named *names = realloc(reader->names, room * sizeof *names);
    if (names) reader->names = names;
    uint32_t *seen = realloc(reader->seen, 2 * (size_t)room * sizeof *seen);
    if (seen) reader->seen = seen;
    if (!lines || !order || !names || !seen) return 0;
    reader->room = room;
    return 1;
}

static Field get_name(Names names, int64_t index) {
    return (Field){names.text + names.ends[index], (uint32_t)(names.ends[index + 1] - names.ends[index])};
}

/* The slot of a name, or the free one where it would stand; the table has `mask` + 1 slots. */
static inline int32_t *find_slot(const Table *table, int64_t start, uint64_t mask, Field name, uint64_t hash) {
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
        int32_t *slot = table->slots + start + (int64_t)at;
        if (*slot < 0 || (table->hashes[*slot] == hash && same_text(get_name(table->names, *slot), name))) return slot;
    }
}

static inline int32_t *find_row_slot(const Work *work, int64_t query, Field doc, uint64_t hash) {
    int64_t start = work->row_slots[query];
    return find_slot(&work->rows, start, (uint64_t)(work->row_slots[query + 1] - start) - 1, doc, hash);
}

/* So many bytes of the file into the buffer, and line ends behind them. */
static enum outcome read_file(const Work *work, Reader *reader, int64_t at, int64_t size, int64_t *place) {
    if (size + PADDING > reader->buffer_room) {
        free(reader->buffer);
        reader->buffer_room = size + size / 8 + PADDING;
        reader->buffer = malloc((size_t)reader->buffer_room);
        if (!reader->buffer) return reader->buffer_room = 0, NO_MEMORY;
    }
    for (int64_t got = 0; got < size;) {
        ssize_t more = pread(work->file, reader->buffer + got, (size_t)(size - got), (off_t)(at + got));
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) return *place = at + got, more < 0 ? UNREADABLE : CHANGED;
        got += more;
    }
    memset(reader->buffer + size, '\n', PADDING);
    return OURS;
}

/* From a place in the file to the next line that begins a query; without one, to the end. */
static enum outcome find_query(const Work *work, Reader *reader, int64_t *place) {
    int64_t from = *place, rest = work->size - from, size = 0;
    for (int64_t window = WINDOW; size < rest; window *= 2) {
        size = window < rest ? window : rest;
        enum outcome outcome = read_file(work, reader, from, size, place);
        if (outcome != OURS) return outcome;
        const char *end = reader->buffer + size, *line, *stop = memchr(reader->buffer, '\n', (size_t)size);
        Field fields[FIELDS], name = {NULL, 0}; /* of the first whole line */
        int count;
        while (stop && (line = stop + 1, stop = memchr(line, '\n', (size_t)(end - line)))) {
            split_line(line, stop, fields, &count);
            if (!count) continue;
            if (name.text && !same_text(name, fields[0])) return *place = from + (line - reader->buffer), OURS;
            if (!name.text) name = fields[0];
        }
    }
    return *place = work->size, OURS;
}

static enum outcome read_chunk(Work *work, Reader *reader, int64_t begin, int64_t end, int64_t *place) {
    enum outcome outcome = read_file(work, reader, begin, end - begin, place);
    if (outcome != OURS) return outcome;
    const char *at = reader->buffer, *stop = at + (end - begin);
    if (!is_utf8((const unsigned char *)at, (const unsigned char *)stop) || memchr(at, 0, (size_t)(stop - at))) return NOT_OURS;
    Field fields[FIELDS], name = {"", 0};
    int64_t query = -1;
    int open = 0, count;
    for (int done = 0; !done; at++) { /* one step behind the last line, which may have no end */
        done = at >= stop;
        count = 0;
        if (!done) at = split_line(at, stop, fields, &count);
        if (!done && !count) continue;
        if (count && (count != FIELDS || *fields[0].text == '#')) return NOT_OURS;
        if (done || !open || !same_text(name, fields[0])) {
            if (open) outcome = rank_query(work, reader, query, begin + (name.text - reader->buffer), name.size);
            if (outcome != OURS || done) return outcome;
            name = fields[0];
            open = 1;
            reader->count = 0;
            query = *find_slot(&work->queries, 0, work->query_mask, name, hash_text(name));
        }
        if (reader->count == reader->room && !grow_lines(reader)) return NO_MEMORY;
        double score;
        if (reader->count == INT32_MAX || !parse_number(fields[4], &score)) return NOT_OURS;
        uint64_t hash = hash_text(fields[2]);
        int32_t row = query < 0 ? -1 : *find_row_slot(work, query, fields[2], hash);
        reader->lines[reader->count++] = (Line){work->bits == 32 ? (double)(float)score : score, fields[2], hash, row};
    }
    return OURS;
}

static void *read_chunks(void *argument) {
    Work *work = argument;
    Reader reader = {0};
    while (!atomic_load(&work->outcome)) {
        pthread_mutex_lock(&work->lock);
        int64_t begin = work->next, end = begin + CHUNK, place = begin;
        enum outcome outcome = OURS;
        if (end >= work->size) end = work->size;
        else outcome = find_query(work, &reader, &end);
        if (outcome == OURS) work->next = end;
        pthread_mutex_unlock(&work->lock);
        if (outcome != OURS) place = end;
        else if (begin < end) outcome = read_chunk(work, &reader, begin, end, &place);
        else break;
        int none = OURS;
        if (outcome != OURS && atomic_compare_exchange_strong(&work->outcome, &none, (int)outcome)) work->found->place = place;
    }
    free(reader.buffer), free(reader.lines), free(reader.order), free(reader.names), free(reader.seen);
    return NULL;
}

static int build_table(Table *table, Names names, int64_t count, int64_t slots) {
    table->names = names;
    table->hashes = malloc((size_t)(count + 1) * sizeof *table->hashes);
    table->slots = malloc((size_t)slots * sizeof *table->slots);
    if (!table->hashes || !table->slots) return 0;
    memset(table->slots, 0xff, (size_t)slots * sizeof *table->slots);
    for (int64_t i = 0; i < count; i++) table->hashes[i] = hash_text(get_name(names, i));
    return 1;
}

static int build_tables(Work *work) {
    const Judged *judged = work->judged;
    int64_t queries = judged->query_count, slots = 0, query_slots = 16;
    while (query_slots < 2 * queries) query_slots <<= 1;
    work->query_mask = (uint64_t)query_slots - 1;
    work->row_slots = malloc((size_t)(queries + 1) * sizeof *work->row_slots);
    if (!work->row_slots) return 0;
    for (int64_t query = 0; query < queries; query++) {
        int64_t own = 4;
        while (own < 2 * (judged->first_row[query + 1] - judged->first_row[query]) + 1) own <<= 1;
        work->row_slots[query] = slots;
        slots += own;
    }
    work->row_slots[queries] = slots;
    if (!build_table(&work->queries, judged->queries, queries, query_slots)) return 0;
    if (!build_table(&work->rows, judged->docs, judged->first_row[queries], slots + 1)) return 0;
    for (int64_t query = 0; query < queries; query++) {
        Field name = get_name(judged->queries, query);
        *find_slot(&work->queries, 0, work->query_mask, name, work->queries.hashes[query]) = (int32_t)query;
        for (int64_t row = judged->first_row[query]; row < judged->first_row[query + 1]; row++)
            *find_row_slot(work, query, get_name(judged->docs, row), work->rows.hashes[row]) = (int32_t)row;
    }
    return 1;
}

PUBLIC int gainful_version(void) { return VERSION; }

/* The judged rows of a run with their ranks; an `outcome`. */
PUBLIC int gainful_match(const char *path, int threads, int bits, const Judged *judged, Found *found) {
    Work work = {.judged = judged, .found = found, .bits = bits};
    struct stat before, after;
    pthread_t others_at_work[MAX_THREADS];
    int started = 0;
    work.file = open(path, O_RDONLY | O_CLOEXEC);
    if (work.file < 0) return UNREADABLE;
    if (fstat(work.file, &before) || !S_ISREG(before.st_mode)) return close(work.file), UNREADABLE;
    work.size = (int64_t)before.st_size;
    pthread_mutex_init(&work.lock, NULL);
    enum outcome outcome = NO_MEMORY;
    if (build_tables(&work)) {
        if (threads > work.size / CHUNK + 1) threads = (int)(work.size / CHUNK + 1);
        for (; started < threads - 1 && started < MAX_THREADS; started++)
            if (pthread_create(&others_at_work[started], NULL, read_chunks, &work)) break;
        read_chunks(&work);
        for (int i = 0; i < started; i++) pthread_join(others_at_work[i], NULL);
        outcome = (enum outcome)atomic_load(&work.outcome);
    }
    if (outcome != OURS) free(found->others), found->others = NULL;
    if (outcome == OURS && !fstat(work.file, &after) && after.st_size != before.st_size) {
        outcome = CHANGED;
        found->place = (int64_t)(after.st_size < before.st_size ? after.st_size : before.st_size);
    }
    close(work.file);
    pthread_mutex_destroy(&work.lock);
    free(work.queries.slots), free(work.queries.hashes), free(work.rows.slots), free(work.rows.hashes), free(work.row_slots);
    return outcome;
}

PUBLIC void gainful_free(void *memory) { free(memory); }
