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

/// A picture of the window's, to stand in an HTML page.
struct HtmlPicture {
    std::string section; // of the page, which has its figures as a table: "memory"
    std::string title;
    std::vector<std::string> notes; // what there is to know besides, with provenance
    std::string svg, style;         // an element, and the style sheet that gives it its colours
    bool large = false;             // it may be looked at in full size
};

/// What pictures are made of.
struct PictureContent {
    const Plan &plan;
    const TargetOutcome *outcome = nullptr; // of its run; null: it was not measured
    std::optional<Device> device = {};      // that it ran on
    std::string noDevice = {};              // why that is not known
};

/// Draws what the window shows of a plan; needs a Qt application. Empty: there are no pictures.
using PictureMaker =
    std::function<Result<std::vector<HtmlPicture>>(const PictureContent &, std::stop_token stop)>;

} // namespace graphloom
