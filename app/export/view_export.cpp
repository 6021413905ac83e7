// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/view_export.h"

#include <QFileInfo>

namespace graphloom {

QString extensionOf(ExportFormat format)
{
    static const char *const names[] = {"svg", "png", "csv", "json"};
    return QString::fromLatin1(names[int(format)]);
}

std::optional<ExportFormat> exportFormatOf(const QString &file)
{
    const QString suffix = QFileInfo(file).suffix().toLower();
    for (const ExportFormat format :
         {ExportFormat::Svg, ExportFormat::Png, ExportFormat::Csv, ExportFormat::Json})
        if (suffix == extensionOf(format))
            return format;
    return std::nullopt;
}

} // namespace graphloom
