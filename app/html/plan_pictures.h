// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/html/picture.h"
#include "app/snapshot/snapshot.h"
#include "app/style/view_picture.h"

namespace graphloom {

/// A picture for a section of the page.
struct SectionPicture {
    std::string section;
    ViewPicture picture;
};

/// Returns the charts of a plan: subgraphs by weight, latency and memory of all plans, the search,
/// the roofline of the measurement. They are widgets: only the GUI thread can make and paint them.
std::vector<SectionPicture> planCharts(const PictureContent &content,
                                       const SnapshotPointer &snapshot);
/// Returns the other pictures of a plan: the graph with its blocks, and with its subgraphs if it
/// has any; memory over the steps or over time. For any thread. Returns fewer if stopped.
std::vector<SectionPicture> planDrawings(const SnapshotPointer &snapshot,
                                         const std::stop_token &stop);

/// Paints pictures for a page, in both themes.
class PagePainter {
public:
    /// Fails (Fault) if the themes cannot be loaded.
    static Result<PagePainter> withThemes();
    /// Paints a picture; `number` tells those of one page apart.
    HtmlPicture painted(const SectionPicture &picture, std::size_t number) const;

private:
    PagePainter(Theme light, Theme dark) : m_light(std::move(light)), m_dark(std::move(dark)) {}

    Theme m_light, m_dark;
};

/// Draws a plan as the window does, with its painters: the graph with its blocks, and with its
/// subgraphs if it has any, large graphs with blocks or subgraphs as one node each; subgraphs by
/// weight; memory over the steps or over time, before and after; latency and memory of all plans;
/// the search; the roofline of the measurement. Needs a QApplication. Fails (Fault) if the themes
/// cannot be loaded. Returns no pictures if stopped.
Result<std::vector<HtmlPicture>> drawPlanPictures(const PictureContent &content,
                                                  std::stop_token stop);

} // namespace graphloom
