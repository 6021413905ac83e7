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

/// What of a view can leave the program: described once, offered by menus, keys and the command
/// line.
struct ViewExport {
    QString key;             // "memory", for file names and command lines: never translated
    QString name;            // "Memory timeline"
    QWidget *view = nullptr; // with the focus in it this is what is meant; the innermost counts
    /// As it is now; none while there is nothing to show. Null: it is no picture.
    std::function<std::optional<ViewPicture>()> picture = {};
    /// Null: it is no table. Empty tables are tables.
    std::function<TableSource()> table = {};
};

/// What files hold, by their extensions.
enum class ExportFormat { Svg, Png, Csv, Json };
inline constexpr ExportFormat pictureFormats[] = {ExportFormat::Svg, ExportFormat::Png};
inline constexpr ExportFormat tableFormats[] = {ExportFormat::Csv, ExportFormat::Json};
constexpr bool isPicture(ExportFormat format)
{
    return format == ExportFormat::Svg || format == ExportFormat::Png;
}
/// "svg"
QString extensionOf(ExportFormat format);
/// By the extension in whatever case; none for others.
std::optional<ExportFormat> exportFormatOf(const QString &file);

/// An export that is wanted.
struct ExportRequest {
    QString view; // ViewExport::key
    ExportFormat format = ExportFormat::Svg;
    QString path;
    PictureOptions picture = {}; // of a picture
};

} // namespace graphloom
