// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_panel.h"
#include "app/docks/in_sight.h"
#include "app/exchange/offers.h"
#include "app/graph/graph_canvas.h"
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

#include <QApplication>
#include <QMenu>

namespace graphloom {

namespace {

/// Shows two plans as one graph. Its selection follows that of the window if the current plan is
/// the compared one.
class CompareDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(CompareDock)

public:
    explicit CompareDock(Workbench &bench)
        : Panel({QStringLiteral("compare"), tr("Compare"), QStringLiteral("compare")},
                new ComparePanel),
          m_bench(bench), m_panel(static_cast<ComparePanel &>(widget()))
    {
        const Actions &a = bench.actions;
        m_panel.setActions({a.previousDifference, a.nextDifference, a.showOriginals,
                            a.showSuccessors, a.endComparison});
        connect(a.nextDifference, &QAction::triggered, this, [this] { step(1); });
        connect(a.previousDifference, &QAction::triggered, this, [this] { step(-1); });
        connect(a.showOriginals, &QAction::triggered, this, &CompareDock::showOriginals);
        connect(a.showSuccessors, &QAction::triggered, this, &CompareDock::showSuccessors);
        connect(&bench.comparison, &ComparisonController::changed, this, &CompareDock::show);
        connect(&bench.comparison, &ComparisonController::originalWanted, &m_panel,
                &ComparePanel::showOriginal);
        connect(&bench, &Workbench::stateChanged, this, &CompareDock::updateActions);
        connectSelections();
        auto *drops = new DropPlace(
            m_panel, [&bench](const QMimeData &data) { return offerToCompare(data, bench); });
        connect(drops, &DropPlace::refused, &bench, &Workbench::warnNow);
        connect(&m_panel, &ComparePanel::menuRequested, this, &CompareDock::openMenu);
    }

    void setTheme(const std::shared_ptr<const Theme> &theme) override { m_panel.setTheme(theme); }
    Hint hint() const override
    {
        if (!m_bench.session.snapshot())
            return {tr("Open a model to compare its plans."), m_bench.actions.open};
        return {tr("Shows two plans as one graph: added, removed and changed nodes, their figures, "
                   "and where each node comes from. Compare with the original model, or choose "
                   "another plan in the Compare menu."),
                m_bench.actions.compareOriginal};
    }
    std::vector<ViewExport> exports() override
    {
        const auto compared = [this] { return m_panel.picture(); };
        return {{QStringLiteral("compare"), tr("Differences of two plans"), &m_panel, compared,
                 tableOf(m_panel.differenceTable())},
                {QStringLiteral("figures"), tr("Figures of two plans"), &m_panel.metricTable(),
                 compared, tableOf(m_panel.metricTable())},
                {QStringLiteral("origins"), tr("Origin of the nodes"), &m_panel.originTable(),
                 compared, tableOf(m_panel.originTable())}};
    }
    bool isBusy() const override
    {
        const GraphCanvas &both = m_panel.canvas();
        return isInSight(both) && both.drawing() && !both.tiles().isSettled();
    }

private:
    /// Goes through the differences of the graphs that are shown side by side, or else of the
    /// panel.
    void step(int by)
    {
        if (m_bench.sides.isShown())
            m_bench.sides.step(by);
        else
            m_panel.step(by);
    }

