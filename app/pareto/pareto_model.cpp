// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pareto/pareto_model.h"

namespace graphloom {

ParetoModel::ParetoModel(QObject *parent) : RowsModel(parent)
{
    const auto series = [this](std::size_t row) { return m_data->seriesOf(row).name; };
    const auto inBytes = [this](int row) { return tr("%1 bytes").arg(at(row).bytes); };
    const auto spread = [](double ParetoPoint::*bound) {
        return [bound](const ParetoPoint &point) {
            return point.run ? std::optional(point.*bound) : std::nullopt;
        };
    };
    const auto millijoules = [](const ParetoPoint &point) {
        return point.joules > 0 ? std::optional(1e3 * point.joules) : std::nullopt;
    };
    setColumns(
        {{tr("Series"), QStringLiteral("series"), of(series), {}, "pareto-front"},
         {tr("Latency ms"), QStringLiteral("latency_ms"), of(&ParetoPoint::ms),
          tr("Milliseconds of one run")},
         {tr("Memory"), QStringLiteral("peak_bytes"),
          of(&ParetoPoint::bytes, formatBytes).withToolTip(inBytes),
          tr("Peak memory; for a measured run, its arena with inputs and outputs"), "peak-memory"},
         {tr("Latency ratio"), QStringLiteral("latency_ratio"),
          ratio(&ParetoSeries::before, &ParetoPoint::ms, &MemoryPoint::ms),
          tr("Relative to the graph before the pass")},
         {tr("Ratio to rewritten"), QStringLiteral("latency_ratio_to_rewritten"),
          ratio(&ParetoSeries::rewritten, &ParetoPoint::ms, &MemoryPoint::ms),
          tr("Latency relative to the fastest graph that rewriting alone finds"),
          "rewritten-graph"},
         {tr("Memory ratio"), QStringLiteral("memory_ratio"),
          ratio(&ParetoSeries::before, &ParetoPoint::bytes, &MemoryPoint::peakBytes),
          tr("Relative to the graph before the pass")},
         {tr("Provenance"), QStringLiteral("provenance"),
          of([this](std::size_t row) { return nameOf(m_data->seriesOf(row).provenance); }),
          tr("How the latency was obtained"), "provenance"},
         {tr("Origin"), QStringLiteral("origin"), of(&ParetoPoint::origin),
          tr("What found the plan, or made it")},
         {tr("Least ms"), QStringLiteral("min_ms"), of(spread(&ParetoPoint::leastMs)),
          tr("Least latency of the measured runs, or the lower bound")},
         {tr("95 % ms"), QStringLiteral("p95_ms"), of(spread(&ParetoPoint::mostMs)),
          tr("95th percentile of the measured latencies, or the upper bound")},
         {tr("mJ"), QStringLiteral("energy_mj"), of(millijoules, formatReal),
          tr("Energy of one run in millijoules, if the device tells it")}});
}

int ParetoModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_data ? 0 : int(m_data->size());
}

template <class Before, class Of, class To>
Cells ParetoModel::ratio(Before before, Of of, To to) const
{
    const auto ratio = [=, this](std::size_t row) {
        const std::optional<MemoryPoint> &graph = m_data->seriesOf(row).*before;
        return graph ? std::optional(double(m_data->point(row).*of) / double(*graph.*to))
                     : std::nullopt;
    };
    return makeCells(ratio, [](double value) { return QString::number(value, 'f', 3); });
}

} // namespace graphloom
