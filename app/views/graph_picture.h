// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/step_picture.h"
#include "app/views/drawing_painter.h"
#include "app/views/view_picture.h"

namespace graphloom {

/// All of a drawing, with what its colours mean.
ViewPicture graphPicture(const DrawingPointer &drawing, const Colouring &colours);
/// A rewrite step, before and after side by side; `step` names it. One side may be empty.
ViewPicture rewritePicture(const StepPicture &picture, const QString &step);

} // namespace graphloom
