// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/c_names.h"
#include "engine/codegen/expr_edit.h"
#include "engine/codegen/index_inverse.h"
#include "engine/codegen/nest.h"
#include "engine/ops/analysis.h"
#include "engine/ops/stage_facts.h"

#include <algorithm>
#include <map>
#include <set>

namespace graphloom {

namespace {

/// The most entries that clamping or mirroring an index may take as a table.
constexpr std::int64_t longestIndexTable = 1 << 16;
/// Scalar work that is rather done again by each reader than written and read.
constexpr int cheapWork = 2;

/// The nests of a block as its operators have them, one for each stage.
class RawNests {
public:
    RawNests(const Graph &graph, const Opsets &opsets, const std::vector<NodeId> &nodes)
        : m_graph(graph), m_opsets(opsets), m_members(nodes.begin(), nodes.end())
    {
    }

    Result<void> add(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const auto description = describe(m_graph, id, m_opsets);
        if (!description)
            return tl::unexpected(description.error());
        if (description->isOpaque())
            return refuse(node, description->opaque);
        std::vector<int> values;
        for (int v = 0; v < int(description->values.size()); ++v) {
            const auto value = addValue(node, *description, v);
            if (!value)
                return tl::unexpected(value.error());
            values.push_back(*value);
        }
        for (const Stage &stage : description->stages)
            if (auto added = addStage(id, stage, values); !added)
                return added;
        return {};
    }

    BlockNests take() && { return std::move(m_block); }

private:
    static tl::unexpected<Error> refuse(const Node &node, const std::string &why)
    {
        return fail(Error::Kind::Model, "no kernel can be generated: " + why, node.label());
    }

    Result<std::vector<std::int64_t>> extentsOf(const Node &node, const Shape &shape)
    {
        std::vector<std::int64_t> extents;
        for (const Dim &dim : shape) {
            if (!dim.isConstant())
                return refuse(node,
                              "the extent " + dim.text() + " is known only while the model runs");
            extents.push_back(dim.value());
        }
        return extents;
    }

    static Result<void> checkType(const Node &node, DataType type)
    {
        if (cType(type).empty())
            return refuse(node, "there is no C code for elements of type " +
                                    std::string(graphloom::nameOf(type)));
        return {};
    }

    Result<int> addTensor(const Node &node, TensorId id)
    {
        if (const auto known = m_tensorOf.find(id); known != m_tensorOf.end())
            return known->second;
        const Tensor &tensor = m_graph.tensor(id);
        if (!tensor.shape)
            return refuse(node, "the rank of \"" + tensor.name + "\" is not known");
        auto extents = extentsOf(node, *tensor.shape);
        if (!extents)
            return tl::unexpected(extents.error());
        if (auto checked = checkType(node, tensor.type); !checked)
            return tl::unexpected(checked.error());
        BlockTensor made{BlockTensor::Role::Input, id, tensor.name, tensor.type, *extents,
                         tensor.constant};
        if (tensor.constant)
            made.role = BlockTensor::Role::Constant;
        else if (const NodeId producer = m_graph.producer(id);
                 producer.valid() && m_members.contains(producer))
            made.role = leaves(id) ? BlockTensor::Role::Output : BlockTensor::Role::Scratch;
        m_block.tensors.push_back(std::move(made));
        return m_tensorOf[id] = int(m_block.tensors.size()) - 1;
    }

    bool leaves(TensorId id) const
    {
        return m_graph.isOutput(id) || std::ranges::any_of(m_graph.uses(id), [&](const Use &use) {
                   return !m_members.contains(use.node);
               });
    }

    Result<int> addValue(const Node &node, const Description &description, int v)
    {
        if (v < description.outputs && v < int(node.outputs.size()) &&
            node.outputs[std::size_t(v)].valid())
            return addTensor(node, node.outputs[std::size_t(v)]);
        auto extents = extentsOf(node, shapeOf(description, v));
        if (!extents)
            return tl::unexpected(extents.error());
        if (auto checked = checkType(node, description.values[std::size_t(v)].type); !checked)
            return tl::unexpected(checked.error());
        m_block.tensors.push_back(
            {BlockTensor::Role::Scratch,
             {},
             (node.name.empty() ? node.op : node.name) + "." + std::to_string(v),
             description.values[std::size_t(v)].type,
             *extents,
             nullptr});
        return int(m_block.tensors.size()) - 1;
    }

