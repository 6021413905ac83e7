// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace graphloom {

/// Describes what went wrong, in words a user can act on. `where` names the file, byte or node;
/// `raised` is the place in our own code.
struct Error {
    /// Determines the exit code of the command line: Usage 2, Model 3, Missing 4, Fault 5. Stopped
    /// means that nothing is wrong: a stop was requested.
    enum class Kind { Usage, Model, Missing, Fault, Stopped };

    Kind kind = Kind::Fault;
    std::string message;
    std::string where;
    std::source_location raised;
    /// Ids of the nodes that cause the error, in the graph that was asked about; views show them.
    std::vector<std::uint32_t> nodes = {};

    /// Returns "where: message", or the message alone if there is no place to name.
    std::string text() const { return where.empty() ? message : where + ": " + message; }
};

/// Returns the place in our own code where an error was raised: "mapped_file.cpp:58". Empty if it
/// is unknown, as of an error from another process.
inline std::string raisedAt(const Error &error)
{
    const std::string file = error.raised.file_name();
    if (file.empty())
        return {};
    return file.substr(file.rfind('/') + 1) + ":" + std::to_string(error.raised.line());
}

/// Holds a value, or the reason why there is none.
template <class T> using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Error::Kind kind, std::string message, std::string where = {},
                                  std::source_location raised = std::source_location::current())
{
    return tl::unexpected<Error>(Error{kind, std::move(message), std::move(where), raised});
}

} // namespace graphloom

// Forwarding of errors, as with Rust's `?`. Each returns the error of the Result from the function
// around it, which gives a Result, too.

/// Evaluates a Result whose value is not needed.
#define GL_TRY(...)                                                                                \
    do {                                                                                           \
        if (auto glTried = __VA_ARGS__; !glTried)                                                  \
            return tl::unexpected(std::move(glTried).error());                                     \
    } while (false)
/// Declares `name` as a Result that has a value: `GL_TRY_RESULT(plan, planOf(model)); use(*plan);`
#define GL_TRY_RESULT(name, ...)                                                                   \
    auto name = __VA_ARGS__;                                                                       \
    if (!name)                                                                                     \
    return tl::unexpected(std::move(name).error())
/// Declares the same as a constant.
#define GL_TRY_CONST(name, ...)                                                                    \
    const auto name = __VA_ARGS__;                                                                 \
    if (!name)                                                                                     \
    return tl::unexpected(name.error())
