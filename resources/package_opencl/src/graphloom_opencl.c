/* SPDX-License-Identifier: Apache-2.0 */
/* Runs plans whose kernels are in OpenCL C, on the device that GRAPHLOOM_OPENCL_DEVICE numbers, by
   default the first GPU, or else the first device. */
#define _POSIX_C_SOURCE 200809L
#include "graphloom_runtime.h"
#include "opencl_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GL_ALIGNMENT = 512 }; /* of buffers in a package, which no device exceeds */

struct gl_model {
    const gl_plan *plan;
    const gl_opencl *cl;
    cl_object device, context, queue, program;
    cl_object arena, border, weights, status;
    cl_object *parts; /* the buffers and images of all steps */
    int32_t part_count;
    cl_object *kernels; /* of each step */
    char *host;         /* inputs and outputs */
    int units;
};

const char *gl_status_text(gl_status status)
{
    switch (status) {
    case GL_OK: return "no error";
    case GL_BAD_ARGUMENT: return "a pointer is null, or the number of threads is out of range";
    case GL_NO_MEMORY: return "not enough memory, on the host or on the device";
    case GL_NO_WEIGHTS: return "the file of weights cannot be read";
    case GL_OTHER_WEIGHTS: return "the file of weights belongs to another package, or is cut off";
    case GL_NO_THREADS: return "the system starts no more threads";
    case GL_BAD_INDEX: return "an index is out of range for the tensor that it selects from";
    case GL_MISSING: return "an operator has no code; define its function, which the header declares";
    case GL_NO_DEVICE: return "there is no OpenCL 1.2 library, or no device of this number";
    case GL_BAD_PROGRAM: return "the driver does not compile the kernels";
    case GL_DEVICE_FAILED: return "the device failed while it ran a kernel";
    }
    return "unknown status";
}

double gl_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static gl_status choose_device(gl_model *model)
{
    enum { MOST = 16 };
    const gl_opencl *cl = model->cl;
    cl_object platforms[MOST], all[MOST];
    uint32_t platform_count = 0, count = 0, first_gpu = MOST;
    if (cl->clGetPlatformIDs(MOST, platforms, &platform_count) != CL_SUCCESS)
        return GL_NO_DEVICE;
    if (platform_count > MOST)
        platform_count = MOST;
    for (uint32_t p = 0; p < platform_count && count < MOST; ++p) {
        uint32_t here = 0, gpus = 0;
        cl_object gpu;
        if (cl->clGetDeviceIDs(platforms[p], gl_all_devices, MOST - count, all + count, &here) !=
            CL_SUCCESS)
            continue;
        if (here > MOST - count)
            here = MOST - count;
        if (first_gpu == MOST && cl->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_GPU, 1, &gpu,
                                                    &gpus) == CL_SUCCESS)
            for (uint32_t d = count; d < count + here; ++d)
                if (all[d] == gpu)
                    first_gpu = d;
        count += here;
    }
    uint32_t wanted = first_gpu < count ? first_gpu : 0;
    const char *const named = getenv("GRAPHLOOM_OPENCL_DEVICE");
    if (named && *named) {
        char *end;
        const unsigned long number = strtoul(named, &end, 10);
        if (*end != '\0' || number >= count)
            return GL_NO_DEVICE;
        wanted = (uint32_t)number;
    }
    if (wanted >= count)
        return GL_NO_DEVICE;
    model->device = all[wanted];
    uint32_t units = 0, alignment = 0;
    cl->clGetDeviceInfo(model->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    cl->clGetDeviceInfo(model->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment, &alignment,
                        NULL);
    model->units = units > 0 ? (int)units : 1;
    return alignment / 8 <= GL_ALIGNMENT ? GL_OK : GL_NO_DEVICE;
}

