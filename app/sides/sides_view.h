// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing_painter.h"
#include "app/sides/canvas_link.h"
#include "app/style/view_picture.h"

#include <functional>
#include <memory>

class QAction;

namespace graphloom {

class CanvasPage;
class CanvasPane;

/// Shows the other plan on a canvas to the left of that of the page while there is one, with the
/// differences marked on both and a strip above each.
class SidesView final : public QObject {
    Q_OBJECT

public:
    using Colours = std::function<Colouring(const DrawingPointer &)>;

    /// Creates the view. `link` is the toggle that keeps both canvases together, `colours` returns
    /// the colours of a drawing.
    SidesView(Sides &sides, CanvasPage &page, QAction *link, Colours colours);
    ~SidesView() override;

    /// Returns the canvas of a side; that of the page if no other plan is shown.
    GraphCanvas &canvas(Side side);
    /// Returns the side whose canvas has or had the focus last.
    Side active() const;
    GraphCanvas &activeCanvas() { return canvas(active()); }
    CanvasPane &pane(Side side);
    /// Gives the focus to the canvas of the other side.
    void switchSide();
    void setTheme(std::shared_ptr<const Theme> theme);
    /// Colours the other plan's nodes anew.
    void colour();
    /// Sets what the strip says of the current plan.
    void setNameNow(const QString &name);
    bool isSettled() const;
    /// Returns the picture of both sides for export.
    std::optional<ViewPicture> picture();
    /// Returns the part of the width that the other plan has.
    double share() const;
    /// Sets the part of the width that the other plan gets when it is shown next.
    void setFirstShare(double share) { m_firstShare = share; }
    /// Sets the view that the other plan begins with, if the canvases are not linked.
    void setFirstView(const DrawingView &view) { m_firstView = view; }
    /// Forgets both, as what they were set for is not shown.
    void forgetFirst()
    {
        m_firstView.reset();
        m_firstShare.reset();
    }

Q_SIGNALS:
    void activated(const graphloom::Item &item); // on the other plan's canvas
    void menuRequested(const graphloom::Item &item, const QPoint &globalPlace);
    void settled();
    /// Emitted when the width of the canvases has changed because another plan is shown or hidden.
    void split();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void makePane();
    void showPane();
    void showDrawing(const DrawingPointer &drawing, bool fresh);
    void mark();
    void setShare(double share);
    void writeStrips();
    QString figuresOf(Side side) const;

    Sides &m_sides;
    CanvasPage &m_page;
    QAction *m_linkAction;
    Colours m_colours;
    std::shared_ptr<const Theme> m_theme;
    QString m_nameNow;
    CanvasPane *m_pane = nullptr; // of the other plan; made when it is needed first
    std::unique_ptr<CanvasLink> m_link;
    Side m_active = Side::Now;
    std::optional<DrawingView> m_firstView;
    std::optional<double> m_firstShare;
};

} // namespace graphloom
