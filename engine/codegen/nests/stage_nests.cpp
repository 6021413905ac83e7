// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/nests/stage_nests.h"

#include "engine/codegen/index/c_names.h"
#include "engine/codegen/index/expr_edit.h"
#include "engine/codegen/nests/nest_reads.h"
#include "engine/codegen/nests/stage_index.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphloom {

namespace {

/// The approximate cost of describing a node.
constexpr std::uint64_t stepsOfNode = 100;

class StageNests {
public:
    StageNests(const Graph &graph, const Opsets &opsets, const std::vector<NodeId> &nodes)
        : m_graph(graph), m_opsets(opsets), m_members(nodes.begin(), nodes.end())
    {
    }

    Result<void> add(NodeId id)
    {
        const Node &node = m_graph.node(id);
        GL_TRY_CONST(description, describe(m_graph, id, m_opsets));
        if (description->isOpaque())
            return refuseKernel(node, description->opaque);
        NodeValues values;
        for (const ValueIndex value : firstIndices<ValueIndex>(description->values.size())) {
            GL_TRY_CONST(tensor, addValue(node, *description, value));
            values.push_back(*tensor);
        }
        for (const Stage &stage : description->stages)
            GL_TRY(addStage(id, stage, values));
        return {};
    }

    BlockNests take() && { return std::move(m_block); }

private:
    /// Counts the values of a node's description, its outputs first.
    using ValueIndex = TypedIndex<struct ValueTag>;
    using NodeValues = IndexedVector<ValueIndex, BlockTensorIndex>;

    Result<std::vector<std::int64_t>> extentsOf(const Node &node, const Shape &shape)
    {
        std::vector<std::int64_t> extents;
        for (const Dim &dim : shape) {
            if (!dim.isConstant())
                return refuseKernel(node,
                                    "the extent " + dim.text() + " is known only at run time");
            extents.push_back(dim.value());
        }
        return extents;
    }

    static Result<void> checkType(const Node &node, DataType type)
    {
        if (cType(type).empty())
            return refuseKernel(node, "there is no C code for elements of type " +
                                          std::string(graphloom::nameOf(type)));
        return {};
    }

    Result<BlockTensorIndex> addTensor(const Node &node, TensorId id)
    {
        if (const auto known = m_tensorOf.find(id); known != m_tensorOf.end())
            return known->second;
        const Tensor &tensor = m_graph.tensor(id);
        if (!tensor.shape)
            return refuseKernel(node, "the rank of \"" + tensor.name + "\" is not known");
        GL_TRY_RESULT(extents, extentsOf(node, *tensor.shape));
        GL_TRY(checkType(node, tensor.type));
        BlockTensor made{BlockTensor::Role::Input, id, tensor.name, tensor.type, *extents,
                         tensor.constant};
        if (tensor.constant)
            made.role = BlockTensor::Role::Constant;
        else if (const NodeId producer = m_graph.producer(id);
                 producer.valid() && m_members.contains(producer))
            made.role = leaves(id) ? BlockTensor::Role::Output : BlockTensor::Role::Scratch;
        return m_tensorOf[id] = m_block.tensors.append(std::move(made));
    }

    bool leaves(TensorId id) const
    {
        return m_graph.isOutput(id) || std::ranges::any_of(m_graph.uses(id), [&](const Use &use) {
                   return !m_members.contains(use.node);
               });
    }

    Result<BlockTensorIndex> addValue(const Node &node, const Description &description,
                                      ValueIndex value)
    {
        const int number = value.number();
        const auto at = std::size_t(number);
        if (number < description.outputs && at < node.outputs.size() && node.outputs[at].valid())
            return addTensor(node, node.outputs[at]);
        const DataType type = description.values[at].type;
        GL_TRY_RESULT(extents, extentsOf(node, shapeOf(description, number)));
        GL_TRY(checkType(node, type));
        return m_block.tensors.append(
            {BlockTensor::Role::Scratch,
             {},
             (node.name.empty() ? node.op : node.name) + "." + std::to_string(number),
             type,
             *extents,
             nullptr});
    }