/* FNV-1a. */
static uint64_t hash(uint64_t seed, const char *text)
{
    for (; *text; ++text)
        seed = (seed ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return seed;
}

/* Names the file beside the weights that keeps the binary of the kernels for this device; empty if
   there is none. */
static void name_binary(const gl_model *model, const char *weights, char *name, size_t bytes)
{
    char text[256] = "";
    uint64_t number = UINT64_C(0xcbf29ce484222325);
    for (int32_t i = 0; i < model->plan->source_count; ++i)
        number = hash(number, model->plan->sources[i]);
    const uint32_t facts[] = {CL_DEVICE_NAME, CL_DRIVER_VERSION};
    for (int i = 0; i < 2; ++i) {
        memset(text, 0, sizeof text);
        model->cl->clGetDeviceInfo(model->device, facts[i], sizeof text - 1, text, NULL);
        number = hash(number, text);
    }
    const int length =
        weights ? snprintf(name, bytes, "%s.%016llx.clb", weights, (unsigned long long)number) : 0;
    if (length <= 0 || (size_t)length >= bytes)
        *name = '\0';
}

static void *read_file(const char *name, size_t *bytes)
{
    FILE *file = *name ? fopen(name, "rb") : NULL;
    if (!file)
        return NULL;
    void *content = NULL;
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 && fseek(file, 0, SEEK_SET) == 0)
        content = malloc((size_t)size);
    if (content && fread(content, 1, (size_t)size, file) != (size_t)size) {
        free(content);
        content = NULL;
    }
    fclose(file);
    *bytes = content ? (size_t)size : 0;
    return content;
}

/* Keeps the binary under a temporary name first; what cannot be kept is compiled again. */
static void keep_binary(const gl_model *model, const char *name)
{
    const gl_opencl *cl = model->cl;
    size_t bytes = 0;
    char temporary[4096 + 8];
    if (!*name || cl->clGetProgramInfo(model->program, CL_PROGRAM_BINARY_SIZES, sizeof bytes,
                                       &bytes, NULL) != CL_SUCCESS ||
        bytes == 0)
        return;
    unsigned char *content = malloc(bytes);
    snprintf(temporary, sizeof temporary, "%s.part", name);
    FILE *file = content ? fopen(temporary, "wb") : NULL;
    if (file) {
        int done = cl->clGetProgramInfo(model->program, CL_PROGRAM_BINARIES, sizeof content,
                                        &content, NULL) == CL_SUCCESS;
        done = fwrite(content, 1, bytes, file) == bytes && done;
        done = fclose(file) == 0 && done;
        if (!done || rename(temporary, name) != 0)
            remove(temporary);
    }
    free(content);
}

static gl_status build_program(gl_model *model, const char *weights)
{
    static const char options[] = "-cl-std=CL1.2 -cl-mad-enable";
    const gl_opencl *cl = model->cl;
    char name[4096];
    size_t bytes = 0;
    int32_t code = CL_SUCCESS;
    name_binary(model, weights, name, sizeof name);
    unsigned char *binary = read_file(name, &bytes);
    if (binary) {
        const unsigned char *from = binary;
        model->program = cl->clCreateProgramWithBinary(model->context, 1, &model->device, &bytes,
                                                       &from, NULL, &code);
        free(binary);
        if (code == CL_SUCCESS && cl->clBuildProgram(model->program, 1, &model->device, options,
                                                     NULL, NULL) == CL_SUCCESS)
            return GL_OK;
        if (code == CL_SUCCESS)
            cl->clReleaseProgram(model->program);
        model->program = NULL;
    }
    model->program = cl->clCreateProgramWithSource(
        model->context, (uint32_t)model->plan->source_count, (const char **)model->plan->sources,
        NULL, &code);
    if (code != CL_SUCCESS)
        return GL_BAD_PROGRAM;
    if (cl->clBuildProgram(model->program, 1, &model->device, options, NULL, NULL) != CL_SUCCESS)
        return GL_BAD_PROGRAM;
    keep_binary(model, name);
    return GL_OK;
}

