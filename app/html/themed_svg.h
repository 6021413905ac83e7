// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace graphloom {

/// Holds a drawing as an element of a page, and the style sheet that gives it the colours of two
/// themes.
struct ThemedSvg {
    std::string svg, style;
};

/// Merges two SVG files that differ in their painting only into one drawing. Common painting
/// attributes become classes with the given prefix, which shortens the drawing to a third. If the
/// files differ in more, returns the first one for both themes.
ThemedSvg themedSvg(std::string_view light, std::string_view dark, std::string_view prefix);

} // namespace graphloom
