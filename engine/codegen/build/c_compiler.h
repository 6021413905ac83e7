// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdlib>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Describes a C compiler with vector extensions that runs on this machine.
struct CCompiler {
    enum class Kind { Gcc, Clang };

    std::filesystem::path program;
    std::vector<std::string> arguments; // before all others, as in "ccache gcc"
    Kind kind = Kind::Gcc;
    std::string version; // first line of the output of --version
    std::string triple;  // target triple: "x86_64-linux-gnu"
};

/// Returns the compilers found, best first: the one that `preferred` names (like the variable CC: a
/// program, perhaps with arguments), then gcc and clang in PATH. Programs that do not answer within
/// seconds, or are neither GCC nor Clang, are left out.
std::vector<CCompiler> findCCompilers(const char *preferred = std::getenv("CC"));

/// Returns those of the commands, each a program with the arguments that come before all others,
/// that are compilers and answer within seconds. Two names of the same compiler are one.
std::vector<CCompiler> workingCCompilers(std::span<const std::vector<std::string>> commands,
                                         std::stop_token stop = {});

/// Returns the first of them. Fails (Missing) with what to install, and (Fault) if stopped.
Result<CCompiler> findCCompiler(const char *preferred = std::getenv("CC"),
                                std::stop_token stop = {});

/// Compiles C source to the shared library `output`. The source stays beside it, as .c, and so do
/// the compiler's own temporary files while it runs. Fails with the compiler's first errors
/// (Fault), if stopped or later than `timeoutSeconds` (Fault; the compiler is killed), or if the
/// compiler is gone or the folder cannot be written (Missing).
Result<void> compileShared(const CCompiler &compiler, const std::string &source,
                           const std::vector<std::string> &flags,
                           const std::filesystem::path &output, std::stop_token stop,
                           double timeoutSeconds);

/// Compiles C source to an object file in the same way.
Result<void> compileObject(const CCompiler &compiler, const std::string &source,
                           const std::vector<std::string> &flags,
                           const std::filesystem::path &output, std::stop_token stop,
                           double timeoutSeconds);

/// Links object files to a program that needs no library of the machine that runs it. Fails as
/// compileShared() does.
Result<void> linkProgram(const CCompiler &compiler,
                         const std::vector<std::filesystem::path> &objects,
                         const std::filesystem::path &output, std::stop_token stop,
                         double timeoutSeconds);

/// Compiles a C header for later compilations with the same flags and "-include" of its path: GCC
/// and Clang find the result beside it, as .gch. Fails as compileShared() does.
Result<void> precompileHeader(const CCompiler &compiler, const std::filesystem::path &header,
                              const std::vector<std::string> &flags, std::stop_token stop,
                              double timeoutSeconds);

} // namespace graphloom