static gl_status take_memory(gl_model *model)
{
    const gl_plan *plan = model->plan;
    const int64_t sizes[] = {plan->arena_bytes, plan->border_bytes, plan->weight_bytes,
                             (int64_t)sizeof(int32_t)};
    cl_object *const objects[] = {&model->arena, &model->border, &model->weights, &model->status};
    for (int i = 0; i < 4; ++i) {
        int32_t code = CL_SUCCESS;
        *objects[i] = model->cl->clCreateBuffer(model->context, CL_MEM_READ_WRITE,
                                                sizes[i] > 0 ? (size_t)sizes[i] : 1, NULL, &code);
        if (code != CL_SUCCESS)
            return GL_NO_MEMORY;
    }
    model->host = calloc(1, plan->border_bytes > 0 ? (size_t)plan->border_bytes : 1);
    return model->host ? GL_OK : GL_NO_MEMORY;
}

static gl_status read_weights(gl_model *model, const char *name)
{
    const gl_plan *plan = model->plan;
    if (plan->weight_bytes == 0)
        return GL_OK;
    if (!name)
        return GL_BAD_ARGUMENT;
    size_t bytes = 0;
    char *content = read_file(name, &bytes);
    if (!content)
        return GL_NO_WEIGHTS;
    gl_status status = GL_OK;
    if (bytes != (size_t)plan->weight_bytes ||
        memcmp(content, &plan->weight_number, sizeof plan->weight_number) != 0)
        status = GL_OTHER_WEIGHTS;
    else if (model->cl->clEnqueueWriteBuffer(model->queue, model->weights, CL_TRUE, 0, bytes,
                                             content, 0, NULL, NULL) != CL_SUCCESS)
        status = GL_NO_MEMORY;
    free(content);
    return status;
}

static cl_object image_of(const gl_model *model, cl_object buffer, size_t texels, int is_half)
{
    const cl_texel_format format = {CL_RGBA, is_half ? CL_HALF_FLOAT : CL_FLOAT};
    const cl_image_shape shape = {.type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                  .width = texels,
                                  .buffer = buffer};
    int32_t code = CL_SUCCESS;
    const cl_object made = model->cl->clCreateImage(model->context, CL_MEM_READ_ONLY, &format,
                                                    &shape, NULL, &code);
    return code == CL_SUCCESS ? made : NULL;
}

