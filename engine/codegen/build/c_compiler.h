// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdlib>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// A C compiler with vector extensions that runs here.
struct CCompiler {
    enum class Kind { Gcc, Clang };

    std::filesystem::path program;
    std::vector<std::string> arguments; // before all others, as in "ccache gcc"
    Kind kind = Kind::Gcc;
    std::string version; // first line of what --version says
    std::string triple;  // what it compiles for: "x86_64-linux-gnu"
};

/// The compilers found, best first: the one that `preferred` names (as the variable CC does: a
/// program, perhaps with arguments), then gcc and clang in PATH. What does not answer within
/// seconds, or is neither GCC nor Clang, is none.
std::vector<CCompiler> findCCompilers(const char *preferred = std::getenv("CC"));

/// The first of them. Fails (Missing) saying what to install, and (Fault) when stopped.
Result<CCompiler> findCCompiler(const char *preferred = std::getenv("CC"),
                                std::stop_token stop = {});

/// Compiles C source to the shared library `output`; the source stays beside it, as .c, and so do
/// the compiler's own temporary files while it runs. Fails with
/// the compiler's first errors (Fault), when stopped or later than `timeoutSeconds` (Fault; the
/// compiler is killed), when the compiler is gone or the folder cannot be written (Missing).
Result<void> compileShared(const CCompiler &compiler, const std::string &source,
                           const std::vector<std::string> &flags,
                           const std::filesystem::path &output, std::stop_token stop,
                           double timeoutSeconds);

} // namespace graphloom
