// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/tuning_panel.h"

#include "app/common/format.h"
#include "app/tuning/tuning_view.h"
#include "app/widgets/panel_layout.h"

#include <QLabel>
#include <QTableView>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

namespace graphloom {

namespace {

QString trialsText(std::size_t count)
{
    return count == 1 ? TuningPanel::tr("1 trial") : TuningPanel::tr("%1 trials").arg(count);
}

QString kernelsText(std::size_t count)
{
    return count == 1 ? TuningPanel::tr("1 kernel") : TuningPanel::tr("%1 kernels").arg(count);
}

} // namespace

TuningPanel::TuningPanel(QWidget *parent) : HintedPanel(parent)
{
    m_line = statisticsLabel();
    m_line->setObjectName(QStringLiteral("tuningLine"));
    m_line->setMinimumWidth(1);
    m_line->setToolTip(tr("Speedup of all kernels with the best schedules so far over the default "
                          "ones, with each kernel timed alone"));
    m_all = new QToolButton;
    m_all->setText(tr("All kernels"));
    m_all->setToolTip(tr("Show the trials of all kernels, relative to the default of each"));
    m_all->setObjectName(QStringLiteral("allKernels"));
    m_view = new TuningView;
    // The list is placed elsewhere.
    m_list = new FilteredTable(m_model,
                               {tr("Trials"), tr("Filter trials"),
                                tr("Filter by operators, schedule or reason"),
                                QStringLiteral("trialTable")},
                               this);
    m_list->hide();
    m_list->makeCopyable(QStringLiteral("copyTrials"));
    QTableView &table = m_list->table();
    table.sortByColumn(TrialModel::Number, Qt::DescendingOrder); // the newest is on top

    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(0, 0, 6, 0);
    bar->addWidget(m_line, 1);
    bar->addWidget(m_all);
    auto *content = new QWidget;
    QVBoxLayout *layout = makeColumn(*content);
    layout->addLayout(bar);
    layout->addWidget(m_view, 1);
    setContent(content);
    setEmpty(true);

    connect(m_all, &QToolButton::clicked, this, &TuningPanel::allChosen);
    connect(m_view, &TuningView::chosen, this, [this](int trial) {
        chooseTrial(trial);
        Q_EMIT kernelChosen(log().trials()[std::size_t(trial)].what.place);
    });
    connect(m_view, &TuningView::hovered, this, [this](int trial, const QPoint &place) {
        QToolTip::showText(place, describe(trial), m_view);
    });
    connect(&table, &QTableView::activated, this, [this](const QModelIndex &index) {
        Q_EMIT kernelChosen(log().trials()[std::size_t(m_list->rowAt(index))].what.place);
    });
    connect(table.selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
        const int row = m_list->currentRow();
        m_view->mark(row < 0 ? std::nullopt : std::optional(std::size_t(row)));
    });
}

void TuningPanel::begin(std::shared_ptr<const Plan> plan)
{
    setEmpty(!plan);
    const auto before = std::exchange(m_tuned, plan ? plan->model : nullptr);
    if (before != m_tuned)
        m_earlier = {};
    else if (!log().isEmpty())
        m_earlier = log();
    m_model.begin(std::move(plan));
    m_state.clear();
    m_place.reset();
    refresh();
}

void TuningPanel::add(std::vector<TuningTrial> trials)
{
    if (trials.empty())
        return;
    m_model.add(std::move(trials));
    refresh();
}

void TuningPanel::setState(const QString &state)
{
    m_state = state;
    m_line->setText(summary());
}

void TuningPanel::showKernel(const std::optional<KernelPlace> &place)
{
    m_place = place;
    refresh();
}

std::optional<std::size_t> TuningPanel::shownKernel() const
{
    if (!m_place)
        return std::nullopt;
    const auto kernel = log().kernelAt(*m_place);
    return kernel ? kernel : log().kernelAt({m_place->block, std::nullopt});
}

/// Draws nothing while hidden behind another tab.
void TuningPanel::refresh()
{
    const auto kernel = shownKernel();
    m_line->setText(summary());
    m_all->setVisible(kernel.has_value());
    if (isVisible())
        m_view->show(log(), kernel, m_earlier);
}

void TuningPanel::showEvent(QShowEvent *event)
{
    HintedPanel::showEvent(event);
    refresh();
}

void TuningPanel::setTheme(const Theme &theme)
{
    m_view->setTheme(theme);
}

std::optional<ViewPicture> TuningPanel::picture()
{
    if (log().isEmpty())
        return std::nullopt;
    m_view->show(log(), shownKernel(), m_earlier);
    ViewPicture picture = m_view->picture();
    picture.notes << QTextDocumentFragment::fromHtml(summary()).toPlainText();
    return picture;
}

QString TuningPanel::summary() const
{
    QStringList parts;
    if (!m_state.isEmpty())
        parts << m_state;
    if (const auto kernel = shownKernel()) {
        const TuningLog::Kernel &of = log().kernels()[*kernel];
        parts << tr("<b>Block %1</b>, %2: %3")
                     .arg(TrialModel::nameOf(of.place),
                          m_model.operatorsOf(of.place.block).toHtmlEscaped(),
                          trialsText(of.trials.size()));
        if (of.startMs > 0)
            parts << tr("default %1 ms, best %2 ms: <b>%3 ×</b>")
                         .arg(formatReal(of.startMs), formatReal(of.bestMs),
                              QString::number(of.startMs / of.bestMs, 'f', 2));
        if (of.uses > 1)
            parts << tr("%1 identical kernels").arg(of.uses);
        return parts.join(QStringLiteral(" · "));
    }
    if (log().isEmpty())
        return parts.join(QStringLiteral(" · "));
    QString trials =
        tr("%1 of %2").arg(trialsText(log().trials().size()), kernelsText(log().kernels().size()));
    if (log().failures() > 0)
        trials += tr(", %1 failed").arg(log().failures());
    parts << trials
          << tr("all kernels <b>%1 ×</b> (%2)")
                 .arg(QString::number(1 / log().whole(), 'f', 2),
                      fromUtf8(nameOf(log().trials().back().what.provenance)));
    return parts.join(QStringLiteral(" · "));
}

/// Same as a click on its row.
void TuningPanel::chooseTrial(int trial)
{
    m_list->choose(trial);
}

QString TuningPanel::describe(int trial) const
{
    const TuningLog::Trial &of = log().trials()[std::size_t(trial)];
    const QString head =
        tr("Trial %1 · block %2, %3\n")
            .arg(trial + 1)
            .arg(TrialModel::nameOf(of.what.place), m_model.operatorsOf(of.what.place.block));
    const QString schedule = '\n' + fromUtf8(of.what.schedule);
    if (!of.what.problem.empty())
        return head + tr("failed: %1").arg(fromUtf8(of.what.problem)) + schedule;
    QString time = tr("%1 ms").arg(formatReal(of.what.milliseconds));
    if (const auto relative = log().relative(std::size_t(trial)))
        time += tr(", %1 × the default").arg(QString::number(*relative, 'f', 3));
    if (of.what.byDefault)
        time += tr(": the default");
    return head + time + schedule;
}

} // namespace graphloom
