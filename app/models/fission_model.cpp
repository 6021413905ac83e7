// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/fission_model.h"

#include "app/models/format.h"
#include "engine/plan/memory_plan.h"

#include <algorithm>

namespace graphloom {

namespace {

/// "−12 %", of what the plan has now.
QString changeText(double changed, double now)
{
    if (now <= 0)
        return {};
    const double share = changed / now - 1;
    return QStringLiteral("%1%2 %")
        .arg(share < 0 ? QStringLiteral("−") : QStringLiteral("+"))
        .arg(std::abs(share) * 100, 0, 'f', std::abs(share) < 0.1 ? 1 : 0);
}

} // namespace

Item itemOfFission(const Snapshot &snapshot, int fission)
{
    const auto at = std::ranges::find(snapshot.fissionOf, std::uint32_t(fission));
    return at == snapshot.fissionOf.end()
               ? Item()
               : Item::fission(std::uint32_t(at - snapshot.fissionOf.begin()));
}

FissionModel::FissionModel(QObject *parent)
    : TableModel(
          {{tr("Region")},
           {tr("Cut along"), false,
            tr("The dimension that is cut, of the first tensor that it is in")},
           {tr("Parts"), true,
            tr("The fission number: parts that run one after the other; none: a candidate of "
               "Algorithm 1 that is not carried out (MAGIS, section 4.3)")},
           {tr("At most"), true, tr("Parts that are possible")},
           {tr("Nodes"), true},
           {tr("Heat"), true,
            tr("Bytes of memory hot-spots that its nodes write (MAGIS, eq. 3): what is alive at "
               "the "
               "peak of the graph's own order")},
           {tr("Score"), true,
            tr("Half of its heat, less what it reads from outside and is no hot-spot (MAGIS, eq. 4 "
               "for two parts)")},
           {tr("Peak if changed"), true,
            tr("Peak memory of the plan with this alone carried out in its least number of parts, "
               "or not any more (modelled)")},
           {tr("Latency if changed"), true,
            tr("Latency of the plan with this alone carried out in its least number of parts, or "
               "not any more (modelled)")},
           {tr("Lock"), false, tr("A search that goes on leaves a locked region as it is")}},
          parent)
{
}

void FissionModel::setSnapshot(SnapshotPointer snapshot)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    m_order.clear();
    m_depth.clear();
    m_items.clear();
    if (m_snapshot && m_snapshot->plan->memory) {
        for (int f = 0; f < int(m_snapshot->plan->memory->fissions.size()); ++f)
            m_items.push_back(itemOfFission(*m_snapshot, f));
        addBelow(-1, 0);
    }
    endResetModel();
}

void FissionModel::addBelow(int parent, int depth)
{
    const auto &fissions = m_snapshot->plan->memory->fissions;
    for (int f = std::max(parent, 0); f < int(fissions.size()); ++f)
        if (fissions[std::size_t(f)].parent == parent) {
            m_order.push_back(f);
            m_depth.push_back(depth);
            addBelow(f, depth + 1);
        }
}

const MemoryPlan::Fission &FissionModel::at(int row) const
{
    return m_snapshot->plan->memory->fissions[std::size_t(fissionAt(row))];
}

int FissionModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_order.size());
}

Item FissionModel::itemAt(int row) const
{
    return m_items[std::size_t(fissionAt(row))];
}

int FissionModel::rowOf(const Item &item) const
{
    if (!m_snapshot || m_order.empty())
        return -1;
    const Item region = item.kind == Item::Kind::Node && m_snapshot->contains(item)
                            ? m_snapshot->groupOf(item.node(), Grouping::Fissions)
                            : item;
    if (region.kind != Item::Kind::Fission)
        return -1;
    for (int row = 0; row < rowCount(); ++row)
        if (itemAt(row) == region)
            return row;
    return -1;
}

QString FissionModel::text(int row, int column) const
{
    const MemoryPlan::Fission &fission = at(row);
    const MemoryPlan &plan = *m_snapshot->plan->memory;
    switch (column) {
    case Region:
        return QStringLiteral("    ").repeated(m_depth[std::size_t(row)]) +
               fromUtf8(fission.first) + QStringLiteral(" … ") + fromUtf8(fission.last);
    case Dimension:
        return fromUtf8(fission.dimension);
    case Parts:
        return fission.number > 1 ? QString::number(fission.number) : QString();
    case Most:
        return QString::number(fission.most);
    case Nodes:
        return QString::number(fission.nodes);
    case Heat:
        return formatBytes(fission.heat);
    case Score:
        return (fission.score < 0 ? QStringLiteral("−") : QString()) +
               formatBytes(std::abs(fission.score));
    case Peak:
        if (!fission.changed.origin.empty())
            return tr("cannot");
        return fission.changed.peakBytes > 0
                   ? changeText(double(fission.changed.peakBytes), double(plan.after.peakBytes))
                   : QString();
    case Latency:
        return fission.changed.origin.empty() && fission.changed.peakBytes > 0
                   ? changeText(fission.changed.ms, plan.after.ms)
                   : QString();
    default:
        return fission.locked ? tr("locked") : QString();
    }
}

QString FissionModel::toolTip(int row, int column) const
{
    const MemoryPlan::Fission &fission = at(row);
    if ((column == Peak || column == Latency) && !fission.changed.origin.empty())
        return fromUtf8(fission.changed.origin);
    if (column == Peak)
        return formatBytes(double(fission.changed.peakBytes));
    if (column == Latency)
        return tr("%1 ms").arg(formatReal(fission.changed.ms));
    return text(row, column).trimmed();
}

bool FissionModel::isLess(int row, int other, int column) const
{
    const MemoryPlan::Fission &a = at(row), &b = at(other);
    switch (column) {
    case Dimension:
        return a.dimension < b.dimension;
    case Parts:
        return a.number < b.number;
    case Most:
        return a.most < b.most;
    case Nodes:
        return a.nodes < b.nodes;
    case Heat:
        return a.heat < b.heat;
    case Score:
        return a.score < b.score;
    case Peak:
        return a.changed.peakBytes < b.changed.peakBytes;
    case Latency:
        return a.changed.ms < b.changed.ms;
    case Locked:
        return a.locked < b.locked;
    default:
        return row < other;
    }
}

} // namespace graphloom
