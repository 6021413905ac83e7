// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/distribution.h"

#include "engine/base/steps.h"
#include "engine/ops/derive/call_part.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

namespace graphloom::magis {

namespace {

/// Locates an input in a concatenation, or a piece in the tensor that it is taken from.
struct Piece {
    int dim;
    std::int64_t begin, end;
};

/// Returns the piece that a stage copies, shifted in at most one dimension; nothing otherwise.
std::optional<Piece> movedBy(const Stage &stage, const IndexMap &shifted, const IndexMap &plain)
{
    if (stage.combine != Combine::None || stage.reads.size() != 1 || stage.body->fn != Fn::Load ||
        !stage.finish.empty() || shifted.size() != plain.size())
        return std::nullopt;
    Piece piece{-1, 0, 0};
    for (std::size_t d = 0; d < plain.size(); ++d) {
        const Index &from = plain[d], &to = shifted[d];
        if (!from.isAffine() || !to.isAffine() || from.offset != Dim(0) ||
            !to.offset.isConstant() || from.terms.size() > 1 ||
            from.terms.size() != to.terms.size())
            return std::nullopt;
        std::int64_t extent = 1;
        if (!from.terms.empty()) {
            const Axis &axis = stage.axes[std::size_t(from.terms[0].axis)];
            if (from.terms[0].axis != to.terms[0].axis || from.terms[0].coefficient != Dim(1) ||
                to.terms[0].coefficient != Dim(1) || !axis.extent.isConstant())
                return std::nullopt;
            extent = axis.extent.value();
        }
        if (to.offset == Dim(0) && piece.dim >= 0)
            continue;
        if (to.offset != Dim(0) && piece.dim >= 0 && piece.begin != 0)
            return std::nullopt;
        if (to.offset != Dim(0))
            piece = {int(d), to.offset.value(), to.offset.value() + extent};
    }
    return piece;
}

/// Returns the pieces of a concatenation, by input.
std::optional<std::vector<Piece>> concatenated(const Description &description, std::size_t inputs)
{
    if (description.isOpaque() || description.outputs != 1 || inputs < 2 ||
        description.stages.size() != inputs)
        return std::nullopt;
    std::vector<Piece> pieces(inputs, Piece{-1, 0, 0});
    int dim = -1;
    for (const Stage &stage : description.stages) {
        const auto piece = stage.reads.size() == 1 ? movedBy(stage, stage.write, stage.reads[0].map)
                                                   : std::nullopt;
        if (!piece || stage.reads[0].operand.kind != Operand::Kind::Input)
            return std::nullopt;
        pieces[std::size_t(stage.reads[0].operand.index)] = *piece;
        if (piece->dim >= 0) {
            if (dim >= 0 && dim != piece->dim)
                return std::nullopt;
            dim = piece->dim;
        }
    }
    if (dim < 0)
        return std::nullopt;
    // The first piece is not shifted: it ends where the next one begins.
    std::int64_t next = std::numeric_limits<std::int64_t>::max();
    for (const Piece &piece : pieces)
        if (piece.dim >= 0)
            next = std::min(next, piece.begin);
    for (Piece &piece : pieces)
        if (piece.dim < 0)
            piece = {dim, 0, next};
    return pieces;
}

/// Returns the piece of its only computed input that a node passes on.
std::optional<Piece> taken(const Description &description, const Shape &shape)
{
    if (description.isOpaque() || description.outputs != 1 || description.stages.size() != 1)
        return std::nullopt;
    const Stage &stage = description.stages.front();
    if (stage.reads.size() != 1 || stage.reads[0].operand.kind != Operand::Kind::Input)
        return std::nullopt;
    auto piece = movedBy(stage, stage.reads[0].map, stage.write);
    if (piece && piece->dim < 0) // the first piece: shorter in one dimension
        for (std::size_t d = 0; d < stage.write.size(); ++d) {
            const std::int64_t extent =
                stage.write[d].terms.empty()
                    ? 1
                    : stage.axes[std::size_t(stage.write[d].terms[0].axis)].extent.value();
            if (shape[d] != Dim(extent)) {
                if (piece->dim >= 0)
                    return std::nullopt;
                *piece = {int(d), 0, extent};
            }
        }
    return piece && piece->dim >= 0 ? piece : std::nullopt;
}

class Distribution {
public:
    Distribution(const Graph &graph, const Opsets &opsets, const std::stop_token &stop)
        : m_graph(graph), m_opsets(opsets), m_stop(stop), m_editor(graph)
    {
        for (std::uint32_t t = 0; t < graph.tensorBound(); ++t)
            if (graph.contains(TensorId{t}))
                m_names.insert(graph.tensor(TensorId{t}).name);
    }

