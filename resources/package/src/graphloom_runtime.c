/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "graphloom_runtime.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { GL_MOST_THREADS = 1024, GL_LINE = 64, GL_SPINS = 20000 };

typedef struct {
    _Alignas(GL_LINE) int32_t status;
    char *scratch;
    gl_model *model;
    int number;
    pthread_t thread;
} gl_worker;

struct gl_model {
    const gl_plan *plan;
    char *arena, *border, *scratch;
    const char *weights;
    size_t mapped;
    void **pointers;  /* the buffers of all steps */
    void ***buffers;  /* of each step */
    gl_worker *workers;
    int threads, started;
    /* The steps that run together, and their tasks. */
    atomic_int_fast32_t first, count;
    atomic_int_fast64_t tasks;
    /* The number of its loop, and the first task that nobody has taken: a worker that takes tasks by
       compare-and-swap knows that this loop still runs, and so that it has read the three above. */
    _Alignas(GL_LINE) atomic_uint_fast64_t next;
    _Alignas(GL_LINE) atomic_int_fast64_t done; /* tasks of the helpers */
    _Alignas(GL_LINE) atomic_int asleep;
    atomic_int ends;
    pthread_mutex_t mutex;
    pthread_cond_t wakes;
};

const char *gl_status_text(gl_status status)
{
    switch (status) {
    case GL_OK: return "no error";
    case GL_BAD_ARGUMENT: return "a pointer is null, or the number of threads is out of range";
    case GL_NO_MEMORY: return "not enough memory";
    case GL_NO_WEIGHTS: return "the file of weights cannot be read";
    case GL_OTHER_WEIGHTS: return "the file of weights belongs to another package, or is cut off";
    case GL_NO_THREADS: return "the system starts no more threads";
    case GL_BAD_INDEX: return "an index is out of range for the tensor that it selects from";
    case GL_MISSING: return "an operator has no code; define its function, which the header declares";
    default: break; /* those of OpenCL */
    }
    return "unknown status";
}

double gl_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Runs tasks, counted over all of the steps. */
static void run_tasks(const gl_model *model, gl_wave steps, int64_t first, int64_t last,
                      gl_worker *worker)
{
    int64_t begin = 0;
    for (int32_t i = steps.first; i < steps.first + steps.count; ++i) {
        const gl_step *step = &model->plan->steps[i];
        const int64_t end = begin + step->tasks;
        const int64_t from = (first > begin ? first : begin) - begin;
        const int64_t to = (last < end ? last : end) - begin;
        if (from < to)
            step->kernel(model->buffers[i], worker->scratch, from, to, &worker->status);
        begin = end;
    }
}

/* Takes and runs tasks of the loop of this number as long as there are any; returns how many. */
static int64_t work(gl_model *model, uint32_t number, gl_worker *worker)
{
    int64_t count = 0;
    uint_fast64_t word = atomic_load_explicit(&model->next, memory_order_acquire);
    for (;;) {
        const gl_wave steps = {(int32_t)atomic_load_explicit(&model->first, memory_order_relaxed),
                               (int32_t)atomic_load_explicit(&model->count, memory_order_relaxed)};
        const int64_t tasks = atomic_load_explicit(&model->tasks, memory_order_relaxed);
        const int64_t first = (int64_t)(uint32_t)word, left = tasks - first;
        if ((uint32_t)(word >> 32) != number || left <= 0)
            return count;
        int64_t taken = left / (2 * model->threads);
        if (taken < 1)
            taken = 1;
        if (!atomic_compare_exchange_weak_explicit(&model->next, &word, word + (uint64_t)taken,
                                                   memory_order_acq_rel, memory_order_acquire))
            continue;
        run_tasks(model, steps, first, first + taken, worker);
        count += taken;
        word = atomic_load_explicit(&model->next, memory_order_acquire);
    }
}

/* Waits for a loop after the one of this number: spins for the time between two steps and a little
   longer, then sleeps. Returns its number; 0: there are no more. */
static uint32_t next_loop(gl_model *model, uint32_t seen)
{
    for (int spin = 0;; ++spin) {
        const uint32_t number =
            (uint32_t)(atomic_load_explicit(&model->next, memory_order_acquire) >> 32);
        if (number != seen)
            return number;
        if (atomic_load_explicit(&model->ends, memory_order_acquire))
            return 0;
        if (spin < GL_SPINS) {
            pause_briefly();
            continue;
        }
        pthread_mutex_lock(&model->mutex);
        atomic_fetch_add(&model->asleep, 1); /* before the last look: run_together() looks afterwards */
        while ((uint32_t)(atomic_load(&model->next) >> 32) == seen && !atomic_load(&model->ends))
            pthread_cond_wait(&model->wakes, &model->mutex);
        atomic_fetch_sub(&model->asleep, 1);
        pthread_mutex_unlock(&model->mutex);
        spin = 0;
    }
}

