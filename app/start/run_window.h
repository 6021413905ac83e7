// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/run/window_options.h"

namespace graphloom {

/// Runs the window until it is closed, or takes the screenshot and writes the exports. Creates the
/// only QApplication of the process. Returns the exit code: 0, 2 for an unknown view or theme, 3 if
/// the document of such files cannot be read, 4 if one cannot be written, 5 for a fault.
int runWindow(int argc, char **argv, const WindowOptions &options);

} // namespace graphloom
