// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/html/picture.h"

namespace graphloom {

/// Draws a plan as the window does, with its painters: the graph with its blocks, and with its
/// subgraphs if it has any, large graphs with blocks or subgraphs as one node each; subgraphs by
/// weight; memory over the steps or over time, before and after; latency and memory of all plans;
/// the search; the roofline of the measurement. Needs a QApplication. Fails (Fault) if the themes
/// cannot be loaded. Returns no pictures if stopped.
Result<std::vector<HtmlPicture>> drawPlanPictures(const PictureContent &content,
                                                  std::stop_token stop);

} // namespace graphloom
