// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_devices.h"

#include <algorithm>

namespace graphloom::opencl {

namespace {

/// Asks a driver for facts of one device. What a driver does not know is left as it is.
class Facts {
public:
    Facts(const OpenclLibrary &library, cl_device_id id) : m_library(library), m_id(id) {}

    std::string text(cl_device_info what) const
    {
        std::size_t bytes = 0;
        if (m_library.clGetDeviceInfo(m_id, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0)
            return {};
        std::string text(bytes, '\0');
        if (m_library.clGetDeviceInfo(m_id, what, bytes, text.data(), nullptr) != CL_SUCCESS)
            return {};
        text.resize(std::min(text.find('\0'), text.size()));
        return text;
    }
    template <class Number> Number number(cl_device_info what) const
    {
        Number number{};
        m_library.clGetDeviceInfo(m_id, what, sizeof number, &number, nullptr);
        return number;
    }

private:
    const OpenclLibrary &m_library;
    cl_device_id m_id;
};

OpenclDevice describedBy(const OpenclLibrary &library, cl_device_id id)
{
    const Facts facts(library, id);
    OpenclDevice device;
    device.id = id;
    device.name = facts.text(CL_DEVICE_NAME);
    device.version = facts.text(CL_DEVICE_VERSION);
    device.driver = facts.text(CL_DRIVER_VERSION);
    device.extensions = " " + facts.text(CL_DEVICE_EXTENSIONS) + " ";
    const auto type = facts.number<cl_device_type>(CL_DEVICE_TYPE);
    device.isCpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    device.isGpu = (type & CL_DEVICE_TYPE_GPU) != 0;
    device.sharesMemory = facts.number<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
    device.canBeDivided = facts.number<cl_uint>(CL_DEVICE_PARTITION_MAX_SUB_DEVICES) > 1;
    device.units = std::max(1U, facts.number<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS));
    device.megahertz = facts.number<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY);
    device.lanes = std::max(1U, facts.number<cl_uint>(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT));
    device.memory = facts.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
    device.mostInOne = facts.number<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    device.local = facts.number<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
    device.cacheBytes = facts.number<cl_ulong>(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    device.lineBytes = facts.number<cl_uint>(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
    device.alignment =
        std::max<std::uint64_t>(8, facts.number<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN)) / 8;
    device.mostItems = facts.number<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    if (facts.number<cl_bool>(CL_DEVICE_IMAGE_SUPPORT) != CL_FALSE)
        device.texels = facts.number<std::size_t>(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
    return device;
}

} // namespace

Result<std::vector<OpenclDevice>> openclDevices()
{
    GL_TRY_CONST(library, openclLibrary());
    const OpenclLibrary &cl = **library;
    cl_uint count = 0;
    if (cl.clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS)
        count = 0;
    std::vector<cl_platform_id> platforms(count);
    if (count > 0)
        GL_TRY(checked(cl.clGetPlatformIDs(count, platforms.data(), nullptr), "its drivers"));
    std::vector<OpenclDevice> devices;
    for (const cl_platform_id platform : platforms) {
        cl_uint number = 0;
        if (cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &number) != CL_SUCCESS)
            continue; // the driver has no device
        std::vector<cl_device_id> ids(number);
        GL_TRY(checked(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, number, ids.data(), nullptr),
                       "the devices of a driver"));
        for (const cl_device_id id : ids)
            devices.push_back(describedBy(cl, id));
    }
    if (devices.empty())
        return fail(Error::Kind::Missing,
                    "OpenCL has no device here: install a driver, such as the one of the GPU's "
                    "vendor, or pocl-opencl-icd for the processor");
    return devices;
}

} // namespace graphloom::opencl
