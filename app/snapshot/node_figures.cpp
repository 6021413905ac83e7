// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/node_figures.h"

#include "app/common/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace graphloom {

namespace {

using Value = std::optional<double>;

Value number(const Dim &dim)
{
    const auto value = dim.constant();
    return value ? Value(double(*value)) : std::nullopt;
}

Value ratio(const Value &a, const Value &b)
{
    return a && b && *b > 0 ? Value(*a / *b) : std::nullopt;
}

Value outputBytes(const Graph &graph, const GraphFacts &, NodeId id)
{
    double sum = 0;
    for (const TensorId output : graph.node(id).outputs) {
        if (!output.valid())
            continue;
        const auto bytes = bytesOf(graph.tensor(output));
        if (!bytes)
            return std::nullopt;
        sum += double(*bytes);
    }
    return sum;
}

Value traffic(const Graph &, const GraphFacts &facts, NodeId id)
{
    return number(facts.of(id).read + facts.of(id).written);
}

Value fanOut(const Graph &graph, const GraphFacts &, NodeId id)
{
    return double(graph.successors(id).size());
}

Value rankOf(const Graph &graph, const GraphFacts &, NodeId id)
{
    for (const TensorId output : graph.node(id).outputs)
        if (output.valid())
            return graph.tensor(output).shape ? Value(double(graph.tensor(output).shape->size()))
                                              : std::nullopt;
    return std::nullopt;
}

double given(const std::vector<TensorId> &ids)
{
    return double(std::ranges::count_if(ids, [](TensorId id) { return id.valid(); }));
}

using Unit = NodeFigure::Unit;

const NodeFigure figures[] = {
    {"bytes", QT_TRANSLATE_NOOP("NodeFigure", "output bytes"),
     QT_TRANSLATE_NOOP("NodeFigure", "bytes of the tensors that the node writes"), ">1MB",
     Unit::Bytes, Aggregate::Sum, Spread::Logarithmic, true, outputBytes},
    {"traffic", QT_TRANSLATE_NOOP("NodeFigure", "bytes read and written"),
     QT_TRANSLATE_NOOP("NodeFigure", "distinct bytes that the node reads and writes"), ">1MB",
     Unit::Bytes, Aggregate::Sum, Spread::Logarithmic, true, traffic},
    {"read", QT_TRANSLATE_NOOP("NodeFigure", "bytes read"),
     QT_TRANSLATE_NOOP("NodeFigure", "distinct bytes that the node reads, including weights"),
     ">1MB", Unit::Bytes, Aggregate::Sum, Spread::Logarithmic, false,
     [](const Graph &, const GraphFacts &facts, NodeId id) { return number(facts.of(id).read); }},
    {"written", QT_TRANSLATE_NOOP("NodeFigure", "bytes written"),
     QT_TRANSLATE_NOOP("NodeFigure", "distinct bytes that the node writes"), ">1MB", Unit::Bytes,
     Aggregate::Sum, Spread::Logarithmic, false,
     [](const Graph &, const GraphFacts &facts, NodeId id) {
         return number(facts.of(id).written);
     }},
    {"macs", QT_TRANSLATE_NOOP("NodeFigure", "MACs"),
     QT_TRANSLATE_NOOP("NodeFigure", "multiply-accumulates"), ">1G", Unit::Count, Aggregate::Sum,
     Spread::Logarithmic, true,
     [](const Graph &, const GraphFacts &facts, NodeId id) { return number(facts.of(id).macs); }},
    {"flops", QT_TRANSLATE_NOOP("NodeFigure", "FLOPs"),
     QT_TRANSLATE_NOOP("NodeFigure", "scalar operations"), ">1G", Unit::Count, Aggregate::Sum,
     Spread::Logarithmic, true,
     [](const Graph &, const GraphFacts &facts, NodeId id) { return number(facts.of(id).flops); }},
    {"intensity", QT_TRANSLATE_NOOP("NodeFigure", "FLOPs per byte"),
     QT_TRANSLATE_NOOP("NodeFigure", "scalar operations per byte read or written"), ">8",
     Unit::Ratio, Aggregate::Most, Spread::Logarithmic, true,
     [](const Graph &graph, const GraphFacts &facts, NodeId id) {
         return ratio(number(facts.of(id).flops), traffic(graph, facts, id));
     }},
    {"params", QT_TRANSLATE_NOOP("NodeFigure", "parameters"),
     QT_TRANSLATE_NOOP("NodeFigure",
                       "elements of the floating-point constants that the node reads"),
     ">1M", Unit::Count, Aggregate::Sum, Spread::Logarithmic, true,
     [](const Graph &, const GraphFacts &facts, NodeId id) {
         return Value(double(facts.of(id).parameters));
     }},
    {"fanout", QT_TRANSLATE_NOOP("NodeFigure", "fan-out"),
     QT_TRANSLATE_NOOP("NodeFigure", "nodes that read its outputs"), ">8", Unit::Count,
     Aggregate::Most, Spread::Linear, true, fanOut},
    {"inputs", QT_TRANSLATE_NOOP("NodeFigure", "inputs"),
     QT_TRANSLATE_NOOP("NodeFigure", "tensors that it reads, including weights"), ">2", Unit::Count,
     Aggregate::Most, Spread::Linear, false,
     [](const Graph &graph, const GraphFacts &, NodeId id) {
         return Value(given(graph.node(id).inputs));
     }},
    {"outputs", QT_TRANSLATE_NOOP("NodeFigure", "outputs"),
     QT_TRANSLATE_NOOP("NodeFigure", "tensors that it writes"), ">2", Unit::Count, Aggregate::Most,
     Spread::Linear, false,
     [](const Graph &graph, const GraphFacts &, NodeId id) {
         return Value(given(graph.node(id).outputs));
     }},
    {"rank", QT_TRANSLATE_NOOP("NodeFigure", "rank"),
     QT_TRANSLATE_NOOP("NodeFigure", "dimensions of its first output"), "=4", Unit::Count,
     Aggregate::Most, Spread::Linear, false, rankOf},
    {"cin", QT_TRANSLATE_NOOP("NodeFigure", "input channels"),
     QT_TRANSLATE_NOOP("NodeFigure",
                       "input channels of a convolution or matrix product, over all groups"),
     ">=64", Unit::Count, Aggregate::Most, Spread::Linear, false,
     [](const Graph &, const GraphFacts &facts, NodeId id) {
         const auto &channels = facts.of(id).channels;
         return channels ? number(channels->in) : std::nullopt;
     }},
    {"cout", QT_TRANSLATE_NOOP("NodeFigure", "output channels"),
     QT_TRANSLATE_NOOP("NodeFigure", "output channels of a convolution or matrix product"), ">=64",
     Unit::Count, Aggregate::Most, Spread::Linear, false,
     [](const Graph &, const GraphFacts &facts, NodeId id) {
         const auto &channels = facts.of(id).channels;
         return channels ? number(channels->out) : std::nullopt;
     }},
    {"position", QT_TRANSLATE_NOOP("NodeFigure", "position"),
     QT_TRANSLATE_NOOP("NodeFigure", "position in the schedule, from 0"), ">=64", Unit::Count,
     Aggregate::Most, Spread::Linear, false,
     [](const Graph &graph, const GraphFacts &, NodeId id) {
         return Value(double(graph.position(id)));
     }},
};

} // namespace

