// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/typed_index.h"
#include "engine/cost/call_timer.h"
#include "engine/cost/call_work.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphloom::magis {

/// Returns as text what a call computes, regardless of its place in a graph. Calls with equal text
/// are alike.
std::string signatureOf(const Call &call);

/// Counts the kinds of calls: calls that are alike are of one kind.
using CallKind = TypedIndex<struct CallKindTag>;

/// Names a part of a call.
struct PartOfCall {
    NodeId node;
    std::vector<CallWork::Cut> cuts; // none: the whole call
};

/// Holds measured seconds of the calls of a graph and of parts of them. A part that was not
/// measured gets the model's seconds, scaled by the ratio of measured to modelled seconds. Between
/// measured parts, and up to the whole call, that ratio is interpolated over the logarithm of the
/// share; below the smallest measured part it stays constant. A call that was not measured gets the
/// model's seconds. Reading is safe from several threads, adding is not.
class CallTimes {
public:
    /// Prepares the given nodes without measuring anything yet. Fails (Model) if a node contradicts
    /// its operator.
    static Result<CallTimes> of(const Graph &graph, std::span<const NodeId> nodes,
                                const Opsets &opsets, const Device &device);

    /// Returns the kind of a call; invalid for nodes that were not given.
    CallKind kindOf(NodeId node) const { return m_kindOf[node.index]; }
    /// Measures each distinct call, beginning with those that take longest according to the model.
    void timeCalls(CallTimer &timer, const TimingLimits &limits);
    /// Measures parts in the given order, each distinct one once. Parts of calls that have no time,
    /// and parts that no node computes, get no time.
    void timeParts(CallTimer &timer, std::span<const PartOfCall> parts, const TimingLimits &limits);

    /// Returns the seconds of a call, or of a part of it if there are cuts.
    double seconds(NodeId node, std::span<const CallWork::Cut> cuts = {}) const;
    enum class Source { Measured, Scaled, Modelled };
    /// Tells how seconds() gets its result.
    Source sourceOf(NodeId node, std::span<const CallWork::Cut> cuts = {}) const;
    /// Returns the seconds that the model gives, whatever was measured.
    double modelled(NodeId node, std::span<const CallWork::Cut> cuts = {}) const;

    /// Returns the number of distinct calls with a measured time.
    std::size_t measuredCalls() const;
    struct Problem {
        NodeId node; // the first of its kind
        std::string reason;
    };
    /// Returns the distinct calls without a measured time, with the reason.
    std::vector<Problem> problems() const;
    /// Returns why a part was not measured; "" if nobody asked for it.
    std::string problemOf(NodeId node, std::span<const CallWork::Cut> cuts) const;

private:
    using Shares = std::vector<std::pair<int, double>>; // by split, ascending
    struct Kind {
        NodeId node; // the first one
        CallWork work;
        double modelled = 0;
        std::optional<double> seconds;
        std::string problem = "was not measured";
        std::map<Shares, double> parts;         // seconds
        std::map<Shares, std::string> failures; // why a part has none
        /// Ratios of measured to modelled seconds, by split and by share.
        std::map<int, std::map<double, double>> factors;
    };

    CallTimes(const Graph &graph, const Opsets &opsets, const Device &device)
        : m_graph(graph), m_opsets(opsets), m_device(device)
    {
    }
    static Shares sharesOf(std::span<const CallWork::Cut> cuts);
    static double factorOf(const Kind &kind, int split, double share);
    const Kind &kind(NodeId node) const { return m_kinds[kindOf(node)]; }
    Result<CallPart> partOf(NodeId node, const Shares &shares) const;

    Graph m_graph;
    Opsets m_opsets;
    Device m_device;
    std::vector<CallKind> m_kindOf; // by node id
    IndexedVector<CallKind, Kind> m_kinds;
};

} // namespace graphloom::magis
