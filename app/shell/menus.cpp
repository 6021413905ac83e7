// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/menus.h"

#include "app/device/device_menu.h"
#include "app/workbench/workbench.h"

#include <QMainWindow>
#include <QMenuBar>
#include <QToolBar>

namespace graphloom {

namespace {

/// Fills the menus.
class MenuMaker {
    Q_DECLARE_TR_FUNCTIONS(MenuMaker)

public:
    MenuMaker(QMenuBar &bar, Workbench &bench) : m_bar(bar), m_bench(bench) {}

    OpenMenus make(const std::vector<QAction *> &panels)
    {
        OpenMenus open{};
        open.recent = makeFile();
        makeEdit();
        makeModel();
        makePass();
        open.openModels = makeCompare();
        makePlan();
        makeKernels();
        makeGo();
        makeView(panels);
        makeHelp();
        return open;
    }

private:
    using Group = QList<QAction *>;

    /// Adds groups of actions, separated by lines.
    QMenu *add(const QString &title, const QList<Group> &groups)
    {
        QMenu *menu = m_bar.addMenu(title);
        for (const Group &group : groups) {
            if (!menu->isEmpty())
                menu->addSeparator();
            menu->addActions(group);
        }
        return menu;
    }

    template <class Actions> static Group groupOf(const Actions &actions)
    {
        return Group(actions.begin(), actions.end());
    }

    /// Fills the File menu, including recent files.
    QMenu *makeFile()
    {
        QMenu *file = add(tr("&File"), {{a.newWindow, a.open}});
        QMenu *recent = file->addMenu(tr("Open &recent"));
        file->addAction(a.reopen);
        for (const Group &group :
             {Group{a.save, a.saveAs, a.saveEmbedded, a.recover},
              Group{a.exportOnnx, a.exportPicture, a.exportTable, a.exportDot, a.exportReport,
                    a.exportHtml, a.exportTensor, a.exportTrace},
              Group{a.copyPath, a.showInFolder, a.moveTab},
              Group{a.close, a.closeOthers, a.quit}}) {
            file->addSeparator();
            file->addActions(group);
        }
        return recent;
    }

    void makeEdit()
    {
        add(tr("&Edit"), {{a.undo, a.redo, a.history},
                          {a.copyPicture, a.paste},
                          {a.find, a.findNext, a.findPrevious, a.clearSelection},
                          {a.inspectTensor},
                          {a.preferences}});
    }

    void makeModel()
    {
        add(tr("&Model"), {{a.inputShapes, a.training}, {a.runOnInputs, a.verify}});
    }

    void makePass()
    {
        QMenu *pass = add(tr("&Pass"), {{a.run, a.runBeside, a.goOn}, {a.hold, a.take, a.cancel}});
        pass->addMenu(tr("Selected r&uns"))
            ->addActions({a.takeRun, a.holdRun, a.stopRun, a.compareRun, a.removeRun});
        pass->addMenu(new DeviceMenu(m_bench.devices, pass));
    }

    /// Fills the Compare menu, including the models of other tabs.
    QMenu *makeCompare()
    {
        QMenu *compare = add(tr("&Compare"),
                             {{a.compareOriginal, a.comparePrevious, a.compareRun, a.compareFile},
                              {a.sideBySide, a.linkSides, a.switchSide},
                              {a.nextDifference, a.previousDifference},
                              {a.showOriginals, a.showSuccessors},
                              {a.endComparison}});
        auto *others = new QMenu(tr("Compare with open &model"), compare);
        others->setToolTipsVisible(true);
        compare->insertMenu(a.compareFile, others);
        return others;
    }