static void *help(void *argument)
{
    gl_worker *worker = argument;
    gl_model *model = worker->model;
    uint32_t seen = 0;
    while ((seen = next_loop(model, seen)) != 0) {
        const int64_t tasks = work(model, seen, worker);
        if (tasks > 0)
            atomic_fetch_add_explicit(&model->done, tasks, memory_order_release);
    }
    return NULL;
}

static void wake(gl_model *model)
{
    pthread_mutex_lock(&model->mutex);
    pthread_cond_broadcast(&model->wakes);
    pthread_mutex_unlock(&model->mutex);
}

static char *memory_of(gl_model *model, gl_place place)
{
    switch (place.memory) {
    case GL_ARENA: return model->arena + place.offset;
    case GL_BORDER: return model->border + place.offset;
    default: return (char *)(uintptr_t)model->weights + place.offset; /* kernels only read it */
    }
}

static void run_together(gl_model *model, gl_wave steps)
{
    int64_t tasks = 0;
    for (int32_t i = steps.first; i < steps.first + steps.count; ++i) {
        const gl_step *step = &model->plan->steps[i];
        for (int32_t f = 0; f < step->fill_count; ++f) {
            const gl_fill *fill = &step->fills[f];
            char *at = (char *)memory_of(model, fill->place) + fill->first * fill->bytes;
            for (int64_t k = 0; k < fill->count; ++k)
                if (fill->bytes == 2)
                    ((uint16_t *)(void *)at)[k] = (uint16_t)fill->bits;
                else
                    ((uint32_t *)(void *)at)[k] = fill->bits;
        }
        tasks += step->tasks;
    }
    if (model->threads == 1 || tasks == 1) {
        run_tasks(model, steps, 0, tasks, &model->workers[0]);
        return;
    }
    uint32_t loop = (uint32_t)(atomic_load_explicit(&model->next, memory_order_relaxed) >> 32) + 1;
    loop += loop == 0;
    atomic_store_explicit(&model->first, steps.first, memory_order_relaxed);
    atomic_store_explicit(&model->count, steps.count, memory_order_relaxed);
    atomic_store_explicit(&model->tasks, tasks, memory_order_relaxed);
    atomic_store_explicit(&model->done, 0, memory_order_relaxed);
    atomic_store(&model->next, (uint64_t)loop << 32);
    if (atomic_load(&model->asleep) > 0)
        wake(model);
    const int64_t others = tasks - work(model, loop, &model->workers[0]);
    for (int spin = 0; atomic_load_explicit(&model->done, memory_order_acquire) != others; ++spin)
        if (spin < GL_SPINS)
            pause_briefly();
        else
            sched_yield(); /* more threads than processors */
}

static gl_status statuses(gl_model *model)
{
    gl_status status = GL_OK;
    for (int i = 0; i < model->threads; ++i) {
        if (model->workers[i].status != 0)
            status = model->workers[i].status == 1 ? GL_BAD_INDEX : GL_MISSING;
        model->workers[i].status = 0;
    }
    return status;
}

gl_status gl_run(gl_model *model)
{
    if (!model)
        return GL_BAD_ARGUMENT;
    gl_status status = GL_OK;
    for (int32_t wave = 0; wave < model->plan->wave_count && status == GL_OK; ++wave) {
        run_together(model, model->plan->waves[wave]);
        status = statuses(model);
    }
    return status;
}

gl_status gl_run_timed(gl_model *model, double *seconds)
{
    if (!model || !seconds)
        return GL_BAD_ARGUMENT;
    gl_status status = GL_OK;
    for (int32_t step = 0; step < model->plan->step_count && status == GL_OK; ++step) {
        const double begin = gl_seconds();
        run_together(model, (gl_wave){step, 1});
        seconds[step] = gl_seconds() - begin;
        status = statuses(model);
    }
    return status;
}

static void *aligned(int64_t bytes)
{
    void *memory = NULL; /* Android has no aligned_alloc() before API 28 */
    const size_t size = (size_t)(bytes > 0 ? bytes : 1);
    if (posix_memalign(&memory, GL_LINE, size) != 0)
        return NULL;
    return memset(memory, 0, size);
}

