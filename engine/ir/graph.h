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

/// Holds what is known of a tensor. `shape` is absent while even the rank is unknown. A tensor with
/// `constant` is an initializer (weight, table, folded value): it has no producer.
struct Tensor {
    std::string name;
    DataType type = DataType::Undefined;
    std::optional<Shape> shape;
    std::shared_ptr<const TensorData> constant;
    /// Elements of a small integer tensor that describes shapes, axes or positions, as far as shape
    /// inference knows them: expressions over the model's symbols.
    std::shared_ptr<const std::vector<Dim>> values;
    /// The serialized TypeProto of a value that is not a tensor (sequence, optional, map).
    std::string otherType;

    /// Returns the tensor of a constant.
    static Tensor of(std::string name, TensorData data);
};

/// Represents one operator call. An invalid input id is an omitted optional input, an invalid
/// output id an unused output. `captures` lists the tensors of this graph that the graphs nested in
/// the attributes read: all captured() lists of those graphs, in the order of the attributes.
struct Node {
    std::string domain; // "" is ai.onnx
    std::string op;
    std::string name;
    std::vector<TensorId> inputs, outputs;
    Attributes attributes;
    std::vector<TensorId> captures;
    std::vector<std::pair<std::string, std::string>> metadata; // carried along, not hashed
    /// Nodes of the originally opened model whose work this node does, ascending; not hashed. A
    /// node that is added without origins is its own origin; a node made of others has their
    /// origins (originsOf()), so that they are known however often a graph was edited.
    std::vector<NodeId> origins = {};

    /// Returns "domain.op", or "op" for ai.onnx.
    std::string qualifiedOp() const { return domain.empty() ? op : domain + "." + op; }
    /// Returns the node's name in messages: node "conv1" (Conv).
    std::string label() const;
};

/// Calls visit(tensor, slot) for every tensor that the node reads; captures follow the inputs.
template <class Visit> void forEachRead(const Node &node, Visit visit)
{
    std::uint32_t slot = 0;
    for (const auto *list : {&node.inputs, &node.captures})
        for (const TensorId id : *list) {
            if (id.valid())
                visit(id, slot);
            ++slot;
        }
}

/// Describes one place where a tensor is read; slots beyond the inputs are captures.
struct Use {
    NodeId node;
    std::uint32_t slot;
    auto operator<=>(const Use &) const = default;
};

class Graph;
class GraphEditor;

/// Returns the union of the origins of some nodes of a graph, each once, ascending: the origins of
/// a node made of them.
std::vector<NodeId> originsOf(const Graph &graph, std::span<const NodeId> nodes);

/// Represents a model graph as a value. Copies share their content; edits go through GraphEditor
/// and yield another graph, in which ids of nodes and tensors that still exist stay valid. Nodes
/// form a directed acyclic graph and each tensor has at most one producer: GraphEditor::finish
/// refuses anything else.
class Graph {
public:
    Graph() = default;

    /// Returns the exclusive upper bound of the node ids, which start at 0; some may be of removed
    /// nodes.
    std::uint32_t nodeBound() const { return std::uint32_t(m_nodes.size()); }
    /// Returns the same bound for the tensor ids.
    std::uint32_t tensorBound() const { return std::uint32_t(m_tensors.size()); }
    bool contains(NodeId id) const { return id.index < m_nodes.size() && m_nodes[id.index].node; }
    bool contains(TensorId id) const
    {
        return id.index < m_tensors.size() && m_tensors[id.index].tensor;
    }

    const Node &node(NodeId id) const { return *m_nodes[id.index].node; }
    const Tensor &tensor(TensorId id) const { return *m_tensors[id.index].tensor; }
    /// Return the same with a share in them, which outlives this graph.
    std::shared_ptr<const Node> shared(NodeId id) const { return m_nodes[id.index].node; }
    std::shared_ptr<const Tensor> shared(TensorId id) const { return m_tensors[id.index].tensor; }
    /// Returns the node that writes the tensor; invalid for inputs, constants and captured tensors.
    NodeId producer(TensorId id) const { return m_sources[id.index].producer; }
    std::span<const Use> uses(TensorId id) const { return m_tensors[id.index].uses.view(); }

    /// Returns all nodes in a topological order that is kept stable under edits. It is the order of
    /// the file if that is topological.
    std::span<const NodeId> order() const
    {
        return m_order ? std::span<const NodeId>(m_order->nodes) : std::span<const NodeId>();
    }
    /// Returns the position of a node in order().
    std::uint32_t position(NodeId id) const { return m_order->position[id.index]; }
    std::size_t nodeCount() const { return order().size(); }

