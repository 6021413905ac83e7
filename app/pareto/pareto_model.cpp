// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pareto/pareto_model.h"

#include "app/common/format.h"

namespace graphloom {

ParetoModel::ParetoModel(QObject *parent)
    : TableModel(
          {{tr("Series"), false, {}, QStringLiteral("series"), "pareto-front"},
           {tr("Latency ms"), true, tr("Milliseconds of one run"), QStringLiteral("latency_ms")},
           {tr("Memory"), true, tr("Peak memory; for a measured run, the size of its arena"),
            QStringLiteral("peak_bytes"), "peak-memory"},
           {tr("Latency ratio"), true, tr("Relative to the graph before the pass"),
            QStringLiteral("latency_ratio")},
           {tr("To rewritten"), true,
            tr("Latency relative to the fastest graph that rewriting alone finds"),
            QStringLiteral("latency_ratio_to_rewritten"), "rewritten-graph"},
           {tr("Memory ratio"), true, tr("Relative to the graph before the pass"),
            QStringLiteral("memory_ratio")},
           {tr("Obtained"), false, tr("How the latency was obtained"), QStringLiteral("provenance"),
            "provenance"},
           {tr("Origin"), false, tr("What found the plan"), QStringLiteral("origin")}},
          parent)
{
}

void ParetoModel::setData(ParetoPointer data)
{
    beginResetModel();
    m_data = std::move(data);
    endResetModel();
}

int ParetoModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_data ? 0 : int(m_data->size());
}

std::optional<double> ParetoModel::ratio(int row, Column column) const
{
    const ParetoSeries &series = m_data->seriesOf(std::size_t(row));
    const auto &before = column == SlowerThanRewritten ? series.rewritten : series.before;
    if (!before)
        return std::nullopt;
    const ParetoPoint &point = m_data->point(std::size_t(row));
    return column != Smaller ? point.ms / before->ms
                             : double(point.bytes) / double(before->peakBytes);
}

QString ParetoModel::text(int row, int column) const
{
    const ParetoPoint &point = m_data->point(std::size_t(row));
    const ParetoSeries &series = m_data->seriesOf(std::size_t(row));
    switch (column) {
    case Series:
        return series.name;
    case Latency:
        return formatReal(point.ms);
    case Memory:
        return formatBytes(double(point.bytes));
    case Slower:
    case SlowerThanRewritten:
    case Smaller: {
        const auto of = ratio(row, Column(column));
        return of ? QString::number(*of, 'f', 3) : QString();
    }
    case Obtained:
        return fromUtf8(nameOf(series.provenance));
    default:
        return point.origin;
    }
}

QVariant ParetoModel::value(int row, int column) const
{
    const ParetoPoint &point = m_data->point(std::size_t(row));
    switch (column) {
    case Latency:
        return point.ms;
    case Memory:
        return qlonglong(point.bytes);
    case Slower:
    case SlowerThanRewritten:
    case Smaller: {
        const auto of = ratio(row, Column(column));
        return of ? QVariant(*of) : QVariant();
    }
    default:
        return TableModel::value(row, column);
    }
}

QString ParetoModel::toolTip(int row, int column) const
{
    return column == Memory ? tr("%1 bytes").arg(m_data->point(std::size_t(row)).bytes)
                            : text(row, column);
}

} // namespace graphloom
