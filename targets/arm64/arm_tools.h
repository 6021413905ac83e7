// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/c_compiler.h"

#include <map>
#include <string>
#include <vector>

namespace graphloom::arm64 {

/// Returns the compilers for 64-bit ARM, best first: the one that the environment variable
/// GRAPHLOOM_ARM64_CC names (a program, perhaps with arguments), Debian's cross-compiler, clang
/// with a target, and that of Android's NDK, whose folder ANDROID_NDK_HOME or ANDROID_NDK_ROOT
/// names.
std::vector<CCompiler> armCompilers(std::stop_token stop = {});
/// Returns the first of them. Fails (Missing) with what to install.
Result<CCompiler> armCompiler(std::stop_token stop);

/// Describes QEMU in user mode.
struct ArmEmulator {
    std::string program, version;
    std::vector<std::string> processors; // that it emulates: "cortex-a76"
};
/// Fails (Missing) with what to install.
Result<ArmEmulator> armEmulator(std::stop_token stop);

/// Returns the processor that the emulator has for one of a device, with the same instructions; the
/// emulator's own default executes instructions that the device does not have. Fails (Missing) if
/// it has none.
Result<std::string> emulatedProcessor(const ArmEmulator &emulator, const std::string &processor);

} // namespace graphloom::arm64
