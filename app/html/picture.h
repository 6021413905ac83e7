// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/plan.h"
#include "engine/target/target_report.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Holds a picture drawn by the window's painters, for an HTML page.
struct HtmlPicture {
    std::string section; // the page's section with its figures: "memory"
    std::string title;
    std::vector<std::string> notes; // further facts, with provenance
    std::string svg, style;         // an SVG element, and its style sheet with the colours
    bool large = false;             // can be viewed in full size
};

/// Holds the content of pictures.
struct PictureContent {
    const Plan &plan;
    const TargetOutcome *outcome = nullptr; // of the plan's run; null: not measured
    std::optional<Device> device = {};      // of the run
    std::string noDevice = {};              // why the device is not known
};

/// Draws what the window shows of a plan; needs a QApplication. An empty function draws no
/// pictures.
using PictureMaker =
    std::function<Result<std::vector<HtmlPicture>>(const PictureContent &, std::stop_token stop)>;

} // namespace graphloom
