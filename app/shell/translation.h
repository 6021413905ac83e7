// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLocale>

namespace graphloom {

/// Gives the application's texts in a language, as far as a translation of them comes with the
/// program; Qt's own texts, too. Whether there is one. Texts are English without.
bool installTranslation(const QLocale &locale);

} // namespace graphloom
