// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layout.h"

namespace graphloom::layout {

/// By node: its row in a drawing in one column, where what is in a box stands below each other
/// before what follows the box. Without groups these are the ranks.
std::vector<std::uint32_t> rowsOf(const Input &input);

} // namespace graphloom::layout
