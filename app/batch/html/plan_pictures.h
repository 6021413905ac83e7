// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/html/picture.h"

namespace graphloom {

/// What the window draws of a plan, by its own painters: the graph in its blocks, and in its
/// subgraphs where it has them, large graphs with blocks or subgraphs as one node each; subgraphs
/// by weight; memory over the steps or over time, before and after; latency and memory of all
/// plans; the search; the roofline of what was measured. Needs a QApplication. Fails (Fault) when
/// the themes cannot be loaded. Nothing when stopped.
Result<std::vector<HtmlPicture>> drawPlanPictures(const PictureContent &content,
                                                  std::stop_token stop);

} // namespace graphloom
