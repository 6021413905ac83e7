// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace graphloom {

/// Returns the help page "devices" as Markdown: the devices that passes can plan for, with each
/// figure and its source, and the keys of a description.
QString devicePage();

} // namespace graphloom
