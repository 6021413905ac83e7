// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/export/table_content.h"
#include "app/style/view_picture.h"

#include <QString>

#include <functional>
#include <optional>

class QWidget;

namespace graphloom {

/// Describes how a view can be exported: defined once, and offered by menus, keys and the command
/// line.
struct ViewExport {
    QString key;             // "memory", for file names and command lines; never translated
    QString name;            // "Memory timeline"
    QWidget *view = nullptr; // exported while it has the focus; the innermost counts
    /// Returns the current picture, or nothing while there is nothing to show. Null: the view has
    /// no picture.
    std::function<std::optional<ViewPicture>()> picture = {};
    /// Returns the table, which may be empty. Null: the view has no table.
    std::function<TableSource()> table = {};
};

/// Formats of exported files, by their extensions.
enum class ExportFormat { Svg, Png, Csv, Json };
inline constexpr ExportFormat pictureFormats[] = {ExportFormat::Svg, ExportFormat::Png};
inline constexpr ExportFormat tableFormats[] = {ExportFormat::Csv, ExportFormat::Json};
constexpr bool isPicture(ExportFormat format)
{
    return format == ExportFormat::Svg || format == ExportFormat::Png;
}
/// Returns the extension of a format: "svg".
QString extensionOf(ExportFormat format);
/// Returns the format of a file by its extension, in any case, or nothing for other files.
std::optional<ExportFormat> exportFormatOf(const QString &file);

/// A request to export a view.
struct ExportRequest {
    QString view; // ViewExport::key
    ExportFormat format = ExportFormat::Svg;
    QString path;
    PictureOptions picture = {}; // for pictures only
};

} // namespace graphloom
