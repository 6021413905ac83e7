// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/kernel_language.h"
#include "engine/ir/dtype.h"
#include "targets/opencl/opencl_devices.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace graphloom::opencl {

/// Own objects of OpenCL.
using Memory = std::shared_ptr<_cl_mem>;
using Program = std::shared_ptr<_cl_program>;
using Kernel = std::shared_ptr<_cl_kernel>;
using Event = std::shared_ptr<_cl_event>;

/// Is a queue of a device, whose commands run in order and are timed, with the memory and programs
/// that they use. Not for several threads at a time. Functions fail (Fault) with OpenCL's error.
class OpenclQueue {
public:
    /// Opens a queue of the device, or of so many of its units if it can be divided; 0: all.
    static Result<std::shared_ptr<OpenclQueue>> open(const OpenclDevice &device, unsigned units);

    const OpenclDevice &device() const { return m_device; }
    /// Returns the units that run its commands.
    unsigned units() const { return m_units; }

    /// Returns memory of the device, which the host can reach without a copy where both share
    /// memory.
    Result<Memory> memory(std::uint64_t bytes) const;
    /// Returns a part of memory; `offset` is a multiple of OpenclDevice::alignment.
    Result<Memory> part(const Memory &whole, std::uint64_t offset, std::uint64_t bytes) const;
    /// Returns memory that holds elements of the type, Float or Float16, as an image of one
    /// dimension, of texels of four elements; `bytes` are whole texels.
    Result<Memory> image(const Memory &of, DataType type, std::uint64_t bytes) const;
    /// Tells whether images can be of parts of memory, too, which drivers may refuse.
    bool partsCanBeImages() const;
    Result<void> write(const Memory &to, std::span<const std::byte> bytes) const;
    Result<void> read(const Memory &from, std::span<std::byte> bytes) const;

    /// Compiles a source, or takes the binary of an earlier build from the folder. Fails (Missing)
    /// with the compiler's first lines if it does not compile.
    Result<Program> program(const std::string &source, const std::filesystem::path &folder) const;
    Result<Kernel> kernel(const Program &program, const std::string &name) const;
    /// Sets an argument of a kernel: memory, a number, or so many bytes of local memory.
    Result<void> set(const Kernel &kernel, cl_uint argument, const Memory &memory) const;
    Result<void> setNumber(const Kernel &kernel, cl_uint argument, cl_int number) const;
    Result<void> setLocal(const Kernel &kernel, cl_uint argument, std::size_t bytes) const;

    /// Adds a run of the kernel to the queue. `event`, which may be null, gets what tells its time.
    Result<void> run(const Kernel &kernel, const WorkItems &items, Event *event = nullptr) const;
    /// Waits until all commands have run.
    Result<void> finish() const;
    /// Returns the seconds that a command which has run took on the device.
    Result<double> secondsOf(const Event &event) const;

private:
    OpenclQueue() = default;

    const OpenclLibrary *m_library = nullptr;
    OpenclDevice m_device;
    unsigned m_units = 1;
    cl_device_id m_id = nullptr; // of the device or of its part
    std::shared_ptr<_cl_device_id> m_divided;
    std::shared_ptr<_cl_context> m_context;
    std::shared_ptr<_cl_command_queue> m_queue;
};

} // namespace graphloom::opencl
