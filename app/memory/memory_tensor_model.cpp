// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/memory/memory_tensor_model.h"

namespace graphloom {

MemoryTensorModel::MemoryTensorModel(QObject *parent) : RowsModel(parent, Provenance::Modelled)
{
    using Row = MemoryTimeline::Tensor;
    const auto inBytes = [this](int row) { return tr("%1 bytes").arg(at(row).bytes); };
    const auto offset = [](const Row &tensor) {
        return tensor.offset < 0 ? std::nullopt : std::optional(tensor.offset);
    };
    setColumns(
        {{tr("Tensor"), QStringLiteral("tensor"), of(&Row::name)},
         {tr("Bytes"), QStringLiteral("bytes"), of(&Row::bytes, formatBytes).withToolTip(inBytes),
          tr("Bytes in memory; 0 if it reuses the memory of a weight")},
         {tr("First"), QStringLiteral("first_step"), of(&Row::first),
          tr("Step that computes or loads the tensor")},
         {tr("Last"), QStringLiteral("last_step"), of(&Row::last),
          tr("Last step that reads the tensor")},
         {tr("Live"), QStringLiteral("steps_alive"), of(&Row::steps),
          tr("Number of steps during which the tensor is in memory"), "lifetime"},
         {tr("Offset"), QStringLiteral("offset_bytes"), of(offset),
          tr("Offset in the arena, which contains all tensors except weights"), "arena"},
         {tr("Class"), QStringLiteral("class"),
          of([](const Row &tensor) { return nameOf(tensor.kind); }),
          tr("Purpose of the tensor, known from its name and position")},
         {tr("Computed by"), QStringLiteral("made_by"), of(&Row::madeBy),
          tr("Node that computes the tensor")},
         {tr("Eviction"), QStringLiteral("became"), of(fateOf),
          tr("Swapped: stored to the host's memory and loaded again; recomputed: dropped and "
             "computed again"),
          "swap"}});
}

std::span<const MemoryTimeline::Tensor> MemoryTensorModel::allRows() const
{
    return m_timeline ? std::span(m_timeline->tensors) : std::span<const MemoryTimeline::Tensor>();
}

int MemoryTensorModel::rowOf(const Item &item) const
{
    if (!m_timeline)
        return -1;
    const auto first = [](const auto &map, const auto &key) {
        const auto at = map.find(key);
        return at == map.end() ? -1 : int(at->second.front());
    };
    return item.isTensor()                 ? first(m_timeline->byTensor, item.tensor())
           : item.kind == Item::Kind::Node ? first(m_timeline->byProducer, item.node())
                                           : -1;
}

MemoryStepModel::MemoryStepModel(QObject *parent) : RowsModel(parent, Provenance::Modelled)
{
    using Row = MemoryTimeline::Step;
    const auto share = [this](const Row &step) {
        const auto peak = double(m_timeline->peakBytes);
        return peak > 0 ? std::optional(double(step.bytes) / peak) : std::nullopt;
    };
    setColumns({{tr("Step"), QStringLiteral("step"), of([](int row) { return row; })},
                {tr("Node"), QStringLiteral("node"), of(&Row::node)},
                {tr("In memory"), QStringLiteral("bytes_in_memory"), of(&Row::bytes, formatBytes),
                 tr("Bytes in memory during the step, including weights")},
                {tr("Of peak"),
                 QStringLiteral("share_of_peak"),
                 of(share, formatPercent),
                 {},
                 "peak-memory"},
                {tr("Start ms"), QStringLiteral("start_ms"), timesOf(&Row::startMs),
                 tr("Milliseconds from the start of the run, modelled")},
                {tr("ms"), QStringLiteral("time_ms"), timesOf(&Row::ms),
                 tr("Duration in milliseconds, modelled")},
                {tr("Recomputed"), QStringLiteral("again"), of(&Row::again, tr("recomputed")),
                 tr("The step recomputes a tensor that was dropped"), "rematerialization"}});
}

void MemoryStepModel::setTimeline(TimelinePointer timeline)
{
    beginResetModel();
    m_timeline = std::move(timeline);
    m_rows.clear();
    for (int row = 0; row < rowCount(); ++row)
        if (const Item &item = at(row).item)
            m_rows.emplace(item, row);
    endResetModel();
}

std::span<const MemoryTimeline::Step> MemoryStepModel::allRows() const
{
    return m_timeline ? std::span(m_timeline->steps) : std::span<const MemoryTimeline::Step>();
}

int MemoryStepModel::rowOf(const Item &item) const
{
    const auto row = m_rows.find(item);
    return row == m_rows.end() ? -1 : row->second;
}

Cells MemoryStepModel::timesOf(double MemoryTimeline::Step::*time) const
{
    return of([this, time](const MemoryTimeline::Step &step) {
        return m_timeline->timed ? std::optional(step.*time) : std::nullopt;
    });
}

} // namespace graphloom
