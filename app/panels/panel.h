// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/export/view_export.h"
#include "app/snapshot/snapshot.h"
#include "app/style/theme.h"

#include <QObject>

#include <functional>
#include <memory>
#include <vector>

class QAction;
class QSettings;

namespace graphloom {

class FilteredTable;
class Workbench;

/// A `Panel` is a part of the window as the window knows it: its name, its place, and the state it
/// has to be given. Each is a file of this folder that connects a widget with the workbench, and a
/// line of panels.def.
class Panel : public QObject {
    Q_OBJECT

public:
    /// Identifies a place in the window. Panels of one spot are tabs; the first one is in front.
    enum class Spot { LeftTop, LeftBottom, Right, Bottom };
    /// Holds the name and the initial place of a panel.
    struct Facts {
        QString key; // for settings and Workbench::panelWanted()
        QString title;
        QString icon = QStringLiteral("table"); // of its tab: a name for themedIcon()
        Spot spot = Spot::Bottom;
        bool isHidden = false;
        bool isLastTab = false; // after all panels of the spot, whatever the list's order
    };

    Panel(Facts facts, QWidget *widget) : m_facts(std::move(facts)), m_widget(widget) {}

    const Facts &facts() const { return m_facts; }
    QWidget &widget() const { return *m_widget; }

    /// Sets the snapshot of the graph that is shown; null if there is none.
    virtual void setSnapshot(const SnapshotPointer &) {}
    virtual void setTheme(const std::shared_ptr<const Theme> &) {}

    /// Holds the text that the panel shows while it is empty, and the action that changes that;
    /// null for none.
    struct Hint {
        QString text;
        QAction *action = nullptr;
    };
    virtual Hint hint() const { return {}; }
    /// Shows the hint; by default if the widget is a HintedPanel.
    virtual void showHint(const Hint &hint);

    /// Returns the exports of the panel.
    virtual std::vector<ViewExport> exports() { return {}; }
    /// Returns the views, besides tables, whose context menu has the exports.
    virtual std::vector<QWidget *> exportedViews() { return {}; }

    /// Restores the panel's part of the user's settings; save() writes it.
    virtual void restore(const QSettings &) {}
    virtual void save(QSettings &) const {}
    /// Tells whether the panel is still computing something that it will show.
    virtual bool isBusy() const { return false; }

private:
    Facts m_facts;
    QWidget *m_widget; // owned by the window
};

using PanelPointer = std::unique_ptr<Panel>;

/// Returns a function for the content of the table, filtered and sorted as shown, for export.
std::function<TableSource()> tableOf(FilteredTable &table);

/// Contains the functions that make the panels, named by their keys; panels.def lists them.
namespace panels {
#define GRAPHLOOM_PANEL(key) PanelPointer key(Workbench &bench);
#include "app/panels/panels.def"
#undef GRAPHLOOM_PANEL
} // namespace panels

/// Returns all panels of a window, in the order of their keys (Alt+1, Alt+2…).
std::vector<PanelPointer> makePanels(Workbench &bench);

} // namespace graphloom
