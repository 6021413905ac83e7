// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/arm_tools.h"

#include "engine/base/environment.h"
#include "engine/connection/command.h"

#include <algorithm>
#include <filesystem>

namespace graphloom::arm64 {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Returns the compilers of Android's NDK for the oldest system with 64 bits.
std::vector<Words> ndkCommands()
{
    std::vector<Words> commands;
    for (const char *name : {"ANDROID_NDK_HOME", "ANDROID_NDK_ROOT"}) {
        const std::string folder = environmentVariable(name);
        if (folder.empty())
            continue;
        std::error_code none;
        for (const auto &host :
             fs::directory_iterator(fs::path(folder) / "toolchains/llvm/prebuilt", none))
            commands.push_back(
                {(host.path() / "bin/clang").string(), "--target=aarch64-linux-android21"});
    }
    return commands;
}

} // namespace

std::vector<CCompiler> armCompilers(std::stop_token stop)
{
    std::vector<Words> commands = {wordsOf(environmentVariable("GRAPHLOOM_ARM64_CC"))};
#if defined(__aarch64__)
    commands.push_back({"gcc"});
#endif
    commands.push_back({"aarch64-linux-gnu-gcc"});
    commands.push_back({"clang", "--target=aarch64-linux-gnu"});
    for (Words &command : ndkCommands())
        commands.push_back(std::move(command));
    std::vector<CCompiler> compilers = workingCCompilers(commands, std::move(stop));
    std::erase_if(compilers, [](const CCompiler &compiler) {
        return !compiler.triple.starts_with("aarch64");
    });
    return compilers;
}

Result<CCompiler> armCompiler(std::stop_token stop)
{
    std::vector<CCompiler> compilers = armCompilers(stop);
    if (!compilers.empty())
        return std::move(compilers.front());
    if (stop.stop_requested())
        return fail(Error::Kind::Stopped, "cancelled while searching for a C compiler");
    return fail(Error::Kind::Missing,
                "no C compiler for 64-bit ARM found: install gcc-aarch64-linux-gnu, or let the "
                "environment variable GRAPHLOOM_ARM64_CC name one");
}

Result<ArmEmulator> armEmulator(std::stop_token stop)
{
    constexpr double patience = 10;
    ArmEmulator emulator;
    emulator.program = "qemu-aarch64";
    const auto missing = [&](const std::string &reason) {
        return fail(Error::Kind::Missing,
                    "QEMU in user mode, which runs kernels for ARM here, cannot be used: " +
                        reason + "; install qemu-user",
                    emulator.program);
    };
    const auto version = runCommand({emulator.program, "--version"}, stop, patience);
    const auto help = runCommand({emulator.program, "-cpu", "help"}, stop, patience);
    for (const auto *answer : {&version, &help})
        if (!*answer)
            return answer->error().kind == Error::Kind::Stopped ? tl::unexpected(answer->error())
                                                                : missing(answer->error().message);
    if (version->ending != 0 || version->lines.empty())
        return missing(lastLines(*version));
    emulator.version = version->lines.front();
    for (const std::string &line : help->lines) {
        const Words words = wordsOf(line);
        if (!words.empty())
            emulator.processors.push_back(words.front());
    }
    return emulator;
}

Result<std::string> emulatedProcessor(const ArmEmulator &emulator, const std::string &processor)
{
    const auto has = [&](const std::string &name) {
        return std::ranges::find(emulator.processors, name) != emulator.processors.end();
    };
    if (has(processor))
        return processor;
    // They all have ARMv8.2-A with half-precision arithmetic and dot products, and no more that
    // compilers use for C.
    const std::vector<std::string> alike = {"cortex-a55", "cortex-a75",  "cortex-a76", "cortex-a77",
                                            "cortex-a78", "neoverse-n1", "cortex-x1"};
    if (std::ranges::find(alike, processor) != alike.end())
        for (const std::string &name : alike)
            if (has(name))
                return name;
    return fail(Error::Kind::Missing,
                emulator.version + " does not emulate " + processor + " or a processor like it",
                emulator.program);
}

} // namespace graphloom::arm64
