// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace graphloom {

/// Shows a folder in the program that the desktop has for folders. Returns an empty text, or the
/// reason why it is not shown, for the user.
QString showFolder(const QString &folder);

} // namespace graphloom
