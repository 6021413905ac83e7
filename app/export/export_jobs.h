// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"
#include "engine/base/result.h"
#include "engine/onnx_export/export.h"

#include <filesystem>
#include <stop_token>

namespace graphloom {

// These functions write files for the window, on a worker. All write to a temporary file and rename
// it.

/// Tells whether a file is a DOT file, by its extension in any case.
bool isDotFile(const std::filesystem::path &path);
/// Tells the same of an HTML page.
bool isHtmlFile(const std::filesystem::path &path);

/// Writes the plan (.onnx), its report (.json), or the drawing (.dot, .gv), by the file's
/// extension. While a pass runs, the drawing may be a preview of another plan. Fails (Usage) for
/// another extension, else as the functions below; fails with stoppedError() when stopped, which
/// leaves the destination unchanged. Only the plan depends on the options, besides `stop`. Pictures
/// and tables of views are written by ViewExporter.
Result<void> exportFile(const Plan &plan, const Drawing &drawing, const std::filesystem::path &path,
                        const ExportOptions &options = {});

/// Writes the JSON report, as --batch --report does. Fails as reportOf(), and (Missing) when the
/// destination cannot be written.
Result<void> exportReport(const Plan &plan, const std::filesystem::path &path,
                          const std::stop_token &stop = {});

/// Writes the content of the drawing in the DOT language. Fails as exportReport().
Result<void> exportDot(const Drawing &drawing, const std::filesystem::path &path,
                       const std::stop_token &stop = {});

} // namespace graphloom
