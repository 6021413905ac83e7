// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/shell/main_window.h"
#include "app/start/run_window.h"
#include "app/style/view_picture.h"

#include <optional>
#include <string>
#include <string_view>

namespace graphloom {

/// Holds a view by its name on the command line.
struct NamedView {
    std::string shown;      // the --view that must be shown, as for passOf()
    QString picture, table; // ViewExport::key of both; empty: none
};
/// Returns the view with this name, or nothing if there is none.
std::optional<NamedView> namedView(std::string_view name);
/// Returns all names except those of figures, for messages.
std::string namesOfViews();

/// Checks whether an export is possible with any model. Fails (Usage) for an unknown view or
/// extension, or a table of a view that is a picture.
Result<void> checkExport(const WindowOptions::Export &wanted);
/// Writes an export of a window that shows the view. Fails (Missing) if a file cannot be written,
/// or there is nothing to show.
Result<void> exportNamed(const MainWindow &window, const WindowOptions::Export &wanted,
                         const PictureOptions &look);

} // namespace graphloom
