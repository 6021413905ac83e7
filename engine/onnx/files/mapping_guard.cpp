// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/mapping_guard.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace graphloom {

/// An entry of the list that the signal handler walks. Entries are reused, never freed, so
/// that the handler can walk the list while another thread adds to it.
struct MappingGuard::Slot {
    std::atomic<std::uintptr_t> begin{0}, end{0}; // end is 0 while the slot is free
    std::atomic<bool> hit{false};
    Slot *next = nullptr;
};

struct GuardList {
    using Slot = MappingGuard::Slot;

    std::atomic<Slot *> first{nullptr};
    std::mutex change;
    struct sigaction before = {};
    std::uintptr_t pageSize = 0;

    static GuardList &instance()
    {
        // The signal handler stays installed until the process ends, so the list is never freed.
        static auto *list = new GuardList;
        return *list;
    }

    GuardList()
    {
        pageSize = std::uintptr_t(::sysconf(_SC_PAGESIZE));
        struct sigaction action = {};
        action.sa_sigaction = onFault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        ::sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, &before);
    }

    static void onFault(int signal, siginfo_t *info, void *context)
    {
        GuardList &list = instance();
        const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
        for (Slot *slot = list.first.load(std::memory_order_acquire); slot; slot = slot->next) {
            if (address < slot->begin.load() || address >= slot->end.load())
                continue;
            const auto page = address - address % list.pageSize;
            void *replaced = ::mmap(reinterpret_cast<void *>(page), list.pageSize, PROT_READ,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
            if (replaced == MAP_FAILED)
                break;
            slot->hit.store(true);
            return;
        }
        if (list.before.sa_flags & SA_SIGINFO) {
            list.before.sa_sigaction(signal, info, context);
        } else if (list.before.sa_handler != SIG_DFL && list.before.sa_handler != SIG_IGN) {
            list.before.sa_handler(signal);
        } else {
            // The fault repeats on return and ends the process as it would without this handler.
            ::signal(SIGBUS, SIG_DFL);
        }
    }
};

MappingGuard::MappingGuard(const void *begin, std::size_t size)
{
    GuardList &list = GuardList::instance();
    const std::lock_guard lock(list.change);
    m_slot = list.first.load();
    while (m_slot && m_slot->end.load() != 0)
        m_slot = m_slot->next;
    if (!m_slot) {
        m_slot = new Slot;
        m_slot->next = list.first.load();
        list.first.store(m_slot, std::memory_order_release);
    }
    m_slot->hit.store(false);
    m_slot->begin.store(reinterpret_cast<std::uintptr_t>(begin));
    m_slot->end.store(reinterpret_cast<std::uintptr_t>(begin) + size);
}

MappingGuard::~MappingGuard()
{
    m_slot->end.store(0);
}

bool MappingGuard::wasHit() const
{
    return m_slot->hit.load();
}

} // namespace graphloom
