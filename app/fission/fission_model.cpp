// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fission/fission_model.h"

#include "app/common/format.h"
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

/// What of a path tells nodes of one region apart: its last two steps.
QString shortName(const std::string &name)
{
    return fromUtf8(name).section('/', -2);
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
    : TableModel({{tr("Region"), false, tr("First and last node, in the order of the graph"),
                   QStringLiteral("region")},
                  {tr("Parts"), true,
                   tr("Fission number: parts that run one after the other. Empty for a candidate "
                      "of Algorithm 1 that is not enabled (MAGIS, section 4.3)"),
                   QStringLiteral("parts")},
                  {tr("Maximum"), true, tr("Largest possible number of parts"),
                   QStringLiteral("most_parts")},
                  {tr("Peak if toggled"), true,
                   tr("Peak memory of the plan if only this fission is toggled, enabled with its "
                      "smallest number of parts (modelled)"),
                   QStringLiteral("peak_bytes_if_changed")},
                  {tr("Latency if toggled"), true,
                   tr("Latency of the plan if only this fission is toggled, enabled with its "
                      "smallest number of parts (modelled)"),
                   QStringLiteral("latency_ms_if_changed")},
                  {tr("Heat"), true,
                   tr("Bytes of memory hot spots that its nodes write (MAGIS, eq. 3): tensors live "
                      "at the peak of the graph's own order"),
                   QStringLiteral("heat_bytes")},
                  {tr("Score"), true,
                   tr("Half of its heat minus the inputs from outside that are not hot spots "
                      "(MAGIS, eq. 4 for two parts)"),
                   QStringLiteral("score_bytes")},
                  {tr("Lock"), false, tr("Continued searches do not change a locked region"),
                   QStringLiteral("locked")},
                  {tr("Nodes"), true, {}, QStringLiteral("nodes")},
                  {tr("Split along"), false,
                   tr("Dimension that is split, of the first tensor that has it"),
                   QStringLiteral("dimension")}},
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
               shortName(fission.first) + QStringLiteral(" … ") + shortName(fission.last);
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
            return tr("impossible");
        return fission.changed.peakBytes > 0
                   ? changeText(double(fission.changed.peakBytes), double(plan.after.peakBytes))
                   : QString();
    case Latency:
        return fission.changed.origin.empty() && fission.changed.peakBytes > 0
                   ? changeText(fission.changed.ms, plan.after.ms)
                   : QString();
    case Locked:
        return fission.locked ? tr("locked") : QString();
    default:
        return fromUtf8(fission.dimension);
    }
}

QString FissionModel::toolTip(int row, int column) const
{
    const MemoryPlan::Fission &fission = at(row);
    if ((column == Peak || column == Latency) && !fission.changed.origin.empty())
        return fromUtf8(fission.changed.origin);
    if (column == Region)
        return fromUtf8(fission.first) + QStringLiteral(" … ") + fromUtf8(fission.last);
    if (column == Peak)
        return formatBytes(double(fission.changed.peakBytes));
    if (column == Latency)
        return tr("%1 ms").arg(formatReal(fission.changed.ms));
    return text(row, column).trimmed();
}

QVariant FissionModel::value(int row, int column) const
{
    const MemoryPlan::Fission &fission = at(row);
    const bool known = fission.changed.origin.empty() && fission.changed.peakBytes > 0;
    switch (column) {
    case Region:
        return toolTip(row, column);
    case Parts:
        return fission.number;
    case Most:
        return qlonglong(fission.most);
    case Nodes:
        return qulonglong(fission.nodes);
    case Heat:
        return double(fission.heat);
    case Score:
        return double(fission.score);
    case Peak:
        return known ? QVariant(qlonglong(fission.changed.peakBytes)) : QVariant();
    case Latency:
        return known ? QVariant(fission.changed.ms) : QVariant();
    case Locked:
        return fission.locked;
    default:
        return TableModel::value(row, column);
    }
}

QString FissionModel::provenance(int) const
{
    return fromUtf8(nameOf(Provenance::Modelled));
}

bool FissionModel::isLess(int row, int other, int column) const
{
    return column == Region ? row < other : TableModel::isLess(row, other, column);
}

} // namespace graphloom
