// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/pinned_thread.h"

#include <sched.h>

namespace graphloom {

struct PinnedThread::Cores {
    cpu_set_t set;
};

PinnedThread::PinnedThread(unsigned number)
{
    auto before = std::make_unique<Cores>();
    if (::sched_getaffinity(0, sizeof before->set, &before->set) != 0)
        return; // more cores than the set can hold
    auto skip = int(number % unsigned(CPU_COUNT(&before->set)));
    int core = 0;
    while (!CPU_ISSET(core, &before->set) || skip-- > 0)
        ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (::sched_setaffinity(0, sizeof one, &one) == 0)
        m_before = std::move(before);
}

PinnedThread::~PinnedThread()
{
    if (m_before)
        ::sched_setaffinity(0, sizeof m_before->set, &m_before->set);
}

} // namespace graphloom
