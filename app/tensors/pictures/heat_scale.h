// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"

namespace graphloom {

/// Maps numbers to colours. If there are negative numbers, the scale has as much room on both sides
/// of zero, so that the sign can be seen and equal magnitudes have the same strength.
struct HeatScale {
    double low = 0, high = 0;

    /// Returns the scale of numbers between two bounds.
    static HeatScale of(double least, double greatest);

    bool isSigned() const { return low < 0; }
    /// Returns the place of a number on the scale, 0 to 1.
    double part(double value) const;
    QColor colour(double value, const Theme &theme) const;

    bool operator==(const HeatScale &) const = default;
};

} // namespace graphloom
