// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"
#include "engine/base/result.h"

#include <stop_token>

namespace graphloom {

/// Greatest number of nodes that Graphviz is used for. It takes seconds to minutes for more.
inline constexpr std::size_t mostGraphvizNodes = 500;

/// Draws with Graphviz' `dot` in a child process, which is killed when stopped (the result is then
/// null) or after 30 s. Fails (Usage) for more visible nodes than the limit, (Missing) without the
/// program, (Fault) when it fails or takes too long.
Result<DrawingPointer> drawByGraphviz(const SnapshotPointer &snapshot, const ViewOptions &options,
                                      std::stop_token stop);

/// Returns the content of a drawing in the DOT language, with human-readable names.
Result<std::string> dotOf(const Drawing &drawing);

} // namespace graphloom
