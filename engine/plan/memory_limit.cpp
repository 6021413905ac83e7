// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory_limit.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace graphloom {

std::optional<double> readPositive(std::string_view text)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) ||
        value <= 0)
        return std::nullopt;
    return value;
}

Result<MemoryLimit> readMemoryLimit(const std::string &text)
{
    constexpr double most = 0x1p62;
    // Returns the number before a unit, which may be set apart by a space: "512 MiB".
    const auto before = [&](std::string_view unit) -> std::optional<double> {
        if (!text.ends_with(unit))
            return std::nullopt;
        std::string_view number(text.data(), text.size() - unit.size());
        if (number.ends_with(' '))
            number.remove_suffix(1);
        return readPositive(number);
    };
    for (const auto &[suffix, unit] :
         {std::pair<std::string_view, double>{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}}) {
        const auto amount = before(suffix);
        if (amount && *amount * unit >= 1 && *amount * unit < most)
            return MemoryLimit(std::uint64_t(*amount * unit));
    }
    if (const auto percent = before("%"); percent && *percent <= 100)
        return MemoryLimit(*percent / 100);
    if (const auto ratio = readPositive(text); ratio && *ratio <= 1)
        return MemoryLimit(*ratio);
    return fail(Error::Kind::Usage,
                "expected a share of the original peak, up to 1, or an amount: 0.6, 60%, 512MiB, 2GiB");
}

} // namespace graphloom