    Result<Distributed> run()
    {
        for (const NodeId id : m_graph.order()) {
            if (m_stop.stop_requested())
                return stoppedError();
            GL_TRY_CONST(description, describe(m_graph, id, m_opsets));
            if (const auto pieces = concatenated(*description, m_graph.node(id).inputs.size()))
                distribute(id, *pieces);
        }
        // Results that are read only in pieces, by the gradients of concatenations.
        for (const NodeId id : m_graph.order()) {
            if (m_stop.stop_requested())
                return stoppedError();
            takePieces(id);
        }
        m_editor.removeUnused();
        m_editor.setOrder(ordered());
        GL_TRY_RESULT(graph, std::move(m_editor).finish());
        GL_TRY_RESULT(inferred, inferShapes(*graph, m_opsets, m_stop));
        m_result.graph = std::move(inferred->graph);
        return std::move(m_result);
    }

private:
    /// Holds a call that is taken apart; only its first piece gets what is added to its sum.
    struct Apart {
        Node node;
        Split split;
        std::vector<CallPart> parts;
        int addend = -1; // input that only the first piece gets
    };

    std::string uniqueName(const std::string &wanted)
    {
        std::string name = wanted;
        for (int number = 2; !m_names.insert(name).second; ++number)
            name = wanted + "." + std::to_string(number);
        return name;
    }
    TensorId newTensor(const std::string &name, DataType type, Shape shape)
    {
        Tensor tensor;
        tensor.name = uniqueName(name);
        tensor.type = type;
        tensor.shape = std::move(shape);
        return m_editor.addTensor(std::move(tensor));
    }
    /// Adds a node in place of one that is removed.
    NodeId add(Node node, NodeId place)
    {
        node.origins = originsOf(m_graph, std::array{place, m_source.valid() ? m_source : place});
        const NodeId id = m_editor.addNode(std::move(node));
        m_order[place.index].push_back(id);
        return id;
    }
    /// Returns the graph's order, with new nodes in place of the old ones.
    std::vector<NodeId> ordered() const
    {
        std::vector<NodeId> order;
        for (const NodeId id : m_graph.order()) {
            if (const auto at = m_order.find(id.index); at != m_order.end())
                for (const NodeId added : at->second)
                    if (m_editor.graph().contains(added))
                        order.push_back(added);
            if (m_editor.graph().contains(id))
                order.push_back(id);
        }
        return order;
    }

    /// Returns the split that cuts an input or the output along a dimension in steps of 1.
    std::optional<Split> splitAt(const Description &description, int input, int dim) const
    {
        for (const Split &split : splitsOf(description)) {
            const auto &list = input >= 0 ? split.inputs : split.outputs;
            const std::size_t at = input >= 0 ? std::size_t(input) : 0;
            if (at >= list.size() || list[at].dim != dim || list[at].step != 1 || split.hasHalo())
                continue;
            const bool single = split.outputs.size() == 1 &&
                                (split.outputs[0].isCut() ? split.outputs[0].step == 1
                                                          : split.combine == Combine::Sum);
            if (single)
                return split;
        }
        return std::nullopt;
    }

    TensorId sliced(TensorId tensor, const TensorPart &part, NodeId place)
    {
        const Tensor &whole = m_graph.tensor(tensor);
        if (part.dim < 0 ||
            (part.begin == 0 && Dim(part.end) == (*whole.shape)[std::size_t(part.dim)]))
            return tensor;
        const auto list = [&](std::int64_t value) {
            return m_editor.addTensor(
                Tensor::of(uniqueName(whole.name + ".at"), TensorData::fromInt64s({value})));
        };
        Shape shape = *whole.shape;
        shape[std::size_t(part.dim)] = part.end - part.begin;
        Node node;
        node.op = "Slice";
        node.name = whole.name + ".piece";
        node.inputs = {tensor, list(part.begin), list(part.end), list(part.dim)};
        node.outputs = {newTensor(whole.name + ".piece", whole.type, std::move(shape))};
        const TensorId output = node.outputs[0];
        add(std::move(node), place);
        return output;
    }

