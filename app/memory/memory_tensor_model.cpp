// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/memory/memory_tensor_model.h"

#include "app/common/format.h"

namespace graphloom {

MemoryTensorModel::MemoryTensorModel(QObject *parent)
    : TableModel(
          {{tr("Tensor"), false, {}, QStringLiteral("tensor")},
           {tr("Bytes"), true, tr("Bytes in memory; 0 if it takes over the memory of a weight"),
            QStringLiteral("bytes")},
           {tr("First"), true, tr("Step that computes or loads the tensor"),
            QStringLiteral("first_step")},
           {tr("Last"), true, tr("Last step that reads the tensor"), QStringLiteral("last_step")},
           {tr("Live"), true, tr("Number of steps during which the tensor is in memory"),
            QStringLiteral("steps_alive"), "lifetime"},
           {tr("Offset"), true,
            tr("Offset in the arena, which contains all tensors except weights"),
            QStringLiteral("offset_bytes"), "arena"},
           {tr("Class"), false, tr("Purpose of the tensor, known from its name and position"),
            QStringLiteral("class")},
           {tr("Computed by"), false, tr("Node that computes the tensor"),
            QStringLiteral("made_by")},
           {tr("Eviction"), false,
            tr("Swapped: stored to the host's memory and loaded again; recomputed: dropped and "
               "computed again"),
            QStringLiteral("became"), "swap"}},
          parent)
{
}

void MemoryTensorModel::setTimeline(TimelinePointer timeline)
{
    beginResetModel();
    m_timeline = std::move(timeline);
    endResetModel();
}

int MemoryTensorModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_timeline ? 0 : int(m_timeline->tensors.size());
}

Item MemoryTensorModel::itemAt(int row) const
{
    return at(row).item;
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

QString MemoryTensorModel::text(int row, int column) const
{
    const MemoryTimeline::Tensor &tensor = at(row);
    switch (column) {
    case Name:
        return tensor.name;
    case Bytes:
        return formatBytes(double(tensor.bytes));
    case First:
        return QString::number(tensor.first);
    case Last:
        return QString::number(tensor.last);
    case Alive:
        return QString::number(tensor.steps());
    case Offset:
        return tensor.offset < 0 ? QString() : QString::number(tensor.offset);
    case Kind:
        return nameOf(tensor.kind);
    case MadeBy:
        return tensor.madeBy;
    default:
        return fateOf(tensor);
    }
}

QVariant MemoryTensorModel::value(int row, int column) const
{
    const MemoryTimeline::Tensor &tensor = at(row);
    switch (column) {
    case Bytes:
        return qlonglong(tensor.bytes);
    case First:
        return tensor.first;
    case Last:
        return tensor.last;
    case Alive:
        return tensor.steps();
    case Offset:
        return tensor.offset < 0 ? QVariant() : qlonglong(tensor.offset);
    default:
        return TableModel::value(row, column);
    }
}

QString MemoryTensorModel::provenance(int) const
{
    return fromUtf8(graphloom::nameOf(Provenance::Modelled));
}

QString MemoryTensorModel::toolTip(int row, int column) const
{
    return column == Bytes ? tr("%1 bytes").arg(at(row).bytes) : text(row, column);
}

/// Without the values in between: there may be very many rows.
bool MemoryTensorModel::isLess(int row, int other, int column) const
{
    const MemoryTimeline::Tensor &a = at(row), &b = at(other);
    switch (column) {
    case Bytes:
        return a.bytes < b.bytes;
    case First:
        return a.first < b.first;
    case Last:
        return a.last < b.last;
    case Alive:
        return a.steps() < b.steps();
    case Offset:
        return a.offset < b.offset;
    case Name:
        return a.name < b.name;
    case MadeBy:
        return a.madeBy < b.madeBy;
    default:
        return text(row, column) < text(other, column);
    }
}

MemoryStepModel::MemoryStepModel(QObject *parent)
    : TableModel(
          {{tr("Step"), true, {}, QStringLiteral("step")},
           {tr("Node"), false, {}, QStringLiteral("node")},
           {tr("In memory"), true, tr("Bytes in memory during the step, including weights"),
            QStringLiteral("bytes_in_memory")},
           {tr("Of peak"), true, {}, QStringLiteral("share_of_peak"), "peak-memory"},
           {tr("Start ms"), true, tr("Milliseconds from the start of the run, modelled"),
            QStringLiteral("start_ms")},
           {tr("ms"), true, tr("Duration in milliseconds, modelled"), QStringLiteral("time_ms")},
           {tr("Recomputed"), false, tr("The step recomputes a tensor that was dropped"),
            QStringLiteral("again"), "rematerialization"}},
          parent)
{
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

int MemoryStepModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || !m_timeline ? 0 : int(m_timeline->steps.size());
}

Item MemoryStepModel::itemAt(int row) const
{
    return at(row).item;
}

int MemoryStepModel::rowOf(const Item &item) const
{
    const auto row = m_rows.find(item);
    return row == m_rows.end() ? -1 : row->second;
}

QString MemoryStepModel::text(int row, int column) const
{
    const MemoryTimeline::Step &step = at(row);
    switch (column) {
    case Step:
        return QString::number(row);
    case Node:
        return step.node;
    case Bytes:
        return formatBytes(double(step.bytes));
    case Share:
        return m_timeline->peakBytes > 0
                   ? QString::number(100.0 * double(step.bytes) / double(m_timeline->peakBytes),
                                     'f', 1) +
                         QStringLiteral(" %")
                   : QString();
    case Start:
        return m_timeline->timed ? formatReal(step.startMs) : QString();
    case Time:
        return m_timeline->timed ? formatReal(step.ms) : QString();
    default:
        return step.again ? tr("recomputed") : QString();
    }
}

QVariant MemoryStepModel::value(int row, int column) const
{
    const MemoryTimeline::Step &step = at(row);
    switch (column) {
    case Step:
        return row;
    case Bytes:
        return qlonglong(step.bytes);
    case Share:
        return m_timeline->peakBytes > 0
                   ? QVariant(double(step.bytes) / double(m_timeline->peakBytes))
                   : QVariant();
    case Start:
        return m_timeline->timed ? QVariant(step.startMs) : QVariant();
    case Time:
        return m_timeline->timed ? QVariant(step.ms) : QVariant();
    case Again:
        return step.again;
    default:
        return step.node;
    }
}

QString MemoryStepModel::provenance(int) const
{
    return fromUtf8(graphloom::nameOf(Provenance::Modelled));
}

} // namespace graphloom
