// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/graph/call_times.h"

#include "engine/ops/derive/call_part.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace graphloom::magis {

namespace {

constexpr std::string_view noTime = "takes no measurable time";

} // namespace

std::string signatureOf(const Call &call)
{
    std::string text = call.node().qualifiedOp() + ' ' + std::to_string(call.opset()) + ' ' +
                       std::to_string(call.attributes().hash()) + ' ' +
                       std::to_string(call.outputCount());
    for (std::size_t i = 0; i < call.inputCount(); ++i) {
        if (!call.has(i)) {
            text += " -";
            continue;
        }
        text += ' ' + std::string(nameOf(call.type(i))) + graphloom::text(call.shape(i));
        if (call.input(i).constant)
            text += '=';
        if (const auto values = call.integers(i))
            for (const std::int64_t value : *values)
                text += ',' + std::to_string(value);
    }
    return text;
}

Result<CallTimes> CallTimes::of(const Graph &graph, std::span<const NodeId> nodes,
                                const Opsets &opsets, const Device &device)
{
    CallTimes times(graph, opsets, device);
    times.m_kindOf.resize(graph.nodeBound());
    std::unordered_map<std::string, CallKind> known;
    for (const NodeId id : nodes) {
        const Node &node = graph.node(id);
        const Call call(node, operandsOf(graph, node), opsets(node.domain));
        const auto [at, added] = known.try_emplace(signatureOf(call), times.m_kinds.nextIndex());
        times.m_kindOf[id.index] = at->second;
        if (!added)
            continue;
        GL_TRY_CONST(description, describe(call));
        Kind kind;
        kind.node = id;
        kind.work = CallWork(*description, call);
        kind.modelled = kernelSeconds(device, kind.work.work());
        times.m_kinds.push_back(std::move(kind));
    }
    return times;
}

CallTimes::Shares CallTimes::sharesOf(std::span<const CallWork::Cut> cuts)
{
    std::map<int, double> shares; // shares of cuts along one split multiply
    for (const CallWork::Cut &cut : cuts)
        shares.try_emplace(cut.split, 1).first->second *= cut.share;
    return {shares.begin(), shares.end()};
}

/// Returns a part from the middle if there are three: most parts have neighbours on both sides.
Result<CallPart> CallTimes::partOf(NodeId id, const Shares &shares) const
{
    const Node &node = m_graph.node(id);
    const Call call(node, operandsOf(m_graph, node), m_opsets(node.domain));
    GL_TRY_RESULT(description, describe(call));
    CallPart part = wholeCall(call, *std::move(description));
    for (const auto &[number, share] : shares) {
        const auto split = splitLike(part, kind(id).work.splits()[std::size_t(number)]);
        if (!split)
            return fail(Error::Kind::Model, "cannot be split along these dimensions at once",
                        node.label());
        const auto steps =
            std::clamp<std::int64_t>(std::llround(share * double(split->extent)), 1, split->extent);
        const std::int64_t begin = 2 * steps <= split->extent ? steps : 0;
        GL_TRY_RESULT(next, callPart(part, *split, begin, begin + steps));
        part = *std::move(next);
    }
    return part;
}

void CallTimes::timeCalls(CallTimer &timer, const TimingLimits &limits)
{
    std::vector<Kind *> kinds;
    for (Kind &kind : m_kinds)
        kinds.push_back(&kind);
    std::ranges::stable_sort(kinds, std::ranges::greater{}, &Kind::modelled);
    std::vector<CallPart> calls;
    std::vector<Kind *> asked;
    for (Kind *kind : kinds) {
        auto call = partOf(kind->node, {});
        if (!call) {
            kind->problem = call.error().text();
            continue;
        }
        calls.push_back(*std::move(call));
        asked.push_back(kind);
    }
    const auto times = timer.time(m_graph, m_opsets, calls, limits);
    for (std::size_t i = 0; i < asked.size(); ++i)
        if (times[i] && *times[i] > 0)
            asked[i]->seconds = *times[i];
        else
            asked[i]->problem = times[i] ? std::string(noTime) : times[i].error().message;
}

