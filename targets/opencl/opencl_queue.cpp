// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_queue.h"

#include "engine/codegen/build/kernel_folder.h"
#include "engine/codegen/build/sealed_file.h"
#include "engine/codegen/schedule/image_reads.h"
#include "engine/system/atomic_file.h"

#include <algorithm>
#include <fstream>

namespace graphloom::opencl {

namespace {

// Sums may be fused to multiply-adds; NaN, infinities and -0 count, as in other kernels.
constexpr const char *buildOptions = "-cl-std=CL1.2 -cl-mad-enable";
constexpr const char *binarySuffix = ".clb";

/// Returns the first lines of what a compiler says.
std::string firstLines(const std::string &text)
{
    constexpr std::size_t most = 1200;
    std::string lines = text.substr(0, most);
    while (!lines.empty() && (lines.back() == '\n' || lines.back() == '\0'))
        lines.pop_back();
    return lines + (text.size() > most ? "\n…" : "");
}

} // namespace

Result<std::shared_ptr<OpenclQueue>> OpenclQueue::open(const OpenclDevice &device, unsigned units)
{
    GL_TRY_CONST(library, openclLibrary());
    const OpenclLibrary &cl = **library;
    std::shared_ptr<OpenclQueue> queue(new OpenclQueue);
    queue->m_library = *library;
    queue->m_device = device;
    queue->m_units = device.units;
    queue->m_id = device.id;
    if (units > 0 && units < device.units && device.canBeDivided) {
        const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS,
                                                       cl_device_partition_property(units),
                                                       CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
        cl_device_id part = nullptr;
        GL_TRY(checked(cl.clCreateSubDevices(device.id, counts, 1, &part, nullptr),
                       "dividing the device"));
        queue->m_divided.reset(part, [&cl](cl_device_id id) { cl.clReleaseDevice(id); });
        queue->m_id = part;
        queue->m_units = units;
    }
    cl_int code = CL_SUCCESS;
    queue->m_context.reset(cl.clCreateContext(nullptr, 1, &queue->m_id, nullptr, nullptr, &code),
                           [&cl](cl_context context) {
                               if (context)
                                   cl.clReleaseContext(context);
                           });
    GL_TRY(checked(code, "opening the device"));
    queue->m_queue.reset(cl.clCreateCommandQueue(queue->m_context.get(), queue->m_id,
                                                 CL_QUEUE_PROFILING_ENABLE, &code),
                         [&cl](cl_command_queue commands) {
                             if (commands)
                                 cl.clReleaseCommandQueue(commands);
                         });
    GL_TRY(checked(code, "opening a queue"));
    return queue;
}

Result<Memory> OpenclQueue::memory(std::uint64_t bytes) const
{
    const OpenclLibrary &cl = *m_library;
    if (bytes > m_device.mostInOne)
        return fail(Error::Kind::Missing,
                    "a buffer of " + std::to_string(bytes) +
                        " bytes is needed, and the device has "
                        "none of more than " +
                        std::to_string(m_device.mostInOne),
                    m_device.name);
    cl_int code = CL_SUCCESS;
    const cl_mem_flags flags =
        CL_MEM_READ_WRITE | (m_device.sharesMemory ? CL_MEM_ALLOC_HOST_PTR : 0);
    cl_mem made = cl.clCreateBuffer(m_context.get(), flags, std::max<std::uint64_t>(bytes, 1),
                                    nullptr, &code);
    GL_TRY(checked(code, "memory of " + std::to_string(bytes) + " bytes"));
    return Memory(made, [&cl](cl_mem memory) { cl.clReleaseMemObject(memory); });
}

Result<Memory> OpenclQueue::part(const Memory &whole, std::uint64_t offset,
                                 std::uint64_t bytes) const
{
    const OpenclLibrary &cl = *m_library;
    const cl_buffer_region region{offset, std::max<std::uint64_t>(bytes, 1)};
    cl_int code = CL_SUCCESS;
    cl_mem made = cl.clCreateSubBuffer(whole.get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
                                       &region, &code);
    GL_TRY(checked(code, "a part of memory"));
    return Memory(made, [&cl](cl_mem memory) { cl.clReleaseMemObject(memory); });
}

Result<Memory> OpenclQueue::image(const Memory &of, DataType type, std::uint64_t bytes) const
{
    const OpenclLibrary &cl = *m_library;
    const cl_image_format format{
        CL_RGBA, cl_channel_type(type == DataType::Float16 ? CL_HALF_FLOAT : CL_FLOAT)};
    cl_image_desc shape{};
    shape.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    shape.image_width = std::size_t(bytes / bytesOf(type, texelElements));
    shape.buffer = of.get();
    cl_int code = CL_SUCCESS;
    cl_mem made =
        cl.clCreateImage(m_context.get(), CL_MEM_READ_ONLY, &format, &shape, nullptr, &code);
    GL_TRY(checked(code, "an image of " + std::to_string(bytes) + " bytes"));
    return Memory(made, [&cl](cl_mem memory) { cl.clReleaseMemObject(memory); });
}

bool OpenclQueue::partsCanBeImages() const
{
    const std::uint64_t bytes = std::max<std::uint64_t>(m_device.alignment, 64);
    const auto whole = memory(2 * bytes);
    const auto half = whole ? part(*whole, bytes, bytes) : whole;
    return half && image(*half, DataType::Float, bytes);
}

Result<void> OpenclQueue::write(const Memory &to, std::span<const std::byte> bytes) const
{
    if (bytes.empty())
        return {};
    return checked(m_library->clEnqueueWriteBuffer(m_queue.get(), to.get(), CL_TRUE, 0,
                                                   bytes.size(), bytes.data(), 0, nullptr, nullptr),
                   "writing memory");
}

Result<void> OpenclQueue::read(const Memory &from, std::span<std::byte> bytes) const
{
    if (bytes.empty())
        return {};
    return checked(m_library->clEnqueueReadBuffer(m_queue.get(), from.get(), CL_TRUE, 0,
                                                  bytes.size(), bytes.data(), 0, nullptr, nullptr),
                   "reading memory");
}

Result<Program> OpenclQueue::program(const std::string &source,
                                     const std::filesystem::path &folder) const
{
    const OpenclLibrary &cl = *m_library;
    const std::filesystem::path file =
        folder / (checksumOf(source, m_device.identity() + buildOptions) + binarySuffix);
    const auto own = [&cl](cl_program program) {
        if (program)
            cl.clReleaseProgram(program);
    };
    cl_int code = CL_SUCCESS;
    // A binary that is damaged, or that the driver does not take any more, is made anew.
    if (const auto known = readSealed(file)) {
        const auto *bytes = reinterpret_cast<const unsigned char *>(known->content.data());
        const std::size_t size = known->content.size();
        Program program(
            cl.clCreateProgramWithBinary(m_context.get(), 1, &m_id, &size, &bytes, nullptr, &code),
            own);
        if (code == CL_SUCCESS && cl.clBuildProgram(program.get(), 1, &m_id, buildOptions, nullptr,
                                                    nullptr) == CL_SUCCESS)
            return program;
    }
    const char *text = source.data();
    const std::size_t length = source.size();
    Program program(cl.clCreateProgramWithSource(m_context.get(), 1, &text, &length, &code), own);
    GL_TRY(checked(code, "reading a kernel"));
    if (cl.clBuildProgram(program.get(), 1, &m_id, buildOptions, nullptr, nullptr) != CL_SUCCESS) {
        std::size_t bytes = 0;
        cl.clGetProgramBuildInfo(program.get(), m_id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
        std::string log(bytes, '\0');
        cl.clGetProgramBuildInfo(program.get(), m_id, CL_PROGRAM_BUILD_LOG, bytes, log.data(),
                                 nullptr);
        return fail(Error::Kind::Missing, "a kernel does not compile: " + firstLines(log),
                    m_device.name);
    }
    std::size_t bytes = 0;
    if (cl.clGetProgramInfo(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes,
                            nullptr) != CL_SUCCESS ||
        bytes == 0)
        return program; // the driver keeps its binaries to itself
    std::string binary(bytes, '\0');
    auto *to = reinterpret_cast<unsigned char *>(binary.data());
    if (cl.clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, sizeof to, &to, nullptr) ==
        CL_SUCCESS)
        // What cannot be kept is compiled again.
        (void)fillFileAtomically(
            file,
            [&](const std::filesystem::path &temporary) -> Result<void> {
                std::ofstream(temporary, std::ios::binary) << binary;
                return sealFile(temporary, binary, file.stem().native());
            },
            Links::Replace);
    return program;
}

Result<Kernel> OpenclQueue::kernel(const Program &program, const std::string &name) const
{
    const OpenclLibrary &cl = *m_library;
    cl_int code = CL_SUCCESS;
    cl_kernel made = cl.clCreateKernel(program.get(), name.c_str(), &code);
    GL_TRY(checked(code, "kernel " + name));
    // A kernel does not keep its program.
    return Kernel(made, [&cl, program](cl_kernel kernel) { cl.clReleaseKernel(kernel); });
}

Result<void> OpenclQueue::set(const Kernel &kernel, cl_uint argument, const Memory &memory) const
{
    cl_mem of = memory.get();
    return checked(m_library->clSetKernelArg(kernel.get(), argument, sizeof of, &of),
                   "argument " + std::to_string(argument));
}

Result<void> OpenclQueue::setNumber(const Kernel &kernel, cl_uint argument, cl_int number) const
{
    return checked(m_library->clSetKernelArg(kernel.get(), argument, sizeof number, &number),
                   "argument " + std::to_string(argument));
}

Result<void> OpenclQueue::setLocal(const Kernel &kernel, cl_uint argument, std::size_t bytes) const
{
    return checked(m_library->clSetKernelArg(kernel.get(), argument, bytes, nullptr),
                   std::to_string(bytes) + " bytes of local memory");
}

Result<void> OpenclQueue::run(const Kernel &kernel, const WorkItems &items, Event *event) const
{
    const OpenclLibrary &cl = *m_library;
    cl_event made = nullptr;
    const auto all = std::size_t(items.all), group = std::size_t(items.group);
    GL_TRY(checked(cl.clEnqueueNDRangeKernel(m_queue.get(), kernel.get(), 1, nullptr, &all, &group,
                                             0, nullptr, event ? &made : nullptr),
                   "running a kernel"));
    if (event)
        event->reset(made, [&cl](cl_event of) { cl.clReleaseEvent(of); });
    return {};
}

Result<void> OpenclQueue::finish() const
{
    return checked(m_library->clFinish(m_queue.get()), "waiting for kernels");
}

Result<double> OpenclQueue::secondsOf(const Event &event) const
{
    cl_ulong start = 0, end = 0;
    GL_TRY(checked(m_library->clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START,
                                                      sizeof start, &start, nullptr),
                   "the time of a kernel"));
    GL_TRY(checked(m_library->clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END,
                                                      sizeof end, &end, nullptr),
                   "the time of a kernel"));
    return 1e-9 * double(end - start);
}

} // namespace graphloom::opencl
