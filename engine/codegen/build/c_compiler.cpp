// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/c_compiler.h"

#include "engine/base/environment.h"
#include "engine/system/child_process.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>

namespace graphloom {

namespace {

using Event = ChildProcess::Event;

struct Answer {
    std::vector<std::string> lines;
    Event last = Event::End;
    int ending = 0;
};

Result<Answer> ask(const CCompiler &compiler, const std::vector<std::string> &more, double seconds,
                   const std::stop_token &stop, const std::vector<std::string> &variables = {})
{
    const auto deadline =
        ChildProcess::Clock::now() +
        std::chrono::ceil<ChildProcess::Clock::duration>(std::chrono::duration<double>(seconds));
    std::vector<std::string> arguments = compiler.arguments;
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (stop.stop_requested())
        return Answer{{}, Event::Stopped, 0};
    GL_TRY_RESULT(child,
                  ChildProcess::start(compiler.program, arguments,
                                      ChildProcess::Reading::OutputAndErrors, {}, variables));
    Answer answer;
    std::string line;
    while ((answer.last = child->readLine(line, deadline, stop)) == Event::Line)
        answer.lines.push_back(line);
    answer.ending = child->wait(std::chrono::seconds(1));
    return answer;
}

/// Returns the compiler's answer to a question, or none if it fails.
std::optional<std::vector<std::string>> answerTo(const CCompiler &compiler,
                                                 const std::vector<std::string> &question,
                                                 const std::stop_token &stop)
{
    constexpr double patience = 5;
    Result<Answer> answer = ask(compiler, question, patience, stop);
    if (!answer || answer->last != Event::End || answer->ending != 0 || answer->lines.empty())
        return std::nullopt;
    return std::move(answer->lines);
}

std::optional<CCompiler> compilerOf(const std::vector<std::string> &command,
                                    const std::stop_token &stop)
{
    if (command.empty())
        return std::nullopt;
    CCompiler compiler;
    compiler.program = command.front();
    compiler.arguments.assign(command.begin() + 1, command.end());
    const auto macros = answerTo(compiler, {"-dM", "-E", "-x", "c", "/dev/null"}, stop);
    const auto defines = [&](std::string_view macro) {
        return std::ranges::any_of(*macros, [&](const std::string &line) {
            return line.starts_with("#define " + std::string(macro) + " ");
        });
    };
    if (!macros || !defines("__GNUC__")) // Clang defines it, too
        return std::nullopt;
    const auto version = answerTo(compiler, {"--version"}, stop);
    const auto triple = answerTo(compiler, {"-dumpmachine"}, stop);
    if (!version || !triple)
        return std::nullopt;
    compiler.kind = defines("__clang__") ? CCompiler::Kind::Clang : CCompiler::Kind::Gcc;
    compiler.version = version->front();
    compiler.triple = triple->front();
    return compiler;
}

/// Returns the first errors that the compiler reported, or its first lines if there are none.
std::string firstErrors(const std::vector<std::string> &lines)
{
    constexpr int most = 5;
    const auto told = [&](auto wanted) {
        std::string text;
        int count = 0;
        for (const std::string &line : lines)
            if (wanted(line) && count++ < most)
                text += "\n" + line;
        return text;
    };
    const std::string errors =
        told([](const std::string &line) { return line.find("error:") != std::string::npos; });
    return errors.empty() ? told([](const std::string &) { return true; }) : errors;
}

/// Runs the compiler with flags and further arguments. Its temporary files are in `folder`.
Result<void> compile(const CCompiler &compiler, std::vector<std::string> flags,
                     const std::vector<std::string> &more, const std::filesystem::path &folder,
                     const std::stop_token &stop, double timeoutSeconds)
{
    flags.insert(flags.end(), more.begin(), more.end());
    const Result<Answer> answer =
        ask(compiler, flags, timeoutSeconds, stop, {"TMPDIR=" + folder.string()});
    if (!answer)
        return tl::unexpected(answer.error());
    const std::string where = compiler.program.string();
    if (answer->last == Event::Stopped)
        return fail(Error::Kind::Stopped, "cancelled before it finished", where);
    if (answer->last == Event::Late) {
        std::ostringstream message;
        message << "took more than " << timeoutSeconds << " s and was ended";
        return fail(Error::Kind::Fault, message.str(), where);
    }
    if (answer->ending != 0)
        return fail(Error::Kind::Fault,
                    "cannot compile: " + ChildProcess::describe(answer->ending) +
                        firstErrors(answer->lines),
                    where);
    return {};
}

std::array<std::vector<std::string>, 3> commands(const char *preferred)
{
    return {wordsOf(preferred ? preferred : ""), {"gcc"}, {"clang"}};
}

/// Writes the source beside the output, as .c, and returns its path.
Result<std::filesystem::path> writtenSource(const std::string &source, std::filesystem::path output)
{
    output.replace_extension(".c");
    if (!(std::ofstream(output, std::ios::binary) << source << std::flush))
        return fail(Error::Kind::Missing, "cannot write here", output.string());
    return output;
}

} // namespace

std::vector<CCompiler> workingCCompilers(std::span<const std::vector<std::string>> commands,
                                         std::stop_token stop)
{
    std::vector<CCompiler> found;
    for (const std::vector<std::string> &command : commands) {
        std::optional<CCompiler> compiler = compilerOf(command, stop);
        const bool known = compiler && std::ranges::any_of(found, [&](const CCompiler &other) {
                               return other.version == compiler->version &&
                                      other.triple == compiler->triple &&
                                      other.arguments == compiler->arguments;
                           });
        if (compiler && !known)
            found.push_back(std::move(*compiler));
    }
    return found;
}

std::vector<CCompiler> findCCompilers(const char *preferred)
{
    return workingCCompilers(commands(preferred));
}

Result<CCompiler> findCCompiler(const char *preferred, std::stop_token stop)
{
    for (const std::vector<std::string> &command : commands(preferred))
        if (std::optional<CCompiler> compiler = compilerOf(command, stop))
            return std::move(*compiler);
    if (stop.stop_requested())
        return fail(Error::Kind::Stopped, "cancelled while searching for a C compiler");
    return fail(
        Error::Kind::Missing,
        "no working C compiler found: install gcc or clang, or set the environment variable CC");
}

Result<void> compileShared(const CCompiler &compiler, const std::string &source,
                           const std::vector<std::string> &flags,
                           const std::filesystem::path &output, std::stop_token stop,
                           double timeoutSeconds)
{
    GL_TRY_CONST(file, writtenSource(source, output));
    // The folder of the output is on a disk with room and is removed in the end.
    return compile(compiler, flags,
                   {"-shared", "-fPIC", "-o", output.string(), file->string(), "-lm"},
                   output.parent_path(), stop, timeoutSeconds);
}

Result<void> compileObject(const CCompiler &compiler, const std::string &source,
                           const std::vector<std::string> &flags,
                           const std::filesystem::path &output, std::stop_token stop,
                           double timeoutSeconds)
{
    GL_TRY_CONST(file, writtenSource(source, output));
    return compile(compiler, flags, {"-c", "-o", output.string(), file->string()},
                   output.parent_path(), stop, timeoutSeconds);
}

Result<void> linkProgram(const CCompiler &compiler,
                         const std::vector<std::filesystem::path> &objects,
                         const std::filesystem::path &output, std::stop_token stop,
                         double timeoutSeconds)
{
    std::vector<std::string> words;
    for (const std::filesystem::path &object : objects)
        words.push_back(object.string());
    // Pages of a phone's memory may have 16 kB.
    words.insert(words.end(), {"-static", "-pthread", "-Wl,-z,max-page-size=65536", "-o",
                               output.string(), "-lm"});
    return compile(compiler, {}, words, output.parent_path(), stop, timeoutSeconds);
}

Result<void> precompileHeader(const CCompiler &compiler, const std::filesystem::path &header,
                              const std::vector<std::string> &flags, std::stop_token stop,
                              double timeoutSeconds)
{
    return compile(compiler, flags,
                   {"-fPIC", "-x", "c-header", header.string(), "-o", header.string() + ".gch"},
                   header.parent_path(), stop, timeoutSeconds);
}

} // namespace graphloom
