// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/html/graph_pictures.h"

#include "app/batch/html/themed_svg.h"
#include "app/window/export_jobs.h"

#include <QTemporaryDir>

#include <fstream>
#include <iterator>

namespace graphloom {

namespace {

Result<std::string> svgIn(const Drawing &drawing, const char *themeName, const Colouring &colours)
{
    const auto theme = loadTheme(QString::fromLatin1(themeName));
    if (!theme)
        return tl::unexpected(theme.error());
    const QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath(QStringLiteral("graph.svg")).toStdString();
    if (auto written = exportPicture(drawing, *theme, colours, file); !written)
        return tl::unexpected(written.error());
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

} // namespace

Result<std::vector<HtmlPicture>> drawGraphPictures(const Plan &plan, std::stop_token stop)
{
    std::vector<HtmlPicture> pictures;
    const SnapshotPointer snapshot = snapshotOf(std::make_shared<const Plan>(plan), nullptr, stop);
    if (!snapshot)
        return pictures;
    std::vector<Grouping> groupings;
    if (snapshot->groups(Grouping::Blocks))
        groupings.push_back(Grouping::Blocks);
    if (snapshot->groups(Grouping::Subgraphs))
        groupings.push_back(Grouping::Subgraphs);
    if (groupings.empty())
        groupings.push_back(Grouping::None);
    for (const Grouping grouping : groupings) {
        ViewOptions options;
        options.grouping = grouping;
        for (const Item &group : initiallyCollapsed(*snapshot))
            if (groupingOf(group) == grouping)
                options.collapsed.insert(group);
        const DrawingPointer drawing = draw(snapshot, options, stop);
        if (!drawing)
            return pictures;
        const Colouring colours(NodeColours::OperatorClass);
        const auto light = svgIn(*drawing, "light", colours),
                   dark = svgIn(*drawing, "dark", colours);
        if (!light || !dark)
            return tl::unexpected((light ? dark : light).error());
        ThemedSvg themed = themedSvg(*light, *dark, std::string(1, char('a' + pictures.size())));
        pictures.push_back({grouping == Grouping::Blocks      ? "The graph in its fusion blocks"
                            : grouping == Grouping::Subgraphs ? "The graph in its subgraphs"
                                                              : "The graph",
                            std::move(themed.svg), std::move(themed.style)});
    }
    return pictures;
}

} // namespace graphloom
