// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/kernel_key.h"

#include "engine/base/hash.h"
#include "engine/ops/describe/operator_table.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>

namespace graphloom {

namespace {

/// Constants with at most so many elements are parameters of a kernel (axes, pads, an exponent);
/// larger ones are data.
constexpr std::int64_t mostElementsInText = 16;

std::string hexOf(std::uint64_t hash)
{
    std::ostringstream text;
    text << std::hex << std::setw(16) << std::setfill('0') << hash;
    return text.str();
}

std::string typeOf(const Tensor &tensor)
{
    return std::string(nameOf(tensor.type)) + "[" + (tensor.shape ? text(*tensor.shape) : "?") +
           "]";
}

void print(std::ostream &out, const TensorData &data)
{
    out << nameOf(data.type()) << '{';
    if (data.elements() > mostElementsInText || data.type() == DataType::String) {
        out << '#' << hexOf(data.hash());
    } else {
        for (std::int64_t i = 0; i < data.elements(); ++i) {
            out << (i ? "," : "");
            isIntegral(data.type()) ? out << data.integer(i) : out << data.real(i);
        }
    }
    out << '}';
}

struct AttributePrinter {
    std::ostream &out;

    template <class T> void operator()(const T &value) const { out << value; }
    void operator()(const std::string &value) const { out << std::quoted(value); }
    void operator()(const TensorData &value) const { print(out, value); }
    void operator()(const GraphPointer &value) const { out << "graph#" << hexOf(value->hash()); }
    void operator()(const RawAttribute &value) const { out << '#' << hexOf(hashText(value.bytes)); }
    template <class T> void operator()(const std::vector<T> &values) const
    {
        out << '[';
        for (std::size_t i = 0; i < values.size(); ++i) {
            out << (i ? "," : "");
            (*this)(values[i]);
        }
        out << ']';
    }
};

/// Formats a call: "Conv@11{group=1,strides=[2,2]}".
std::string callOf(const Node &node, const Opsets &opsets)
{
    std::ostringstream out;
    out.precision(9); // distinguishes all floats
    const std::int64_t opset = opsets(node.domain);
    const Operator *entry = findOperator(node.domain, node.op, opset);
    out << node.qualifiedOp() << '@' << (entry ? entry->since : opset);
    if (node.attributes.size() > 0) {
        char before = '{';
        for (const Attribute &attribute : node.attributes) {
            out << std::exchange(before, ',') << attribute.name << '=';
            std::visit(AttributePrinter{out}, attribute.value);
        }
        out << '}';
    }
    return out.str();
}

class KernelText {
public:
    KernelText(const Graph &graph, const Opsets &opsets, std::span<const NodeId> nodes)
        : m_graph(graph), m_nodes(nodes.begin(), nodes.end())
    {
        std::ranges::sort(m_nodes, {}, [&](NodeId id) { return graph.position(id); });
        for (const NodeId id : m_nodes)
            m_calls.emplace(id, callOf(graph.node(id), opsets));
        colour();
    }

    /// Lists the nodes that compute each result, in the order of their inputs, so that the text
    /// does not depend on ids. Results are ordered by their colours and, if these are equal, by the
    /// text that they would add.
    void run()
    {
        std::vector<NodeId> ends;
        for (const NodeId id : m_nodes)
            if (std::ranges::none_of(m_graph.successors(id),
                                     [&](NodeId reader) { return m_calls.contains(reader); }))
                ends.push_back(id);
        std::ranges::stable_sort(ends, {}, [&](NodeId id) { return m_colours.at(id); });
        while (!ends.empty()) {
            auto best = ends.begin();
            Numbering numbering = listed(*best);
            for (auto other = best + 1;
                 other != ends.end() && m_colours.at(*other) == m_colours.at(ends.front());
                 ++other) {
                Numbering candidate = listed(*other);
                if (candidate.text < numbering.text) {
                    best = other;
                    numbering = std::move(candidate);
                }
            }
            m_numbering = std::move(numbering);
            ends.erase(best);
        }
    }

    const std::string &structure() const { return m_numbering.text; }
    Result<std::string> shapes() const;

private:
    struct Numbering {
        std::string text;
        std::map<TensorId, std::string> names; // of computed values ("t0"…) and read ones ("x0"…)
        std::vector<TensorId> read, results;
        std::size_t values = 0;
    };

    bool leaves(TensorId id) const
    {
        return m_graph.isOutput(id) || std::ranges::any_of(m_graph.uses(id), [&](const Use &use) {
                   return !m_calls.contains(use.node);
               });
    }
    void colour();
    Numbering listed(NodeId end) const;
    void list(NodeId id, Numbering &numbering) const;
    std::string nameOfRead(TensorId id, Numbering &numbering) const;

