// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// A drawing of a plan, to stand in an HTML page.
struct HtmlPicture {
    std::string title;
    std::string svg, style; // an element, and the style sheet that gives it its colours
};

/// Draws the plan as the window does; needs a Qt GUI application. Empty: there are no pictures.
using PictureMaker =
    std::function<Result<std::vector<HtmlPicture>>(const Plan &plan, std::stop_token stop)>;

} // namespace graphloom
