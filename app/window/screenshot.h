// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/main_window.h"

#include <string>

namespace graphloom {

/// Opens a document in a window of 1600x1000, waits until it is laid out and painted, does what
/// the view asks for ("model" or "partition", which runs the pass `ago`)
/// and saves the picture of the whole window. Fails as opening does, and (Missing) when the file
/// cannot be written or there is no such pass.
Result<void> takeScreenshot(MainWindow &window, const std::filesystem::path &document,
                            const std::string &view, const std::filesystem::path &file);

} // namespace graphloom
