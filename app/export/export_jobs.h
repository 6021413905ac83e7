// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"
#include "engine/base/result.h"

#include <filesystem>
#include <stop_token>

namespace graphloom {

// What the window writes to files; on a worker. All write to a temporary file and rename it.

/// What a file is, by its extension in whatever case.
bool isDotFile(const std::filesystem::path &path);

/// Writes the plan (.onnx), its report (.json), or what is drawn (.dot, .gv), which while a pass
/// runs is a preview of another plan; by the file's extension. Fails (Usage) for another one, else
/// as the functions below; stoppedError() when stopped, with the place as it was. Pictures and
/// tables of views are written by ViewExporter.
Result<void> exportFile(const Plan &plan, const Drawing &drawing, const std::filesystem::path &path,
                        const std::stop_token &stop = {});

/// The JSON report, as --batch --report writes it. Fails as reportOf(), and (Missing)
/// when the place cannot be written.
Result<void> exportReport(const Plan &plan, const std::filesystem::path &path,
                          const std::stop_token &stop = {});

/// What the drawing shows in the DOT language. Fails as exportReport().
Result<void> exportDot(const Drawing &drawing, const std::filesystem::path &path,
                       const std::stop_token &stop = {});

} // namespace graphloom
