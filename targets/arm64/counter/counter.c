/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plugin of QEMU's user mode that counts what the kernels of a package do: instructions, and misses
   in a first and a second level of cache, which it simulates (LRU, written lines are loaded), and how
   many of the latter follow another one in memory, so that a prefetcher foresees them. Options:
   out=FILE, prefix=NAME (kernels are the functions whose names begin so; without a name all code is
   one kernel, "all"), outside=NAME (the function that calls kernels: what it does is counted for
   none), l1=BYTES:WAYS:LINE, l2=BYTES:WAYS:LINE. For programs that run in one thread. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* QEMU's interface for plugins (docs/devel/tcg-plugins), as far as it is used here; the program that
   loads this provides the functions. QEMU 7.2 to 8 load version 1, later ones version 2. */
#ifndef COUNTER_VERSION
#define COUNTER_VERSION 1
#endif
#define EXPORT __attribute__((visibility("default")))
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { NO_REGISTERS = 0, READS_AND_WRITES = 3 };
extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
                                                  void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *), int,
                                                 void *);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern const char *qemu_plugin_insn_symbol(const struct qemu_plugin_insn *);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
                                             void (*)(unsigned, qemu_plugin_meminfo_t, uint64_t, void *),
                                             int, int, void *);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
EXPORT int qemu_plugin_version = COUNTER_VERSION;

typedef struct {
    uint64_t sets, ways;
    unsigned shift;
    uint64_t *lines; /* of each set, the last used first; 0: none */
} cache;

typedef struct kernel {
    char *name;
    uint64_t first, last; /* misses */
    uint64_t foreseen;    /* of the last ones */
    struct kernel *next;
} kernel;

typedef struct block {
    uint64_t address, instructions, count;
    kernel *of;   /* NULL: of none */
    bool outside; /* ends what is counted for a kernel */
    struct block *next;
} block;

enum { BUCKETS = 1 << 16 };
static block *blocks[BUCKETS];
static kernel *kernels, others;
static kernel *current = &others;
static cache first_level, last_level;
enum { STREAMS = 16 };
static uint64_t streams[STREAMS]; /* the lines that would continue them */
static unsigned oldest_stream;
static char *out_file, *prefix, *outside;

/* Returns whether the line was there; it is the last used one afterwards. */
static bool look_up(cache *in, uint64_t line)
{
    uint64_t *set = in->lines + line % in->sets * in->ways;
    const uint64_t tag = line + 1;
    for (uint64_t way = 0; way < in->ways; ++way)
        if (set[way] == tag) {
            memmove(set + 1, set, way * sizeof *set);
            set[0] = tag;
            return true;
        }
    memmove(set + 1, set, (in->ways - 1) * sizeof *set);
    set[0] = tag;
    return false;
}

/* Returns whether the line continues a stream; otherwise it begins one. */
static bool is_foreseen(uint64_t line)
{
    for (unsigned i = 0; i < STREAMS; ++i)
        if (streams[i] == line) {
            streams[i] = line + 1;
            return true;
        }
    streams[oldest_stream] = line + 1;
    oldest_stream = (oldest_stream + 1) % STREAMS;
    return false;
}

static void accessed(unsigned processor, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
    (void)processor;
    (void)info;
    (void)data;
    const uint64_t line = address >> first_level.shift;
    if (look_up(&first_level, line))
        return;
    ++current->first;
    if (look_up(&last_level, line))
        return;
    ++current->last;
    current->foreseen += is_foreseen(line);
}

static void executed(unsigned processor, void *data)
{
    (void)processor;
    block *at = data;
    ++at->count;
    if (at->of)
        current = at->of;
    else if (at->outside)
        current = &others;
}

static kernel *kernel_of(const char *name)
{
    if (*prefix == '\0')
        name = "all";
    if (!name || strncmp(name, prefix, strlen(prefix)) != 0)
        return NULL;
    for (kernel *known = kernels; known; known = known->next)
        if (strcmp(known->name, name) == 0)
            return known;
    kernel *made = calloc(1, sizeof *made);
    if (!made || !(made->name = strdup(name)))
        abort();
    made->next = kernels;
    return kernels = made;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *code)
{
    (void)id;
    const size_t count = qemu_plugin_tb_n_insns(code);
    const uint64_t address = qemu_plugin_tb_vaddr(code);
    block **bucket = &blocks[(address >> 2) % BUCKETS];
    block *at = *bucket;
    while (at && (at->address != address || at->instructions != count))
        at = at->next;
    if (!at) {
        at = calloc(1, sizeof *at);
        if (!at)
            abort();
        const char *name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(code, 0));
        at->address = address;
        at->instructions = count;
        at->of = kernel_of(name);
        at->outside = name && strcmp(name, outside) == 0;
        at->next = *bucket;
        *bucket = at;
    }
    qemu_plugin_register_vcpu_tb_exec_cb(code, executed, NO_REGISTERS, at);
    for (size_t i = 0; i < count; ++i)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(code, i), accessed, NO_REGISTERS,
                                         READS_AND_WRITES, NULL);
}

static void finished(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    FILE *file = fopen(out_file, "w");
    if (!file)
        return;
    for (const kernel *of = kernels; of; of = of->next)
        fprintf(file, "kernel %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", of->name, of->first, of->last,
                of->foreseen);
    for (size_t i = 0; i < BUCKETS; ++i)
        for (const block *at = blocks[i]; at; at = at->next)
            if (at->of && at->count > 0)
                fprintf(file, "block %s %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", at->of->name, at->address,
                        at->instructions, at->count);
    fprintf(file, "end\n");
    fclose(file);
}

static bool read_cache(const char *text, cache *to)
{
    uint64_t bytes = 0, ways = 0, line = 0;
    if (sscanf(text, "%" SCNu64 ":%" SCNu64 ":%" SCNu64, &bytes, &ways, &line) != 3 || ways == 0 || line == 0 ||
        (line & (line - 1)) != 0 || bytes / ways / line == 0)
        return false;
    to->ways = ways;
    to->sets = bytes / ways / line;
    for (to->shift = 0; (UINT64_C(1) << to->shift) < line; ++to->shift)
        ;
    to->lines = calloc(to->sets * ways, sizeof *to->lines);
    return to->lines != NULL;
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count, char **words)
{
    (void)info;
    bool read = true;
    for (int i = 0; i < count; ++i) {
        const char *value = strchr(words[i], '=');
        if (!value)
            continue;
        ++value;
        if (strncmp(words[i], "out=", 4) == 0)
            out_file = strdup(value);
        else if (strncmp(words[i], "prefix=", 7) == 0)
            prefix = strdup(value);
        else if (strncmp(words[i], "outside=", 8) == 0)
            outside = strdup(value);
        else if (strncmp(words[i], "l1=", 3) == 0)
            read = read && read_cache(value, &first_level);
        else if (strncmp(words[i], "l2=", 3) == 0)
            read = read && read_cache(value, &last_level);
    }
    if (!read || !out_file || !prefix || !outside || !first_level.lines || !last_level.lines) {
        fprintf(stderr, "graphloom-counter: options are missing or wrong\n");
        return -1;
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, finished, NULL);
    return 0;
}
