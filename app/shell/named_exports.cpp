// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/named_exports.h"

#include "app/shell/screenshot.h"
#include "app/shell/view_exports.h"

#include <algorithm>

namespace graphloom {

namespace {

struct ViewName {
    const char *name, *shown, *picture, *table;
};

/// The names of --view, and of tables that have no view of their own there.
constexpr ViewName viewNames[] = {
    {"model", "model", "graph", "nodes"},
    {"modules", "modules", "graph", "hierarchy"},
    {"partition", "partition", "graph", "partition"},
    {"blocks", "blocks", "graph", "fusion"},
    {"fissions", "fissions", "graph", "fissions"},
    {"rewriting", "rewriting", "rewriting", "rewriting"},
    {"rules", "rewriting", "", "rules"},
    {"histogram", "partition", "partition", "partition"},
    {"kernels", "kernels", "roofline", "kernels"},
    {"roofline", "roofline", "roofline", "kernels"},
    {"heat", "heat", "graph", "nodes"},
    {"tuning", "tuning", "tuning", "trials"},
    {"memory", "memory", "memory", "tensors"},
    {"arena", "memory", "memory", "tensors"},
    {"steps", "memory", "memory", "steps"},
    {"pareto", "pareto", "pareto", "pareto"},
    {"runs", "runs", "runs", "runs"},
    {"search", "runs", "search", "search"},
    {"rejected", "runs", "", "rejected"},
    {"nodes", "model", "graph", "nodes"},
    {"hierarchy", "modules", "graph", "hierarchy"},
    {"properties", "model", "", "properties"},
    {"messages", "model", "", "messages"},
};

std::string where(const WindowOptions::Export &wanted)
{
    return "--export-view " + wanted.view + "=" + wanted.file.string();
}

} // namespace

std::optional<NamedView> namedView(std::string_view name)
{
    const auto found = std::ranges::find(viewNames, name, &ViewName::name);
    if (found != std::end(viewNames))
        return NamedView{found->shown, QString::fromLatin1(found->picture),
                         QString::fromLatin1(found->table)};
    if (isFigure(name))
        return NamedView{std::string(name), QStringLiteral("graph"), QStringLiteral("nodes")};
    return std::nullopt;
}

std::string namesOfViews()
{
    std::string names;
    for (const ViewName &view : viewNames)
        names += (names.empty() ? "" : ", ") + std::string(view.name);
    return names;
}

Result<void> checkExport(const WindowOptions::Export &wanted)
{
    const auto view = namedView(wanted.view);
    if (!view)
        return fail(Error::Kind::Usage,
                    "there is no such view; " + namesOfViews() + " and figures such as macs are",
                    where(wanted));
    const auto format = exportFormatOf(QString::fromStdString(wanted.file.string()));
    if (!format)
        return fail(Error::Kind::Usage,
                    "the extension says what to write: .svg or .png for pictures, .csv or .json "
                    "for tables",
                    where(wanted));
    if (isPicture(*format) && view->picture.isEmpty())
        return fail(Error::Kind::Usage, "it is a table, which .csv and .json files hold",
                    where(wanted));
    return {};
}

Result<void> exportNamed(const MainWindow &window, const WindowOptions::Export &wanted,
                         const PictureOptions &look)
{
    const QString path = QString::fromStdString(wanted.file.string());
    const auto view = namedView(wanted.view);
    const auto format = exportFormatOf(path);
    GL_TRY(checkExport(wanted));
    const ViewExport *source =
        window.exports().find(isPicture(*format) ? view->picture : view->table);
    return exportView(*source, {source->key, *format, path, look});
}

} // namespace graphloom
