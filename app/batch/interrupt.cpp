// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/interrupt.h"

#include <atomic>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace graphloom {

namespace {

// A handler may only write to a descriptor: requesting a stop runs callbacks and takes locks.
std::atomic<int> wakeDescriptor{-1};

void onSignal(int)
{
    const int saved = errno;
    const char signalled = 's';
    // A full pipe holds enough signals already.
    [[maybe_unused]] const auto written = ::write(wakeDescriptor.load(), &signalled, 1);
    errno = saved;
}

/// Signals that were ignored when the program started, as for a shell's background jobs, stay so.
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

} // namespace

Interrupt::Interrupt()
{
    [[maybe_unused]] const int made = ::pipe2(m_pipe, O_CLOEXEC);
    assert(made == 0);
    [[maybe_unused]] const int previous = wakeDescriptor.exchange(m_pipe[1]);
    assert(previous == -1);
    m_watcher = std::thread([this] { watch(); });
    handle(onSignal);
}

Interrupt::~Interrupt()
{
    handle(SIG_DFL);
    wakeDescriptor = -1;
    ::close(m_pipe[1]); // the watcher reads the end
    m_watcher.join();
    ::close(m_pipe[0]);
}

void Interrupt::watch()
{
    char signalled = 0;
    while (::read(m_pipe[0], &signalled, 1) == 1) {
        if (m_passes.request_stop())
            continue;
        m_everything.request_stop();
        handle(SIG_DFL);
    }
}

} // namespace graphloom
