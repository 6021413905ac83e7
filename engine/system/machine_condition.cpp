// SPDX-License-Identifier: Apache-2.0
#include "engine/system/machine_condition.h"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace graphloom {

namespace {

/// Returns the largest number among those that the folders of a folder hold in a file, if their
/// names begin with `prefix`; numbers above `most` are nonsense. 0 if there is none.
double largest(const std::filesystem::path &folder, std::string_view prefix,
               const std::filesystem::path &file, double most)
{
    double result = 0;
    std::error_code failed;
    for (auto entry = std::filesystem::directory_iterator(folder, failed);
         !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
        if (!entry->path().filename().string().starts_with(prefix))
            continue;
        double number = 0;
        if (std::ifstream(entry->path() / file) >> number && number <= most)
            result = std::max(result, number);
    }
    return result;
}

} // namespace

MachineCondition machineCondition(const std::filesystem::path &sys)
{
    constexpr double kilohertz = 1e-3, milliCelsius = 1e-3;
    constexpr double mostKilohertz = 20e6, mostMilliCelsius = 200e3;
    return {
        kilohertz *
            largest(sys / "devices/system/cpu", "cpu", "cpufreq/scaling_cur_freq", mostKilohertz),
        milliCelsius * largest(sys / "class/thermal", "thermal_zone", "temp", mostMilliCelsius)};
}

} // namespace graphloom
