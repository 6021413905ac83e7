// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/show_folder.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QUrl>

namespace graphloom {

namespace {

struct FolderText {
    Q_DECLARE_TR_FUNCTIONS(FolderText)
};

} // namespace

QString showFolder(const QString &folder)
{
    const QString name = QDir::toNativeSeparators(folder);
    if (!QDir(folder).exists())
        return FolderText::tr("The folder %1 does not exist").arg(name);
    if (!QDesktopServices::openUrl(QUrl::fromLocalFile(folder)))
        return FolderText::tr("No file manager was found to show the folder %1").arg(name);
    return {};
}

} // namespace graphloom
