// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_panel.h"

#include "app/common/format.h"
#include "app/lanes/lane_items.h"
#include "app/tensors/turning_splitter.h"
#include "app/widgets/explain.h"
#include "app/widgets/panel_layout.h"

#include <QAction>
#include <QButtonGroup>
#include <QLabel>
#include <QTableView>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

LanePanel::LanePanel(Selection &selection, QAction *runBeside, QWidget *parent)
    : HintedPanel(parent), m_selection(selection)
{
    m_view = new LaneView;
    m_list =
        new FilteredTable(m_model, {tr("Steps of the run"), tr("Filter steps"),
                                    tr("Filter by kernel or reason"), QStringLiteral("laneSteps")});
    m_list->linkTo(selection);
    m_list->makeCopyable(QStringLiteral("copyLaneSteps"));
    table().sortByColumn(LaneStepModel::Start, Qt::AscendingOrder);

    m_line = statisticsLabel();
    m_line->setObjectName(QStringLiteral("laneLine"));
    m_line->setMinimumWidth(1);
    auto *split = new TurningSplitter;
    split->addWidget(m_view);
    split->addWidget(m_list);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({660, 440});
    auto *content = new QWidget;
    QVBoxLayout *column = makeColumn(*content);
    column->addWidget(makeBar(runBeside));
    column->addWidget(m_line);
    column->addWidget(split, 1);
    setContent(content);
    setEmpty(true);

    connect(m_view, &LaneView::chosen, this, [this](int slice) { choose(std::uint32_t(slice)); });
    connect(m_view, &LaneView::activated, this, [this](int slice) {
        if (const std::vector<Item> items = itemsAt(std::uint32_t(slice)); !items.empty())
            Q_EMIT activated(items.front());
    });
    connect(m_list, &FilteredTable::activated, this, &LanePanel::activated);
    connect(m_list, &FilteredTable::menuRequested, this, &LanePanel::menuRequested);
    connect(table().selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &now) {
                if (!now.isValid() || !table().hasFocus())
                    return;
                const Lanes::Step &step = m_model.at(m_list->rowAt(now));
                m_view->setCurrent(step.slice == Lanes::noSlice ? std::nullopt
                                                                : std::optional(step.slice));
            });
    connect(&selection, &Selection::changed, this, &LanePanel::showSelection);
}

QWidget *LanePanel::makeBar(QAction *runBeside)
{
    auto *bar = new QWidget;
    QHBoxLayout *row = makeToolRow(*bar);
    const auto add = [row](const char *name, const QString &text, const QString &meaning, bool on) {
        QToolButton *button = addTool(*row, name, text, meaning);
        button->setCheckable(true);
        button->setChecked(on);
        return button;
    };
    auto *classes =
        add("laneClasses", tr("Operator class"),
            tr("Colour kernels by the class of their operator with the most work"), true);
    auto *mappings = add("laneMappings", tr("Mapping type"),
                         tr("Colour kernels by the mapping type of their block"), false);
    explainTerm(*classes, "operator-class");
    explainTerm(*mappings, "mapping-type");
    auto *group = new QButtonGroup(bar);
    group->addButton(classes);
    group->addButton(mappings);
    row->addSpacing(10);
    auto *before = add("laneBefore", tr("Before"),
                       tr("Show the run that the plan was compared with above the plan's own, on "
                          "the same time scale"),
                       true);
    auto *fit = addTool(*row, "fitLanes", tr("Fit"), tr("Show the whole run (F)"));
    row->addStretch(1);
    auto *run = addTool(*row, "runBeside", {}, {});
    run->setDefaultAction(runBeside);
    run->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(mappings, &QToolButton::toggled, m_view, [this](bool on) {
        m_view->setColours(on ? LaneColours::Mappings : LaneColours::Classes);
    });
    connect(before, &QToolButton::toggled, m_view, &LaneView::setBefore);
    connect(fit, &QToolButton::clicked, m_view, &LaneView::fit);
    return bar;
}

QAbstractButton *LanePanel::button(const QString &name) const
{
    return findChild<QAbstractButton *>(name);
}

