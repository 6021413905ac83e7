// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/shell/main_window.h"

#include <optional>
#include <string>
#include <string_view>

namespace graphloom {

/// The pass that makes what a view shows: "ago" for "partition", "dnnfusion" for "blocks",
/// "rewriting", "magis" for "memory", "pareto", "runs" and "fissions", and "dnnfusion" for
/// "kernels", "heat", "roofline" and "tuning", for which the plan is run on this machine; empty for
/// "model", "modules", "compare" and the keys of figures that nodes are coloured by; none when
/// there is no such view.
std::optional<std::string_view> passOf(std::string_view view);

/// Puts another file beside the document, and shows what differs first.
void startComparison(MainWindow &window, const std::filesystem::path &compared);
void showComparison(MainWindow &window);

/// Is it a figure that nodes are coloured by?
bool isFigure(std::string_view view);
/// Is it one of those that show what a search for less memory has found?
bool isOfMemory(std::string_view view);
/// Gives the search for such a view so many seconds.
void prepareMemory(MainWindow &window, double seconds);
/// Brings up the panel of such a view.
void showMemory(MainWindow &window, std::string_view view);

/// Is it one of those for which the plan is run on this machine?
bool isOfKernels(std::string_view view);
/// Runs the plan, or tunes its kernels, for such a view.
void startKernels(MainWindow &window, std::string_view view);
/// Brings up what such a view is named for; before or after the run.
void showKernels(MainWindow &window, std::string_view view);

/// Opens a document in a window of 1600x1000, waits until it is laid out and painted, and does what
/// the view asks for. Fails as opening does, and (Missing) when there is no such pass, target or
/// compiler. `compared`: the file that the view "compare" puts beside the document.
Result<void> showView(MainWindow &window, const std::filesystem::path &document,
                      const std::string &view,
                      const std::optional<std::filesystem::path> &compared = {});
/// Saves the picture of the whole window. Fails (Missing) when the file cannot be written.
Result<void> takeScreenshot(MainWindow &window, const std::filesystem::path &file);

} // namespace graphloom
