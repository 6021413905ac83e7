// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layout.h"
#include "engine/base/result.h"

#include <string_view>

namespace graphloom::layout {

/// Reads the output of `dot -Tplain` for a graph whose nodes are named by their indices in `input`.
/// Splines become routes through their control points. Fails (Fault) when a node is missing or a
/// line cannot be read.
Result<Layout> readPlain(std::string_view text, const Input &input, const Options &options = {});

} // namespace graphloom::layout