    std::span<const TensorId> inputs() const { return m_inputs; }
    std::span<const TensorId> outputs() const { return m_outputs; }
    /// Returns the tensors of a nested graph that stand for tensors of the graph around it.
    std::span<const TensorId> captured() const { return m_captured; }
    bool isInput(TensorId id) const { return m_sources[id.index].external == External::Input; }
    bool isOutput(TensorId id) const;
    /// Tells whether the value comes from outside: a graph input or a captured tensor.
    bool isExternal(TensorId id) const { return m_sources[id.index].external != External::No; }
    const std::string &name() const { return m_name; }

    /// Returns the nodes that read an output of the node, each once, ascending.
    std::vector<NodeId> successors(NodeId id) const;
    /// Returns the nodes that write an input of the node, each once, ascending.
    std::vector<NodeId> predecessors(NodeId id) const;

    /// Returns a hash that is equal for equal graphs whatever their ids and names: a sum over the
    /// nodes, each contributing its operator, attributes and the hashes of its inputs, mixed with a
    /// sum over the readers of its outputs. The second part distinguishes graphs that duplicate a
    /// node for different readers (rematerialization), which look the same upstream.
    std::uint64_t hash() const;
    /// Returns the hash of the computation that yields the tensor.
    std::uint64_t hash(TensorId id) const
    {
        const Source &source = m_sources[id.index];
        return source.producer.valid()
                   ? outputHash(m_states[source.producer.index].hash, source.index)
                   : source.hash;
    }

    /// Returns this graph with one node replaced; the replacement has the same outputs.
    Result<Graph> with(NodeId id, Node replacement) const;

private:
    friend class GraphEditor;

    /// Holds the places where a tensor is read, ascending. Most tensors are read once or twice, so
    /// that copying a chunk of them allocates next to nothing.
    class Uses {
    public:
        std::span<const Use> view() const
        {
            return m_count <= m_few.size() ? std::span<const Use>(m_few.data(), m_count) : m_many;
        }
        void insert(Use use);
        void erase(Use use);

    private:
        std::uint32_t m_count = 0;
        std::array<Use, 2> m_few{};
        std::vector<Use> m_many; // all of them, if they are more than m_few holds
    };

    /// Describes a read of an output of another node.
    struct Link {
        NodeId producer;
        std::uint32_t output = 0; // index among the producer's outputs
        std::uint64_t factor = 1; // of the reader's slot
        bool operator==(const Link &) const = default;
    };
    /// Holds all that rehashing needs, which visits every node downstream of an edit, without a
    /// look at the node or at the tensors.
    struct NodeEntry {
        static constexpr std::uint32_t inlineLinks = 3, manyLinks = ~std::uint32_t{0};

        std::shared_ptr<const Node> node; // null when removed
        std::uint64_t staticHash = 0;     // over operator and attributes
        std::uint64_t sourceSum = 0;      // over the inputs that no node produces
        std::uint32_t linkCount = 0;      // manyLinks: too many to fit in here
        std::array<Link, inlineLinks> links;
    };
    /// Holds what an edit changes for every node downstream of it. At all times `useSum` is the sum
    /// of useShare(hash of the reader, slot) over the uses of the node's outputs.
    struct NodeState {
        std::uint64_t hash = 0; // 0: not hashed yet
        std::uint64_t useSum = 0;
        std::uint64_t term = 0; // its share of m_sum
    };
    struct TensorEntry {
        std::shared_ptr<const Tensor> tensor; // null when removed
        Uses uses;
    };
    /// Tells where a tensor's value comes from, if it is from outside.
    enum class External : std::uint8_t { No, Input, Captured };
    struct Source {
        std::uint64_t hash = 0; // of a tensor without producer
        NodeId producer;
        std::uint32_t index = 0; // among the producer's outputs, or in the list of inputs
        External external = External::No;
        bool constant = false;
    };
    struct Order {
        std::vector<NodeId> nodes;
        std::vector<std::uint32_t> position; // by node id
    };

    // Linear: readers multiply it by a factor of their slot.
    static std::uint64_t outputHash(std::uint64_t nodeHash, std::uint32_t index)
    {
        return nodeHash + index * 0x9e3779b97f4a7c15ULL;
    }

