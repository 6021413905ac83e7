// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QAction;

namespace graphloom {

class DrawingController;
class GraphCanvas;
class Selection;

/// Shows a canvas with a strip above it, which tells what the canvas shows while there are several,
/// and a notice over it while work is in progress.
class CanvasPane final : public QWidget {
    Q_OBJECT

public:
    explicit CanvasPane(Selection &selection, QWidget *parent = nullptr);

    GraphCanvas &canvas() { return *m_canvas; }
    const GraphCanvas &canvas() const { return *m_canvas; }

    /// Sets the texts of the strip: what the canvas shows, its figures, and what is to be known of
    /// the selection (empty: nothing).
    void setCaption(const QString &title, const QString &figures, const QString &note = {});
    /// Returns the texts of the strip as one, a line each.
    QString caption() const;
    void setStripShown(bool shown);
    /// Adds a button to the strip.
    void addTool(QAction *action);
    /// Shows over the canvas what is in progress. An empty string hides it.
    void setBusy(const QString &text);
    /// Shows over the canvas that a layout is computed for it, if that takes long.
    void announce(const DrawingController &drawings);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void placeBusy();

    GraphCanvas *m_canvas;
    class Strip;
    Strip *m_strip;
    class BusyLabel;
    BusyLabel *m_busy;
};

} // namespace graphloom
