// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"
#include "engine/base/result.h"

#include <stop_token>

namespace graphloom {

/// Graphviz takes seconds to minutes for more than this.
inline constexpr std::size_t mostGraphvizNodes = 500;

/// The drawing that Graphviz' `dot` makes, in a child process that is killed when stopped (then
/// the result is null) or after 30 s. Fails (Usage) for more visible nodes than the limit,
/// (Missing) without the program, (Fault) when it fails or takes too long.
Result<DrawingPointer> drawByGraphviz(const SnapshotPointer &snapshot, const ViewOptions &options,
                                      std::stop_token stop);

/// What a drawing shows, in the DOT language, with the names that people read.
Result<std::string> dotOf(const Drawing &drawing);

} // namespace graphloom
