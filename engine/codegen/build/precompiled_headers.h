// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/c_compiler.h"
#include "engine/system/temporary.h"

#include <map>
#include <mutex>
#include <optional>

namespace graphloom {

/// Compiles the headers of the prelude in advance, for each compiler and set of flags. Their
/// declarations of intrinsics take GCC and Clang several times as long as a small kernel itself.
/// What is compiled does not change by it. The files, tens of megabytes for GCC, live as long as
/// this object. Any number of threads may use it.
class PrecompiledHeaders {
public:
    /// Returns the flags with which the compiler reads the compiled headers. Returns none for the
    /// first calls with a key, while another thread compiles them, and if they cannot be compiled.
    /// `key` stands for the compiler and its flags; the files are placed in a temporary folder
    /// inside of `folder`.
    std::vector<std::string> flagsFor(const std::string &key, const CCompiler &compiler,
                                      const std::vector<std::string> &flags,
                                      const std::filesystem::path &folder, std::stop_token stop,
                                      double timeoutSeconds);
    /// Makes flagsFor() return none from now on.
    void giveUp(const std::string &key);

private:
    enum class State { Text, Compiling, Compiled, Unusable };
    struct Headers {
        State state = State::Text;
        int calls = 0;
        std::filesystem::path path; // if they are compiled
    };
    Result<std::filesystem::path> compiled(const std::string &key, const CCompiler &compiler,
                                           const std::vector<std::string> &flags,
                                           const std::filesystem::path &folder,
                                           std::stop_token stop, double timeoutSeconds);

    std::mutex m_mutex; // guards the rest
    std::map<std::string, Headers> m_headers;
    std::optional<Temporary> m_folder;
};

} // namespace graphloom
