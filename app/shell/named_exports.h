// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/shell/main_window.h"
#include "app/shell/run_window.h"

#include <optional>
#include <string>
#include <string_view>

namespace graphloom {

/// A view by the name that it has on the command line.
struct NamedView {
    std::string shown;      // the --view that has to be shown for it, as passOf() has them
    QString picture, table; // ViewExport::key of both; empty: it has none
};
/// None when there is no such view.
std::optional<NamedView> namedView(std::string_view name);
/// All names but those of figures, for messages.
std::string namesOfViews();

/// Why an export cannot be done, whatever the model is: (Usage) for an unknown view or extension,
/// or a table of what is a picture.
Result<void> checkExport(const WindowOptions::Export &wanted);
/// Writes what is wanted of a window that shows the view for it. Fails (Missing) when a file cannot
/// be written, or there is nothing to show.
Result<void> exportNamed(const MainWindow &window, const WindowOptions::Export &wanted,
                         const PictureOptions &look);

} // namespace graphloom