    const Graph &m_graph;
    std::vector<NodeId> m_nodes; // in the graph's order
    std::map<NodeId, std::string> m_calls;
    std::map<NodeId, std::uint64_t> m_colours;
    Numbering m_numbering;
};

/// Hashes what each node computes, and then its readers: results that are computed alike but feed
/// different nodes get different colours.
void KernelText::colour()
{
    const auto mix = [&](NodeId id, std::uint64_t seed) {
        const Node &node = m_graph.node(id);
        std::uint64_t hash = hashText(m_calls.at(id), seed);
        forEachRead(node, [&](TensorId input, std::uint32_t slot) {
            const NodeId producer = m_graph.producer(input);
            const auto inside = producer.valid() ? m_colours.find(producer) : m_colours.end();
            hash = combine(hash, inside == m_colours.end() ? slot : inside->second + slot);
        });
        for (const TensorId output : node.outputs)
            hash = combine(hash, output.valid() && leaves(output) ? 1 : 2);
        return hash;
    };
    for (const NodeId id : m_nodes)
        m_colours[id] = mix(id, 0);
    for (int round = 0; round < 2; ++round) {
        for (auto id = m_nodes.rbegin(); id != m_nodes.rend(); ++id) {
            std::uint64_t readers = 0; // a sum, as readers have no order
            for (const TensorId output : m_graph.node(*id).outputs)
                if (output.valid())
                    for (const Use &use : m_graph.uses(output))
                        if (const auto reader = m_colours.find(use.node); reader != m_colours.end())
                            readers += scramble(reader->second + use.slot);
            m_colours[*id] = combine(m_colours[*id], readers);
        }
        for (const NodeId id : m_nodes)
            m_colours[id] = mix(id, m_colours[id]);
    }
}

KernelText::Numbering KernelText::listed(NodeId end) const
{
    Numbering numbering = m_numbering;
    list(end, numbering);
    return numbering;
}

/// Appends "t3, t4! = Op@13{…}(x0, t2, float{2})": "!" marks values that leave the kernel.
void KernelText::list(NodeId end, Numbering &numbering) const
{
    std::set<NodeId> begun;
    std::vector<NodeId> pending = {end};
    while (!pending.empty()) { // no recursion, as blocks may be deep
        const NodeId id = pending.back();
        const Node &node = m_graph.node(id);
        const auto isListed = [&](NodeId candidate) {
            return std::ranges::any_of(m_graph.node(candidate).outputs, [&](TensorId output) {
                return output.valid() && numbering.names.contains(output);
            });
        };
        if (isListed(id)) {
            pending.pop_back();
            continue;
        }
        if (begun.insert(id).second) {
            const std::size_t first = pending.size();
            forEachRead(node, [&](TensorId input, std::uint32_t) {
                const NodeId producer = m_graph.producer(input);
                if (producer.valid() && m_calls.contains(producer) && !isListed(producer))
                    pending.push_back(producer);
            });
            std::reverse(pending.begin() + std::ptrdiff_t(first), pending.end());
            continue;
        }
        pending.pop_back();
        std::string reads;
        std::size_t slot = 0;
        for (const auto *list : {&node.inputs, &node.captures})
            for (const TensorId input : *list)
                reads += (slot++ ? ", " : "") + nameOfRead(input, numbering);
        std::string writes;
        for (const TensorId output : node.outputs) {
            std::string name = "-";
            if (output.valid()) {
                name = "t" + std::to_string(numbering.values++);
                numbering.names[output] = name;
                if (leaves(output)) {
                    numbering.results.push_back(output);
                    name += '!';
                }
            }
            writes += (writes.empty() ? "" : ", ") + name;
        }
        numbering.text += writes + " = " + m_calls.at(id) + "(" + reads + ")\n";
    }
}

std::string KernelText::nameOfRead(TensorId id, Numbering &numbering) const
{
    if (!id.valid())
        return "-";
    const Tensor &tensor = m_graph.tensor(id);
    if (tensor.constant && tensor.constant->elements() <= mostElementsInText) {
        std::ostringstream out;
        out.precision(9);
        print(out, *tensor.constant);
        return out.str();
    }
    auto &name = numbering.names[id];
    if (name.empty()) {
        name = (tensor.constant ? "c" : "x") + std::to_string(numbering.read.size());
        numbering.read.push_back(id);
    }
    return name;
}

/// Formats the shapes: "float[1x3x8x8], float[4x3x3x3] -> float[1x4x8x8]".
Result<std::string> KernelText::shapes() const
{
    std::string all;
    for (const auto *list : {&m_numbering.read, &m_numbering.results}) {
        if (list == &m_numbering.results)
            all += all.empty() ? "-> " : " -> ";
        for (const TensorId id : *list) {
            const Tensor &tensor = m_graph.tensor(id);
            if (!tensor.shape || !isStatic(*tensor.shape))
                return fail(Error::Kind::Usage,
                            "a latency requires fixed extents, but this tensor is " +
                                typeOf(tensor) + "; give the model's inputs fixed shapes",
                            "tensor \"" + tensor.name + "\"");
            all += (id == list->front() ? "" : ", ") + typeOf(tensor);
        }
    }
    return all;
}

} // namespace

std::string profiledDevice(std::string_view fingerprint, unsigned threads)
{
    return std::string(fingerprint) + ", " + std::to_string(threads) +
           (threads == 1 ? " thread" : " threads");
}

std::string profiledDevice(const Device &device, unsigned threads)
{
    return profiledDevice(device.fingerprint.empty() ? device.name : device.fingerprint,
                          threads ? threads : unsigned(std::max(1, device.units)));
}

Result<ProfileKey> kernelKeyOf(const Graph &graph, const Opsets &opsets,
                               std::span<const NodeId> nodes, std::string device)
{
    KernelText kernel(graph, opsets, nodes);
    kernel.run();
    GL_TRY_RESULT(shapes, kernel.shapes());
    return ProfileKey{kernel.structure(), std::move(*shapes), std::move(device), {}};
}

std::uint64_t operatorsHash(const Graph &graph, std::span<const NodeId> nodes)
{
    std::uint64_t sum = 0;
    for (const NodeId id : nodes)
        sum += scramble(hashText(graph.node(id).qualifiedOp()));
    return sum;
}

std::uint64_t operatorsHash(const ProfileKey &key)
{
    // The structure has a line for each node: "t0! = Conv@11{…}(x0, c1)".
    constexpr std::string_view before = " = ";
    std::uint64_t sum = 0;
    for (std::string_view rest = key.structure; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const std::size_t begin = line.find(before), end = line.find('@', begin);
        if (end != std::string_view::npos)
            sum +=
                scramble(hashText(line.substr(begin + before.size(), end - begin - before.size())));
    }
    return sum;
}

} // namespace graphloom