    Result<void> addStage(NodeId id, const Stage &stage, const std::vector<int> &values)
    {
        const Node &node = m_graph.node(id);
        Nest nest;
        nest.nodes = {id};
        nest.name = (node.name.empty() ? node.op : node.name) +
                    (stage.name.empty() ? "" : " " + stage.name);
        for (const Axis &axis : stage.axes) {
            if (!axis.extent.isConstant())
                return refuse(node, "the extent " + axis.extent.text() +
                                        " is known only while the model runs");
            nest.axes.push_back({axis.name, axis.extent.value(), axis.kind == Axis::Kind::Reduce});
        }
        for (const Expr &expr : {stage.body, stage.finish})
            if (const auto open = openExtent(expr))
                return refuse(node,
                              "the extent " + open->text() + " is known only while the model runs");
        const std::vector<std::int64_t> extents = nest.extents();
        for (const Read &read : stage.reads) {
            int tensor = 0;
            if (read.operand.kind == Operand::Kind::Value) {
                tensor = values[std::size_t(read.operand.index)];
                if (read.operand.index == stage.value)
                    return refuse(node, "it reads what it writes");
            } else {
                const auto input = addTensor(node, node.inputs[std::size_t(read.operand.index)]);
                if (!input)
                    return tl::unexpected(input.error());
                tensor = *input;
            }
            auto converted = readOf(node, read, tensor, extents);
            if (!converted)
                return tl::unexpected(converted.error());
            nest.reads.push_back(std::move(*converted));
        }
        NestStore store;
        store.tensor = values[std::size_t(stage.value)];
        for (const Index &index : stage.write) {
            if (index.table || index.lookup >= 0)
                return refuse(node, "it writes to positions that depend on data");
            auto form = formOf(node, index, extents, 0);
            if (!form)
                return tl::unexpected(form.error());
            store.map.push_back(std::move(*form));
        }
        const DataType type = m_block.tensors[std::size_t(store.tensor)].type;
        nest.combine = stage.combine;
        nest.initial = stage.initial;
        if (nest.reduces()) {
            nest.body = stage.body;
            nest.accumulator = stage.combine >= Combine::ArgMax           ? DataType::Int64
                               : stage.body.type() == DataType::Undefined ? type
                                                                          : stage.body.type();
            store.value = stage.finish.empty() ? Expr::accumulator(nest.accumulator) : stage.finish;
        } else {
            store.value = stage.body;
            if (!stage.finish.empty())
                return refuse(node, "a stage without reduction has a finish");
        }
        nest.stores.push_back(std::move(store));
        literalConstants(nest);
        if (nest.points(false) > 0) // else there is nothing to write
            m_block.nests.push_back(std::move(nest));
        return {};
    }

    /// An extent that is a value of the expression and not known.
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

    Result<IndexForm> formOf(const Node &node, const Index &index,
                             const std::vector<std::int64_t> &extents, std::int64_t dimension)
    {
        const auto number = [](const Dim &dim) { return dim.constant(); };
        if (!number(index.offset) || !number(index.divide) || !number(index.modulo))
            return refuse(node, "an index depends on an extent that is known only while the model "
                                "runs");
        IndexForm form = index.offset.value();
        for (const Index::Term &term : index.terms) {
            if (!number(term.coefficient))
                return refuse(node, "a stride is known only while the model runs");
            if (extents[std::size_t(term.axis)] != 1) // else always 0
                form = form + IndexForm::variable(term.axis) * term.coefficient.value();
        }
        if (index.divide.value() != 1)
            form = IndexForm::quotient(form, index.divide.value(), extents);
        if (index.modulo.value() != 0)
            form = IndexForm::remainder(form, index.modulo.value(), extents);
        if (index.table)
            form = IndexForm::table(index.table, form);
        if (index.lookup >= 0)
            form = form + IndexForm::lookup(index.lookup, dimension);
        return form;
    }

