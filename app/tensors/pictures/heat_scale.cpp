// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/pictures/heat_scale.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

HeatScale HeatScale::of(double least, double greatest)
{
    if (least >= 0)
        return {least, greatest};
    const double reach = std::max(std::fabs(least), std::fabs(greatest));
    return {-reach, reach};
}

double HeatScale::part(double value) const
{
    const double range = high / 2 - low / 2; // half of it, which cannot overflow
    return range > 0 ? std::clamp((value / 2 - low / 2) / range, 0.0, 1.0) : 0.5;
}

QColor HeatScale::colour(double value, const Theme &theme) const
{
    return isSigned() ? theme.balanceOf(part(value)) : theme.heatOf(part(value));
}

} // namespace graphloom
