// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>

namespace graphloom {

/// Installs the translation of the program's texts and of Qt's own into a language, as far as the
/// program comes with one, and tells whether it does. Without a translation texts are English.
bool installTranslation(const QLocale &locale);

} // namespace graphloom
