// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace graphloom {

/// A drawing as an element of a page and the style sheet that gives it the colours of two themes.
struct ThemedSvg {
    std::string svg, style;
};

/// Makes one drawing of two SVG files that differ in nothing but how it is painted: what elements
/// share of it becomes classes with the given prefix, which makes the drawing a third as long.
/// Where the files differ in more, it is the first one alone, whatever the theme.
ThemedSvg themedSvg(std::string_view light, std::string_view dark, std::string_view prefix);

} // namespace graphloom
