// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/tuned_profile.h"

#include "engine/profile/kernel_key.h"

#include <chrono>

namespace graphloom {

ProfileKey tunedKey(std::string structure, std::span<const BlockTensor *const> tensors,
                    const PlanTunerOptions &options, std::string schedule)
{
    ProfileKey key;
    key.structure = std::move(structure);
    for (const BlockTensor *tensor : tensors) {
        for (const std::int64_t extent : tensor->extents)
            key.shapes += std::to_string(extent) + "x";
        key.shapes += std::string(nameOf(tensor->type)) + " ";
    }
    key.device = profiledDevice(options.device, options.threads);
    key.schedule = std::move(schedule);
    return key;
}

void keepMeasured(const PlanTunerOptions &options, const ProfileKey &key,
                  const TunedCandidate &candidate)
{
    if (!options.database || !candidate.problem.empty() || candidate.samples <= 0)
        return;
    LatencySamples samples;
    samples.provenance = options.provenance;
    samples.minNs = candidate.least * 1e9;
    samples.medianNs = candidate.seconds * 1e9;
    samples.count = candidate.samples;
    samples.measuredAtMs = std::chrono::duration_cast<std::chrono::milliseconds>(
                               std::chrono::system_clock::now().time_since_epoch())
                               .count();
    (void)options.database->recordSoon(key, samples);
}

} // namespace graphloom
