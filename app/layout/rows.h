// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layout.h"

namespace graphloom::layout {

/// Returns, by node, its row in a drawing in one column, where the rows of a box come before those
/// of what follows the box. Without groups the rows are the ranks.
std::vector<std::uint32_t> rowsOf(const Input &input);

} // namespace graphloom::layout
