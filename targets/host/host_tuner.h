// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/kernel_tuner.h"
#include "engine/profile/profile_database.h"
#include "engine/target/target.h"

namespace graphloom::host {

/// Tunes kernels by trials in a child process on this machine (engine/tuning).
class HostTuner final : public KernelTuner {
public:
    HostTuner(BuildOptions options, std::shared_ptr<ProfileDatabase> database)
        : m_options(std::move(options)), m_database(std::move(database))
    {
    }
    Result<KernelTuning> tune(const Plan &plan, const KernelTuningOptions &options) const override;

private:
    BuildOptions m_options; // device, threads and cache
    std::shared_ptr<ProfileDatabase> m_database;
};

} // namespace graphloom::host