static gl_status set_arguments(gl_model *model)
{
    const gl_opencl *cl = model->cl;
    const gl_plan *plan = model->plan;
    int32_t count = 0;
    for (int32_t i = 0; i < plan->step_count; ++i)
        count += plan->steps[i].buffer_count;
    model->parts = calloc(2 * (size_t)count + 1, sizeof *model->parts);
    model->kernels = calloc((size_t)plan->step_count + 1, sizeof *model->kernels);
    if (!model->parts || !model->kernels)
        return GL_NO_MEMORY;
    for (int32_t i = 0; i < plan->step_count; ++i) {
        const gl_step *step = &plan->steps[i];
        int32_t code = CL_SUCCESS;
        uint32_t argument = 0;
        model->kernels[i] = cl->clCreateKernel(model->program, step->symbol, &code);
        if (code != CL_SUCCESS)
            return GL_BAD_PROGRAM;
        for (int32_t b = 0; b < step->buffer_count; ++b) {
            const gl_place *place = &step->buffers[b];
            const int64_t sizes[] = {plan->arena_bytes, plan->border_bytes, plan->weight_bytes};
            const cl_object wholes[] = {model->arena, model->border, model->weights};
            const cl_region region = {(size_t)place->offset,
                                      (size_t)(sizes[place->memory] - place->offset)};
            cl_object *part = &model->parts[model->part_count];
            *part = cl->clCreateSubBuffer(wholes[place->memory], CL_MEM_READ_WRITE,
                                          CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
            if (code != CL_SUCCESS)
                return GL_NO_MEMORY;
            ++model->part_count;
            const gl_image *of = step->images ? &step->images[b] : NULL;
            int32_t first = 0;
            if (of && of->texels > 0) {
                const size_t element = of->is_half ? 2 : 4;
                cl_object *image = &model->parts[model->part_count];
                *image = image_of(model, *part, (size_t)of->texels, of->is_half);
                if (!*image) { /* drivers may refuse images of parts */
                    *image = image_of(model, wholes[place->memory],
                                      (size_t)sizes[place->memory] / (4 * element), of->is_half);
                    first = (int32_t)((size_t)place->offset / element);
                }
                if (!*image)
                    return GL_NO_MEMORY;
                ++model->part_count;
                part = image;
            }
            if (cl->clSetKernelArg(model->kernels[i], argument++, sizeof *part, part) != CL_SUCCESS)
                return GL_BAD_PROGRAM;
            if (of && of->texels > 0 && cl->clSetKernelArg(model->kernels[i], argument++,
                                                           sizeof first, &first) != CL_SUCCESS)
                return GL_BAD_PROGRAM;
        }
        if (step->local_bytes > 0 && cl->clSetKernelArg(model->kernels[i], argument++,
                                                        (size_t)step->local_bytes,
                                                        NULL) != CL_SUCCESS)
            return GL_NO_MEMORY;
        if (cl->clSetKernelArg(model->kernels[i], argument, sizeof model->status, &model->status) !=
            CL_SUCCESS)
            return GL_BAD_PROGRAM;
    }
    return GL_OK;
}

static gl_status fill(gl_model *model, const char *weights)
{
    const gl_opencl *cl = model->cl;
    const int32_t none = 0;
    int32_t code = CL_SUCCESS;
    gl_status status = choose_device(model);
    if (status != GL_OK)
        return status;
    model->context = cl->clCreateContext(NULL, 1, &model->device, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return GL_NO_DEVICE;
    model->queue = cl->clCreateCommandQueue(model->context, model->device,
                                            CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS)
        return GL_NO_DEVICE;
    if ((status = take_memory(model)) != GL_OK || (status = read_weights(model, weights)) != GL_OK ||
        (status = build_program(model, weights)) != GL_OK ||
        (status = set_arguments(model)) != GL_OK)
        return status;
    return cl->clEnqueueWriteBuffer(model->queue, model->status, CL_TRUE, 0, sizeof none, &none, 0,
                                    NULL, NULL) == CL_SUCCESS
               ? GL_OK
               : GL_NO_MEMORY;
}

gl_status gl_create(const gl_plan *plan, const char *weights, int threads, gl_model **model)
{
    if (!plan || !model || threads < 0)
        return GL_BAD_ARGUMENT;
    gl_model *made = calloc(1, sizeof *made);
    if (!made)
        return GL_NO_MEMORY;
    made->plan = plan;
    made->cl = gl_opencl_library();
    const gl_status status = made->cl ? fill(made, weights) : GL_NO_DEVICE;
    if (status != GL_OK) {
        gl_destroy(made);
        return status;
    }
    *model = made;
    return GL_OK;
}

void gl_destroy(gl_model *model)
{
    if (!model)
        return;
    const gl_opencl *cl = model->cl;
    for (int32_t i = 0; model->kernels && i < model->plan->step_count; ++i)
        if (model->kernels[i])
            cl->clReleaseKernel(model->kernels[i]);
    for (int32_t i = 0; i < model->part_count; ++i)
        cl->clReleaseMemObject(model->parts[i]);
    cl_object *const buffers[] = {&model->arena, &model->border, &model->weights, &model->status};
    for (int i = 0; i < 4; ++i)
        if (*buffers[i])
            cl->clReleaseMemObject(*buffers[i]);
    if (model->program)
        cl->clReleaseProgram(model->program);
    if (model->queue)
        cl->clReleaseCommandQueue(model->queue);
    if (model->context)
        cl->clReleaseContext(model->context);
    free(model->kernels);
    free(model->parts);
    free(model->host);
    free(model);
}

const gl_plan *gl_plan_of(const gl_model *model) { return model->plan; }
int gl_threads_of(const gl_model *model) { return model->units; }

void *gl_input(gl_model *model, int32_t number)
{
    return number >= 0 && number < model->plan->input_count
               ? model->host + model->plan->inputs[number].offset
               : NULL;
}

const void *gl_output(const gl_model *model, int32_t number)
{
    return number >= 0 && number < model->plan->output_count
               ? model->host + model->plan->outputs[number].offset
               : NULL;
}

/* Adds the kernels to the queue; `events`, which may be null, gets one for each. */
static gl_status enqueue(gl_model *model, cl_object *events)
{
    const gl_opencl *cl = model->cl;
    const gl_plan *plan = model->plan;
    for (int32_t i = 0; i < plan->input_count; ++i) {
        const gl_tensor *tensor = &plan->inputs[i];
        if (tensor->bytes > 0 &&
            cl->clEnqueueWriteBuffer(model->queue, model->border, CL_FALSE, (size_t)tensor->offset,
                                     (size_t)tensor->bytes, model->host + tensor->offset, 0, NULL,
                                     NULL) != CL_SUCCESS)
            return GL_DEVICE_FAILED;
    }
    for (int32_t i = 0; i < plan->step_count; ++i) {
        const gl_step *step = &plan->steps[i];
        const size_t all = (size_t)step->items, group = (size_t)step->group;
        if (cl->clEnqueueNDRangeKernel(model->queue, model->kernels[i], 1, NULL, &all, &group, 0,
                                       NULL, events ? &events[i] : NULL) != CL_SUCCESS)
            return GL_DEVICE_FAILED;
    }
    return GL_OK;
}

/* Waits for the outputs. */
static gl_status collect(gl_model *model)
{
    const gl_opencl *cl = model->cl;
    const gl_plan *plan = model->plan;
    for (int32_t i = 0; i < plan->output_count; ++i) {
        const gl_tensor *tensor = &plan->outputs[i];
        if (tensor->bytes > 0 &&
            cl->clEnqueueReadBuffer(model->queue, model->border, CL_FALSE, (size_t)tensor->offset,
                                    (size_t)tensor->bytes, model->host + tensor->offset, 0, NULL,
                                    NULL) != CL_SUCCESS)
            return GL_DEVICE_FAILED;
    }
    int32_t status = 0;
    if (cl->clEnqueueReadBuffer(model->queue, model->status, CL_TRUE, 0, sizeof status, &status, 0,
                                NULL, NULL) != CL_SUCCESS)
        return GL_DEVICE_FAILED;
    if (status == 0)
        return GL_OK;
    status = 0;
    cl->clEnqueueWriteBuffer(model->queue, model->status, CL_TRUE, 0, sizeof status, &status, 0,
                             NULL, NULL);
    return GL_BAD_INDEX;
}

gl_status gl_run(gl_model *model)
{
    const gl_status status = enqueue(model, NULL);
    const gl_status collected = collect(model);
    return status != GL_OK ? status : collected;
}

gl_status gl_run_timed(gl_model *model, double *seconds)
{
    const gl_opencl *cl = model->cl;
    const int32_t count = model->plan->step_count;
    cl_object *events = calloc((size_t)count + 1, sizeof *events);
    if (!events)
        return GL_NO_MEMORY;
    gl_status status = enqueue(model, events);
    const gl_status collected = collect(model);
    if (status == GL_OK)
        status = collected;
    for (int32_t i = 0; i < count; ++i) {
        uint64_t start = 0, end = 0;
        seconds[i] = 0;
        if (!events[i])
            continue;
        if (cl->clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_START, sizeof start, &start,
                                        NULL) == CL_SUCCESS &&
            cl->clGetEventProfilingInfo(events[i], CL_PROFILING_COMMAND_END, sizeof end, &end,
                                        NULL) == CL_SUCCESS)
            seconds[i] = 1e-9 * (double)(end - start);
        cl->clReleaseEvent(events[i]);
    }
    free(events);
    return status;
}
