// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pareto/pareto.h"

#include "app/common/format.h"
#include "app/run/measured_runs.h"

#include <QCoreApplication>

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

namespace graphloom {

namespace {

struct ParetoText {
    Q_DECLARE_TR_FUNCTIONS(Pareto)
};

void sortPoints(ParetoSeries &series)
{
    std::ranges::stable_sort(series.points, {}, &ParetoPoint::ms);
}

} // namespace

std::size_t ParetoData::size() const
{
    std::size_t count = 0;
    for (const ParetoSeries &of : series)
        count += of.points.size();
    return count;
}

ParetoData::Place ParetoData::placeOf(std::size_t number) const
{
    for (std::size_t s = 0; s < series.size(); ++s) {
        if (number < series[s].points.size())
            return {s, number};
        number -= series[s].points.size();
    }
    assert(false);
    return {};
}

const ParetoPoint &ParetoData::point(std::size_t number) const
{
    const Place place = placeOf(number);
    return series[place.series].points[place.point];
}

const ParetoSeries &ParetoData::seriesOf(std::size_t number) const
{
    return series[placeOf(number).series];
}

std::optional<std::size_t> ParetoData::numberOfFront(int front) const
{
    std::size_t number = 0;
    for (const ParetoSeries &of : series)
        for (const ParetoPoint &point : of.points) {
            if (front >= 0 && point.front == front)
                return number;
            ++number;
        }
    return std::nullopt;
}

std::size_t ParetoData::meansOf(std::size_t baseline) const
{
    std::vector<QString> means;
    for (std::size_t s = 0; s <= baseline; ++s)
        if (series[s].kind == ParetoSeries::Kind::Baseline &&
            std::ranges::find(means, series[s].means) == means.end())
            means.push_back(series[s].means);
    return std::size_t(std::ranges::find(means, series[baseline].means) - means.begin());
}

std::size_t ParetoData::numberOfMeasured(std::size_t measured) const
{
    return std::size_t(std::count_if(
        series.begin(), series.begin() + std::ptrdiff_t(measured),
        [](const ParetoSeries &of) { return of.kind == ParetoSeries::Kind::Measured; }));
}

std::optional<std::size_t> ParetoData::numberOfRun(const PlanRunPointer &run) const
{
    for (std::size_t number = 0; run && number < size(); ++number)
        if (point(number).run == run)
            return number;
    return std::nullopt;
}

bool ParetoData::hasEnergy() const
{
    return std::ranges::any_of(series, [](const ParetoSeries &of) {
        return std::ranges::any_of(of.points,
                                   [](const ParetoPoint &point) { return point.joules > 0; });
    });
}

bool ParetoData::hasTwin(const ParetoSeries &baseline) const
{
    return !baseline.onRewritten && std::ranges::any_of(series, [&](const ParetoSeries &other) {
        return other.kind == ParetoSeries::Kind::Baseline && other.onRewritten &&
               other.means == baseline.means;
    });
}

std::vector<ParetoSeries> paretoOf(const Plan &plan, const QString &name)
{
    const MemoryPlan &memory = *plan.memory;
    using Kind = ParetoSeries::Kind;
    std::vector<ParetoSeries> all;
    const auto add = [&](Kind kind, const QString &own) -> ParetoSeries & {
        ParetoSeries series;
        series.kind = kind;
        series.name = name.isEmpty() ? own : name + QStringLiteral(": ") + own;
        if (memory.before.ms > 0 && memory.before.peakBytes > 0)
            series.before = memory.before;
        if (memory.rewritten.ms > 0)
            series.rewritten = memory.rewritten;
        all.push_back(std::move(series));
        return all.back();
    };
    const auto pointOf = [](const MemoryPoint &point) {
        return ParetoPoint{point.ms, point.peakBytes, fromUtf8(point.origin)};
    };
    if (!memory.front.empty()) {
        ParetoSeries &front = add(Kind::Front, ParetoText::tr("front"));
        for (std::size_t i = 0; i < memory.front.size(); ++i) {
            front.points.push_back(pointOf(memory.front[i]));
            front.points.back().front = int(i);
        }
        sortPoints(front);
    }
    for (const MemoryPlan::Baseline &baseline : memory.baselines)
        if (!baseline.points.empty()) {
            ParetoSeries &series = add(
                Kind::Baseline, baseline.rewritten
                                    ? ParetoText::tr("%1, rewritten").arg(fromUtf8(baseline.name))
                                    : fromUtf8(baseline.name));
            series.means = name.isEmpty() ? fromUtf8(baseline.name)
                                          : name + QStringLiteral(": ") + fromUtf8(baseline.name);
            series.onRewritten = baseline.rewritten;
            for (const MemoryPoint &point : baseline.points) // in the order of the varied parameter
                series.points.push_back(pointOf(point));
        }
    if (memory.before.peakBytes > 0)
        add(Kind::Before, ParetoText::tr("before")).points.push_back(pointOf(memory.before));
    if (memory.rewritten.peakBytes > 0 && memory.rewritten.ms != memory.before.ms)
        add(Kind::Rewritten, ParetoText::tr("rewritten only"))
            .points.push_back(pointOf(memory.rewritten));
    if (memory.after.peakBytes > 0) {
        ParetoPoint after = pointOf(memory.after);
        after.bytes = peakBytesOf(plan);
        add(Kind::After, ParetoText::tr("this plan")).points.push_back(std::move(after));
    }
    return all;
}

std::vector<ParetoSeries> paretoOf(const std::vector<PlanRunPointer> &runs)
{
    // Of other machines with the name; memory with weights is not to be compared with that without.
    std::map<std::tuple<Provenance, QString, QString, bool, bool>, ParetoSeries> by;
    for (const PlanRunPointer &run : runs) {
        const QString provenance = run->provenance(), device = run->deviceName();
        const Measurement &after = *run->outcome.after;
        // As modelled peaks count: with inputs and outputs, and with weights if they do.
        const PlanMemory &memory = run->outcome.memory;
        const auto &planned = run->plan->memory;
        const bool weights = planned && planned->residentBytes > 0;
        ParetoSeries &series =
            by[{run->outcome.provenance, provenance, device, after.isBracket, weights}];
        series.kind = ParetoSeries::Kind::Measured;
        series.provenance = run->outcome.provenance;
        series.hasWeights = weights;
        series.isBracket = after.isBracket;
        const QString how =
            weights ? ParetoText::tr("%1, with weights").arg(provenance) : provenance;
        series.name = (after.isBracket ? ParetoText::tr("bounds for %1 (%2)")
                                       : ParetoText::tr("measured on %1 (%2)"))
                          .arg(device, how);
        series.points.push_back(
            {.ms = after.whole.median,
             .bytes = memory.arena + memory.border + (weights ? memory.constants : 0),
             .origin = ParetoText::tr("%1, %n thread(s)", nullptr, int(run->outcome.threads))
                           .arg(fromUtf8(makersOf(*run->plan))),
             .run = run,
             .leastMs = after.whole.min,
             .mostMs = std::max(after.whole.p95, after.whole.median),
             .joules = after.joules});
    }
    std::vector<ParetoSeries> all;
    for (auto &[origin, series] : by) {
        sortPoints(series);
        all.push_back(std::move(series));
    }
    return all;
}

} // namespace graphloom
