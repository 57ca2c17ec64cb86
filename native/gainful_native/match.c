/* Where do the judged documents stand in a TREC run? One pass over the file, on all cores.

   The file is cut into chunks that end where a query ends. Of each query the scores and ids are held
   until its last line, then its judged documents are ranked and the rest is forgotten, so memory
   does not grow with the file. Only whole numbers come back: every value is computed by the caller.

   Whatever is unusual (a query in two places, a document twice, a comment, a number in an odd form,
   text that is not UTF-8, a file that ends too early, memory that is not there) is "not ours", which
   all functions here tell by 0: the caller reads the file by its own means, and says what is wrong in
   its own words. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <float.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define NONE UINT32_MAX
#define PUBLIC __attribute__((visibility("default")))
#if !defined(CHUNK)
enum { CHUNK = 2 << 20, WINDOW = 1 << 16 }; /* tests make them small */
#endif
enum { VERSION = 4, MAX_THREADS = 64, PADDING = 64, MAX_STEPS = 1024, FIELDS = 6, EDGES = 2 * FIELDS + 1 + 64 };

typedef struct { const char *text; uint32_t size; } Field;

typedef struct { const char *text; const int64_t *ends; } Names; /* one after another, nothing between them */

typedef struct { double score; Field name; uint64_t hash; int32_t row; } Line; /* the judged row; -1 is none */

/* Lines that are found by their names. */
typedef struct {
    Line *lines;
    uint32_t *slots;                 /* open addressing; NONE is free */
    uint32_t count, room;            /* of lines; slots are twice as many, and a power of two */
    uint32_t judged;                 /* of them, which come first */
} Table;

typedef struct { int32_t first, last, by_id, by_input; } Ranks; /* from 1 on; zeros are not retrieved */
typedef struct { int64_t at, size, count; } Other; /* a query without judgments: where its name stands */
typedef struct { _Atomic int64_t tied, others; } Sums; /* lines whose score another one has; of `Other` */

typedef struct {
    int file, bits;
    int64_t size;
    Table queries;                   /* what is judged, */
    Names docs;                      /* the documents of each query together, */
    const int64_t *first_row;        /* beginning here; one more for the end */
    Ranks *ranks;                    /* what is found, in arrays of the caller: of judged documents, */
    _Atomic int64_t *retrieved;      /* by query, */
    Other *others;
    int64_t other_room;
    Sums *sums;
    pthread_mutex_t lock;            /* of where the next chunk begins */
    int64_t next;
    atomic_int not_ours;
} Work;

/* What a thread holds of the query it reads. */
typedef struct {
    char *buffer;
    int64_t buffer_room;
    Table table;                     /* the judged documents, then the lines */
    int64_t query;                   /* -1 is one without judgments */
} Reader;

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
    memcpy(&word, text, (size_t)size);
    return mix(hash ^ word ^ 0x5bd1e995);
}

static inline int same_text(Field one, Field other) {
    return one.size == other.size && !memcmp(one.text, other.text, one.size);
}

/* Of the next 64 bytes a bit for each that is blank (line ends are), and for each newline. */
static inline uint64_t find_blanks(const char *text, uint64_t *newlines) {
    uint64_t mask = *newlines = 0;
#if defined(__SSE2__)
    const __m128i space = _mm_set1_epi8(' '), nine = _mm_set1_epi8(9), four = _mm_set1_epi8(4), newline = _mm_set1_epi8('\n');
    for (int i = 0; i < 64; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(text + i)), above = _mm_sub_epi8(bytes, nine);
        __m128i blank = _mm_or_si128(_mm_cmpeq_epi8(bytes, space), _mm_cmpeq_epi8(_mm_min_epu8(above, four), above));
        mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(blank) << i;
        *newlines |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, newline)) << i;
    }
#else
    for (int i = 0; i < 64; i++) {
        mask |= (uint64_t)(text[i] == ' ' || (uint8_t)(text[i] - 9) < 5) << i;
        *newlines |= (uint64_t)(text[i] == '\n') << i;
    }
#endif
    return mask;
}

