// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace graphloom {

/// Lowers the priority of the calling thread for the rest of its life, so that other threads go
/// first where processors are scarce. Call it from threads that paint or lay out for the window,
/// which stays responsive meanwhile. Does nothing on systems whose threads have no priority of
/// their own.
void workInBackground();

} // namespace graphloom
