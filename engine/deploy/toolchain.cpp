// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/toolchain.h"

#include "engine/base/environment.h"

namespace graphloom {

namespace {

constexpr std::uint64_t cacheBytes = std::uint64_t{1} << 30;

KernelCacheEvents eventsOf(const Result<std::filesystem::path> &folder,
                           const std::function<void(const TargetMessage &)> &tell)
{
    using Kind = TargetMessage::Kind;
    return {[tell](const std::string &what) {
                tell({Kind::DamagedKernel, "a damaged kernel was rebuilt: " + what});
            },
            [tell, none = folder ? "" : folder.error().text()](const std::string &reason) {
                tell({Kind::NoKernelFolder, (none.empty() ? reason : none) +
                                                "; for now they are kept in a temporary folder"});
            }};
}

} // namespace

Result<std::filesystem::path> kernelFolder(const std::filesystem::path &named)
{
    return named.empty() ? defaultKernelFolder(environmentVariable("XDG_CACHE_HOME"),
                                               environmentVariable("HOME"))
                         : Result<std::filesystem::path>(named);
}

Toolchain::Toolchain(CCompiler found, const std::filesystem::path &namedFolder,
                     const std::function<void(const TargetMessage &)> &tell)
    : compiler(std::move(found)), cache(kernelFolder(namedFolder).value_or(""), cacheBytes,
                                        eventsOf(kernelFolder(namedFolder), tell))
{
}

} // namespace graphloom