/* Where the fields of a line begin and end, up to one too many; returned is its end, a newline. */
static inline const char *split_line(const char *line, const char *edges[EDGES], int *count) {
    const char **next = edges, **too_many = edges + 2 * FIELDS + 1;
    uint64_t newlines, outside = 1;
    for (const char *window = line;; window += 64) {
        uint64_t blanks = find_blanks(window, &newlines), changes = blanks ^ (blanks << 1 | outside);
        if (newlines) changes &= newlines ^ (newlines - 1);
        for (; changes; changes &= changes - 1) *next++ = window + __builtin_ctzll(changes);
        if (next > too_many) next = too_many;
        if (newlines) return *count = (int)(next - edges), window + __builtin_ctzll(newlines);
        outside = blanks >> 63;
    }
}

static inline Field get_field(const char *const edges[EDGES], int number) {
    const char *start = edges[2 * number];
    return (Field){start, (uint32_t)(edges[2 * number + 1] - start)};
}

static inline int is_digit(char c) { return (uint8_t)(c - '0') < 10; }

/* A finite number, exact: 15 digits over a power of ten, or else by strtod. */
static int parse_number(Field field, double *number) {
    const char *at = field.text, *end = at + field.size, *start = at += *at == '-';
    uint64_t whole = 0;
    double scale = 1;
    for (; is_digit(*at); at++) whole = whole * 10 + (uint64_t)(*at - '0');
    if (*at == '.' && at > start)
        for (at++; is_digit(*at); at++, scale *= 10) whole = whole * 10 + (uint64_t)(*at - '0');
    if (at == end && at > start && at - start <= 16 && FLT_EVAL_METHOD != 2) { /* the point is one; x87 would round twice */
        *number = (start > field.text ? -1 : 1) * ((double)whole / scale);
        return 1;
    }
    if (strspn(field.text, "0123456789+-.eE") < field.size) return 0; /* all others are not read alike everywhere */
    char *stop;
    *number = strtod(field.text, &stop); /* with a comma for a point it stops early: not ours */
    return stop == end && *number - *number == 0;
}

/* Is it UTF-8? Line ends stand behind it. */
static int is_utf8(const unsigned char *text, const unsigned char *end) {
    while (text < end) {
        uint64_t words[4];
        memcpy(words, text, 32);
        if (!((words[0] | words[1] | words[2] | words[3]) & 0x8080808080808080ull)) { text += 32; continue; }
        int more = *text >= 0xf0 ? 3 : *text >= 0xe0 ? 2 : *text >= 0x80;
        if (more && (*text < 0xc2 || *text > 0xf4)) return 0;
        if ((*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] > 0x9f)) return 0;
        if ((*text == 0xf0 && text[1] < 0x90) || (*text == 0xf4 && text[1] > 0x8f)) return 0;
        for (text++; more; more--, text++) if ((*text & 0xc0) != 0x80) return 0;
    }
    return 1;
}

/* The slot of a name, or the free one where it would stand. */
static inline uint32_t *find_slot(const Table *table, Field name, uint64_t hash) {
    for (uint64_t at = hash;; at++) {
        uint32_t *slot = &table->slots[at & (2 * (uint64_t)table->room - 1)];
        if (*slot == NONE) return slot;
        const Line *line = &table->lines[*slot];
        if (line->hash == hash && same_text(line->name, name)) return slot;
    }
}

/* Room for more lines, and the slots of those that are there anew. */
static int make_room(Table *table, uint32_t room) {
    Line *lines = realloc(table->lines, room * sizeof *lines);
    if (lines) table->lines = lines;
    uint32_t *slots = realloc(table->slots, 2 * (size_t)room * sizeof *slots);
    if (slots) table->slots = slots;
    if (!lines || !slots) return 0;
    table->room = room;
    memset(slots, 0xff, 2 * (size_t)room * sizeof *slots);
    for (uint32_t i = 0; i < table->count; i++) *find_slot(table, lines[i].name, lines[i].hash) = i;
    return 1;
}

/* One line more, for which there is room. Not ours is a name twice, and hashes made to be equal. */
static inline int add_line(Table *table, Line line) {
    line.hash = hash_text(line.name);
    uint32_t *slot = find_slot(table, line.name, line.hash), earlier = *slot;
    uint64_t steps = ((uint64_t)(slot - table->slots) - line.hash) & (2 * (uint64_t)table->room - 1);
    if (earlier != NONE) line.row = table->lines[earlier].row;
    table->lines[*slot = table->count++] = line;
    return steps < MAX_STEPS && (earlier == NONE || earlier < table->judged);
}

