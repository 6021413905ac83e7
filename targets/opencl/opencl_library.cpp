// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_library.h"

#include <dlfcn.h>

#include <array>

namespace graphloom::opencl {

namespace {

Result<OpenclLibrary> loaded()
{
    void *const handle = ::dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return fail(Error::Kind::Missing,
                    "there is no OpenCL here: install ocl-icd-libopencl1 and a driver, such as the "
                    "one of the GPU's vendor, or pocl-opencl-icd for the processor");
    OpenclLibrary library;
    std::string missing;
#define GL_FIND(name)                                                                              \
    library.name = reinterpret_cast<decltype(library.name)>(::dlsym(handle, #name));               \
    if (!library.name)                                                                             \
        missing = #name;
    GL_OPENCL_FUNCTIONS(GL_FIND)
#undef GL_FIND
    if (!missing.empty())
        return fail(Error::Kind::Missing,
                    "the OpenCL library is older than OpenCL 1.2: it has no " + missing +
                        "; install a newer ocl-icd-libopencl1");
    return library;
}

} // namespace

Result<const OpenclLibrary *> openclLibrary()
{
    static const Result<OpenclLibrary> library = loaded();
    if (!library)
        return tl::unexpected(library.error());
    return &*library;
}

std::string nameOfError(cl_int code)
{
    struct Name {
        cl_int code;
        const char *name;
    };
#define GL_NAME(code)                                                                              \
    Name                                                                                           \
    {                                                                                              \
        code, #code                                                                                \
    }
    static constexpr std::array names = {GL_NAME(CL_DEVICE_NOT_FOUND),
                                         GL_NAME(CL_DEVICE_NOT_AVAILABLE),
                                         GL_NAME(CL_COMPILER_NOT_AVAILABLE),
                                         GL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                                         GL_NAME(CL_OUT_OF_RESOURCES),
                                         GL_NAME(CL_OUT_OF_HOST_MEMORY),
                                         GL_NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
                                         GL_NAME(CL_BUILD_PROGRAM_FAILURE),
                                         GL_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
                                         GL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                                         GL_NAME(CL_DEVICE_PARTITION_FAILED),
                                         GL_NAME(CL_INVALID_VALUE),
                                         GL_NAME(CL_INVALID_DEVICE),
                                         GL_NAME(CL_INVALID_CONTEXT),
                                         GL_NAME(CL_INVALID_BINARY),
                                         GL_NAME(CL_INVALID_BUILD_OPTIONS),
                                         GL_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
                                         GL_NAME(CL_INVALID_KERNEL_NAME),
                                         GL_NAME(CL_INVALID_KERNEL_ARGS),
                                         GL_NAME(CL_INVALID_WORK_GROUP_SIZE),
                                         GL_NAME(CL_INVALID_WORK_ITEM_SIZE),
                                         GL_NAME(CL_INVALID_BUFFER_SIZE),
                                         GL_NAME(CL_INVALID_IMAGE_SIZE),
                                         GL_NAME(CL_INVALID_IMAGE_DESCRIPTOR),
                                         GL_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
                                         GL_NAME(CL_INVALID_GLOBAL_WORK_SIZE)};
#undef GL_NAME
    for (const Name &name : names)
        if (name.code == code)
            return name.name;
    return "error " + std::to_string(code);
}

Result<void> checked(cl_int code, const std::string &what)
{
    if (code == CL_SUCCESS)
        return {};
    return fail(Error::Kind::Fault, "OpenCL: " + what + ": " + nameOfError(code));
}

} // namespace graphloom::opencl
