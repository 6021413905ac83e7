// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

namespace graphloom {

/// Returns the icon ":/icons/<name>.svg" in the text colour that the application's palette has at
/// the time of painting, so that it follows the theme.
QIcon themedIcon(const QString &name);

} // namespace graphloom
