// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QVariantList>

#include <array>
#include <functional>

class QDockWidget;
class QMainWindow;

namespace graphloom {

/// Keeps the sizes of a window's dock areas in proportion when the window is resized: the area
/// below (or above) the middle keeps its share of the height, and areas at the sides become
/// narrower with the window. The user changes the proportions with the separators.
class DockSizes final : public QObject {
    Q_OBJECT

public:
    explicit DockSizes(QMainWindow &window);

    /// Returns to the sizes of a new window.
    void reset();
    /// Gives the areas their sizes.
    void apply();
    /// Makes the area of a dock higher if it is lower than this number of pixels.
    void makeHigher(const QDockWidget &dock, int pixels);
    /// Stops apply() and the user's changes from having an effect while the areas have other sizes.
    void setSuspended(bool suspended) { m_isSuspended = suspended; }

    QVariantList save() const;
    void restore(const QVariantList &saved);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    /// A size in pixels in a window of a given extent.
    struct Size {
        int pixels, window;
    };
    static constexpr std::size_t areaCount = 4; // by bit of Qt::DockWidgetArea

    QDockWidget *frontOf(std::size_t area) const;
    int extentOf(const QDockWidget &dock, Qt::Orientation along) const;
    int windowExtent(Qt::Orientation along) const;
    int wanted(std::size_t area) const;
    void remember();

    QMainWindow &m_window;
    std::array<Size, areaCount> m_sizes;
    bool m_isSuspended = false;
};

} // namespace graphloom
