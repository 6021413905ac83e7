// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/precompiled_headers.h"

#include "engine/codegen/emit/prelude.h"

#include <fstream>

namespace graphloom {

std::vector<std::string> PrecompiledHeaders::flagsFor(const std::string &key,
                                                      const CCompiler &compiler,
                                                      const std::vector<std::string> &flags,
                                                      const std::filesystem::path &folder,
                                                      std::stop_token stop, double timeoutSeconds)
{
    // To compile the headers takes GCC 12 as long as to read their text twice.
    constexpr int callsWithout = 2;
    const auto flagsOf = [](const Headers &headers) -> std::vector<std::string> {
        if (headers.state != State::Compiled)
            return {};
        return {"-include", headers.path.string()};
    };
    {
        const std::lock_guard lock(m_mutex);
        Headers &headers = m_headers[key];
        if (headers.state != State::Text || headers.calls++ < callsWithout)
            return flagsOf(headers);
        headers.state = State::Compiling;
    }
    const auto path = compiled(key, compiler, flags, folder, stop, timeoutSeconds);
    const std::lock_guard lock(m_mutex);
    Headers &headers = m_headers[key];
    headers.state = path ? State::Compiled : stop.stop_requested() ? State::Text : State::Unusable;
    headers.path = path.value_or(std::filesystem::path());
    return flagsOf(headers);
}

void PrecompiledHeaders::giveUp(const std::string &key)
{
    const std::lock_guard lock(m_mutex);
    m_headers[key].state = State::Unusable;
}

Result<std::filesystem::path> PrecompiledHeaders::compiled(
    const std::string &key, const CCompiler &compiler, const std::vector<std::string> &flags,
    const std::filesystem::path &folder, std::stop_token stop, double timeoutSeconds)
{
    std::filesystem::path path;
    {
        const std::lock_guard lock(m_mutex);
        if (!m_folder) {
            GL_TRY_RESULT(made, Temporary::folder(folder));
            m_folder.emplace(std::move(*made));
        }
        path = m_folder->path() / (key + ".h");
    }
    if (!(std::ofstream(path, std::ios::binary) << cPreludeHeaders() << std::flush))
        return fail(Error::Kind::Missing, "cannot write here", path.string());
    GL_TRY(precompileHeader(compiler, path, flags, stop, timeoutSeconds));
    return path;
}

} // namespace graphloom
