// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/memory/memory_panel.h"

#include "app/common/format.h"
#include "app/widgets/explain.h"
#include "app/widgets/panel_layout.h"

#include <QButtonGroup>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QVBoxLayout>

namespace graphloom {

namespace {

/// Returns what a table would show if its tab were in front.
template <class Model>
TableSource timelineSource(const Model &shown, const TableFilter &filter,
                           const TimelinePointer &timeline)
{
    if (shown.timeline() == timeline)
        return sourceOf(filter);
    struct Kept {
        Model model;
        TableFilter filter{model};
    };
    const auto kept = std::make_shared<Kept>();
    kept->model.setTimeline(timeline);
    kept->filter.setText(filter.text());
    kept->filter.sort(filter.sortColumn(), filter.sortOrder());
    TableSource source = sourceOf(kept->filter);
    source.row = [kept, row = source.row](int at) { return row(at); };
    return source;
}

} // namespace

MemoryPanel::MemoryPanel(Selection &selection, QWidget *parent)
    : HintedPanel(parent), m_selection(selection)
{
    m_view = new MemoryView;
    auto *chart = new QWidget;
    QVBoxLayout *column = makeColumn(*chart);
    m_line = statisticsLabel();
    m_line->setObjectName(QStringLiteral("memoryLine"));
    column->addWidget(makeBar());
    column->addWidget(m_view, 1);

    m_tensors = new FilteredTable(m_tensorModel, {tr("Tensors in memory"), tr("Filter tensors"),
                                                  tr("Filter by name, node, class or eviction"),
                                                  QStringLiteral("memoryTensors")});
    m_tensors->linkTo(selection);
    m_tensors->makeCopyable(QStringLiteral("copyMemoryTensors"));
    tensors().sortByColumn(MemoryTensorModel::Bytes, Qt::DescendingOrder);
    m_steps = new FilteredTable(m_stepModel, {tr("Steps"), tr("Filter steps"), tr("Filter by node"),
                                              QStringLiteral("memorySteps")});
    m_steps->linkTo(selection);
    m_steps->makeCopyable(QStringLiteral("copyMemorySteps"));

    m_tabs = new QTabWidget;
    m_tabs->addTab(chart, tr("Timeline"));
    m_tabs->addTab(m_tensors, tr("Tensors"));
    m_tabs->addTab(m_steps, tr("Steps"));
    setContent(makeTabbedContent(*m_line, *m_tabs));
    setEmpty(true);

    connect(m_view, &MemoryView::chosen, this, &MemoryPanel::choose);
    connect(m_view, &MemoryView::activated, this, [this](int tensor) {
        if (const Item &item = m_timeline->tensors[std::size_t(tensor)].item)
            Q_EMIT activated(item);
    });
    for (FilteredTable *table : {m_tensors, m_steps}) {
        connect(table, &FilteredTable::activated, this, &MemoryPanel::activated);
        connect(table, &FilteredTable::menuRequested, this, &MemoryPanel::menuRequested);
    }
    connect(steps().selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &now) {
                if (now.isValid() && steps().hasFocus())
                    m_view->setCursorStep(std::uint32_t(m_steps->rowAt(now)));
            });
    connect(m_tabs, &QTabWidget::currentChanged, this, &MemoryPanel::fillTable);
    connect(&selection, &Selection::changed, this, &MemoryPanel::showSelection);
}

QWidget *MemoryPanel::makeBar()
{
    auto *bar = new QWidget;
    QHBoxLayout *row = makeToolRow(*bar);
    const auto add = [row](const char *name, const QString &text, const QString &meaning, bool on) {
        QToolButton *button = addTool(*row, name, text, meaning);
        button->setCheckable(true);
        button->setChecked(on);
        return button;
    };
    const auto either = [&](QToolButton *first, QToolButton *second) {
        auto *group = new QButtonGroup(bar);
        group->addButton(first);
        group->addButton(second);
        row->addSpacing(10);
    };
    auto *stacked =
        add("stacked", tr("Stacked"), tr("Stack the tensors, long-lived ones at the bottom"), true);
    auto *arena =
        add("arena", tr("Arena"),
            tr("Show the tensors at their offsets in one arena: gaps are unused memory"), false);
    explainTerm(*arena, "arena");
    either(stacked, arena);
    auto *inSteps = add("steps", tr("Steps"), tr("Give all steps the same width"), true);
    auto *inTime =
        add("time", tr("Time"), tr("Give each step a width by its modelled time"), false);
    either(inSteps, inTime);
    auto *weights =
        add("weights", tr("Weights"),
            tr("Show the weights, which are always in memory, as a band at the bottom"), true);
    auto *before = add("before", tr("Before"),
                       tr("Show the memory of the graph before the pass as an outline"), true);
    row->addSpacing(10);
    auto *fit = addTool(*row, "fitTimeline", tr("Fit"), tr("Show all steps (F)"));
    row->addStretch(1);
    connect(arena, &QToolButton::toggled, m_view, &MemoryView::setArena);
    connect(inTime, &QToolButton::toggled, m_view, &MemoryView::setInTime);
    connect(weights, &QToolButton::toggled, m_view, &MemoryView::setWeights);
    connect(before, &QToolButton::toggled, this, &MemoryPanel::showCompared);
    connect(fit, &QToolButton::clicked, m_view, &MemoryView::fit);
    return bar;
}

QAbstractButton *MemoryPanel::button(const QString &name) const
{
    return findChild<QAbstractButton *>(name);
}

