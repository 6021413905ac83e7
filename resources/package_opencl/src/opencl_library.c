/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "opencl_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static gl_opencl library;
static int is_loaded;

/* Fills in a function; POSIX lets a pointer to data be one. */
static int find(void *handle, const char *name, void *function)
{
    void *const found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void load(void)
{
    /* The last ones are those of Android. */
    static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so",
                                        "/vendor/lib64/libOpenCL.so",
                                        "/vendor/lib64/egl/libGLES_mali.so"};
    void *handle = NULL;
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; ++i)
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return;
#define FIND(name) find(handle, #name, &library.name)
    is_loaded = FIND(clGetPlatformIDs) && FIND(clGetDeviceIDs) && FIND(clGetDeviceInfo) &&
                FIND(clCreateContext) && FIND(clReleaseContext) && FIND(clCreateCommandQueue) &&
                FIND(clReleaseCommandQueue) && FIND(clCreateBuffer) && FIND(clCreateSubBuffer) &&
                FIND(clCreateImage) && FIND(clReleaseMemObject) && FIND(clCreateProgramWithSource) &&
                FIND(clCreateProgramWithBinary) && FIND(clBuildProgram) && FIND(clGetProgramInfo) &&
                FIND(clReleaseProgram) && FIND(clCreateKernel) && FIND(clReleaseKernel) &&
                FIND(clSetKernelArg) && FIND(clEnqueueNDRangeKernel) && FIND(clEnqueueReadBuffer) &&
                FIND(clEnqueueWriteBuffer) && FIND(clFinish) && FIND(clGetEventProfilingInfo) &&
                FIND(clReleaseEvent);
#undef FIND
}

const gl_opencl *gl_opencl_library(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded ? &library : NULL;
}