std::span<const NodeFigure> nodeFigures()
{
    return figures;
}

const NodeFigure *nodeFigure(QStringView key)
{
    const auto found = std::ranges::find_if(
        figures, [&](const NodeFigure &figure) { return key == QLatin1String(figure.key); });
    return found == std::end(figures) ? nullptr : found;
}

QString NodeFigure::text(double value) const
{
    return unit == Unit::Bytes   ? formatBytes(value)
           : unit == Unit::Ratio ? formatReal(value)
                                 : formatCount(value);
}

QString NodeFigure::translatedTitle() const
{
    return QCoreApplication::translate("NodeFigure", title);
}

QString NodeFigure::translatedMeaning() const
{
    return QCoreApplication::translate("NodeFigure", meaning);
}

std::vector<double> liveBytes(const Graph &graph)
{
    const auto order = graph.order();
    std::vector<double> change(order.size() + 1, 0);
    const auto live = [&](TensorId id, std::size_t from) {
        const auto bytes = bytesOf(graph.tensor(id));
        if (!bytes || *bytes == 0)
            return;
        std::size_t last = from;
        for (const Use &use : graph.uses(id))
            last = std::max<std::size_t>(last, graph.position(use.node));
        if (graph.isOutput(id))
            last = order.size() - 1;
        change[from] += double(*bytes);
        change[last + 1] -= double(*bytes);
    };
    if (order.empty())
        return {};
    for (const TensorId id : graph.inputs())
        if (!graph.uses(id).empty())
            live(id, 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (const TensorId id : graph.node(order[i]).outputs)
            if (id.valid())
                live(id, i);
    std::vector<double> bytes(graph.nodeBound(), 0);
    double now = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        now += change[i];
        bytes[order[i].index] = now;
    }
    return bytes;
}

} // namespace graphloom
