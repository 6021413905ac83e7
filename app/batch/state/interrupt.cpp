// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/state/interrupt.h"

#include "app/batch/terminal/exit_code.h"

#include <atomic>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>

namespace graphloom {

namespace {

using namespace std::chrono_literals;

// Parts of the one second that the process may take after the second signal.
constexpr auto forSaving = 700ms, forEverything = 900ms;

// The handler only writes to a descriptor: requesting a stop runs callbacks and takes locks.
std::atomic<int> wakeDescriptor{-1};
std::atomic<int> signalCount{0};
static_assert(std::atomic<int>::is_always_lock_free);

void onSignal(int)
{
    const int saved = errno;
    if (signalCount.fetch_add(1) >= 2)
        ::_exit(exitCancelled);
    const char signalled = 's';
    // A full pipe already wakes the watcher.
    [[maybe_unused]] const auto written = ::write(wakeDescriptor.load(), &signalled, 1);
    errno = saved;
}

/// Handles signals between a run and the end of the process, so that the exit code is the same as
/// during it.
void endAtOnce(int)
{
    ::_exit(exitCancelled);
}

/// Installs a handler. Signals that were ignored at the start of the program, such as those of a
/// shell's background jobs, stay ignored.
void handle(void (*handler)(int))
{
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction action = {};
        if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = {};
        action.sa_handler = handler;
        action.sa_flags = SA_RESTART;
        ::sigaction(signal, &action, nullptr);
    }
}

bool awaitSignal(int descriptor)
{
    char signalled = 0;
    for (;;) {
        const auto count = ::read(descriptor, &signalled, 1);
        if (count >= 0 || errno != EINTR)
            return count == 1;
    }
}

/// Kills compilers, trials and workers, each with its process group.
void killChildren()
{
    std::error_code ignored;
    for (const auto &process : std::filesystem::directory_iterator("/proc", ignored)) {
        std::ifstream file(process.path() / "stat");
        std::string stat; // "PID (NAME) STATE PARENT ..."; NAME may contain anything
        std::getline(file, stat, '\0');
        const auto name = stat.rfind(')');
        char state = 0;
        pid_t parent = 0;
        if (name == std::string::npos ||
            !(std::istringstream(stat.substr(name + 1)) >> state >> parent) || parent != ::getpid())
            continue;
        const auto child = pid_t(std::strtol(stat.c_str(), nullptr, 10));
        ::kill(-child, SIGKILL);
        ::kill(child, SIGKILL);
    }
}

} // namespace

Interrupt::Interrupt(std::function<void()> save, std::function<void()> tidy)
    : m_save(std::move(save)), m_tidy(std::move(tidy))
{
    [[maybe_unused]] const int made = ::pipe2(m_pipe, O_CLOEXEC);
    assert(made == 0);
    [[maybe_unused]] const int previous = wakeDescriptor.exchange(m_pipe[1]);
    assert(previous == -1);
    signalCount = 0;
    m_watcher = std::thread([this] { watch(); });
    handle(onSignal);
}

Interrupt::~Interrupt()
{
    {
        const std::lock_guard lock(m_mutex);
        m_over = true;
    }
    m_ended.notify_all();
    handle(endAtOnce);
    const int end = wakeDescriptor.exchange(-1);
    ::close(end); // the watcher then reads the end of the pipe
    m_watcher.join();
    if (m_stopping.joinable())
        m_stopping.join();
    ::close(m_pipe[0]);
}

void Interrupt::watch()
{
    if (!awaitSignal(m_pipe[0]))
        return;
    // Callbacks may take long; the second signal must not wait for them.
    m_stopping = std::thread([this] { m_stop.request_stop(); });
    if (awaitSignal(m_pipe[0]))
        endProcess();
}

void Interrupt::endProcess()
{
    std::thread([] {
        std::this_thread::sleep_for(forEverything);
        ::_exit(exitCancelled);
    }).detach();
    killChildren();
    std::thread([this] {
        m_save();
        const std::lock_guard lock(m_mutex);
        m_over = true;
        m_ended.notify_all();
    }).detach();
    std::unique_lock lock(m_mutex);
    m_ended.wait_for(lock, forSaving, [this] { return m_over; });
    m_tidy();
    ::_exit(exitCancelled);
}

} // namespace graphloom
