// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layout.h"

namespace graphloom::layout {

/// For every edge whether it is drawn as a stub: one that spans more than `stubSpan` ranks and
/// whose source has at least `stubFanout` edges, or that is among the longest where all lines
/// together would have more than `mostPieces`. The ranks must come from rankNodes().
std::vector<bool> chooseStubs(const Input &input, const std::vector<std::uint32_t> &ranks,
                              const Options &options);

} // namespace graphloom::layout