    /// Adds a part of the call; its input `input`, if any, is `piece`.
    TensorId addPart(const Apart &apart, std::size_t number, int input, TensorId piece,
                     NodeId place)
    {
        const CallPart &part = apart.parts[number];
        const Node &whole = apart.node;
        Node node = part.node;
        node.inputs = whole.inputs;
        node.metadata = whole.metadata;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (!node.inputs[i].valid())
                continue;
            if (int(i) == input) {
                node.inputs[i] = piece;
            } else if (part.replaced[i]) {
                Tensor own = *part.operands[i];
                own.name = uniqueName(own.name);
                node.inputs[i] = m_editor.addTensor(std::move(own));
            } else {
                node.inputs[i] = sliced(node.inputs[i], part.inputs[i], place);
            }
        }
        if (apart.addend >= 0 && number == 0)
            node.inputs[std::size_t(apart.addend)] =
                m_graph.node(place).inputs[std::size_t(apart.addend)];
        while (!node.inputs.empty() && !node.inputs.back().valid())
            node.inputs.pop_back();
        const Tensor &result = m_graph.tensor(whole.outputs[0]);
        Shape shape = *result.shape;
        if (part.outputs[0].dim >= 0)
            shape[std::size_t(part.outputs[0].dim)] = part.outputs[0].end - part.outputs[0].begin;
        node.name = whole.name + ".piece";
        node.outputs = {newTensor(result.name + ".piece", result.type, std::move(shape))};
        const TensorId output = node.outputs[0];
        add(std::move(node), place);
        return output;
    }

    /// Returns the input that the call's only stage adds to its final sum; -1 if there is none.
    static int addendOf(const Description &description)
    {
        if (description.isOpaque() || description.stages.size() != 1)
            return -1;
        const Stage &stage = description.stages.front();
        if (stage.combine != Combine::Sum || stage.finish.empty() || stage.finish->fn != Fn::Add)
            return -1;
        for (const int k : {0, 1}) {
            const Expr load = stage.finish.argument(k), sum = stage.finish.argument(1 - k);
            if (load->fn == Fn::Load && sum->fn == Fn::Accumulator)
                return stage.reads[std::size_t(load->index)].operand.index;
        }
        return -1;
    }

    std::optional<Apart> takenApart(NodeId id, int input, std::span<const Piece> pieces) const
    {
        Apart apart{m_graph.node(id), {}, {}, -1};
        if (apart.node.outputs.size() != 1 || !m_editor.graph().contains(id) ||
            m_editor.graph().node(id).inputs != apart.node.inputs)
            return std::nullopt; // changed already
        auto description = describe(m_graph, id, m_opsets);
        if (!description || description->isOpaque())
            return std::nullopt;
        auto split = splitAt(*description, input, pieces.front().dim);
        if (const int addend = addendOf(*description); !split && addend >= 0 && addend != input) {
            apart.addend = addend;
            apart.node.inputs[std::size_t(addend)] = {};
            description = describe(
                Call(apart.node, operandsOf(m_graph, apart.node), m_opsets(apart.node.domain)));
            if (!description || description->isOpaque())
                return std::nullopt;
            split = splitAt(*description, input, pieces.front().dim);
        }
        if (!split)
            return std::nullopt;
        apart.split = *split;
        const CallPart whole = wholeCall(
            Call(apart.node, operandsOf(m_graph, apart.node), m_opsets(apart.node.domain)),
            *description);
        for (const Piece &piece : pieces) {
            auto part = callPart(whole, apart.split, piece.begin, piece.end);
            if (!part)
                return std::nullopt;
            apart.parts.push_back(std::move(*part));
        }
        return apart;
    }

