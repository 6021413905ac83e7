// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fission/fission_model.h"

#include "engine/plan/memory_plan.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Returns a change relative to the current plan: "−12 %".
QString changeText(double changed, double now)
{
    if (now <= 0)
        return {};
    const double share = changed / now - 1;
    return QStringLiteral("%1%2 %")
        .arg(share < 0 ? QStringLiteral("−") : QStringLiteral("+"))
        .arg(std::abs(share) * 100, 0, 'f', std::abs(share) < 0.1 ? 1 : 0);
}

/// Returns the last two components of a path, which distinguish nodes of one region.
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

FissionModel::FissionModel(QObject *parent) : RowsModel(parent, Provenance::Modelled)
{
    using Fission = MemoryPlan::Fission;
    const auto region = [](const Fission &fission) {
        return fromUtf8(fission.first) + QStringLiteral(" … ") + fromUtf8(fission.last);
    };
    const auto indented = [this](int row) {
        return QStringLiteral("    ").repeated(m_depth[std::size_t(row)]) +
               shortName(at(row).first) + QStringLiteral(" … ") + shortName(at(row).last);
    };
    const auto parts = [](int number) { return number > 1 ? QString::number(number) : QString(); };
    const auto score = [](double bytes) {
        return (bytes < 0 ? QStringLiteral("−") : QString()) + formatBytes(std::abs(bytes));
    };
    const auto peak = [this](int row) {
        if (!at(row).changed.origin.empty())
            return tr("impossible");
        const MemoryPoint *changed = changedAt(row);
        return changed ? changeText(double(changed->peakBytes),
                                    double(m_snapshot->plan->memory->after.peakBytes))
                       : QString();
    };
    const auto latency = [this](int row) {
        const MemoryPoint *changed = changedAt(row);
        return changed ? changeText(changed->ms, m_snapshot->plan->memory->after.ms) : QString();
    };
    const auto nodes = [this](int row) {
        const Item item = itemAt(row);
        return item ? m_snapshot->factsOf(item).nodes : at(row).nodes;
    };
    const auto milliseconds = [](double ms) { return tr("%1 ms").arg(formatReal(ms)); };
    setColumns(
        {{tr("Region"), QStringLiteral("region"),
          of(region)
              .shownAs(indented)
              .withToolTip([=, this](int row) { return region(at(row)); })
              .sortedBy([](int row) { return row; }),
          tr("First and last node, in the order of the graph")},
         {tr("Parts"), QStringLiteral("parts"), of(&Fission::number, parts),
          tr("Fission number: parts that run one after the other. Empty for a candidate of "
             "Algorithm 1 that is not enabled (MAGIS, section 4.3)")},
         {tr("Maximum"), QStringLiteral("most_parts"), of(&Fission::most),
          tr("Largest possible number of parts")},
         {tr("Peak if toggled"), QStringLiteral("peak_bytes_if_changed"),
          changes(&MemoryPoint::peakBytes, formatBytes).shownAs(peak),
          tr("Peak memory of the plan if only this fission is toggled, enabled with its smallest "
             "number of parts (modelled)")},
         {tr("Latency if toggled"), QStringLiteral("latency_ms_if_changed"),
          changes(&MemoryPoint::ms, milliseconds).shownAs(latency),
          tr("Latency of the plan if only this fission is toggled, enabled with its smallest "
             "number of parts (modelled)")},
         {tr("Heat"), QStringLiteral("heat_bytes"), of(&Fission::heat, formatBytes),
          tr("Bytes of memory hot spots that its nodes write (MAGIS, eq. 3): tensors live at the "
             "peak of the graph's own order")},
         {tr("Score"), QStringLiteral("score_bytes"), of(&Fission::score, score),
          tr("Half of its heat minus the inputs from outside that are not hot spots (MAGIS, eq. 4 "
             "for two parts)")},
         {tr("Lock"), QStringLiteral("locked"), of(&Fission::locked, tr("locked")),
          tr("Continued searches do not change a locked region")},
         {tr("Nodes"), QStringLiteral("nodes"), of(nodes),
          tr("Nodes of the plan's graph, in which each part of a region that is split has its "
             "own")},
         {tr("Split along"), QStringLiteral("dimension"), of(&Fission::dimension),
          tr("Dimension that is split, of the first tensor that has it")}});
}

const MemoryPoint *FissionModel::changedAt(int row) const
{
    const MemoryPoint &changed = at(row).changed;
    return changed.origin.empty() && changed.peakBytes > 0 ? &changed : nullptr;
}

template <class Cost, class Show> Cells FissionModel::changes(Cost cost, Show show) const
{
    return of([=, this](int row) {
               const MemoryPoint *changed = changedAt(row);
               return changed ? std::optional(changed->*cost) : std::nullopt;
           })
        .withToolTip([=, this](int row) {
            const MemoryPoint &changed = at(row).changed;
            return changed.origin.empty() ? show(changed.*cost) : fromUtf8(changed.origin);
        });
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

} // namespace graphloom
