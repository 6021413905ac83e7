// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/call_timers.h"

#include "engine/profile/user_profile.h"

namespace graphloom {

CallTimers callTimers(std::function<std::vector<TargetPlugin>()> targets, unsigned threads,
                      std::optional<std::filesystem::path> profile)
{
    CallTimingOptions options;
    options.threads = threads;
    options.version = GRAPHLOOM_VERSION;
    return timersOn(std::move(targets), std::move(options), [profile = std::move(profile)] {
        // Without one, what is measured is known as long as the timer is there.
        return openOrMakeProfile(profile).map(
            [](const UserProfile &opened) { return opened.database; });
    });
}

} // namespace graphloom
