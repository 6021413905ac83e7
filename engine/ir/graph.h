// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/attributes.h"
#include "engine/ir/cow_vector.h"
#include "engine/ir/dim.h"
#include "engine/ir/id.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// What is known of a tensor. `shape` is absent while even the rank is unknown. A tensor with
/// `constant` is an initializer (weight, table, folded value): it has no producer.
struct Tensor {
    std::string name;
    DataType type = DataType::Undefined;
    std::optional<Shape> shape;
    std::shared_ptr<const TensorData> constant;
    /// The elements of a small integer tensor that describes shapes, axes or positions, as far
    /// as shape inference knows them: expressions over the model's symbols.
    std::shared_ptr<const std::vector<Dim>> values;
    /// For values that are not tensors (sequence, optional, map): the serialized TypeProto.
    std::string otherType;

    /// The tensor of a constant.
    static Tensor of(std::string name, TensorData data);
};

/// One operator call. An invalid input id is an omitted optional input; an invalid output id an
/// output that nobody asked for. `captures` are the tensors of this graph that graphs nested in
/// the attributes read: all captured() lists of those graphs, in the order of the attributes.
struct Node {
    std::string domain; // "" is ai.onnx
    std::string op;
    std::string name;
    std::vector<TensorId> inputs, outputs;
    Attributes attributes;
    std::vector<TensorId> captures;
    std::vector<std::pair<std::string, std::string>> metadata; // carried along, not hashed

    /// "domain.op", or "op" for ai.onnx.
    std::string qualifiedOp() const { return domain.empty() ? op : domain + "." + op; }
};

/// One place where a tensor is read; slots beyond the inputs are captures.
struct Use {
    NodeId node;
    std::uint32_t slot;
    auto operator<=>(const Use &) const = default;
};

class GraphEditor;

/// A model graph: a value. Copies share their content; edits go through GraphEditor and give
/// another graph, in which ids of nodes and tensors that still exist stay valid. Nodes form a
/// directed acyclic graph and each tensor has at most one producer: GraphEditor::finish refuses
/// anything else.
class Graph {
public:
    Graph() = default;

    /// Ids run from 0 to the bound; some of them may be of removed nodes or tensors.
    std::uint32_t nodeBound() const { return std::uint32_t(m_nodes.size()); }
    std::uint32_t tensorBound() const { return std::uint32_t(m_tensors.size()); }
    bool contains(NodeId id) const { return id.index < m_nodes.size() && m_nodes[id.index].node; }
    bool contains(TensorId id) const
    {
        return id.index < m_tensors.size() && m_tensors[id.index].tensor;
    }

    const Node &node(NodeId id) const { return *m_nodes[id.index].node; }
    const Tensor &tensor(TensorId id) const { return *m_tensors[id.index].tensor; }
    /// The node that writes the tensor; invalid for inputs, constants and captured tensors.
    NodeId producer(TensorId id) const { return m_producer[id.index]; }
    std::span<const Use> uses(TensorId id) const { return m_tensors[id.index].uses; }

    /// All nodes in a topological order; kept stable under edits. It is the order of the file
    /// where that was topological.
    std::span<const NodeId> order() const { return m_order; }
    /// Position of a node in order().
    std::uint32_t position(NodeId id) const { return m_position[id.index]; }
    std::size_t nodeCount() const { return m_order.size(); }

    std::span<const TensorId> inputs() const { return m_inputs; }
    std::span<const TensorId> outputs() const { return m_outputs; }
    /// Of a nested graph: its tensors that stand for tensors of the graph around it.
    std::span<const TensorId> captured() const { return m_captured; }
    bool isInput(TensorId id) const;
    bool isOutput(TensorId id) const;
    /// A graph input or a captured tensor: its value comes from outside.
    bool isExternal(TensorId id) const { return m_tensors[id.index].external; }
    const std::string &name() const { return m_name; }

    /// Nodes that read an output of the node / write one of its inputs, each once, ascending.
    std::vector<NodeId> successors(NodeId id) const;
    std::vector<NodeId> predecessors(NodeId id) const;

    /// Equal for equal graphs whatever their ids and names: the sum of the nodes' hashes, each
    /// over operator, attributes and the hashes of its inputs, mixed with a sum over who reads
    /// each tensor. The second part tells apart graphs that duplicate the same node for
    /// different readers (re-materialization), which look the same upstream.
    std::uint64_t hash() const;
    /// Hash of the computation that yields the tensor.
    std::uint64_t hash(TensorId id) const { return m_tensorHash[id.index]; }

