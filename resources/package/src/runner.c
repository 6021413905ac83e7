/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the model of this package: usage() tells how. */
#include "device.h"
#include "npy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const gl_plan PACKAGE_PLAN;

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--weights FILE] [--inputs FOLDER] [--outputs FOLDER]\n"
            "       [--expected FOLDER] [--tolerance 1e-4] [--threads N] [--runs N] [--warmup N]\n"
            "       [--trace] [--pin] [--sys FOLDER]\n"
            "Runs the model and prints times as JSON. Inputs are FOLDER/input_0.npy and so on, by\n"
            "default zeros; outputs are written as FOLDER/output_0.npy and so on. With --expected,\n"
            "the outputs are compared with files: the exit code is 1 if an element differs by more\n"
            "than the tolerance times the largest magnitude of the tensor. --pin lets threads run\n"
            "on the processors with the highest clock only, as many as there are threads. --sys\n"
            "is where the system tells clock, temperature and energy, by default /sys.\n",
            program);
    return 2;
}

static int number_of(const char *text, int least, int *to)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > 1000000)
        return 0;
    *to = (int)value;
    return 1;
}

static int tolerance_of(const char *text, double *to)
{
    char *end;
    *to = strtod(text, &end);
    return end != text && *end == '\0' && *to >= 0;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints a text as JSON. */
static void put_text(const char *text)
{
    putchar('"');
    for (; *text; ++text)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)(unsigned char)*text);
        else
            putchar(*text);
    putchar('"');
}

/* Prints milliseconds: quantiles, and each run, in ascending order. */
static void put_times(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, ascending);
    printf("{\"min\": %.6f, \"median\": %.6f, \"p95\": %.6f, \"each\": [", 1e3 * times[0],
           1e3 * times[count / 2], 1e3 * times[(count - 1) * 95 / 100]);
    for (int i = 0; i < count; ++i)
        printf("%s%.6f", i > 0 ? ", " : "", 1e3 * times[i]);
    printf("]}");
}

/* Reads or writes the tensors of one side; returns 1 if all could be. */
static int transfer(gl_model *model, const char *folder, int reads)
{
    const gl_plan *plan = gl_plan_of(model);
    const int32_t count = reads ? plan->input_count : plan->output_count;
    for (int32_t i = 0; i < count; ++i) {
        const gl_tensor *tensor = reads ? &plan->inputs[i] : &plan->outputs[i];
        char file[4096];
        const int length = snprintf(file, sizeof file, "%s/%s_%d.npy", folder,
                                    reads ? "input" : "output", (int)i);
        const char *problem = length < 0 || length >= (int)sizeof file ? "the name is too long"
                              : reads ? gl_read_npy(file, tensor, gl_input(model, i))
                                      : gl_write_npy(file, tensor, gl_output(model, i));
        if (problem) {
            fprintf(stderr, "%s, \"%s\": %s\n", file, tensor->name, problem);
            return 0;
        }
    }
    return 1;
}

static double number_at(const gl_tensor *tensor, const void *data, int64_t i)
{
    if (strcmp(tensor->type, "float32") == 0)
        return (double)((const float *)data)[i];
    if (strcmp(tensor->type, "float64") == 0)
        return ((const double *)data)[i];
    if (strcmp(tensor->type, "int64") == 0)
        return (double)((const int64_t *)data)[i];
    if (strcmp(tensor->type, "int32") == 0)
        return (double)((const int32_t *)data)[i];
    if (strcmp(tensor->type, "uint8") == 0 || strcmp(tensor->type, "bool") == 0)
        return (double)((const uint8_t *)data)[i];
    return NAN;
}

/* Returns how much a tensor differs from the expected one, relative to the largest magnitude there;
   infinity if a number is missing on one side only. Types that have no numbers here must be equal. */
static double difference(const gl_tensor *tensor, const void *actual, const void *expected)
{
    int64_t count = 1;
    double largest = 0, most = 0;
    for (int32_t d = 0; d < tensor->rank; ++d)
        count *= tensor->extents[d];
    if (memcmp(actual, expected, (size_t)tensor->bytes) == 0)
        return 0;
    for (int64_t i = 0; i < count; ++i) {
        const double a = number_at(tensor, actual, i), b = number_at(tensor, expected, i);
        const int same = a == b || (isnan(a) && isnan(b) && strncmp(tensor->type, "float", 5) == 0);
        if (!same && !(isfinite(a) && isfinite(b)))
            return INFINITY;
        if (isfinite(b) && fabs(b) > largest)
            largest = fabs(b);
        if (!same && fabs(a - b) > most)
            most = fabs(a - b);
    }
    return most == 0 ? 0 : largest > 0 ? most / largest : INFINITY;
}

/* Returns 1 if the outputs are as in the folder. */
static int compare(const gl_model *model, const char *folder, double tolerance)
{
    const gl_plan *plan = gl_plan_of(model);
    int equal = 1;
    for (int32_t i = 0; i < plan->output_count; ++i) {
        const gl_tensor *tensor = &plan->outputs[i];
        char file[4096];
        void *expected = malloc((size_t)tensor->bytes + 1);
        const int length = snprintf(file, sizeof file, "%s/output_%d.npy", folder, (int)i);
        const char *problem = !expected ? "not enough memory"
                              : length < 0 || length >= (int)sizeof file
                                  ? "the name is too long"
                                  : gl_read_npy(file, tensor, expected);
        const double differs = problem ? 0 : difference(tensor, gl_output(model, i), expected);
        free(expected);
        if (problem)
            fprintf(stderr, "%s, \"%s\": %s\n", file, tensor->name, problem);
        else
            fprintf(stderr, "output \"%s\": relative difference %.2e\n", tensor->name, differs);
        equal = equal && !problem && differs <= tolerance;
    }
    return equal;
}

