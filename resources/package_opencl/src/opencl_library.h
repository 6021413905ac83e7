/* SPDX-License-Identifier: Apache-2.0 */
/* What is used of OpenCL 1.2, whose headers need not be there: its library is loaded at run time. */
#ifndef GRAPHLOOM_OPENCL_LIBRARY_H
#define GRAPHLOOM_OPENCL_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

typedef struct cl_object *cl_object; /* of any kind */

enum {
    CL_SUCCESS = 0,
    CL_FALSE = 0,
    CL_TRUE = 1,
    CL_DEVICE_TYPE_GPU = 4,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_QUEUE_PROFILING_ENABLE = 2,
    CL_MEM_READ_WRITE = 1,
    CL_MEM_READ_ONLY = 4,
    CL_MEM_OBJECT_IMAGE1D_BUFFER = 0x10F6,
    CL_RGBA = 0x10B5,
    CL_HALF_FLOAT = 0x10DD,
    CL_FLOAT = 0x10DE,
    CL_BUFFER_CREATE_TYPE_REGION = 0x1220,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROFILING_COMMAND_START = 0x1282,
    CL_PROFILING_COMMAND_END = 0x1283
};
/* All of them, CL_DEVICE_TYPE_ALL. */
static const uint64_t gl_all_devices = 0xFFFFFFFF;

typedef struct {
    size_t origin, size;
} cl_region;
typedef struct {
    uint32_t order, type;
} cl_texel_format;
typedef struct {
    uint32_t type;
    size_t width, height, depth, array_size, row_pitch, slice_pitch;
    uint32_t mip_levels, samples;
    cl_object buffer;
} cl_image_shape;

typedef struct {
    int32_t (*clGetPlatformIDs)(uint32_t, cl_object *, uint32_t *);
    int32_t (*clGetDeviceIDs)(cl_object, uint64_t, uint32_t, cl_object *, uint32_t *);
    int32_t (*clGetDeviceInfo)(cl_object, uint32_t, size_t, void *, size_t *);
    cl_object (*clCreateContext)(const intptr_t *, uint32_t, const cl_object *, void *, void *,
                                 int32_t *);
    int32_t (*clReleaseContext)(cl_object);
    cl_object (*clCreateCommandQueue)(cl_object, cl_object, uint64_t, int32_t *);
    int32_t (*clReleaseCommandQueue)(cl_object);
    cl_object (*clCreateBuffer)(cl_object, uint64_t, size_t, void *, int32_t *);
    cl_object (*clCreateSubBuffer)(cl_object, uint64_t, uint32_t, const void *, int32_t *);
    cl_object (*clCreateImage)(cl_object, uint64_t, const cl_texel_format *, const cl_image_shape *,
                               void *, int32_t *);
    int32_t (*clReleaseMemObject)(cl_object);
    cl_object (*clCreateProgramWithSource)(cl_object, uint32_t, const char **, const size_t *,
                                           int32_t *);
    cl_object (*clCreateProgramWithBinary)(cl_object, uint32_t, const cl_object *, const size_t *,
                                           const unsigned char **, int32_t *, int32_t *);
    int32_t (*clBuildProgram)(cl_object, uint32_t, const cl_object *, const char *, void *, void *);
    int32_t (*clGetProgramInfo)(cl_object, uint32_t, size_t, void *, size_t *);
    int32_t (*clReleaseProgram)(cl_object);
    cl_object (*clCreateKernel)(cl_object, const char *, int32_t *);
    int32_t (*clReleaseKernel)(cl_object);
    int32_t (*clSetKernelArg)(cl_object, uint32_t, size_t, const void *);
    int32_t (*clEnqueueNDRangeKernel)(cl_object, cl_object, uint32_t, const size_t *,
                                      const size_t *, const size_t *, uint32_t, const cl_object *,
                                      cl_object *);
    int32_t (*clEnqueueReadBuffer)(cl_object, cl_object, uint32_t, size_t, size_t, void *, uint32_t,
                                   const cl_object *, cl_object *);
    int32_t (*clEnqueueWriteBuffer)(cl_object, cl_object, uint32_t, size_t, size_t, const void *,
                                    uint32_t, const cl_object *, cl_object *);
    int32_t (*clFinish)(cl_object);
    int32_t (*clGetEventProfilingInfo)(cl_object, uint32_t, size_t, void *, size_t *);
    int32_t (*clReleaseEvent)(cl_object);
} gl_opencl;

/* Returns the library, which stays loaded, or null if there is none. */
const gl_opencl *gl_opencl_library(void);

#endif
