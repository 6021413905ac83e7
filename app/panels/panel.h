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

/// A panel of the window, as far as the window knows it: what it is called, where it stands, and
/// what it has to be told. Each is a file of this folder, which puts a widget and the workbench
/// together, and a line of panels.def.
class Panel : public QObject {
    Q_OBJECT

public:
    /// Panels of one spot are tabs; the first one is in front.
    enum class Spot { LeftTop, LeftBottom, Right, Bottom };
    /// Where a new user finds it.
    struct Facts {
        QString key; // in settings, and for Workbench::panelWanted()
        QString title;
        Spot spot = Spot::Bottom;
        bool isHidden = false;
        bool isLastTab = false; // whichever panels come after it in the list
    };

    Panel(Facts facts, QWidget *widget) : m_facts(std::move(facts)), m_widget(widget) {}

    const Facts &facts() const { return m_facts; }
    QWidget &widget() const { return *m_widget; }

    /// Of the graph that is shown, or another state of it; null: there is none.
    virtual void setSnapshot(const SnapshotPointer &) {}
    virtual void setTheme(const std::shared_ptr<const Theme> &) {}

    /// What it says while it has nothing to show, and the action that changes that; null: none.
    struct Hint {
        QString text;
        QAction *action = nullptr;
    };
    virtual Hint hint() const { return {}; }
    /// By default for widgets that are a HintedPanel.
    virtual void showHint(const Hint &hint);

    /// What of it can be written to files.
    virtual std::vector<ViewExport> exports() { return {}; }
    /// Views, beside tables, whose context menu has the exports.
    virtual std::vector<QWidget *> exportedViews() { return {}; }

    /// What the user's settings keep of it.
    virtual void restore(const QSettings &) {}
    virtual void save(QSettings &) const {}
    /// Is it still making something that it will show?
    virtual bool isBusy() const { return false; }

private:
    Facts m_facts;
    QWidget *m_widget; // the window's
};

using PanelPointer = std::unique_ptr<Panel>;

/// What the table shows, filtered and sorted, for a file.
std::function<TableSource()> tableOf(FilteredTable &table);

/// Makers of the panels, by their keys; panels.def lists them.
namespace panels {
#define GRAPHLOOM_PANEL(key) PanelPointer key(Workbench &bench);
#include "app/panels/panels.def"
#undef GRAPHLOOM_PANEL
} // namespace panels

/// All panels of a window, in the order of their keys (Alt+1, Alt+2…).
std::vector<PanelPointer> makePanels(Workbench &bench);

} // namespace graphloom
