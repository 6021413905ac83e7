// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layout.h"

namespace graphloom::layout {

/// Returns for every edge whether it is drawn as a stub. An edge is a stub if it spans more than
/// `stubSpan` rows and its source has at least `stubFanout` edges, or if it is among the longer
/// ones where more than `mostParallel` long lines would run side by side. `rows` are those of
/// rowsOf(input).
std::vector<bool> chooseStubs(const Input &input, const std::vector<std::uint32_t> &rows,
                              const Options &options);

} // namespace graphloom::layout