    std::string m_name;
    CowVector<NodeEntry, 64> m_nodes;
    CowVector<NodeState, 64> m_states; // by node id
    CowVector<TensorEntry, 32> m_tensors;
    CowVector<Source, 128> m_sources; // by tensor id
    std::shared_ptr<const Order> m_order;
    std::vector<TensorId> m_inputs, m_outputs, m_captured;
    std::uint64_t m_sum = 0; // over the terms of all nodes
};

/// Makes a batch of edits on a copy of a graph, at a cost proportional to what it changes.
class GraphEditor {
public:
    explicit GraphEditor(Graph base = {}) : m_graph(std::move(base)) {}

    const Graph &graph() const { return m_graph; }

    void setName(std::string name) { m_graph.m_name = std::move(name); }
    TensorId addTensor(Tensor tensor);
    void setTensor(TensorId id, Tensor tensor);
    /// Removes a tensor, which must have neither a producer nor uses; a graph input or output is
    /// dropped from its list.
    void removeTensor(TensorId id);

    /// Adds a node, whose outputs must not have a producer yet. A node without origins is its own.
    NodeId addNode(Node node);
    /// Replaces a node; a replacement without origins has those of the node before.
    void replaceNode(NodeId id, Node node);
    /// Removes a node. Its outputs stay as tensors without a producer until they are removed or
    /// produced anew.
    void removeNode(NodeId id);
    /// Holds the result of insert().
    struct Inserted {
        std::vector<NodeId> nodes;
        std::vector<TensorId> outputs; // stand for its outputs; may be given or constant
    };
    /// Adds the nodes of another graph, in its order, and the tensors that they need. The given
    /// tensors of this graph replace its inputs and its captured tensors, one for each. Ids of the
    /// other graph mean nothing here: the nodes have the given origins, or none but themselves.
    Inserted insert(const Graph &part, std::span<const TensorId> inputs,
                    std::span<const TensorId> captured, std::span<const NodeId> origins = {});
    /// Makes every reader of `from`, and the outputs of the graph, use `to` instead.
    void replaceUses(TensorId from, TensorId to);
    /// Removes nodes whose outputs nobody reads, and tensors that nothing refers to, except graph
    /// inputs. Returns the number of removed nodes.
    std::size_t removeUnused();

    void setInputs(std::vector<TensorId> inputs);
    void setOutputs(std::vector<TensorId> outputs) { m_graph.m_outputs = std::move(outputs); }
    void setCaptured(std::vector<TensorId> captured);
    /// Requests an execution order; finish() keeps it if it is topological and repairs it
    /// otherwise. Must hold every node once.
    void setOrder(std::vector<NodeId> order);

    /// Returns the edited graph. Refuses (Model): an id out of range, a tensor with two producers,
    /// a read tensor that is neither produced, constant, input nor captured, a cycle.
    Result<Graph> finish() &&;

private:
    static Graph::NodeEntry entryOf(Node node);
    std::uint64_t linksOf(const Node &node, std::vector<Graph::Link> &links) const;
    void relink(NodeId id);
    Graph::Order &order();
    void defect(std::string what);
    bool known(TensorId tensor, const Node &node);
    void connect(TensorId tensor, Use use);
    void disconnect(TensorId tensor, Use use);
    void setProducer(TensorId tensor, NodeId producer, std::uint32_t index);
    void clearProducer(TensorId tensor, NodeId producer);
    void addShare(NodeId producer, std::uint64_t share);
    void touchReaders(TensorId id);
    void rehashSource(TensorId id);
    std::uint64_t sourceHash(TensorId id) const;
    void setExternal(std::vector<TensorId> &list, std::vector<TensorId> wanted,
                     Graph::External kind);
    Result<void> check() const;
    Result<void> arrange();
    bool inOrder(NodeId id) const;
    void moveBehindProducers(NodeId id);
    Result<void> sort();
    void rehash();

    Graph m_graph;
    std::shared_ptr<Graph::Order> m_order; // that of m_graph, once this editor has its own copy
    std::vector<NodeId> m_touched;         // nodes whose hash or place may have changed
    std::vector<NodeId> m_rereads;         // nodes whose useSum has changed
    std::vector<NodeId> m_removed;         // nodes that m_order still holds
    bool m_reordered = false;              // by setOrder()
    std::string m_defect;                  // first misuse seen while editing
};

} // namespace graphloom
