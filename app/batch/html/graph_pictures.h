// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/html/picture.h"

namespace graphloom {

/// The plan as the window draws it: in its blocks, and in its subgraphs where it has them. Large
/// graphs are drawn with blocks or subgraphs as one node each. Needs a Qt GUI application. Fails
/// (Fault) when the themes cannot be loaded. Nothing when stopped.
Result<std::vector<HtmlPicture>> drawGraphPictures(const Plan &plan, std::stop_token stop);

} // namespace graphloom
