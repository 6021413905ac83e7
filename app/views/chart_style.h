// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/views/theme.h"

class QChartView;

namespace graphloom {

/// A chart as all of them are here: flat, without animation, in small letters. After its axes were
/// added.
void setUpChart(QChartView &view);
/// Ground, legend and axes in the theme's colours; what is drawn has its own.
void paintChart(QChartView &view, const Theme &theme, QPalette::ColorRole ground);

} // namespace graphloom
