// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"

#include <array>
#include <optional>

class QSettings;

namespace graphloom {

/// Holds what the user has changed of the look of the window, besides the choice of the theme.
struct Appearance {
    static constexpr int leastPoints = 6, mostPoints = 32;

    int points = 0; // size of the font; 0: as the desktop says
    /// Colours of operator classes in the light and in the dark theme; nothing: that of the theme.
    std::array<std::array<std::optional<QColor>, 6>, 2> classes;

    bool operator==(const Appearance &) const = default;
};

Appearance appearanceIn(const QSettings &settings);
void keep(const Appearance &appearance, QSettings &settings);

/// Replaces the colours of the theme that the user has changed.
void apply(const Appearance &appearance, Theme &theme);
/// Gives all widgets the font of the desktop in the size that the user wants.
void applyFont(const Appearance &appearance);

} // namespace graphloom