/* Warms up long enough that the processor has its final clock, if the system tells it. */
static gl_status warm_up(gl_model *model, int runs)
{
    const double least = 0.2, begin = gl_seconds();
    const int waits = gl_clock_mhz() > 0;
    gl_status status = GL_OK;
    for (int i = 0; status == GL_OK && (i < runs || (runs > 0 && waits && gl_seconds() - begin < least));
         ++i)
        status = gl_run(model);
    return status;
}

static int measure(gl_model *model, int warmup, int runs, int traces, int pinned)
{
    const gl_plan *plan = gl_plan_of(model);
    const int steps = plan->step_count;
    double *whole = calloc((size_t)runs, sizeof *whole);
    double *parts = calloc((size_t)steps * (size_t)runs + 1, sizeof *parts);
    double *one = calloc((size_t)steps + 1, sizeof *one);
    gl_status status = whole && parts && one ? GL_OK : GL_NO_MEMORY;
    if (status == GL_OK)
        status = warm_up(model, warmup);
    const double clock_before = gl_clock_mhz(), celsius_before = gl_hottest_celsius();
    gl_energy energy;
    gl_begin_energy(&energy);
    for (int i = 0; i < runs && status == GL_OK; ++i) {
        const double begin = gl_seconds();
        status = gl_run(model);
        whole[i] = gl_seconds() - begin;
        if (energy.source)
            gl_read_energy(&energy);
    }
    const double clock_after = gl_clock_mhz(), celsius_after = gl_hottest_celsius();
    for (int i = 0; traces && i < runs && status == GL_OK; ++i) {
        status = gl_run_timed(model, one);
        for (int s = 0; s < steps; ++s)
            parts[(size_t)s * (size_t)runs + (size_t)i] = one[s];
    }
    if (status == GL_OK) {
        printf("{\"model\": ");
        put_text(plan->name);
        printf(", \"threads\": %d, \"pinned\": %s, \"clock_mhz\": [%g, %g], \"celsius\": [%g, %g]",
               gl_threads_of(model), pinned ? "true" : "false", clock_before, clock_after,
               celsius_before, celsius_after);
        if (energy.source)
            printf(", \"joules\": %g, \"energy_of\": \"%s\"", energy.joules, energy.source);
        printf(", \"runs\": %d, \"milliseconds\": ", runs);
        put_times(whole, runs);
        if (traces) {
            printf(", \"steps\": [");
            for (int i = 0; i < steps; ++i) {
                printf("%s\n  {\"name\": ", i > 0 ? "," : "");
                put_text(plan->steps[i].name);
                printf(", \"milliseconds\": ");
                put_times(parts + (size_t)i * (size_t)runs, runs);
                printf("}");
            }
            printf("]");
        }
        printf("}\n");
    } else {
        fprintf(stderr, "%s: %s\n", plan->name, gl_status_text(status));
    }
    free(whole);
    free(parts);
    free(one);
    return status == GL_OK;
}

int main(int count, char **words)
{
    const char *weights = "weights.bin", *inputs = NULL, *outputs = NULL, *expected = NULL;
    double tolerance = 1e-4;
    int threads = 0, runs = 50, warmup = 5, traces = 0, pins = 0;
    for (int i = 1; i < count; ++i) {
        const char *value = i + 1 < count ? words[i + 1] : NULL;
        if (strcmp(words[i], "--trace") == 0) {
            traces = 1;
            continue;
        }
        if (strcmp(words[i], "--pin") == 0) {
            pins = 1;
            continue;
        }
        if (!value)
            return usage(words[0]);
        int known = 1;
        if (strcmp(words[i], "--weights") == 0)
            weights = value;
        else if (strcmp(words[i], "--inputs") == 0)
            inputs = value;
        else if (strcmp(words[i], "--outputs") == 0)
            outputs = value;
        else if (strcmp(words[i], "--expected") == 0)
            expected = value;
        else if (strcmp(words[i], "--tolerance") == 0)
            known = tolerance_of(value, &tolerance);
        else if (strcmp(words[i], "--threads") == 0)
            known = number_of(value, 0, &threads);
        else if (strcmp(words[i], "--runs") == 0)
            known = number_of(value, 1, &runs);
        else if (strcmp(words[i], "--warmup") == 0)
            known = number_of(value, 0, &warmup);
        else if (strcmp(words[i], "--sys") == 0)
            gl_sys = value;
        else
            known = 0;
        if (!known)
            return usage(words[0]);
        ++i;
    }
    if (pins && threads > 0)
        pins = gl_pin_to_fastest(threads);
    gl_model *model = NULL;
    const gl_status status = gl_create(&PACKAGE_PLAN, weights, threads, &model);
    if (status != GL_OK) {
        fprintf(stderr, "%s: %s\n", weights, gl_status_text(status));
        return 1;
    }
    const int done = (!inputs || transfer(model, inputs, 1)) && measure(model, warmup, runs, traces, pins) &&
                     (!outputs || transfer(model, outputs, 0)) &&
                     (!expected || compare(model, expected, tolerance));
    gl_destroy(model);
    return done ? 0 : 1;
}