    void distribute(NodeId concatenation, const std::vector<Piece> &pieces)
    {
        const Node node = m_graph.node(concatenation);
        const TensorId whole = node.outputs[0];
        if (m_graph.isOutput(whole))
            return;
        struct Reader {
            NodeId id;
            int input;
            Apart apart;
        };
        std::vector<Reader> readers;
        for (const Use &use : m_graph.uses(whole)) {
            const Node &reader = m_graph.node(use.node);
            if (std::ranges::count(reader.inputs, whole) != 1 || use.slot >= reader.inputs.size())
                return;
            auto apart = takenApart(use.node, int(use.slot), pieces);
            if (!apart)
                return;
            readers.push_back({use.node, int(use.slot), std::move(*apart)});
        }
        m_source = concatenation;
        for (const Reader &reader : readers) {
            std::vector<TensorId> results;
            for (std::size_t p = 0; p < pieces.size(); ++p) {
                results.push_back(
                    addPart(reader.apart, p, reader.input, node.inputs[p], reader.id));
                if (!reader.apart.split.outputs[0].isCut() && results.size() == 2)
                    results = {addSum(reader.id, results[0], results[1])};
            }
            const SplitTensor &cut = reader.apart.split.outputs[0];
            replace(reader.id,
                    cut.isCut() ? addJoin(reader.id, results, cut.dim) : results.front());
            ++m_result.calls;
        }
        m_result.concatenations.push_back(node.name);
    }

    TensorId addSum(NodeId place, TensorId a, TensorId b)
    {
        const Tensor &result = m_graph.tensor(m_graph.node(place).outputs[0]);
        Node node;
        node.op = "Add";
        node.name = m_graph.node(place).name + ".sum";
        node.inputs = {a, b};
        node.outputs = {newTensor(result.name + ".sum", result.type, *result.shape)};
        const TensorId output = node.outputs[0];
        add(std::move(node), place);
        return output;
    }
    TensorId addJoin(NodeId place, const std::vector<TensorId> &pieces, int dim)
    {
        const Tensor &result = m_graph.tensor(m_graph.node(place).outputs[0]);
        Node node;
        node.op = "Concat";
        node.name = m_graph.node(place).name + ".join";
        node.inputs = pieces;
        node.attributes = node.attributes.with("axis", std::int64_t(dim));
        node.outputs = {newTensor(result.name + ".join", result.type, *result.shape)};
        const TensorId output = node.outputs[0];
        add(std::move(node), place);
        return output;
    }
    /// Makes the result the tensor that it replaces: outputs of the graph keep their names.
    void replace(NodeId id, TensorId result)
    {
        const TensorId old = m_graph.node(id).outputs[0];
        const NodeId producer = m_editor.graph().producer(result);
        m_editor.removeNode(id);
        Node node = m_editor.graph().node(producer);
        node.outputs[0] = old;
        m_editor.replaceNode(producer, std::move(node));
    }

    /// Computes only the pieces of a result if all its readers take pieces.
    void takePieces(NodeId id)
    {
        const Node &node = m_graph.node(id);
        if (node.outputs.size() != 1 || !m_editor.graph().contains(id) ||
            m_graph.isOutput(node.outputs[0]) || m_graph.uses(node.outputs[0]).size() < 2)
            return;
        const TensorId whole = node.outputs[0];
        std::vector<Piece> pieces;
        for (const Use &use : m_graph.uses(whole)) {
            const auto description = describe(m_graph, use.node, m_opsets);
            if (!description || !m_editor.graph().contains(use.node))
                return;
            const auto piece = taken(*description, *m_graph.tensor(whole).shape);
            if (!piece || (!pieces.empty() && pieces.front().dim != piece->dim))
                return;
            pieces.push_back(*piece);
        }
        const auto apart = takenApart(id, -1, pieces);
        if (!apart || apart->addend >= 0 || !apart->split.outputs[0].isCut())
            return;
        m_source = id;
        for (std::size_t p = 0; p < pieces.size(); ++p) {
            const NodeId reader = m_graph.uses(whole)[p].node;
            replace(reader, addPart(*apart, p, -1, {}, reader));
        }
        ++m_result.calls;
    }

    const Graph &m_graph;
    const Opsets &m_opsets;
    const std::stop_token &m_stop;
    GraphEditor m_editor;
    Distributed m_result;
    NodeId m_source; // removed, too: an origin of the nodes that are added
    std::set<std::string> m_names;
    std::map<std::uint32_t, std::vector<NodeId>> m_order; // by node: its replacements
};

} // namespace

Result<Distributed> distributed(const Graph &graph, const Opsets &opsets,
                                const std::stop_token &stop)
{
    return Distribution(graph, opsets, stop).run();
}

} // namespace graphloom::magis
