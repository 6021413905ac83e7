// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/named_exports.h"

#include "app/shell/view_exports.h"
#include "app/start/screenshot.h"

#include <algorithm>

namespace graphloom {

namespace {

struct ViewName {
    const char *name, *shown, *picture, *table;
};

/// Lists the names of --view, and of tables that only --export-view writes.
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
    {"timeline", "timeline", "timeline", "timeline"},
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
                    "unknown view; available: " + namesOfViews() + " and figures such as macs",
                    where(wanted));
    const auto format = exportFormatOf(QString::fromStdString(wanted.file.string()));
    if (!format)
        return fail(
            Error::Kind::Usage,
            "unknown file extension; expected .svg or .png for a picture, .csv or .json for a "
            "table",
            where(wanted));
    if (isPicture(*format) && view->picture.isEmpty())
        return fail(Error::Kind::Usage, "the view is a table; expected a .csv or .json file",
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
