// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/canvas_overlay.h"
#include "app/drawing/drawing_painter.h"
#include "app/drawing/step_picture.h"
#include "app/style/view_picture.h"

namespace graphloom {

/// Returns a picture of a whole drawing, with a legend of its colours, and with marks.
ViewPicture graphPicture(const DrawingPointer &drawing, const Colouring &colours,
                         std::vector<Marks> marks = {});
/// Holds a drawing in a picture of two, with its marks and its title.
struct PictureSide {
    DrawingPointer drawing; // null: nothing but the title
    Colouring colours;
    std::vector<Marks> marks;
    QString title;
};
/// Returns a picture of two drawings side by side. The caller names it.
ViewPicture sidesPicture(PictureSide left, PictureSide right);
/// Returns a picture of a rewrite step, before and after side by side. `step` names it. One side
/// may be empty.
ViewPicture rewritePicture(const StepPicture &picture, const QString &step);

} // namespace graphloom