void MemoryPanel::setTimelines(SnapshotPointer snapshot, TimelinePointer timeline,
                               TimelinePointer before)
{
    const bool same = snapshot && m_snapshot && snapshot->path == m_snapshot->path &&
                      snapshot->plan->model == m_snapshot->plan->model;
    m_snapshot = std::move(snapshot);
    m_timeline = std::move(timeline);
    m_before = std::move(before);
    m_chosen.reset();
    if (!same)
        m_other = nullptr;
    fillTable();
    const bool timed = m_timeline && m_timeline->timed;
    for (const auto column :
         {MemoryStepModel::Start, MemoryStepModel::Time, MemoryStepModel::Again})
        steps().setColumnHidden(column, !timed);
    tensors().setColumnHidden(MemoryTensorModel::Fate, !timed);
    button(QStringLiteral("time"))->setEnabled(timed);
    if (!timed)
        button(QStringLiteral("steps"))->click();
    button(QStringLiteral("weights"))->setEnabled(m_timeline && m_timeline->residentBytes > 0);
    button(QStringLiteral("arena"))->setEnabled(m_timeline && m_timeline->arenaBytes);
    m_view->setTimeline(m_timeline, same);
    showCompared();
    m_line->setText(summary());
    setEmpty(!m_timeline || m_timeline->isEmpty());
    showSelection();
}

void MemoryPanel::fillTable()
{
    const auto tab = Tab(m_tabs->currentIndex());
    const TimelinePointer tensorRows = tab == Tab::Tensors ? m_timeline : nullptr;
    const TimelinePointer stepRows = tab == Tab::Steps ? m_timeline : nullptr;
    if (m_tensorModel.timeline() != tensorRows)
        m_tensors->change([&] { m_tensorModel.setTimeline(tensorRows); });
    if (m_stepModel.timeline() != stepRows)
        m_steps->change([&] { m_stepModel.setTimeline(stepRows); });
}

void MemoryPanel::setCompared(TimelinePointer timeline, const QString &name)
{
    m_other = std::move(timeline);
    m_otherName = name;
    showCompared();
}

void MemoryPanel::showCompared()
{
    QAbstractButton &toggle = *button(QStringLiteral("before"));
    toggle.setText(m_other ? m_otherName : tr("Before"));
    toggle.setEnabled(m_other || m_before);
    if (!toggle.isChecked())
        m_view->setCompared(nullptr, {});
    else if (m_other)
        m_view->setCompared(m_other, m_otherName);
    else
        m_view->setCompared(m_before, tr("before"));
}

void MemoryPanel::setTheme(const Theme &theme)
{
    m_view->setTheme(theme);
}

void MemoryPanel::showTab(Tab tab)
{
    m_tabs->setCurrentIndex(int(tab));
}

QString MemoryPanel::summary() const
{
    if (!m_timeline || m_timeline->isEmpty())
        return {};
    const MemoryTimeline &of = *m_timeline;
    QString text = tr("<b>Peak %1</b> (modelled) at step %2 of %3")
                       .arg(formatBytes(double(of.peakBytes)))
                       .arg(of.peakStep)
                       .arg(of.stepCount());
    if (m_before && m_before->peakBytes > 0)
        text += tr(" · before %1: <b>%2 %</b>")
                    .arg(formatBytes(double(m_before->peakBytes)),
                         QString::number(100.0 * double(of.peakBytes) / double(m_before->peakBytes),
                                         'f', 1));
    text += of.residentBytes > 0
                ? tr(" · with weights of %1").arg(formatBytes(double(of.residentBytes)))
                : tr(" · without weights");
    if (of.arenaBytes && of.residentBytes == 0)
        text += tr(" · arena %1").arg(formatBytes(double(*of.arenaBytes)));
    else if (of.arenaBytes)
        text += tr(" · arena without weights %1").arg(formatBytes(double(*of.arenaBytes)));
    text += tr(" · %1 tensors").arg(of.tensors.size());
    text += QStringLiteral(" · ") + of.origin.toHtmlEscaped();
    for (const QString &note : of.notes)
        text += QStringLiteral(" · <i>") + note.toHtmlEscaped() + QStringLiteral("</i>");
    return text;
}

std::optional<ViewPicture> MemoryPanel::picture() const
{
    if (!m_timeline || m_timeline->isEmpty())
        return std::nullopt;
    TimelineScene scene = m_view->scene();
    scene.marked.clear(); // the selection is not part of the picture
    return memoryPicture(scene, {QTextDocumentFragment::fromHtml(summary()).toPlainText()});
}

TableSource MemoryPanel::tensorSource() const
{
    return timelineSource(m_tensorModel, m_tensors->filter(), m_timeline);
}

TableSource MemoryPanel::stepSource() const
{
    return timelineSource(m_stepModel, m_steps->filter(), m_timeline);
}

void MemoryPanel::choose(int tensor)
{
    m_chosen = std::uint32_t(tensor);
    if (const Item &item = m_timeline->tensors[*m_chosen].item)
        m_selection.select(item);
    else
        m_selection.clear();
    showSelection();
}

/// Marks the live ranges of the selection; the clicked one of a tensor with several comes first.
void MemoryPanel::showSelection()
{
    if (!m_timeline || !m_snapshot)
        return;
    std::vector<std::uint32_t> lives;
    for (auto item = m_selection.items().rbegin(); item != m_selection.items().rend(); ++item)
        for (const std::uint32_t life : m_timeline->of(*m_snapshot, *item))
            lives.push_back(life);
    if (m_chosen) {
        const auto at = std::ranges::find(lives, *m_chosen);
        if (at != lives.end())
            std::rotate(lives.begin(), at, at + 1);
        else if (lives.empty() && !m_selection.item())
            lives.push_back(*m_chosen);
        else
            m_chosen.reset();
    }
    m_view->setMarked(lives);
}

} // namespace graphloom
