// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/confined_path.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace graphloom {

namespace {

// Without O_NONBLOCK, opening a named pipe would wait for a writer.
constexpr int readFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

/// Returns the components of a relative path without empty ones and ".".
std::vector<std::string> componentsOf(const std::string &location)
{
    std::vector<std::string> components(1);
    for (const char c : location) {
        if (c == '/')
            components.emplace_back();
        else
            components.back() += c;
    }
    std::erase_if(components, [](const std::string &part) { return part.empty() || part == "."; });
    return components;
}

/// Opens the path component by component; no component may be a link.
Descriptor walk(const Descriptor &folder, const std::vector<std::string> &components)
{
    Descriptor here(::fcntl(folder.number(), F_DUPFD_CLOEXEC, 0));
    for (std::size_t i = 0; i < components.size() && here.valid(); ++i) {
        const int flags = i + 1 < components.size() ? O_PATH | O_DIRECTORY | O_CLOEXEC : readFlags;
        here = Descriptor(::openat(here.number(), components[i].c_str(), flags | O_NOFOLLOW));
    }
    return here;
}

Descriptor openBeneath(const Descriptor &folder, const std::vector<std::string> &components,
                       bool withoutOpenat2)
{
    if (!withoutOpenat2) {
        std::string path;
        for (const std::string &component : components)
            path += (path.empty() ? "" : "/") + component;
        struct open_how how = {};
        how.flags = std::uint64_t(readFlags);
        how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
        const long opened = ::syscall(SYS_openat2, folder.number(), path.c_str(), &how, sizeof how);
        // Old kernels lack the call, and sandboxes may forbid it.
        if (opened >= 0 || (errno != ENOSYS && errno != EPERM))
            return Descriptor(int(opened));
    }
    return walk(folder, components);
}

} // namespace

Result<Descriptor> openConfined(const std::filesystem::path &folder, const std::string &location,
                                const Confinement &confinement)
{
    const auto refuse = [&](std::string reason) {
        return fail(Error::Kind::Model, "external data \"" + location + "\" " + reason);
    };
    if (location.empty() || location.find('\0') != std::string::npos)
        return refuse("is not a file name");
    if (location.front() == '/')
        return refuse("is an absolute path; only files below the model's folder are read");
    const auto components = componentsOf(location);
    for (const std::string &component : components)
        if (component == "..")
            return refuse("points outside the model's folder");
    if (components.empty())
        return refuse("is not a file name");

    const std::string base = folder.empty() ? "." : folder.string();
    const Descriptor start(::open(base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!start.valid())
        return refuse(std::string("cannot be opened: ") + std::strerror(errno));
    Descriptor file = confinement.followLinks
                          ? Descriptor(::openat(start.number(), location.c_str(), readFlags))
                          : openBeneath(start, components, confinement.withoutOpenat2);
    if (!file.valid()) {
        if (errno == ELOOP || errno == EXDEV || (errno == ENOTDIR && !confinement.followLinks))
            return refuse("contains a link or another component that is not a folder; "
                          "links are followed only on request");
        return refuse(std::string("cannot be opened: ") + std::strerror(errno));
    }
    struct stat facts = {};
    if (::fstat(file.number(), &facts) != 0)
        return refuse(std::string("cannot be read: ") + std::strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return refuse("is not a regular file");
    if (facts.st_nlink > 1 && !confinement.followLinks)
        return refuse("has several hard links; links are followed only on request");
    return file;
}

} // namespace graphloom