    Result<NestRead> readOf(const Node &node, const Read &read, int tensor,
                            const std::vector<std::int64_t> &extents)
    {
        NestRead result;
        result.tensor = tensor;
        result.outsideValue = read.outsideValue;
        const BlockTensor &source = m_block.tensors[std::size_t(tensor)];
        for (std::size_t d = 0; d < read.map.size(); ++d) {
            const std::int64_t extent = source.extents[d];
            auto form = formOf(node, read.map[d], extents, extent);
            if (!form)
                return tl::unexpected(form.error());
            const Bounds bounds = form->bounds(extents);
            if (form->hasLookup() && (read.outside != Read::Outside::Never || bounds.least < 0 ||
                                      bounds.most >= std::max<std::int64_t>(extent, 1)))
                return refuse(node, "it reads where data says, perhaps outside of its input");
            if (read.outside != Read::Outside::Never &&
                (bounds.least < 0 || bounds.most >= extent)) {
                if (read.outside == Read::Outside::Value) {
                    result.guarded = true;
                } else {
                    if (bounds.most - bounds.least >= longestIndexTable)
                        return refuse(node, "it reads too far outside of its input");
                    std::vector<std::int64_t> inside;
                    for (std::int64_t at = bounds.least; at <= bounds.most; ++at)
                        inside.push_back(broughtInside(read.outside, at, extent));
                    form = IndexForm::table(
                        std::make_shared<const std::vector<std::int64_t>>(std::move(inside)),
                        *form - IndexForm(bounds.least));
                }
            }
            result.map.push_back(std::move(*form));
        }
        return result;
    }

    static std::int64_t broughtInside(Read::Outside outside, std::int64_t at, std::int64_t extent)
    {
        if (extent == 0)
            return 0; // which nobody reads
        if (outside == Read::Outside::Clamp || extent == 1)
            return std::clamp<std::int64_t>(at, 0, extent - 1);
        if (outside == Read::Outside::Wrap)
            return ((at % extent) + extent) % extent;
        const std::int64_t period = 2 * (extent - 1);
        const std::int64_t place = ((at % period) + period) % period;
        return place < extent ? place : period - place;
    }

