// SPDX-License-Identifier: Apache-2.0
#include "engine/system/child_process.h"

#include "engine/system/write_fully.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace graphloom {

namespace {

std::string reasonOf(int error)
{
    return std::error_code(error, std::generic_category()).message();
}

/// Owns a file descriptor.
struct Descriptor {
    int number = -1;
    ~Descriptor()
    {
        if (number >= 0)
            ::close(number);
    }
};

/// Returns a file in memory with this text, positioned at its start.
int textFile(std::string_view text)
{
    const int file = ::memfd_create("graphloom-input", MFD_CLOEXEC);
    if (file >= 0 && writeFully(file, text)) {
        ::lseek(file, 0, SEEK_SET);
        return file;
    }
    if (file >= 0)
        ::close(file);
    return -1;
}

} // namespace

namespace {

/// Describes the descriptors that a new process gets.
struct Redirections {
    Redirections() { ::posix_spawn_file_actions_init(&actions); }
    ~Redirections() { ::posix_spawn_file_actions_destroy(&actions); }
    Redirections(const Redirections &) = delete;
    Redirections &operator=(const Redirections &) = delete;

    void give(int ours, int theirs) { ::posix_spawn_file_actions_adddup2(&actions, ours, theirs); }
    void giveNothing(int theirs, int mode)
    {
        ::posix_spawn_file_actions_addopen(&actions, theirs, "/dev/null", mode, 0);
    }

    posix_spawn_file_actions_t actions;
};

/// Returns the environment of this process with other values for some variables.
std::vector<char *> environmentWith(const std::vector<std::string> &variables)
{
    std::vector<char *> all;
    for (const std::string &variable : variables)
        all.push_back(const_cast<char *>(variable.c_str()));
    for (char **ours = environ; *ours; ++ours) {
        const std::string_view entry(*ours);
        const auto isAnother = [&](const std::string &variable) {
            return entry.starts_with(variable.substr(0, variable.find('=') + 1));
        };
        if (std::ranges::none_of(variables, isAnother))
            all.push_back(*ours);
    }
    all.push_back(nullptr);
    return all;
}

/// Starts a process in a process group of its own; returns 0 and sets errno on failure.
pid_t spawned(const std::string &program, const std::vector<std::string> &arguments,
              const Redirections &redirections, const std::vector<std::string> &variables = {})
{
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    std::vector<char *> words = {const_cast<char *>(program.c_str())};
    for (const std::string &argument : arguments)
        words.push_back(const_cast<char *>(argument.c_str()));
    words.push_back(nullptr);
    pid_t process = 0;
    std::vector<char *> environment = environmentWith(variables);
    errno = ::posix_spawnp(&process, program.c_str(), &redirections.actions, &attributes,
                           words.data(), environment.data());
    ::posix_spawnattr_destroy(&attributes);
    return errno == 0 ? process : 0;
}

tl::unexpected<Error> cannotStart(const std::filesystem::path &program, int error)
{
    return fail(Error::Kind::Missing, "cannot be started: " + reasonOf(error), program.string());
}

} // namespace

Result<ChildProcess> ChildProcess::start(const std::filesystem::path &program,
                                         const std::vector<std::string> &arguments, Reading reading,
                                         std::string_view input,
                                         const std::vector<std::string> &variables)
{
    const Descriptor text{textFile(input)};
    int ends[2];
    if (text.number < 0 || ::pipe2(ends, O_CLOEXEC) != 0)
        return cannotStart(program, errno);
    Descriptor output{ends[0]};
    const Descriptor written{ends[1]};
    Redirections redirections;
    redirections.give(text.number, STDIN_FILENO);
    redirections.give(written.number, STDOUT_FILENO);
    if (reading == Reading::OutputAndErrors)
        redirections.give(written.number, STDERR_FILENO);
    else
        redirections.giveNothing(STDERR_FILENO, O_WRONLY);
    const pid_t process = spawned(program.string(), arguments, redirections, variables);
    if (process == 0)
        return cannotStart(program, errno);
    return ChildProcess(process, std::exchange(output.number, -1));
}

Result<ChildProcess> ChildProcess::startWithFiles(const std::filesystem::path &program,
                                                  const std::vector<std::string> &arguments,
                                                  const std::filesystem::path &input,
                                                  const std::filesystem::path &output)
{
    const auto opened = [](const std::filesystem::path &file, int mode) {
        constexpr mode_t owner = 0600;
        return ::open(file.empty() ? "/dev/null" : file.c_str(), mode | O_CLOEXEC, owner);
    };
    const Descriptor read{opened(input, O_RDONLY)};
    if (read.number < 0)
        return fail(Error::Kind::Missing, "cannot be read: " + reasonOf(errno), input.string());
    const Descriptor written{opened(output, O_WRONLY | O_CREAT | O_TRUNC)};
    if (written.number < 0)
        return fail(Error::Kind::Missing, "cannot be written: " + reasonOf(errno), output.string());
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return cannotStart(program, errno);
    Descriptor errors{ends[0]};
    const Descriptor theirErrors{ends[1]};
    Redirections redirections;
    redirections.give(read.number, STDIN_FILENO);
    redirections.give(written.number, STDOUT_FILENO);
    redirections.give(theirErrors.number, STDERR_FILENO);
    const pid_t process = spawned(program.string(), arguments, redirections);
    if (process == 0)
        return cannotStart(program, errno);
    return ChildProcess(process, std::exchange(errors.number, -1));
}

