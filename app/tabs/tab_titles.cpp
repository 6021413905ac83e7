// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tabs/tab_titles.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Returns the last folders of a path: "b/c" for "/a/b/c/model.onnx" and 2.
QString lastFolders(const QString &path, qsizetype count)
{
    const QStringList folders = path.section('/', 0, -2).split('/', Qt::SkipEmptyParts);
    return folders.isEmpty()
               ? QStringLiteral("/")
               : folders.mid(std::max<qsizetype>(0, folders.size() - count)).join('/');
}

QString nameOf(const QString &path)
{
    return path.section('/', -1);
}

} // namespace

QStringList tabTitles(const QStringList &paths)
{
    QStringList titles;
    for (const QString &path : paths) {
        const QString name = nameOf(path);
        const auto isClear = [&](qsizetype count) {
            return std::ranges::none_of(paths, [&](const QString &other) {
                return other != path && nameOf(other) == name &&
                       (count == 0 || lastFolders(other, count) == lastFolders(path, count));
            });
        };
        const qsizetype most = path.count('/');
        qsizetype folders = 0;
        while (folders < most && !isClear(folders))
            ++folders;
        titles << (folders == 0 ? name : name + QStringLiteral(" — ") + lastFolders(path, folders));
    }
    return titles;
}

} // namespace graphloom