    void connectSelections()
    {
        connect(&m_panel, &ComparePanel::chosen, this, [this](const Item &now) {
            if (m_bench.comparison.isOfShown() && !m_bench.selection.contains(now))
                m_bench.selection.select(now);
        });
        connect(&m_bench.selection, &Selection::changed, this, [this](const Item &item) {
            if (m_bench.comparison.isOfShown() && item.kind == Item::Kind::Node &&
                m_panel.selectedNow() != item)
                m_panel.selection().select(item);
        });
        connect(&m_panel, &ComparePanel::originalChosen, this, [this](NodeId id) {
            std::vector<Item> items;
            for (const NodeId now : m_panel.difference()->origins.fates[id.index].nodes)
                items.push_back(Item::of(now));
            if (m_bench.comparison.isOfShown() && !items.empty())
                m_bench.selection.select(std::move(items));
        });
        connect(&m_panel.selection(), &Selection::changed, this, &CompareDock::updateActions);
        // Removed nodes are only in the graph that is shown beside the current one.
        connect(&m_panel.selection(), &Selection::changed, this, [this](const Item &item) {
            const PlanDifferencePointer &difference = m_panel.difference();
            if (!isBeside() || item.kind != Item::Kind::Node)
                return;
            if (const NodeDifference &chosen = difference->differenceOf(item); !chosen.now.valid())
                m_bench.sides.selection(Side::Before).select(Item::of(chosen.before));
        });
        connect(&m_bench.sides.selection(Side::Before), &Selection::changed, this,
                [this](const Item &item) {
                    if (!isBeside() || item.kind != Item::Kind::Node)
                        return;
                    const auto &removed = m_panel.difference()->united.removed;
                    if (const NodeId id = removed[item.index]; id.valid())
                        m_panel.selection().select(Item::of(id));
                });
    }

    /// Tells whether the graphs that are shown side by side are the compared ones.
    bool isBeside() const
    {
        return m_bench.comparison.isOfShown() && m_panel.difference() &&
               m_panel.difference()->earlier == m_bench.sides.before();
    }

    void show()
    {
        m_panel.setDifference(m_bench.comparison.difference());
        const Item item = m_bench.selection.item();
        if (m_bench.comparison.isOfShown() && item.kind == Item::Kind::Node)
            m_panel.selection().select(item);
    }

    void openMenu(const QPoint &place)
    {
        const Actions &a = m_bench.actions;
        auto *menu = new QMenu(&m_panel);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        menu->setObjectName(QStringLiteral("compareMenu"));
        menu->addActions({a.showOriginals, a.showSuccessors});
        menu->addSeparator();
        menu->addActions({a.nextDifference, a.previousDifference});
        menu->addSeparator();
        menu->addAction(a.endComparison);
        menu->popup(place);
    }

    /// Shows the original nodes of the node selected in the comparison, or else in the graph.
    void showOriginals()
    {
        const Item chosen = m_panel.selection().item();
        if (m_panel.difference() && chosen.kind == Item::Kind::Node &&
            m_panel.isAncestorOf(QApplication::focusWidget())) {
            m_panel.selectItems(m_panel.difference()->originalsOf(chosen));
            return;
        }
        const Item item = m_bench.selection.item();
        if (item.kind == Item::Kind::Node && !m_bench.navigator.isInside())
            m_bench.comparison.inOriginal(
                [this, item] { m_panel.selectItems(m_panel.difference()->originalsOf(item)); });
    }

    void showSuccessors()
    {
        const Item chosen = m_panel.selection().item();
        if (m_panel.difference() && chosen.kind == Item::Kind::Node)
            m_panel.selectItems(m_panel.difference()->successorsOf(chosen));
    }

    void updateActions()
    {
        const Actions &a = m_bench.actions;
        const SnapshotPointer &snapshot = m_bench.session.snapshot();
        const bool idle = snapshot && !m_bench.session.isBusy();
        const bool compared = m_panel.difference() != nullptr;
        m_panel.setStale(compared && snapshot && snapshot->plan != m_panel.difference()->now);
        for (QAction *action : {a.nextDifference, a.previousDifference})
            action->setEnabled(m_bench.sides.isShown()
                                   ? m_bench.sides.canStep()
                                   : compared && m_panel.differences().rowCount() > 0);
        const bool inComparison = compared && m_panel.selection().item().kind == Item::Kind::Node;
        a.showSuccessors->setEnabled(inComparison);
        a.showOriginals->setEnabled(inComparison ||
                                    (idle && !m_bench.navigator.isInside() &&
                                     m_bench.selection.item().kind == Item::Kind::Node));
    }

    Workbench &m_bench;
    ComparePanel &m_panel;
};

} // namespace

PanelPointer panels::compare(Workbench &bench)
{
    return std::make_unique<CompareDock>(bench);
}

} // namespace graphloom