    /// This graph with one node replaced; the replacement has the same outputs.
    Result<Graph> with(NodeId id, Node replacement) const;

private:
    friend class GraphEditor;

    struct NodeEntry {
        std::shared_ptr<const Node> node; // null when removed
        std::uint64_t staticHash = 0;     // over operator and attributes
        // What the node reads, inputs then captures, if it is no more than these: rehashing
        // visits every node downstream of an edit and must not follow two pointers for each.
        static constexpr std::uint32_t inlineReads = 4;
        std::uint32_t readCount = 0;
        std::array<TensorId, inlineReads> reads;
        TensorId onlyOutput; // of a node with one output
    };
    struct TensorEntry {
        std::shared_ptr<const Tensor> tensor; // null when removed
        std::uint32_t outputIndex = 0;
        bool external = false; // graph input or captured
        std::vector<Use> uses;
    };

    std::string m_name;
    CowVector<NodeEntry, 32> m_nodes;
    CowVector<TensorEntry, 32> m_tensors;
    std::vector<NodeId> m_order;
    std::vector<std::uint32_t> m_position; // by node id
    std::vector<TensorId> m_inputs, m_outputs, m_captured;
    // Flat, since an edit changes the hashes of everything downstream.
    std::vector<NodeId> m_producer;          // by tensor id
    std::vector<std::uint64_t> m_tensorHash; // by tensor id
    std::vector<std::uint64_t> m_nodeHash; // by node id
    std::vector<std::uint64_t> m_useSum;   // by node id, over all uses of its outputs
    std::vector<std::uint64_t> m_readTerm; // by node id, its share of m_readers
    std::uint64_t m_upstream = 0, m_readers = 0;
};

/// A batch of edits on a copy of a graph. Cheap in proportion to what it changes.
class GraphEditor {
public:
    explicit GraphEditor(Graph base = {}) : m_graph(std::move(base)) {}

    const Graph &graph() const { return m_graph; }

    void setName(std::string name) { m_graph.m_name = std::move(name); }
    TensorId addTensor(Tensor tensor);
    void setTensor(TensorId id, Tensor tensor);
    /// The tensor must have neither producer nor uses; a graph input or output is dropped
    /// from its list.
    void removeTensor(TensorId id);

    /// Outputs of the node must not have a producer yet.
    NodeId addNode(Node node);
    void replaceNode(NodeId id, Node node);
    /// Its outputs stay as tensors without a producer until they are removed or produced anew.
    void removeNode(NodeId id);
    /// Makes every reader of `from`, and the graph's outputs, read `to` instead.
    void replaceUses(TensorId from, TensorId to);
    /// Removes nodes whose outputs nobody reads, and tensors that nothing refers to, except
    /// graph inputs. Returns how many nodes went.
    std::size_t removeUnused();

    void setInputs(std::vector<TensorId> inputs);
    void setOutputs(std::vector<TensorId> outputs) { m_graph.m_outputs = std::move(outputs); }
    void setCaptured(std::vector<TensorId> captured);
    /// A wished execution order; finish() keeps it if it is topological and repairs it
    /// otherwise. Must hold every node once.
    void setOrder(std::vector<NodeId> order);

    /// The edited graph. Refuses (Model): an id out of range, a tensor with two producers, a
    /// read tensor that is neither produced, constant, input nor captured, a cycle.
    Result<Graph> finish() &&;

private:
    static Graph::NodeEntry entryOf(Node node);
    void link(NodeId id);
    void unlink(NodeId id);
    void rehashSource(TensorId id);
    void touchReaders(TensorId id);
    void forgetReaders(TensorId id);
    void addUse(NodeId producer, std::uint64_t share);
    void setExternal(std::vector<TensorId> &list, std::vector<TensorId> wanted);
    void moveBehindProducers(NodeId id);
    bool inOrder(NodeId id) const;
    Result<void> check() const;
    Result<void> sort();
    void rehash();
    std::uint64_t sourceHash(TensorId id) const;

    Graph m_graph;
    std::vector<NodeId> m_touched;       // nodes whose hash or place may have changed
    std::vector<NodeId> m_rereads;       // nodes whose readers' sum may have changed
    bool m_removed = false;              // m_order holds removed nodes
    std::string m_defect;                // first misuse seen while editing
};

} // namespace graphloom
