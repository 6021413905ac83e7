// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Reads how much energy this machine takes, as far as Linux tells it: by counters of processor
/// packages (powercap), or else by what a battery delivers or a sensor of the board measures, over
/// the time between two calls. It opens a file at each call and needs no thread.
class EnergyMeter {
public:
    /// `sys` is where Linux tells it.
    explicit EnergyMeter(const std::filesystem::path &sys = "/sys");

    /// Tells what the energy is of: "processor", "battery" or "board"; empty: there is no meter.
    std::string_view source() const { return m_source; }
    /// Returns the joules since the meter was made.
    double joules();

private:
    struct Counter {
        std::filesystem::path file;
        double range = 0, last = 0; // microjoules; it starts anew when it is full
    };
    double watts() const;

    std::string_view m_source;
    std::vector<Counter> m_counters;
    std::vector<std::filesystem::path> m_power; // microwatts; or microamperes and microvolts
    double m_joules = 0, m_watts = 0, m_seconds = 0;
};

} // namespace graphloom