void CallTimes::timeParts(CallTimer &timer, std::span<const PartOfCall> parts,
                          const TimingLimits &limits)
{
    std::vector<CallPart> calls;
    std::vector<std::pair<Kind *, Shares>> asked;
    std::set<std::pair<CallKind, Shares>> known;
    for (const PartOfCall &part : parts) {
        const CallKind number = kindOf(part.node);
        Kind &kind = m_kinds[number];
        Shares shares = sharesOf(part.cuts);
        if (!kind.seconds || shares.empty() || kind.parts.contains(shares) ||
            !known.insert({number, shares}).second)
            continue;
        auto call = partOf(part.node, shares);
        if (!call) {
            kind.failures[shares] = call.error().message;
            continue;
        }
        calls.push_back(*std::move(call));
        asked.emplace_back(&kind, std::move(shares));
    }
    if (calls.empty())
        return;
    const auto times = timer.time(m_graph, m_opsets, calls, limits);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        auto &[kind, shares] = asked[i];
        if (!times[i] || *times[i] <= 0) {
            kind->failures[shares] = times[i] ? std::string(noTime) : times[i].error().message;
            continue;
        }
        kind->parts[shares] = *times[i];
        if (shares.size() != 1)
            continue;
        const CallWork::Cut cut{shares[0].first, shares[0].second};
        const double modelled = kernelSeconds(m_device, kind->work.work({&cut, 1}));
        if (modelled > 0)
            kind->factors[cut.split][cut.share] = *times[i] / modelled;
    }
}

/// Returns the factor of a part cut along one split, relative to that of the whole call.
double CallTimes::factorOf(const Kind &kind, int split, double share)
{
    const auto factors = kind.factors.find(split);
    if (factors == kind.factors.end())
        return 1;
    const double whole = *kind.seconds / kind.modelled;
    const auto above = factors->second.lower_bound(share);
    if (above == factors->second.begin())
        return above->second / whole;
    const auto below = std::prev(above);
    const bool last = above == factors->second.end(); // the upper neighbour is the whole call
    const double most = last ? 1 : above->first;
    if (share >= most || below->first >= most)
        return last ? 1 : above->second / whole;
    const double place = std::log(share / below->first) / std::log(most / below->first);
    const double from = below->second / whole, to = last ? 1 : above->second / whole;
    return from * std::pow(to / from, place);
}

double CallTimes::modelled(NodeId node, std::span<const CallWork::Cut> cuts) const
{
    return kernelSeconds(m_device, kind(node).work.work(cuts));
}

double CallTimes::seconds(NodeId node, std::span<const CallWork::Cut> cuts) const
{
    const Kind &of = kind(node);
    if (!of.seconds)
        return modelled(node, cuts);
    if (cuts.empty())
        return *of.seconds;
    const Shares shares = sharesOf(cuts);
    if (const auto part = of.parts.find(shares); part != of.parts.end())
        return part->second;
    if (of.modelled <= 0)
        return modelled(node, cuts);
    double factor = *of.seconds / of.modelled;
    for (const auto &[split, share] : shares)
        factor *= factorOf(of, split, share);
    return factor * modelled(node, cuts);
}

CallTimes::Source CallTimes::sourceOf(NodeId node, std::span<const CallWork::Cut> cuts) const
{
    const Kind &of = kind(node);
    if (!of.seconds)
        return Source::Modelled;
    return cuts.empty() || of.parts.contains(sharesOf(cuts)) ? Source::Measured : Source::Scaled;
}

std::string CallTimes::problemOf(NodeId node, std::span<const CallWork::Cut> cuts) const
{
    const auto &failures = kind(node).failures;
    const auto failure = failures.find(sharesOf(cuts));
    return failure != failures.end() ? failure->second : std::string();
}

std::size_t CallTimes::measuredCalls() const
{
    return std::size_t(
        std::ranges::count_if(m_kinds, [](const Kind &kind) { return kind.seconds.has_value(); }));
}

std::vector<CallTimes::Problem> CallTimes::problems() const
{
    std::vector<Problem> problems;
    for (const Kind &kind : m_kinds)
        if (!kind.seconds)
            problems.push_back({kind.node, kind.problem});
    return problems;
}

} // namespace graphloom::magis
