/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a model by ONNX Runtime's library, as often as told, in one thread: for counting what it does.
   Usage: ort_runner LIBRARY MODEL RUNS INPUT OUTPUT EXTENT... The input is of type float. */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ONNX Runtime's C interface is a table of functions to which later versions only add; these are the
   places of those that are used here (onnxruntime_c_api.h, struct OrtApi). */
enum {
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_SESSION = 7,
    RUN = 9,
    CREATE_SESSION_OPTIONS = 10,
    SET_OPTIMIZATION_LEVEL = 23,
    SET_INTRA_OP_THREADS = 24,
    CREATE_TENSOR_WITH_DATA = 49,
    CREATE_CPU_MEMORY_INFO = 69
};
enum { API_VERSION = 13, LOG_ERRORS = 3, ALL_OPTIMIZATIONS = 99, DEVICE_ALLOCATOR = 0, DEFAULT_MEMORY = 0,
       TYPE_FLOAT = 1, MOST_EXTENTS = 8 };

typedef void *status;
static void **api;

static void check(status failed, const char *what)
{
    if (!failed)
        return;
    const char *(*message)(status) = (const char *(*)(status))api[GET_ERROR_MESSAGE];
    fprintf(stderr, "%s: %s\n", what, message(failed));
    exit(1);
}

int main(int count, char **words)
{
    if (count < 7 || count - 6 > MOST_EXTENTS) {
        fprintf(stderr, "usage: ort_runner LIBRARY MODEL RUNS INPUT OUTPUT EXTENT...\n");
        return 2;
    }
    void *library = dlopen(words[1], RTLD_NOW);
    struct base {
        void **(*api)(uint32_t version);
        const char *(*version)(void);
    };
    struct base *(*get)(void) = library ? (struct base * (*)(void)) dlsym(library, "OrtGetApiBase") : NULL;
    if (!get || !(api = get()->api(API_VERSION))) {
        fprintf(stderr, "%s: %s\n", words[1], library ? "has another interface" : dlerror());
        return 1;
    }
    int64_t extents[MOST_EXTENTS], elements = 1;
    const size_t rank = (size_t)(count - 6);
    for (size_t i = 0; i < rank; ++i)
        elements *= extents[i] = strtoll(words[6 + i], NULL, 10);
    float *values = calloc((size_t)elements, sizeof *values);
    if (!values)
        return 1;
    for (int64_t i = 0; i < elements; ++i)
        values[i] = (float)(i % 7) / 4 - 0.6f;

    void *env, *options, *session, *memory, *input;
    check(((status(*)(int, const char *, void **))api[CREATE_ENV])(LOG_ERRORS, "count", &env), "environment");
    check(((status(*)(void **))api[CREATE_SESSION_OPTIONS])(&options), "options");
    check(((status(*)(void *, int))api[SET_OPTIMIZATION_LEVEL])(options, ALL_OPTIMIZATIONS), "options");
    check(((status(*)(void *, int))api[SET_INTRA_OP_THREADS])(options, 1), "options");
    check(((status(*)(void *, const char *, void *, void **))api[CREATE_SESSION])(env, words[2], options, &session),
          words[2]);
    check(((status(*)(int, int, void **))api[CREATE_CPU_MEMORY_INFO])(DEVICE_ALLOCATOR, DEFAULT_MEMORY, &memory),
          "memory");
    check(((status(*)(void *, void *, size_t, const int64_t *, size_t, int, void **))api[CREATE_TENSOR_WITH_DATA])(
              memory, values, (size_t)elements * sizeof *values, extents, rank, TYPE_FLOAT, &input),
          "input");
    const char *inputs[] = {words[4]}, *outputs[] = {words[5]};
    for (int i = 0; i < atoi(words[3]); ++i) {
        void *output = NULL;
        check(((status(*)(void *, void *, const char *const *, void *const *, size_t, const char *const *, size_t,
                          void **))api[RUN])(session, NULL, inputs, &input, 1, outputs, 1, &output),
              "run");
    }
    return 0;
}
