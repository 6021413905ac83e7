// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/background.h"

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace graphloom {

void workInBackground()
{
#ifdef __linux__
    // One third of the share of a thread of normal priority when both are busy. Qt's thread
    // priorities have no effect under Linux' normal scheduler.
    constexpr int nice = 5;
    setpriority(PRIO_PROCESS, id_t(gettid()), nice);
#endif
}

} // namespace graphloom
