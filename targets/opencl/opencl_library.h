// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>

namespace graphloom::opencl {

/// Holds the functions of this system's OpenCL library, which finds the drivers that are installed.
struct OpenclLibrary {
#define GL_OPENCL_FUNCTIONS(X)                                                                     \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateSubDevices)                                                                          \
    X(clReleaseDevice)                                                                             \
    X(clCreateContext)                                                                             \
    X(clReleaseContext)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clReleaseCommandQueue)                                                                       \
    X(clCreateBuffer)                                                                              \
    X(clCreateImage)                                                                               \
    X(clCreateSubBuffer)                                                                           \
    X(clReleaseMemObject)                                                                          \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateProgramWithBinary)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramInfo)                                                                            \
    X(clGetProgramBuildInfo)                                                                       \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clFlush)                                                                                     \
    X(clFinish)                                                                                    \
    X(clGetEventProfilingInfo)                                                                     \
    X(clReleaseEvent)
#define GL_MEMBER(name) decltype(&::name) name = nullptr;
    GL_OPENCL_FUNCTIONS(GL_MEMBER)
#undef GL_MEMBER
};

/// Returns the library, which is loaded when it is first needed and stays loaded. Fails (Missing),
/// telling what to install, if there is none.
Result<const OpenclLibrary *> openclLibrary();

/// Returns the name of an error: "CL_OUT_OF_RESOURCES".
std::string nameOfError(cl_int code);

/// Fails (Fault) with the name of the error unless the code is CL_SUCCESS. `what` is what was being
/// done.
Result<void> checked(cl_int code, const std::string &what);

} // namespace graphloom::opencl
