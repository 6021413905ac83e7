// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/shell/main_window.h"

#include <optional>
#include <string>
#include <string_view>

namespace graphloom {

/// Returns the pass that makes what a view shows: "ago" for "partition", "dnnfusion" for "blocks",
/// "rewriting", "magis" for "memory", "pareto", "runs" and "fissions", and "dnnfusion" for
/// "kernels", "heat", "roofline", "tuning" and "timeline", for which the plan is run on this
/// machine. Empty for "model", "modules", "compare" and the keys of figures that nodes are coloured
/// by. Returns nothing if there is no such view.
std::optional<std::string_view> passOf(std::string_view view);

/// Compares the document with another file; showComparison() selects the first difference.
void startComparison(MainWindow &window, const std::filesystem::path &compared);
void showComparison(MainWindow &window);

/// Tells whether a view is a figure that nodes are coloured by.
bool isFigure(std::string_view view);
/// Tells whether a view shows the result of a search for less memory.
bool isOfMemory(std::string_view view);
/// Sets the seconds of the search for such a view.
void prepareMemory(MainWindow &window, double seconds);
/// Raises the panel of such a view.
void showMemory(MainWindow &window, std::string_view view);

/// Tells whether the plan is run on this machine for a view.
bool isOfKernels(std::string_view view);
/// Runs the plan, or tunes its kernels, for such a view.
void startKernels(MainWindow &window, std::string_view view);
/// Raises the part of the panel that such a view is named after; before or after the run.
void showKernels(MainWindow &window, std::string_view view);

/// Opens a document in a window of 1600x1000, waits until it is laid out and painted, and carries
/// out what the view needs. `compared` is the file that the view "compare" shows beside the
/// document. Fails as opening does, and (Missing) if there is no such pass, target or compiler.
Result<void> showView(MainWindow &window, const std::filesystem::path &document,
                      const std::string &view,
                      const std::optional<std::filesystem::path> &compared = {});
/// Saves a picture of the whole window. Fails (Missing) if the file cannot be written.
Result<void> takeScreenshot(MainWindow &window, const std::filesystem::path &file);

} // namespace graphloom