    void makePlan()
    {
        const EditActions &edits = m_bench.edits;
        QMenu *plan = add(tr("P&lan"), {groupOf(edits.ofGroups()), {edits.earlier, edits.later}});
        QMenu *layouts = plan->addMenu(tr("La&yout"));
        layouts->addActions({edits.channelsFirst, edits.channelsLast, edits.freeLayout});
        QMenu *fissions = plan->addMenu(tr("&F-Tree"));
        fissions->addActions(groupOf(m_bench.fissionEdits.all()));
        plan->addSeparator();
        plan->addActions(groupings() << a.nextGrouping);
        for (QMenu *menu : {plan, layouts, fissions})
            menu->setToolTipsVisible(true);
    }

    Group groupings() const
    {
        return {a.groupBlocks, a.groupSubgraphs, a.groupModules, a.groupFissions, a.groupNone};
    }

    void makeKernels()
    {
        add(tr("&Kernels"), {{a.runHere, a.runBesideOriginal, a.tuneHere, a.cancel},
                             {a.verify},
                             {a.exportPackage},
                             {a.heat, a.colourByError}});
    }

    void makeGo()
    {
        add(tr("&Go"),
            {{a.openNested, a.goUp}, {a.goBack, a.goForward}, {a.nextTab, a.previousTab}});
    }

    void makeView(const std::vector<QAction *> &panels)
    {
        // Submenus, as the menu would be higher than a small screen.
        QMenu *view =
            add(tr("&View"), {{a.zoomIn, a.zoomOut, a.zoomNormal, a.fit, a.zoomSelection}, {}});
        const auto addBelow = [view](const QString &title, const Group &actions) {
            view->addMenu(title)->addActions(actions);
        };
        addBelow(tr("&Group by"), groupings());
        view->addActions({a.toggleGroup, a.onlyWay, a.collapseAll, a.expandAll});
        addBelow(tr("Expand to le&vel"), groupOf(a.levels));
        for (const Group &group :
             {Group{a.focus, a.focusMore, a.focusFewer, a.focusWays, a.focusAll},
              Group{a.columns, a.layered, a.graphviz}, Group{a.loadData, a.removeData},
              Group{a.minimap, a.legend, a.jobs, a.notification}, Group{}}) {
            view->addSeparator();
            view->addActions(group);
        }
        addBelow(tr("&Colour by"), {a.colourByClass, a.colourBySubgraph, a.heat, a.colourByError});
        addBelow(tr("&Theme"), {a.themeSystem, a.themeDark, a.themeLight, a.nextTheme});
        QMenu *menu = view->addMenu(tr("&Panels"));
        menu->addActions(groupOf(panels));
        menu->addSeparator();
        menu->addActions({a.maximizePanel, a.resetLayout});
    }

    void makeHelp()
    {
        add(tr("&Help"),
            {{a.help, a.glossary, a.keys, a.tour, a.whatsThis, a.commands}, {a.about}});
    }

    QMenuBar &m_bar;
    Workbench &m_bench;
    const Actions &a = m_bench.actions;
};

} // namespace

OpenMenus makeMenus(QMainWindow &window, Workbench &bench, const std::vector<QAction *> &panels)
{
    return MenuMaker(*window.menuBar(), bench).make(panels);
}

void makeToolBar(QMainWindow &window, Workbench &bench)
{
    const Actions &a = bench.actions;
    QToolBar *bar = window.addToolBar(MenuMaker::tr("Main"));
    bar->setObjectName(QLatin1String(toolBarName));
    bar->setMovable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    for (const QList<QAction *> &group :
         {QList{a.open, a.exportOnnx, a.exportPicture},
          QList{a.run, a.hold, a.take, a.runHere, a.tuneHere, a.cancel}, QList{a.undo, a.redo},
          QList{a.zoomOut, a.zoomIn, a.fit},
          QList{a.nextGrouping, a.collapseAll, a.expandAll, a.columns},
          QList{a.heat, a.minimap, a.legend}}) {
        if (!bar->actions().isEmpty())
            bar->addSeparator();
        bar->addActions(group);
        if (group.contains(a.run))
            bar->insertWidget(a.run, new DeviceButton(bench.devices, bar));
    }
    auto *space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    bar->addActions({a.find, a.commands, a.nextTheme, a.help});
}

} // namespace graphloom
