// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace graphloom {

/// Lets other threads go first where processors are scarce: for threads that paint or lay out
/// for the window, so that it can answer meanwhile. Holds for the rest of the calling thread's
/// life. Does nothing on systems whose threads have no priority of their own.
void workInBackground();

} // namespace graphloom