    Result<void> addStage(NodeId id, const Stage &stage, const NodeValues &values)
    {
        const Node &node = m_graph.node(id);
        Nest nest;
        nest.nodes = {id};
        nest.name = (node.name.empty() ? node.op : node.name) +
                    (stage.name.empty() ? "" : " " + stage.name);
        for (const Axis &axis : stage.axes) {
            if (!axis.extent.isConstant())
                return refuseKernel(node, "the extent " + axis.extent.text() +
                                              " is known only at run time");
            nest.axes.push_back({axis.name, axis.extent.value(), axis.kind == Axis::Kind::Reduce});
        }
        for (const Expr &expr : {stage.body, stage.finish})
            if (const auto open = openExtent(expr))
                return refuseKernel(node,
                                    "the extent " + open->text() + " is known only at run time");
        const AxisExtents extents = nest.extents();
        const auto accumulation = accumulationOf(stage);
        for (const AxisIndex axis : nest.axes.indices())
            nest.axes[axis].ordered = sharesElements(stage, axis.number());
        for (const Read &read : stage.reads) {
            BlockTensorIndex tensor;
            if (read.operand.kind == Operand::Kind::Value) {
                tensor = values[ValueIndex(read.operand.index)];
                if (read.operand.index == stage.value && !accumulation)
                    return refuseKernel(node, "it reads its own output");
            } else {
                GL_TRY_CONST(input, addTensor(node, node.inputs[std::size_t(read.operand.index)]));
                tensor = *input;
            }
            GL_TRY_RESULT(converted,
                          readOf(node, read, tensor, m_block.tensors[tensor].extents, extents));
            nest.reads.push_back(std::move(*converted));
        }
        NestStore store;
        store.tensor = values[ValueIndex(stage.value)];
        const std::vector<std::int64_t> &shape = m_block.tensors[store.tensor].extents;
        for (std::size_t d = 0; d < stage.write.size(); ++d) {
            const Index &index = stage.write[d];
            if (index.table)
                return refuseKernel(node, "it writes to positions that a table lists");
            GL_TRY_RESULT(form, formOf(node, index, extents, shape[d]));
            const Bounds bounds = form->bounds(extents);
            if (form->hasLookup() &&
                (bounds.least < 0 || bounds.most >= std::max<std::int64_t>(shape[d], 1)))
                return refuseKernel(
                    node,
                    "it writes to data-dependent positions, which may lie outside its result");
            store.map.push_back(std::move(*form));
        }
        const DataType type = m_block.tensors[store.tensor].type;
        nest.combine = stage.combine;
        nest.initial = stage.initial;
        if (nest.reduces()) {
            nest.body = stage.body;
            nest.accumulator = stage.combine >= Combine::ArgMax           ? DataType::Int64
                               : stage.body.type() == DataType::Undefined ? type
                                                                          : stage.body.type();
            store.value = stage.finish.empty() ? Expr::accumulator(nest.accumulator) : stage.finish;
        } else {
            store.value = accumulation ? accumulation->update : stage.body;
            store.update = accumulation ? accumulation->combine : Combine::None;
            if (!stage.finish.empty())
                return refuseKernel(node, "a stage without reduction has a finish");
        }
        nest.stores.push_back(std::move(store));
        if (accumulation)
            dropUnusedReads(nest); // that of the updated element
        literalConstants(nest);
        if (nest.points(false) > 0) // else there is nothing to write
            m_block.nests.push_back(std::move(nest));
        return {};
    }

    /// Returns an unknown extent among the values of the expression, if there is one.
    static std::optional<Dim> openExtent(const Expr &expr)
    {
        std::optional<Dim> open;
        forEachPart(expr, [&](const Expr::Node &node) {
            if (node.fn == Fn::Table)
                for (const Dim &entry : *node.table)
                    if (!entry.isConstant())
                        open = entry;
        });
        return open;
    }

    /// Replaces loads of constants of one element by literals.
    void literalConstants(Nest &nest)
    {
        const auto literal = [&](const Expr::Node &leaf) -> Expr {
            if (leaf.fn != Fn::Load)
                return {};
            const NestRead &read = nest.reads[readIn(leaf)];
            const BlockTensor &tensor = m_block.tensors[read.tensor];
            if (tensor.role != BlockTensor::Role::Constant || tensor.elements() != 1 ||
                read.guarded)
                return {};
            return isIntegral(tensor.type) ? Expr::integer(tensor.constant->integer(0), tensor.type)
                                           : Expr::real(tensor.constant->real(0), tensor.type);
        };
        if (!nest.body.empty())
            nest.body = rewritten(nest.body, literal);
        for (NestStore &store : nest.stores)
            store.value = rewritten(store.value, literal);
    }

    const Graph &m_graph;
    const Opsets &m_opsets;
    std::set<NodeId> m_members;
    std::map<TensorId, BlockTensorIndex> m_tensorOf;
    BlockNests m_block;
};

} // namespace

Result<BlockNests> stageNestsOf(const Graph &graph, const Opsets &opsets,
                                const std::vector<NodeId> &nodes, Steps &steps)
{
    StageNests stages(graph, opsets, nodes);
    for (const NodeId id : nodes) {
        steps.add(stepsOfNode);
        if (steps.stopped())
            return stoppedError();
        GL_TRY(stages.add(id));
    }
    return std::move(stages).take();
}

} // namespace graphloom
