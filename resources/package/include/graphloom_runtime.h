/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the plan of a model: steps that were generated, one after the other, their tasks shared by
   threads, or by the units of a device of OpenCL. Needs libc and pthreads. All of it is C11. */
#ifndef GRAPHLOOM_RUNTIME_H
#define GRAPHLOOM_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    GL_OK = 0,
    GL_BAD_ARGUMENT, /* a null pointer, or a number of threads out of range */
    GL_NO_MEMORY,
    GL_NO_WEIGHTS,    /* the file of weights cannot be read */
    GL_OTHER_WEIGHTS, /* the file of weights belongs to another package */
    GL_NO_THREADS,
    GL_BAD_INDEX,    /* an index that depends on data leaves its tensor */
    GL_MISSING,      /* an operator has no code, and the program does not define its function */
    GL_NO_DEVICE,    /* there is no OpenCL 1.2 library, or no such device */
    GL_BAD_PROGRAM,  /* the driver of the device does not compile the kernels */
    GL_DEVICE_FAILED /* the device failed while it ran a kernel */
} gl_status;

/* A sentence that tells what the status means. */
const char *gl_status_text(gl_status status);

/* Carries out tasks of a step. Sets *status to 1 for GL_BAD_INDEX, to 2 for GL_MISSING. */
typedef void gl_kernel(void *const *buffers, char *scratch, int64_t first, int64_t last,
                       int32_t *status);

/* Where a buffer begins, in bytes from the beginning of the arena, of inputs and outputs, or of the
   weights. */
typedef enum { GL_ARENA, GL_BORDER, GL_WEIGHTS } gl_memory;
typedef struct {
    gl_memory memory;
    int64_t offset;
} gl_place;

/* Elements of a margin, which no kernel writes. */
typedef struct {
    gl_place place;
    int64_t first, count;
    uint32_t bits; /* of each element, which has two or four bytes */
    int32_t bytes;
} gl_fill;

/* A buffer that a kernel in OpenCL C reads as an image of one dimension, whose texels have four
   elements of single or of half precision. 0 texels: it does not. */
typedef struct {
    int64_t texels;
    int32_t is_half;
} gl_image;

typedef struct {
    const char *name;
    gl_kernel *kernel;
    int64_t tasks;
    const gl_place *buffers;
    int32_t buffer_count;
    const gl_fill *fills;
    int32_t fill_count;
    /* Of a kernel in OpenCL C, which fills margins itself: its name, the work-items of the whole
       and of a work-group, local memory, and which of its buffers are images; null: none. */
    const char *symbol;
    int64_t items, group, local_bytes;
    const gl_image *images;
} gl_step;

/* Consecutive steps that do not depend on each other. */
typedef struct {
    int32_t first, count;
} gl_wave;

typedef struct {
    const char *name;
    const char *type; /* as NumPy names it: "float32" */
    const int64_t *extents;
    int32_t rank;
    int64_t offset, bytes; /* row-major, from the beginning of inputs and outputs */
} gl_tensor;

typedef struct {
    const char *name;
    const gl_step *steps;
    int32_t step_count;
    const gl_wave *waves;
    int32_t wave_count;
    const gl_tensor *inputs, *outputs;
    int32_t input_count, output_count;
    int64_t arena_bytes, border_bytes, weight_bytes;
    int64_t scratch_bytes;  /* of each thread */
    uint64_t weight_number; /* the first eight bytes of the file of weights */
    /* Kernels in OpenCL C: the texts that the program of all of them consists of. */
    const char *const *sources;
    int32_t source_count;
} gl_plan;

typedef struct gl_model gl_model;

/* Creates an instance that runs with so many threads, 0: one for each processor; a device of OpenCL
   runs with all of its units. Instances share the weights, and nothing else. Nothing is created
   unless the status is GL_OK. */
gl_status gl_create(const gl_plan *plan, const char *weights, int threads, gl_model **model);
void gl_destroy(gl_model *model);

const gl_plan *gl_plan_of(const gl_model *model);
int gl_threads_of(const gl_model *model);
/* Where to write an input before a run, and to read an output after it. */
void *gl_input(gl_model *model, int32_t number);
const void *gl_output(const gl_model *model, int32_t number);

/* Runs once; allocates nothing. Not from several threads at a time for one instance. */
gl_status gl_run(gl_model *model);
/* Runs once, one step after the other, and writes the seconds of each. */
gl_status gl_run_timed(gl_model *model, double *seconds);

/* Seconds since an arbitrary moment. */
double gl_seconds(void);

#ifdef __cplusplus
}
#endif

#endif
