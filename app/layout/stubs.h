// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layout.h"

namespace graphloom::layout {

/// For every edge whether it is drawn as a stub: one that spans more than `stubSpan` rows and
/// whose source has at least `stubFanout` edges, or that is among the longer ones where more
/// than `mostParallel` long lines would run side by side. The rows are rowsOf() the input.
std::vector<bool> chooseStubs(const Input &input, const std::vector<std::uint32_t> &rows,
                              const Options &options);

} // namespace graphloom::layout
