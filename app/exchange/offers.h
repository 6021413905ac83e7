// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/widgets/drop_place.h"

namespace graphloom {

class Workbench;

/// Tells what the window does with something that is dropped or pasted: models and sessions are
/// opened, CSV and JSON files with data about nodes colour the graph. Nothing if it is neither a
/// file nor a text.
std::optional<Offer> offerOf(const QMimeData &data, Workbench &bench);

/// Tells the same of text: the path or the address of a file, or data about nodes themselves.
std::optional<Offer> offerOfText(const QString &text, Workbench &bench);

/// Tells what the comparison does with a file that is dropped on it.
std::optional<Offer> offerToCompare(const QMimeData &data, Workbench &bench);

} // namespace graphloom
