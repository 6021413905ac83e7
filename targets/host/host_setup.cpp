// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_setup.h"

#include "engine/cost/host.h"

#include <cstdlib>

namespace graphloom::host {

namespace {

constexpr std::uint64_t cacheBytes = std::uint64_t{1} << 30;

std::string variable(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

} // namespace

Result<KernelCache> openCache(const std::filesystem::path &named)
{
    auto folder = named.empty() ? defaultKernelFolder(variable("XDG_CACHE_HOME"), variable("HOME"))
                                : Result<std::filesystem::path>(named);
    if (!folder)
        return tl::unexpected(folder.error());
    return Result<KernelCache>(tl::in_place, *std::move(folder), cacheBytes);
}

unsigned threadsOf(const BuildOptions &options)
{
    return options.threads ? options.threads : unsigned(hostFacts().cores);
}

ScheduleTarget scheduleTarget(const BuildOptions &options)
{
    ScheduleTarget target;
    // Vectors of one element have no code; compilers split those of four where there are none.
    target.lanes = std::max(hostFacts().lanes, 4);
    target.vectorRegisters = hostFacts().avx512 || hostFacts().neon ? 32 : 16;
    target.threads = int(threadsOf(options));
    return target;
}

} // namespace graphloom::host