static gl_status map_weights(gl_model *model, const char *file)
{
    const int64_t bytes = model->plan->weight_bytes;
    if (bytes == 0)
        return GL_OK;
    const int descriptor = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0)
        return GL_NO_WEIGHTS;
    struct stat facts;
    gl_status status = GL_NO_WEIGHTS;
    if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
        status = GL_OTHER_WEIGHTS;
        if (facts.st_size == bytes) {
            void *memory = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
            status = memory == MAP_FAILED ? GL_NO_MEMORY : GL_OK;
            if (status == GL_OK) {
                model->weights = memory;
                model->mapped = (size_t)bytes;
            }
        }
    }
    close(descriptor);
    if (status == GL_OK && memcmp(model->weights, &model->plan->weight_number, 8) != 0)
        status = GL_OTHER_WEIGHTS;
    return status;
}

void gl_destroy(gl_model *model)
{
    if (!model)
        return;
    atomic_store(&model->ends, 1);
    wake(model);
    for (int i = 1; i <= model->started; ++i)
        pthread_join(model->workers[i].thread, NULL);
    pthread_cond_destroy(&model->wakes);
    pthread_mutex_destroy(&model->mutex);
    if (model->mapped > 0)
        munmap((void *)(uintptr_t)model->weights, model->mapped);
    free(model->pointers);
    free(model->buffers);
    free(model->workers);
    free(model->scratch);
    free(model->border);
    free(model->arena);
    free(model);
}

/* Gives every buffer of every step its address. */
static gl_status place_buffers(gl_model *model)
{
    const gl_plan *plan = model->plan;
    size_t count = 0;
    for (int32_t i = 0; i < plan->step_count; ++i)
        count += (size_t)plan->steps[i].buffer_count;
    model->pointers = calloc(count + 1, sizeof *model->pointers);
    model->buffers = calloc((size_t)plan->step_count + 1, sizeof *model->buffers);
    if (!model->pointers || !model->buffers)
        return GL_NO_MEMORY;
    void **at = model->pointers;
    for (int32_t i = 0; i < plan->step_count; ++i) {
        model->buffers[i] = at;
        for (int32_t b = 0; b < plan->steps[i].buffer_count; ++b)
            *at++ = memory_of(model, plan->steps[i].buffers[b]);
    }
    return GL_OK;
}

static gl_status start_threads(gl_model *model)
{
    for (int i = 0; i < model->threads; ++i) {
        gl_worker *worker = &model->workers[i];
        worker->model = model;
        worker->scratch = model->scratch + (int64_t)i * model->plan->scratch_bytes;
        if (i > 0 && pthread_create(&worker->thread, NULL, help, worker) != 0)
            return GL_NO_THREADS;
        model->started = i;
    }
    return GL_OK;
}

gl_status gl_create(const gl_plan *plan, const char *weights, int threads, gl_model **made)
{
    if (!plan || !made || threads < 0 || threads > GL_MOST_THREADS)
        return GL_BAD_ARGUMENT;
    if (threads == 0) {
        const long processors = sysconf(_SC_NPROCESSORS_ONLN);
        threads = processors < 1 ? 1 : processors > GL_MOST_THREADS ? GL_MOST_THREADS : (int)processors;
    }
    gl_model *model = aligned(sizeof *model);
    if (!model)
        return GL_NO_MEMORY;
    model->plan = plan;
    model->threads = threads;
    pthread_mutex_init(&model->mutex, NULL);
    pthread_cond_init(&model->wakes, NULL);
    model->arena = aligned(plan->arena_bytes);
    model->border = aligned(plan->border_bytes);
    model->scratch = aligned(plan->scratch_bytes * threads);
    model->workers = aligned((int64_t)sizeof *model->workers * threads);
    gl_status status = GL_NO_MEMORY;
    if (model->arena && model->border && model->scratch && model->workers)
        status = map_weights(model, weights);
    if (status == GL_OK)
        status = place_buffers(model);
    if (status == GL_OK)
        status = start_threads(model);
    if (status != GL_OK) {
        gl_destroy(model);
        return status;
    }
    *made = model;
    return GL_OK;
}

const gl_plan *gl_plan_of(const gl_model *model)
{
    return model ? model->plan : NULL;
}

int gl_threads_of(const gl_model *model)
{
    return model ? model->threads : 0;
}

void *gl_input(gl_model *model, int32_t number)
{
    if (!model || number < 0 || number >= model->plan->input_count)
        return NULL;
    return model->border + model->plan->inputs[number].offset;
}

const void *gl_output(const gl_model *model, int32_t number)
{
    if (!model || number < 0 || number >= model->plan->output_count)
        return NULL;
    return model->border + model->plan->outputs[number].offset;
}