void LanePanel::setColours(LaneColours colours)
{
    button(colours == LaneColours::Mappings ? QStringLiteral("laneMappings")
                                            : QStringLiteral("laneClasses"))
        ->setChecked(true);
}

void LanePanel::setLanes(LanesPointer lanes, SnapshotPointer linked, bool stale)
{
    const bool same = lanes == m_lanes;
    m_lanes = std::move(lanes);
    m_linked = m_lanes ? std::move(linked) : nullptr;
    m_stale = stale;
    m_list->change([&] { m_model.setLanes(m_lanes, m_linked != nullptr); });
    for (int column = 0; column < LaneStepModel::ColumnCount; ++column)
        table().setColumnHidden(column, !m_model.isUsed(LaneStepModel::Column(column)));
    if (!same)
        m_view->setLanes(m_lanes);
    QAbstractButton &before = *button(QStringLiteral("laneBefore"));
    const bool compared = m_lanes && m_lanes->runs.size() > 1;
    before.setEnabled(compared);
    before.setText(compared && m_lanes->runs.front().kind == Lanes::Run::Kind::Original
                       ? tr("Original")
                       : tr("Before"));
    m_line->setText(summary());
    setEmpty(!m_lanes);
    showSelection();
}

void LanePanel::setTheme(const Theme &theme)
{
    m_view->setTheme(theme);
}

QString LanePanel::summary() const
{
    if (!m_lanes)
        return {};
    const PlanRun &run = *m_lanes->of;
    QString text =
        noticeOf(run, m_stale) + speedupOf(run) +
        tr("<b>%1 ms</b> (%2), median of %3 runs; the lanes show one traced run")
            .arg(formatReal(run.outcome.after->whole.median), run.provenance().toHtmlEscaped())
            .arg(run.outcome.after->runs);
    if (m_lanes->runs.size() > 1)
        text += tr(" of each");
    if (const QString origin = run.origin(); !origin.isEmpty())
        text += tr(" · measured %1").arg(origin.toHtmlEscaped());
    return text;
}

std::optional<ViewPicture> LanePanel::picture() const
{
    if (!m_lanes)
        return std::nullopt;
    return lanesPicture(m_view->scene(),
                        {QTextDocumentFragment::fromHtml(summary()).toPlainText()});
}

std::vector<Item> LanePanel::itemsAt(std::uint32_t index) const
{
    if (!m_linked)
        return {};
    const Lanes::Slice &slice = m_lanes->slices[index];
    return itemsOf(*m_lanes, m_lanes->runOf(m_lanes->laneOf(slice)), slice.step, *m_linked);
}

void LanePanel::choose(std::uint32_t index)
{
    const Lanes::Slice &slice = m_lanes->slices[index];
    if (m_lanes->runOf(m_lanes->laneOf(slice)).kind == Lanes::Run::Kind::Plan)
        m_list->choose(int(slice.step));
    if (std::vector<Item> items = itemsAt(index); !items.empty()) // it may be of another graph
        m_selection.select(std::move(items));
}

/// Marks the steps of the selection. If the current slice is not of them, the first one is.
void LanePanel::showSelection()
{
    if (!m_lanes)
        return;
    std::vector<std::vector<bool>> steps;
    if (m_linked && m_selection.item())
        for (const Lanes::Run &run : m_lanes->runs)
            steps.push_back(stepsOf(run, *m_linked, m_selection.items()));
    const auto isSelected = [&](std::uint32_t index) {
        const Lanes::Slice &slice = m_lanes->slices[index];
        return bool(steps[m_lanes->laneOf(slice).run][slice.step]);
    };
    const auto current = m_view->marks().current;
    if (!steps.empty() && (!current || !isSelected(*current))) {
        std::optional<std::uint32_t> first;
        const Lanes::Run &plan = m_lanes->runs.back();
        for (std::size_t step = 0; step < plan.steps.size() && !first; ++step)
            if (steps.back()[step] && plan.steps[step].slice != Lanes::noSlice)
                first = plan.steps[step].slice;
        m_view->setCurrent(first);
    }
    m_view->setSelected(std::move(steps));
}

} // namespace graphloom
