// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/summary_view.h"

#include "app/common/background.h"
#include "app/tensors/turning_splitter.h"
#include "app/widgets/copy_rows.h"
#include "app/widgets/panel_layout.h"
#include "app/widgets/table.h"

#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::size_t mostKnown = 64;
constexpr int factWidth = 130, progressSteps = 1000;
constexpr std::uint64_t longRead = std::uint64_t{1} << 24; // bytes; below, progress would flicker

} // namespace

SummaryView::SummaryView(QWidget *parent)
    : QWidget(parent), m_table(new QTableView), m_histogram(new ValueHistogram)
{
    m_table->setModel(&m_filter);
    setUpTable(*m_table);
    m_table->setSortingEnabled(false);
    m_filter.sort(-1); // in the order of the model
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setWordWrap(true);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->hide();
    m_table->setColumnWidth(SummaryModel::Name, factWidth);
    m_table->setAccessibleName(tr("Tensor summary"));
    m_table->setObjectName(QStringLiteral("tensorFacts"));
    makeRowsCopyable(*m_table);
    m_table->setContextMenuPolicy(Qt::ActionsContextMenu);
    auto *split = new TurningSplitter;
    split->addWidget(m_table);
    split->addWidget(m_histogram);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    QVBoxLayout *rows = makeColumn(*this);
    rows->addWidget(makeProgress());
    rows->addWidget(split, 1);
    connect(m_cancel, &QToolButton::clicked, this, &SummaryView::cancel);
    connect(m_compute, &QToolButton::clicked, this, &SummaryView::compute);
    showProgress();
}

QWidget *SummaryView::makeProgress()
{
    m_progressLine = new QWidget;
    QHBoxLayout *row = makeToolRow(*m_progressLine);
    m_state = new QLabel;
    m_state->setObjectName(QStringLiteral("statisticsState"));
    m_progress = new QProgressBar;
    m_progress->setRange(0, progressSteps);
    m_progress->setTextVisible(false);
    m_progress->setObjectName(QStringLiteral("statisticsProgress"));
    row->addWidget(m_state);
    row->addWidget(m_progress, 1);
    m_cancel = addTool(*row, "cancelStatistics", tr("Cancel"), tr("Cancel reading the tensor"));
    m_compute = addTool(*row, "computeStatistics", tr("Compute statistics"),
                        tr("Read the whole tensor for its statistics and histogram"));
    return m_progressLine;
}

void SummaryView::setTensor(const InspectedTensor &tensor)
{
    const bool same = m_tensor.data && tensor.data && m_tensor.data->hash() == tensor.data->hash();
    m_tensor = tensor;
    if (same) {
        showFacts();
        return;
    }
    m_worker.abandon();
    m_isDue = false;
    StatisticsPointer known;
    if (m_tensor.data)
        for (const auto &[hash, statistics] : m_known)
            if (hash == m_tensor.data->hash())
                known = statistics;
    take(std::move(known));
    if (!m_statistics && hasFigures()) {
        m_isDue = true;
        computeIfSeen();
    }
}

/// A single element says all about itself.
bool SummaryView::hasFigures() const
{
    return m_tensor.data && m_tensor.data->type() != DataType::String &&
           m_tensor.data->elements() > 1;
}

void SummaryView::setSeen(bool seen)
{
    m_seen = seen;
    computeIfSeen();
}

void SummaryView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    computeIfSeen();
}

void SummaryView::computeIfSeen()
{
    if (m_isDue && m_seen && isVisible())
        compute();
}

void SummaryView::compute()
{
    m_isDue = false;
    m_progress->setValue(0);
    m_isLong = !m_tensor.data->isSplat() && m_tensor.data->storedBytes() >= longRead;
    if (m_isLong)
        m_worker.announce(m_jobs, tr("Reading %1").arg(m_tensor.name));
    auto report = m_worker.progress(
        [this](double part, const QString &) { m_progress->setValue(int(part * progressSteps)); });
    auto work = [data = m_tensor.data, report = std::move(report)](const std::stop_token &stop) {
        workInBackground();
        auto statistics = statisticsOf(*data, {stop, [&](double part) { report(part, {}); }});
        return statistics ? std::make_shared<const TensorStatistics>(*std::move(statistics))
                          : nullptr;
    };
    m_worker.start(std::move(work), [this](StatisticsPointer statistics) {
        if (statistics) {
            m_known.emplace_back(m_tensor.data->hash(), statistics);
            if (m_known.size() > mostKnown)
                m_known.pop_front();
        }
        take(std::move(statistics));
    });
    showProgress();
}

void SummaryView::take(StatisticsPointer statistics)
{
    m_statistics = std::move(statistics);
    m_histogram->setStatistics(m_statistics);
    showFacts();
    showProgress();
    Q_EMIT statisticsChanged();
}

void SummaryView::showFacts()
{
    std::vector<TensorFact> facts = factsOf(m_tensor);
    if (m_statistics)
        std::ranges::move(factsOf(*m_statistics, *m_tensor.data), std::back_inserter(facts));
    m_model.setFacts(std::move(facts));
}

void SummaryView::showProgress()
{
    const bool running = m_worker.isRunning() && m_isLong;
    const bool missing = !m_worker.isRunning() && !m_isDue && !m_statistics && hasFigures();
    m_progressLine->setVisible(running || missing);
    m_state->setText(running ? tr("Reading the tensor…") : tr("Statistics were cancelled"));
    m_progress->setVisible(running);
    m_cancel->setVisible(running);
    m_compute->setVisible(missing);
    m_histogram->setVisible(m_statistics && !m_statistics->histogram.counts().empty());
}

} // namespace graphloom