Result<ChildProcess> ChildProcess::startConnected(const std::filesystem::path &program,
                                                  const std::vector<std::string> &arguments)
{
    constexpr int theirEnd = 3;
    Descriptor errors{textFile({})};
    int ends[2];
    if (errors.number < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return cannotStart(program, errno);
    Descriptor ours{ends[0]};
    Descriptor theirs{ends[1]};
    if (theirs.number == theirEnd) // dup2() to itself would keep the close-on-exec flag
        theirs.number = ::fcntl(theirEnd, F_DUPFD_CLOEXEC, theirEnd + 1);
    Redirections redirections;
    redirections.giveNothing(STDIN_FILENO, O_RDONLY);
    redirections.give(errors.number, STDOUT_FILENO);
    redirections.give(errors.number, STDERR_FILENO);
    redirections.give(theirs.number, theirEnd);
    const pid_t process = spawned(program.string(), arguments, redirections);
    if (process == 0)
        return cannotStart(program, errno);
    return ChildProcess(process, std::exchange(ours.number, -1), std::exchange(errors.number, -1));
}

ChildProcess::ChildProcess(ChildProcess &&other) noexcept
    : m_process(std::exchange(other.m_process, -1)), m_output(std::exchange(other.m_output, -1)),
      m_errors(std::exchange(other.m_errors, -1)), m_ending(other.m_ending),
      m_buffer(std::move(other.m_buffer))
{
}

ChildProcess::~ChildProcess()
{
    wait({});
    for (const int descriptor : {m_output, m_errors})
        if (descriptor >= 0)
            ::close(descriptor);
}

void ChildProcess::kill() const
{
    signal(SIGKILL);
}

void ChildProcess::signal(int number) const
{
    if (m_process > 0)
        ::kill(-m_process, number);
}

std::string ChildProcess::errors() const
{
    constexpr off_t most = 4096;
    const off_t size = m_errors < 0 ? 0 : ::lseek(m_errors, 0, SEEK_END);
    std::string text(std::size_t(std::clamp<off_t>(size, 0, most)), '\0');
    const ssize_t read =
        text.empty() ? 0 : ::pread(m_errors, text.data(), text.size(), size - off_t(text.size()));
    text.resize(std::size_t(std::max<ssize_t>(read, 0)));
    return text;
}

ChildProcess::Event ChildProcess::readLine(std::string &line, Clock::time_point deadline,
                                           std::stop_token stop)
{
    // The process is not waited for yet, so that its id cannot belong to another one.
    const std::stop_callback killWhenStopped(stop, [this] { kill(); });
    for (;;) {
        if (stop.stop_requested())
            return Event::Stopped;
        if (const auto end = m_buffer.find('\n'); end != std::string::npos) {
            line = m_buffer.substr(0, end);
            m_buffer.erase(0, end + 1);
            return Event::Line;
        }
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            kill();
            return Event::Late;
        }
        // Poll in slices, as a process that has left the process group may keep the pipe open.
        pollfd ready = {m_output, POLLIN, 0};
        if (::poll(&ready, 1, int(std::min<std::int64_t>(left.count(), 100))) <= 0)
            continue;
        char bytes[4096];
        const ssize_t count = ::read(m_output, bytes, sizeof bytes);
        if (count > 0)
            m_buffer.append(bytes, std::size_t(count));
        else if (count == 0 && !m_buffer.empty())
            m_buffer += '\n'; // a last line without a newline
        else if (count == 0 || errno != EINTR)
            return stop.stop_requested() ? Event::Stopped : Event::End;
    }
}

bool ChildProcess::hasEnded() const
{
    siginfo_t state = {};
    return m_process <= 0 ||
           (::waitid(P_PID, id_t(m_process), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            state.si_pid == m_process);
}

int ChildProcess::wait(std::chrono::milliseconds patience)
{
    const auto deadline = Clock::now() + patience;
    while (m_process > 0) {
        int status = 0;
        const bool late = Clock::now() >= deadline;
        if (late)
            kill();
        if (::waitpid(m_process, &status, late ? 0 : WNOHANG) == m_process) {
            m_process = -1;
            m_ending = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }
    return m_ending;
}

std::string ChildProcess::describe(int ending)
{
    if (ending >= 0)
        return "exited with code " + std::to_string(ending);
    const char *name = ::sigabbrev_np(-ending);
    return name ? std::string("crashed with SIG") + name
                : "was terminated by signal " + std::to_string(-ending);
}

std::filesystem::path executableFolder()
{
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    return failed ? std::filesystem::current_path() : self.parent_path();
}

std::filesystem::path companionProgram(const std::string &name)
{
    std::error_code ignored;
    auto program = executableFolder() / name;
    if (!std::filesystem::exists(program, ignored)) // run from the tests' folder of a build
        program = executableFolder() / ".." / "bin" / name;
    return program.lexically_normal();
}

} // namespace graphloom