    /// A constant of one element is a literal.
    void literalConstants(Nest &nest)
    {
        const auto literal = [&](const Expr::Node &leaf) -> Expr {
            if (leaf.fn != Fn::Load)
                return {};
            const NestRead &read = nest.reads[std::size_t(leaf.index)];
            const BlockTensor &tensor = m_block.tensors[std::size_t(read.tensor)];
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
    std::map<TensorId, int> m_tensorOf;
    BlockNests m_block;
};

/// Joins nests: what only moves elements or computes each by itself goes into its readers, or into
/// the reduction that it reads.
class NestFusion {
public:
    explicit NestFusion(BlockNests &block)
        : m_block(block), m_writers(block.tensors.size()), m_readers(block.tensors.size())
    {
        for (int n = 0; n < int(block.nests.size()); ++n) {
            for (const NestStore &store : block.nests[std::size_t(n)].stores)
                m_writers[std::size_t(store.tensor)].push_back(n);
            std::set<int> tensors;
            for (const NestRead &read : block.nests[std::size_t(n)].reads)
                tensors.insert(read.tensor);
            for (const int tensor : tensors)
                ++m_readers[std::size_t(tensor)];
        }
    }

    void run()
    {
        for (int n = 0; n < int(m_block.nests.size()); ++n) {
            inlineProducers(n);
            if (!m_block.nests[std::size_t(n)].reduces())
                mergeIntoReduction(n);
        }
        dropUnneeded();
        for (Nest &nest : m_block.nests)
            dropUnusedReads(nest);
    }

private:
    /// The nest that alone writes the tensor and is still one of its own; -1: there is none.
    int soleWriter(int tensor) const
    {
        const auto &writers = m_writers[std::size_t(tensor)];
        return writers.size() == 1 ? writers.front() : -1;
    }

    static bool onlyMoves(const Nest &nest)
    {
        return !nest.reduces() && nest.stores.size() == 1 &&
               nest.stores.front().value->fn == Fn::Load;
    }

    bool worthInlining(const Nest &reader, const NestRead &read, const Nest &producer) const
    {
        const NestStore &store = producer.stores.front();
        const BlockTensor &tensor = m_block.tensors[std::size_t(read.tensor)];
        const int work = workOf(store.value);
        if (onlyMoves(producer))
            return true;
        const std::int64_t times =
            reader.points(true) / std::max<std::int64_t>(tensor.elements(), 1);
        const int readers = m_readers[std::size_t(read.tensor)];
        const bool written = tensor.role == BlockTensor::Role::Output;
        if (reader.reduces())
            return times <= 1 && readers == 1 && !written;
        return (times <= 1 && readers == 1 && !written) || (work <= cheapWork && times <= 4);
    }

    void inlineProducers(int number)
    {
        // Reads that are added bring producers that have been through this already.
        for (std::size_t r = 0; r < m_block.nests[std::size_t(number)].reads.size(); ++r) {
            Nest &nest = m_block.nests[std::size_t(number)];
            const int writer = soleWriter(nest.reads[r].tensor);
            if (writer < 0 || writer == number)
                continue;
            const Nest &producer = m_block.nests[std::size_t(writer)];
            if (producer.reduces() || producer.stores.size() != 1 || nest.reads[r].guarded ||
                !worthInlining(nest, nest.reads[r], producer))
                continue;
            const auto lookedUp = isLookedUp(nest, int(r));
            if (lookedUp && !onlyMoves(producer))
                continue;
            const auto axes = axesFrom(producer.stores.front().map, producer.extents(),
                                       nest.reads[r].map, nest.extents());
            if (axes)
                inlineInto(nest, int(r), producer, *axes);
        }
    }

    static bool isLookedUp(const Nest &nest, int read)
    {
        bool found = false;
        for (const NestRead &other : nest.reads)
            for (const IndexForm &form : other.map)
                form.forEachLookup([&](int number) { found = found || number == read; });
        return found;
    }

    /// Adds the producer's reads, seen from the nest, and gives their numbers there.
    static std::vector<int> adoptReads(Nest &nest, const Nest &producer,
                                       const std::vector<IndexForm> &axes)
    {
        const std::vector<std::int64_t> extents = nest.extents();
        const int first = int(nest.reads.size());
        std::vector<int> numbers;
        for (std::size_t r = 0; r < producer.reads.size(); ++r)
            numbers.push_back(first + int(r));
        for (const NestRead &read : producer.reads) {
            NestRead adopted = read;
            for (IndexForm &form : adopted.map)
                // First its own lookups: the axes' are the nest's.
                form = form.renumbered([&](int old) { return numbers[std::size_t(old)]; })
                           .substituted(
                               [&](int axis) -> std::optional<IndexForm> {
                                   return axes[std::size_t(axis)];
                               },
                               extents);
            nest.reads.push_back(std::move(adopted));
        }
        return numbers;
    }

    /// A value of the producer, seen from the nest.
    static Expr adopted(const Expr &value, const std::vector<int> &reads,
                        const std::vector<IndexForm> &axes,
                        const std::function<Expr(const Expr::Node &)> &instead = {})
    {
        return rewritten(value, [&](const Expr::Node &leaf) -> Expr {
            if (instead)
                if (Expr other = instead(leaf); !other.empty())
                    return other;
            if (leaf.fn == Fn::Load)
                return Expr::load(reads[std::size_t(leaf.index)], leaf.type);
            if (leaf.fn == Fn::Inside)
                return Expr::inside(reads[std::size_t(leaf.index)]);
            if (leaf.fn == Fn::Axis)
                return exprOf(axes[std::size_t(leaf.index)]);
            return {};
        });
    }

    const BlockTensor &tensorOf(const NestStore &store) const
    {
        return m_block.tensors[std::size_t(store.tensor)];
    }

    /// A value as its reader finds it: rounded, or cut, to what the tensor holds.
    static Expr asStored(const Expr &value, DataType type)
    {
        const bool same = value.type() == type;
        const bool fits = value->fn == Fn::Load || value->fn == Fn::Cast ||
                          type == DataType::Float || type == DataType::Double ||
                          type == DataType::Int64 || type == DataType::Uint64;
        return same && fits ? value : Expr::cast(value, type);
    }

    void inlineInto(Nest &nest, int read, const Nest &producer, const std::vector<IndexForm> &axes)
    {
        const std::vector<int> reads = adoptReads(nest, producer, axes);
        const Expr value = asStored(adopted(producer.stores.front().value, reads, axes),
                                    tensorOf(producer.stores.front()).type);
        const auto instead = [&](const Expr::Node &leaf) -> Expr {
            if (leaf.fn == Fn::Load && leaf.index == read)
                return value;
            return {};
        };
        if (!nest.body.empty())
            nest.body = rewritten(nest.body, instead);
        for (NestStore &store : nest.stores)
            store.value = rewritten(store.value, instead);
        if (value->fn == Fn::Load)
            for (NestRead &other : nest.reads)
                for (IndexForm &form : other.map)
                    form = form.renumbered(
                        [&](int number) { return number == read ? value->index : number; });
        nest.nodes.insert(nest.nodes.begin(), producer.nodes.begin(), producer.nodes.end());
    }

    /// Into the last reduction that it reads, if it has one point for each of its results.
    void mergeIntoReduction(int number)
    {
        const Nest &nest = m_block.nests[std::size_t(number)];
        int reduction = -1, last = -1;
        for (const NestRead &read : nest.reads)
            for (const int writer : m_writers[std::size_t(read.tensor)])
                if (writer != number && isUsed(nest, read)) {
                    last = std::max(last, writer);
                    if (m_block.nests[std::size_t(writer)].reduces())
                        reduction = std::max(reduction, writer);
                }
        if (reduction < 0 || last != reduction)
            return;
        Nest &target = m_block.nests[std::size_t(reduction)];
        std::optional<std::vector<IndexForm>> axes;
        for (const NestRead &read : nest.reads) {
            const NestStore *store = storeOf(target, read.tensor);
            if (!store || !isUsed(nest, read))
                continue;
            if (read.guarded || soleWriter(read.tensor) != reduction)
                return;
            if (!axes)
                axes = axesThrough(read.map, nest.extents(),
                                   m_block.tensors[std::size_t(read.tensor)].extents, store->map,
                                   target.extents(), target.spaceAxes());
            if (!axes)
                return;
            for (std::size_t d = 0; d < read.map.size(); ++d)
                if (!(read.map[d]
                          .substituted(
                              [&](int axis) -> std::optional<IndexForm> {
                                  return (*axes)[std::size_t(axis)];
                              },
                              target.extents())
                          .joined() == store->map[d].joined()))
                    return;
        }
        if (!axes || nest.points(false) != target.points(false))
            return;
        merge(number, reduction, *axes);
    }

    bool isUsed(const Nest &nest, const NestRead &read) const
    {
        const int number = int(&read - nest.reads.data());
        if (isLookedUp(nest, number))
            return true;
        for (const NestStore &store : nest.stores)
            if (std::ranges::count(readsOf(store.value), number))
                return true;
        return !nest.body.empty() && std::ranges::count(readsOf(nest.body), number);
    }

    static const NestStore *storeOf(const Nest &nest, int tensor)
    {
        const auto found = std::ranges::find(nest.stores, tensor, &NestStore::tensor);
        return found == nest.stores.end() ? nullptr : &*found;
    }

    void merge(int number, int reduction, const std::vector<IndexForm> &axes)
    {
        Nest &nest = m_block.nests[std::size_t(number)];
        Nest &target = m_block.nests[std::size_t(reduction)];
        const std::vector<std::int64_t> extents = target.extents();
        const std::vector<int> reads = adoptReads(target, nest, axes);
        for (const NestStore &store : nest.stores) {
            NestStore moved;
            moved.tensor = store.tensor;
            for (const IndexForm &form : store.map)
                moved.map.push_back(form.substituted(
                    [&](int axis) -> std::optional<IndexForm> { return axes[std::size_t(axis)]; },
                    extents));
            moved.value = adopted(store.value, reads, axes, [&](const Expr::Node &leaf) -> Expr {
                if (leaf.fn != Fn::Load)
                    return {};
                const NestStore *from = storeOf(target, nest.reads[std::size_t(leaf.index)].tensor);
                return from ? asStored(from->value, tensorOf(*from).type) : Expr();
            });
            std::ranges::replace(m_writers[std::size_t(store.tensor)], number, reduction);
            target.stores.push_back(std::move(moved));
        }
        target.nodes.insert(target.nodes.end(), nest.nodes.begin(), nest.nodes.end());
        nest.stores.clear();
        nest.reads.clear();
    }

    /// Stores that nobody reads, and nests without stores.
    void dropUnneeded()
    {
        std::set<int> needed;
        for (std::size_t t = 0; t < m_block.tensors.size(); ++t)
            if (m_block.tensors[t].role == BlockTensor::Role::Output)
                needed.insert(int(t));
        for (std::size_t n = m_block.nests.size(); n-- > 0;) {
            Nest &nest = m_block.nests[n];
            std::erase_if(nest.stores,
                          [&](const NestStore &store) { return !needed.contains(store.tensor); });
            if (nest.stores.empty())
                continue;
            for (const NestRead &read : nest.reads)
                if (isUsed(nest, read))
                    needed.insert(read.tensor);
        }
        std::erase_if(m_block.nests, [](const Nest &nest) { return nest.stores.empty(); });
    }

    static void dropUnusedReads(Nest &nest)
    {
        std::set<int> used;
        const std::function<void(int)> use = [&](int read) {
            if (!used.insert(read).second)
                return;
            for (const IndexForm &form : nest.reads[std::size_t(read)].map)
                form.forEachLookup(use);
        };
        if (!nest.body.empty())
            std::ranges::for_each(readsOf(nest.body), use);
        for (const NestStore &store : nest.stores)
            std::ranges::for_each(readsOf(store.value), use);
        std::vector<int> numbers(nest.reads.size(), -1);
        std::vector<NestRead> kept;
        for (const int read : used) {
            numbers[std::size_t(read)] = int(kept.size());
            kept.push_back(std::move(nest.reads[std::size_t(read)]));
        }
        for (NestRead &read : kept)
            for (IndexForm &form : read.map)
                form = form.renumbered([&](int old) { return numbers[std::size_t(old)]; });
        nest.reads = std::move(kept);
        const auto renumber = [&](const Expr::Node &leaf) -> Expr {
            if (leaf.fn == Fn::Load)
                return Expr::load(numbers[std::size_t(leaf.index)], leaf.type);
            if (leaf.fn == Fn::Inside)
                return Expr::inside(numbers[std::size_t(leaf.index)]);
            return {};
        };
        if (!nest.body.empty())
            nest.body = rewritten(nest.body, renumber);
        for (NestStore &store : nest.stores)
            store.value = rewritten(store.value, renumber);
    }

    BlockNests &m_block;
    std::vector<std::vector<int>> m_writers; // by tensor: the nests that write it
    std::vector<int> m_readers;              // by tensor: how many nests read it, at first
};

} // namespace

Result<BlockNests> nestsOf(const Graph &graph, const Opsets &opsets,
                           const std::vector<NodeId> &nodes)
{
    RawNests raw(graph, opsets, nodes);
    for (const NodeId id : nodes)
        if (auto added = raw.add(id); !added)
            return tl::unexpected(added.error());
    BlockNests block = std::move(raw).take();
    NestFusion(block).run();
    return block;
}

} // namespace graphloom
