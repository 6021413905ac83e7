// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"

namespace graphloom {

/// The surroundings of a rewrite step, before and after it.
struct StepPicture {
    DrawingPointer before, after; // null when there is nothing to draw, or when stopped
    std::vector<Item> removed, added;
};

/// Draws the nodes that a step removed and added, with the neighbouring nodes that it left
/// unchanged. If there are many, the first are drawn.
StepPicture pictureOf(const std::shared_ptr<const Model> &model, const RewriteStep &step,
                      std::stop_token stop);

} // namespace graphloom
