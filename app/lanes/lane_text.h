// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/lanes/lane_picture.h"

namespace graphloom {

/// Returns the name of a lane: "Thread 3".
QString threadText(unsigned thread);
/// Returns the line above the lanes of a run.
QString headerText(const Lanes::Run &run);
/// Returns everything about a slice and its step, a line each.
QString textOf(const Lanes &lanes, std::uint32_t slice);
/// Returns the text for what is at a place: slices, or why a thread is idle. Empty outside of the
/// lanes.
QString textOf(const Lanes &lanes, const LanePicture::Hit &hit);

} // namespace graphloom