/* Names in place of what a table held, and room for as many lines as that. */
static int fill_table(Table *table, Names names, int64_t first, int64_t end) {
    uint32_t room = 64;
    while (room < end - first || room < table->count) room <<= 1;
    table->count = table->judged = 0;
    if (!make_room(table, room)) return 0;
    for (int64_t row = first; row < end; row++) {
        Field name = {names.text + names.ends[row], (uint32_t)(names.ends[row + 1] - names.ends[row])};
        if (!add_line(table, (Line){.name = name, .row = (int32_t)row})) return 0;
    }
    table->judged = table->count;
    return 1;
}

static int compare_scores(const void *one, const void *other) { /* descending; equal ones as they came */
    const Line *a = *(Line *const *)one, *b = *(Line *const *)other;
    if (a->score != b->score) return a->score < b->score ? 1 : -1;
    return a < b ? -1 : 1;
}

static int compare_names(const void *one, const void *other) { /* descending by bytes */
    Field a = (*(Line *const *)one)->name, b = (*(Line *const *)other)->name;
    int order = memcmp(b.text, a.text, a.size < b.size ? a.size : b.size);
    return order ? order : (b.size > a.size) - (b.size < a.size);
}

/* All lines of a query are here, whose name stands at `at`: rank those that are judged. */
static int rank_query(Work *work, const Reader *reader, int64_t at, int64_t size) {
    Line *lines = reader->table.lines + reader->table.judged;
    uint32_t count = reader->table.count - reader->table.judged;
    Line **order = malloc(count * sizeof *order);
    if (!order) return 0;
    int64_t tied = 0;
    int rising = 0;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = lines + i;
        rising |= i && lines[i].score > lines[i - 1].score;
    }
    if (rising) qsort(order, count, sizeof *order, compare_scores);
    for (uint32_t first = 0, last; first < count; first = last) { /* of equal scores */
        int has_hits = 0;
        for (last = first; last < count && order[last]->score == order[first]->score; last++) {
            if (order[last]->row < 0) continue;
            work->ranks[order[last]->row] = (Ranks){.first = (int32_t)first + 1, .by_input = (int32_t)last + 1};
            has_hits = 1;
        }
        if (last - first > 1) tied += last - first;
        if (!has_hits) continue;
        qsort(order + first, last - first, sizeof *order, compare_names);
        for (uint32_t place = first; place < last; place++) {
            if (order[place]->row < 0) continue;
            work->ranks[order[place]->row].last = (int32_t)last;
            work->ranks[order[place]->row].by_id = (int32_t)place + 1;
        }
    }
    free(order);
    atomic_fetch_add(&work->sums->tied, tied);
    if (reader->query >= 0) return !atomic_exchange(&work->retrieved[reader->query], count); /* else in two places */
    int64_t other = atomic_fetch_add(&work->sums->others, 1);
    if (other < work->other_room) work->others[other] = (Other){at, size, count};
    return other < work->other_room;
}

/* So many bytes of the file into the buffer, and line ends behind them. */
static int read_file(const Work *work, Reader *reader, int64_t at, int64_t size) {
    if (size > INT32_MAX) return 0; /* sizes of fields have 32 bits, and macOS reads no more at once */
    if (size + PADDING > reader->buffer_room) {
        free(reader->buffer);
        reader->buffer_room = size + size / 8 + PADDING;
        reader->buffer = malloc((size_t)reader->buffer_room);
        if (!reader->buffer) return 0;
    }
    for (int64_t got = 0; got < size;) {
        ssize_t more = pread(work->file, reader->buffer + got, (size_t)(size - got), (off_t)(at + got));
        if (more > 0) got += more;
        else if (!more || errno != EINTR) return 0;
    }
    memset(reader->buffer + size, '\n', PADDING);
    return 1;
}

