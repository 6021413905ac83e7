// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/call_timer.h"
#include "engine/cost/call_work.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphloom::magis {

/// What a call computes, without its place in a graph: calls with equal text are alike.
std::string signatureOf(const Call &call);

/// A call that is cut.
struct PartOfCall {
    NodeId node;
    std::vector<CallWork::Cut> cuts; // none: the whole call
};

/// Measured seconds of the calls of a graph and of parts of them. A part that was not measured is
/// priced by the model, as its call was measured to take more or less than the model says; between
/// parts that were measured, and the whole, that factor is interpolated over the logarithm of the
/// share, and below the smallest of them it stays. A call that was not measured is modelled.
/// Reading is safe from several threads, adding is not.
class CallTimes {
public:
    /// Nothing is measured yet. Fails (Model) where a node contradicts its operator.
    static Result<CallTimes> of(const Graph &graph, std::span<const NodeId> nodes,
                                const Opsets &opsets, const Device &device);

    /// Equal for calls that are alike; -1 for nodes that were not given.
    int kindOf(NodeId node) const;
    /// Measures each distinct call, those first that the model says take longest.
    void timeCalls(CallTimer &timer, const TimingLimits &limits);
    /// Measures parts, in their order, each distinct one once. Parts of calls that have no time and
    /// parts that no node computes get none.
    void timeParts(CallTimer &timer, std::span<const PartOfCall> parts, const TimingLimits &limits);

    double seconds(NodeId node, std::span<const CallWork::Cut> cuts = {}) const;
    enum class Source { Measured, Scaled, Modelled };
    Source sourceOf(NodeId node, std::span<const CallWork::Cut> cuts = {}) const;
    double modelled(NodeId node, std::span<const CallWork::Cut> cuts = {}) const;

    /// Distinct calls with a time, and those without, with the reason.
    std::size_t measuredCalls() const;
    struct Problem {
        NodeId node; // the first of its kind
        std::string reason;
    };
    std::vector<Problem> problems() const;
    /// Why a part was not measured; "" where nobody asked for it.
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
        /// By split: what is measured over what is modelled, by share.
        std::map<int, std::map<double, double>> factors;
    };

    CallTimes(const Graph &graph, const Opsets &opsets, const Device &device)
        : m_graph(graph), m_opsets(opsets), m_device(device)
    {
    }
    static Shares sharesOf(std::span<const CallWork::Cut> cuts);
    static double factorOf(const Kind &kind, int split, double share);
    const Kind &kind(NodeId node) const { return m_kinds[std::size_t(m_kindOf[node.index])]; }
    Result<CallPart> partOf(NodeId node, const Shares &shares) const;

    Graph m_graph;
    Opsets m_opsets;
    Device m_device;
    std::vector<int> m_kindOf; // by node id
    std::vector<Kind> m_kinds;
};

} // namespace graphloom::magis
