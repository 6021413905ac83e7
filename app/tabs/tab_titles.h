// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace graphloom {

/// Returns a title for each path: the name of the file, with as many of its folders as tell it from
/// files of the same name: "model.onnx — small". Equal paths have equal titles.
QStringList tabTitles(const QStringList &paths);

} // namespace graphloom
