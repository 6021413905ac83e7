// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run/call_timers.h"

#include "engine/profile/user_profile.h"

namespace graphloom {

CallTimers callTimers(std::function<std::vector<TargetPlugin>()> targets, unsigned threads,
                      std::optional<std::filesystem::path> profile,
                      std::function<void(const std::string &)> warn)
{
    CallTimingOptions options;
    options.threads = threads;
    options.version = GRAPHLOOM_VERSION;
    return timersOn(std::move(targets), std::move(options),
                    [profile = std::move(profile),
                     warn = std::move(warn)]() -> Result<std::shared_ptr<ProfileDatabase>> {
                        GL_TRY_RESULT(opened, openOrMakeProfile(profile));
                        if (!opened->problem.empty())
                            warn("measurements are not stored: " + opened->problem);
                        return std::move(opened->database);
                    });
}

} // namespace graphloom