/* From a place in the file to the next line that begins a query; without one, to the end. */
static int find_query(const Work *work, Reader *reader, int64_t *place) {
    int64_t from = *place, rest = work->size - from, size = 0;
    for (int64_t window = WINDOW; size < rest; window *= 2) {
        size = window < rest ? window : rest;
        if (!read_file(work, reader, from, size)) return 0;
        const char *edges[EDGES], *begin = reader->buffer, *line = begin, *stop;
        Field name = {NULL, 0}; /* of the first whole line */
        for (int count; (stop = split_line(line, edges, &count)) < begin + size; line = stop + 1) {
            if (line == begin || !count) continue;
            if (!name.text) name = get_field(edges, 0);
            if (!same_text(name, get_field(edges, 0))) return *place = from + (line - begin), 1;
        }
    }
    return *place = work->size, 1;
}

static int read_chunk(Work *work, Reader *reader, int64_t begin, int64_t end) {
    if (!read_file(work, reader, begin, end - begin)) return 0;
    const char *at = reader->buffer, *stop = at + (end - begin), *edges[EDGES];
    if (!is_utf8((const unsigned char *)at, (const unsigned char *)stop) || memchr(at, 0, (size_t)(stop - at))) return 0;
    Table *table = &reader->table;
    Field name = {NULL, 0};
    for (int count; at < stop; at++) {
        at = split_line(at, edges, &count);
        if (!count) continue;
        if (count != 2 * FIELDS || *edges[0] == '#') return 0;
        if (!name.text || !same_text(name, get_field(edges, 0))) {
            if (name.text && !rank_query(work, reader, begin + (name.text - reader->buffer), name.size)) return 0;
            name = get_field(edges, 0);
            uint32_t query = *find_slot(&work->queries, name, hash_text(name));
            reader->query = query == NONE ? -1 : (int64_t)query;
            const int64_t none[] = {0, 0}, *rows = query == NONE ? none : work->first_row + query;
            if (!fill_table(table, work->docs, rows[0], rows[1])) return 0;
        }
        if (table->count == INT32_MAX || (table->count == table->room && !make_room(table, 2 * table->room))) return 0;
        Line line = {.name = get_field(edges, 2), .row = -1};
        if (!parse_number(get_field(edges, 4), &line.score)) return 0;
        if (work->bits == 32) line.score = (float)line.score;
        if (!add_line(table, line)) return 0;
    }
    return !name.text || rank_query(work, reader, begin + (name.text - reader->buffer), name.size);
}

static void *read_chunks(void *argument) {
    Work *work = argument;
    Reader reader = {0};
    for (int is_ours = 1; !atomic_load(&work->not_ours);) {
        pthread_mutex_lock(&work->lock);
        int64_t begin = work->next, end = begin + CHUNK;
        if (end >= work->size) end = work->size;
        else is_ours = find_query(work, &reader, &end);
        work->next = end;
        pthread_mutex_unlock(&work->lock);
        if (begin == end) break;
        if (!is_ours || !read_chunk(work, &reader, begin, end)) atomic_store(&work->not_ours, 1);
    }
    free(reader.buffer), free(reader.table.lines), free(reader.table.slots);
    return NULL;
}

PUBLIC int gainful_version(void) { return VERSION; }

/* Find the judged documents of a run, an open file of so many bytes. */
PUBLIC int gainful_match(
    int file, int64_t size, int threads, int bits, int query_count, const char *queries, const int64_t *query_ends,
    const int64_t *first_row, const char *docs, const int64_t *doc_ends,
    Ranks *ranks, int64_t *retrieved, Other *others, int other_room, Sums *sums) {
    Work work = {
        .file = file, .bits = bits, .size = size, .docs = {docs, doc_ends}, .first_row = first_row, .ranks = ranks,
        .retrieved = (_Atomic int64_t *)retrieved, .others = others, .other_room = other_room, .sums = sums,
    };
    pthread_t others_at_work[MAX_THREADS];
    int started = 0;
    work.not_ours = !fill_table(&work.queries, (Names){queries, query_ends}, 0, query_count);
    pthread_mutex_init(&work.lock, NULL);
    if (threads > size / CHUNK + 1) threads = (int)(size / CHUNK + 1);
    for (; started < threads - 1 && started < MAX_THREADS; started++)
        if (pthread_create(&others_at_work[started], NULL, read_chunks, &work)) break;
    read_chunks(&work);
    for (int i = 0; i < started; i++) pthread_join(others_at_work[i], NULL);
    pthread_mutex_destroy(&work.lock);
    free(work.queries.lines), free(work.queries.slots);
    return !work.not_ours;
}
