// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/kernel_library.h"

#include "engine/codegen/build/sealed_file.h"
#include "engine/system/write_fully.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace graphloom {

/// Holds a loaded copy. The loader identifies libraries by name, and a copy is named after its
/// descriptor, which therefore stays open as long as it is loaded.
struct KernelLibrary::Loaded {
    int copy = -1;
    void *handle = nullptr;

    Loaded() = default;
    Loaded(const Loaded &) = delete;
    Loaded &operator=(const Loaded &) = delete;
    ~Loaded()
    {
        if (handle)
            ::dlclose(handle);
        if (copy >= 0)
            ::close(copy);
    }
};

Result<KernelLibrary> KernelLibrary::open(const std::filesystem::path &file)
{
    GL_TRY_CONST(sealed, readSealed(file));
    const auto loaded = std::make_shared<Loaded>();
    loaded->copy = ::memfd_create("graphloom-kernels", MFD_CLOEXEC);
    if (loaded->copy < 0 || !writeFully(loaded->copy, sealed->content))
        return fail(Error::Kind::Missing,
                    "cannot be copied to memory: " + std::string(std::strerror(errno)),
                    file.string());
    const std::string name = "/proc/self/fd/" + std::to_string(loaded->copy);
    loaded->handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!loaded->handle)
        return fail(Error::Kind::Fault, "cannot be loaded: " + std::string(::dlerror()),
                    file.string());
    return KernelLibrary(file, sealed->checksum, loaded);
}

Result<KernelFunction> KernelLibrary::kernel(const std::string &name) const
{
    void *symbol = ::dlsym(m_loaded->handle, name.c_str());
    if (!symbol)
        return fail(Error::Kind::Fault, "has no function " + name, m_file.string());
    return reinterpret_cast<KernelFunction>(symbol);
}

} // namespace graphloom
