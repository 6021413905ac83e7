// SPDX-License-Identifier: Apache-2.0
#include "engine/system/energy_meter.h"

#include "engine/base/steady_clock.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

std::optional<double> numberIn(const fs::path &file)
{
    double number = 0;
    return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

std::string wordIn(const fs::path &file)
{
    std::string word;
    std::ifstream(file) >> word;
    return word;
}

/// Returns what a folder holds, by name.
std::vector<fs::path> entriesOf(const fs::path &folder)
{
    std::vector<fs::path> entries;
    std::error_code failed;
    for (auto entry = fs::directory_iterator(folder, failed);
         !failed && entry != fs::directory_iterator(); entry.increment(failed))
        entries.push_back(entry->path());
    std::ranges::sort(entries);
    return entries;
}

} // namespace

EnergyMeter::EnergyMeter(const fs::path &sys)
{
    for (const fs::path &zone : entriesOf(sys / "class/powercap")) {
        // "intel-rapl:0" is a package; "intel-rapl:0:0" a part of it, "intel-rapl" all together.
        const std::string name = zone.filename();
        const auto last = numberIn(zone / "energy_uj");
        if (std::ranges::count(name, ':') == 1 && wordIn(zone / "name").starts_with("package") &&
            last)
            m_counters.push_back(
                {zone / "energy_uj", numberIn(zone / "max_energy_range_uj").value_or(0), *last});
    }
    if (!m_counters.empty()) {
        m_source = "processor";
        return;
    }
    for (const fs::path &supply : entriesOf(sys / "class/power_supply")) {
        if (wordIn(supply / "type") != "Battery" || wordIn(supply / "status") != "Discharging")
            continue;
        if (numberIn(supply / "power_now"))
            m_power = {supply / "power_now"};
        else if (numberIn(supply / "current_now") && numberIn(supply / "voltage_now"))
            m_power = {supply / "current_now", supply / "voltage_now"};
        else
            continue;
        m_source = "battery";
        break;
    }
    if (m_power.empty())
        for (const fs::path &sensor : entriesOf(sys / "class/hwmon"))
            for (const char *file : {"power1_input", "power1_average"})
                if (m_power.empty() && numberIn(sensor / file)) {
                    m_power = {sensor / file};
                    m_source = "board";
                }
    m_watts = watts();
    m_seconds = steadySeconds();
}

double EnergyMeter::watts() const
{
    constexpr double micro = 1e-6;
    double watts = m_power.empty() ? 0 : 1;
    for (const fs::path &file : m_power) // a current may be negative when it flows out
        watts *= micro * std::abs(numberIn(file).value_or(0));
    return watts;
}

double EnergyMeter::joules()
{
    constexpr double micro = 1e-6;
    for (Counter &counter : m_counters) {
        const double now = numberIn(counter.file).value_or(counter.last);
        m_joules += micro * (now - counter.last + (now < counter.last ? counter.range : 0));
        counter.last = now;
    }
    if (!m_power.empty()) {
        const double now = steadySeconds(), power = watts();
        m_joules += (now - m_seconds) * (power + m_watts) / 2;
        m_seconds = now;
        m_watts = power;
    }
    return m_joules;
}

} // namespace graphloom
