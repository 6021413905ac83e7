// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_graph.h"

#include <QTest>
#include <algorithm>
#include <map>
#include <set>

using namespace graphloom;
using test::below;
using test::chance;
using test::Random;

namespace {

Node nodeOf(std::string op, std::vector<TensorId> inputs, std::vector<TensorId> outputs)
{
    Node node;
    node.name = op;
    node.op = std::move(op);
    node.inputs = std::move(inputs);
    node.outputs = std::move(outputs);
    return node;
}

Tensor named(std::string name)
{
    Tensor tensor;
    tensor.name = std::move(name);
    tensor.type = DataType::Float;
    return tensor;
}

Tensor constantOf(std::string name, std::int64_t value)
{
    return Tensor::of(std::move(name), TensorData::fromInt64s({value}));
}

/// Random edits of a batch that never close a cycle: every tensor has a rank, nodes read lower
/// ranks than they write.
class RandomEdits {
public:
    RandomEdits(const Graph &graph, Random &random) : m_random(random), m_editor(graph)
    {
        const double step = 1.0 / double(graph.nodeCount() + 1);
        for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
            m_rank[{i}] = 0;
        for (const NodeId id : graph.order())
            for (const TensorId output : graph.node(id).outputs)
                if (output.valid())
                    m_rank[output] = step * (graph.position(id) + 1);
    }

    void edit()
    {
        switch (below(m_random, 9)) {
        case 0:
        case 1:
            return changeNode();
        case 2:
            return insertNode();
        case 3:
            return redirect();
        case 4:
            return producedToConstant();
        case 5:
            return constantToProduced();
        case 6:
            return changeTensor();
        case 7:
            return changeInputs();
        default:
            removed += m_editor.removeUnused();
        }
    }

    Result<Graph> finish() { return std::move(m_editor).finish(); }
    std::size_t removed = 0;

private:
    const Graph &graph() const { return m_editor.graph(); }

    std::vector<NodeId> nodes() const
    {
        std::vector<NodeId> result;
        for (std::uint32_t i = 0; i < graph().nodeBound(); ++i)
            if (graph().contains(NodeId{i}))
                result.push_back({i});
        return result;
    }

    template <class Wanted> TensorId pickTensor(Wanted wanted)
    {
        std::vector<TensorId> found;
        for (std::uint32_t i = 0; i < graph().tensorBound(); ++i)
            if (graph().contains(TensorId{i}) && wanted(TensorId{i}))
                found.push_back({i});
        return found.empty() ? TensorId{} : found[below(m_random, found.size())];
    }

    bool hasValue(TensorId id) const
    {
        return graph().producer(id).valid() || graph().isExternal(id) ||
               graph().tensor(id).constant;
    }

    TensorId pickBelow(double rank)
    {
        return pickTensor([&](TensorId id) { return hasValue(id) && m_rank[id] < rank; });
    }

    double rankOf(const Node &node)
    {
        double rank = 1;
        for (const TensorId output : node.outputs)
            if (output.valid())
                rank = std::min(rank, m_rank[output]);
        return rank;
    }

    void changeNode()
    {
        const auto all = nodes();
        if (all.empty())
            return;
        const NodeId id = all[below(m_random, all.size())];
        Node node = graph().node(id);
        if (chance(m_random, 0.3))
            node.attributes = node.attributes.with("axis", std::int64_t(below(m_random, 5)));
        if (chance(m_random, 0.6)) {
            const TensorId input = pickBelow(rankOf(node));
            if (chance(m_random, 0.3))
                node.inputs.push_back(input);
            else if (!node.inputs.empty())
                node.inputs[below(m_random, node.inputs.size())] =
                    chance(m_random, 0.1) ? TensorId{} : input;
        }
        if (chance(m_random, 0.1) && node.inputs.size() > 1)
            node.inputs.pop_back();
        m_editor.replaceNode(id, std::move(node));
    }

    void insertNode()
    {
        const double rank = double(1 + below(m_random, 99)) / 100;
        const TensorId output = m_editor.addTensor(named("new"));
        m_rank[output] = rank;
        std::vector<TensorId> inputs;
        for (std::uint64_t count = 1 + below(m_random, 6); count > 0; --count)
            inputs.push_back(pickBelow(rank));
        m_editor.addNode(nodeOf("New", std::move(inputs), {output}));
    }

    void redirect()
    {
        const TensorId from = pickTensor([&](TensorId id) { return hasValue(id); });
        if (!from.valid())
            return;
        const TensorId to = pickTensor(
            [&](TensorId id) { return hasValue(id) && m_rank[id] <= m_rank[from] && id != from; });
        if (to.valid())
            m_editor.replaceUses(from, to);
    }

    void producedToConstant()
    {
        const auto all = nodes();
        if (all.empty())
            return;
        const NodeId id = all[below(m_random, all.size())];
        const auto outputs = graph().node(id).outputs;
        const bool early = chance(m_random, 0.5); // both orders of the two edits are allowed
        const auto setConstants = [&] {
            for (const TensorId output : outputs)
                if (output.valid())
                    m_editor.setTensor(output,
                                       constantOf("folded", std::int64_t(below(m_random, 3))));
        };
        if (early)
            setConstants();
        m_editor.removeNode(id);
        if (!early)
            setConstants();
    }

    void constantToProduced()
    {
        const TensorId id = pickTensor([&](TensorId tensor) {
            return graph().tensor(tensor).constant != nullptr && !graph().isExternal(tensor);
        });
        if (!id.valid())
            return;
        double rank = 1;
        for (const Use &use : graph().uses(id))
            rank = std::min(rank, rankOf(graph().node(use.node)));
        rank *= 0.5;
        m_rank[id] = rank; // before the pick, which must not find the tensor itself
        const TensorId input = pickBelow(rank);
        if (!input.valid())
            return;
        m_editor.setTensor(id, named("produced"));
        m_editor.addNode(nodeOf("Unfold", {input}, {id}));
    }

    void changeTensor()
    {
        const TensorId id = pickTensor([&](TensorId) { return true; });
        if (!id.valid())
            return;
        Tensor tensor = graph().tensor(id);
        if (tensor.constant)
            tensor = constantOf(tensor.name, std::int64_t(below(m_random, 5)));
        else
            tensor.shape = Shape{Dim(std::int64_t(below(m_random, 4)))};
        m_editor.setTensor(id, std::move(tensor));
    }

    void changeInputs()
    {
        std::vector<TensorId> inputs(graph().inputs().begin(), graph().inputs().end());
        if (chance(m_random, 0.5) && inputs.size() > 1) {
            std::shuffle(inputs.begin(), inputs.end(), m_random);
        } else if (chance(m_random, 0.5)) {
            const TensorId id = pickTensor([&](TensorId tensor) {
                return graph().tensor(tensor).constant && !graph().isExternal(tensor);
            });
            if (id.valid()) {
                m_editor.setTensor(id, named("promoted"));
                inputs.push_back(id);
            }
        } else if (!inputs.empty()) {
            m_editor.setTensor(inputs.back(), constantOf("fixed", 9));
            inputs.pop_back();
        }
        m_editor.setInputs(std::move(inputs));
    }

    Random &m_random;
    GraphEditor m_editor;
    std::map<TensorId, double> m_rank;
};

/// x -> A -> a -> B -> b (output)
struct Chain {
    TensorId x, a, b;
    NodeId first, second;
    Graph graph;

    Chain()
    {
        GraphEditor editor;
        x = editor.addTensor(named("x"));
        a = editor.addTensor(named("a"));
        b = editor.addTensor(named("b"));
        editor.setInputs({x});
        first = editor.addNode(nodeOf("A", {x}, {a}));
        second = editor.addNode(nodeOf("B", {a}, {b}));
        editor.setOutputs({b});
        graph = *std::move(editor).finish();
    }
};

/// What finish() says against the edits; "accepted" when it says nothing.
std::string refusalOf(GraphEditor editor)
{
    const auto result = std::move(editor).finish();
    if (result)
        return "accepted";
    return (result.error().kind == Error::Kind::Model ? "" : "not a Model error: ") +
           result.error().text();
}

#define VERIFY_REFUSED(editor, what)                                                               \
    do {                                                                                           \
        const std::string refusal = refusalOf(editor);                                             \
        QVERIFY2(refusal.find(what) != std::string::npos && refusal.find("not a Model") != 0,      \
                 refusal.c_str());                                                                 \
    } while (false)

} // namespace

class GraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void hashIgnoresIdsNamesAndConstruction();
    void hashTellsDifferencesApart();
    void hashTellsRematerializationApart();
    void incrementalHashEqualsRebuilt();
    void editsLeaveTheBaseAlone();
    void survivorsKeepTheirIds();
    void orderStaysWhereItCan();
    void orderIsRepaired();
    void wishedOrderIsKept();
    void replaceUsesRewritesReadersAndOutputs();
    void removeUnusedKeepsWhatCounts();
    void removingAnInputMovesTheOthersUp();
    void inputsKeepTheirPlaceWhenTheirProducerGoes();
    void neighboursAreListedOnce();
    void cyclesAreRefused();
    void doubleProducersAreRefused();
    void producedConstantsAndInputsAreRefused();
    void danglingReadsAreRefused();
    void unknownTensorsAreRefused();
    void brokenListsAreRefused();
    void manyReadersAndOutputs();
    void insertedGraphComputesInPlace();
    void insertedGraphNeedsItsInputs();
};

void GraphTest::hashIgnoresIdsNamesAndConstruction()
{
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        const Graph graph = test::randomGraph(random);
        const Graph other = test::rebuilt(graph, random);
        QVERIFY2(test::defectOf(graph).empty(), qPrintable(QString("seed %1").arg(seed)));
        QVERIFY2(test::defectOf(other).empty(), qPrintable(QString("seed %1").arg(seed)));
        QVERIFY2(graph.hash() == other.hash(), qPrintable(QString("seed %1").arg(seed)));
    }
}

void GraphTest::hashTellsDifferencesApart()
{
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        const Graph graph = test::randomGraph(random);
        QVERIFY2(seen.insert(graph.hash()).second, qPrintable(QString("seed %1").arg(seed)));
        for (int i = 0; i < 5; ++i) { // one changed attribute somewhere
            const NodeId id = graph.order()[below(random, graph.nodeCount())];
            Node node = graph.node(id);
            node.attributes = node.attributes.with("axis", std::int64_t(100 + i));
            const auto changed = graph.with(id, std::move(node));
            QVERIFY(changed);
            QVERIFY2(seen.insert(changed->hash()).second, qPrintable(QString("seed %1").arg(seed)));
        }
    }
    // Small differences, each a pair that a weaker hash confuses.
    const auto build = [](auto fill) {
        GraphEditor editor;
        const TensorId x = editor.addTensor(named("x")), y = editor.addTensor(named("y"));
        const TensorId z = editor.addTensor(named("z")), o = editor.addTensor(named("o"));
        editor.setInputs({x, y});
        editor.setOutputs({o});
        fill(editor, x, y, z, o);
        return std::move(editor).finish()->hash();
    };
    const std::vector<std::uint64_t> hashes = {
        build([](auto &e, auto x, auto y, auto, auto o) {
            e.addNode(nodeOf("Sub", {x, y}, {o}));
        }),
        build([](auto &e, auto x, auto y, auto, auto o) {
            e.addNode(nodeOf("Sub", {y, x}, {o}));
        }),
        build([](auto &e, auto x, auto, auto, auto o) {
            e.addNode(nodeOf("Sub", {x, x}, {o}));
        }),
        build([](auto &e, auto x, auto, auto, auto o) { e.addNode(nodeOf("Sub", {x}, {o})); }),
        build([](auto &e, auto x, auto, auto, auto o) {
            e.addNode(nodeOf("Sub", {x, TensorId{}}, {o}));
        }),
        build([](auto &e, auto x, auto, auto, auto o) {
            e.addNode(nodeOf("Sub", {TensorId{}, x}, {o}));
        }),
        build([](auto &e, auto x, auto, auto z, auto o) { // which of two outputs is the result
            e.addNode(nodeOf("Sub", {x}, {z, o}));
        }),
        build([](auto &e, auto x, auto, auto z, auto o) {
            e.addNode(nodeOf("Sub", {x}, {o, z}));
        }),
    };
    QCOMPARE(std::set(hashes.begin(), hashes.end()).size(), hashes.size());
}

void GraphTest::hashTellsRematerializationApart()
{
    // P is computed once or twice; R and S read either copy.
    const auto build = [](bool twice, bool crossed) {
        GraphEditor editor;
        const TensorId x = editor.addTensor(named("x"));
        const TensorId p = editor.addTensor(named("p")), q = editor.addTensor(named("q"));
        editor.setInputs({x});
        editor.addNode(nodeOf("P", {x}, {p}));
        if (twice)
            editor.addNode(nodeOf("P", {x}, {q}));
        const TensorId other = twice ? q : p;
        std::vector<TensorId> outputs;
        int i = 0;
        // The readers are R, R, S, S: which two share a copy is all that differs.
        for (const char *op : {"R", "R", "S", "S"}) {
            const TensorId o = editor.addTensor(named("o"));
            Node node = nodeOf(op, {crossed ? (i % 2 ? other : p) : (i / 2 ? other : p)}, {o});
            editor.addNode(std::move(node));
            outputs.push_back(o);
            ++i;
        }
        editor.setOutputs(outputs);
        return std::move(editor).finish()->hash();
    };
    const std::set<std::uint64_t> hashes = {build(false, false), build(true, false),
                                            build(true, true)};
    QCOMPARE(hashes.size(), std::size_t(3));
    QCOMPARE(build(false, false), build(false, true));
}

void GraphTest::incrementalHashEqualsRebuilt()
{
    std::size_t edits = 0, removed = 0;
    for (std::uint64_t seed = 0; seed < 250; ++seed) {
        Random random(seed);
        test::RandomGraphOptions options;
        options.nodes = 1 + std::uint32_t(below(random, 80));
        Graph graph = test::randomGraph(random, options);
        for (int batch = 0; batch < 8; ++batch) {
            RandomEdits changes(graph, random);
            for (std::uint64_t count = 1 + below(random, 6); count > 0; --count, ++edits)
                changes.edit();
            auto edited = changes.finish();
            const auto place = QString("seed %1, batch %2: ").arg(seed).arg(batch);
            QVERIFY2(edited, qPrintable(place + (edited ? "" : edited.error().text().c_str())));
            const std::string defect = test::defectOf(*edited);
            QVERIFY2(defect.empty(), qPrintable(place + defect.c_str()));
            QVERIFY2(edited->hash() == test::rebuilt(*edited, random).hash(), qPrintable(place));
            removed += changes.removed;
            graph = *std::move(edited);
        }
    }
    QVERIFY(edits > 5000);
    QVERIFY(removed > 100);
}

void GraphTest::editsLeaveTheBaseAlone()
{
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Random random(seed);
        const Graph base = test::randomGraph(random);
        const std::uint64_t before = base.hash();
        const std::vector<NodeId> order(base.order().begin(), base.order().end());
        RandomEdits changes(base, random);
        for (int i = 0; i < 10; ++i)
            changes.edit();
        QVERIFY(changes.finish());
        QCOMPARE(base.hash(), before);
        QVERIFY(std::equal(order.begin(), order.end(), base.order().begin(), base.order().end()));
        QVERIFY(test::defectOf(base).empty());
        QCOMPARE(test::rebuilt(base, random).hash(), before);
    }
    // A copy of the graph under edit is a value of its own, too.
    const Chain chain;
    GraphEditor editor(chain.graph);
    const TensorId c = editor.addTensor(named("c"));
    editor.addNode(nodeOf("C", {chain.b}, {c}));
    const Graph copy = editor.graph();
    const TensorId d = editor.addTensor(named("d"));
    editor.addNode(nodeOf("D", {c}, {d}));
    QCOMPARE(copy.nodeCount(), std::size_t(3));
    QCOMPARE(copy.order().size(), std::size_t(3));
    QVERIFY(std::move(editor).finish());
}

void GraphTest::survivorsKeepTheirIds()
{
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Random random(seed);
        const Graph base = test::randomGraph(random);
        GraphEditor editor(base);
        std::map<NodeId, std::string> names;
        for (const NodeId id : base.order())
            names[id] = base.node(id).name;
        // Cut the graph down to what one random tensor needs.
        const NodeId kept = base.order()[below(random, base.nodeCount())];
        TensorId output;
        for (const TensorId candidate : base.node(kept).outputs)
            output = candidate.valid() ? candidate : output;
        editor.setOutputs({output});
        const std::size_t removed = editor.removeUnused();
        const auto cut = std::move(editor).finish();
        QVERIFY(cut);
        QCOMPARE(cut->nodeCount() + removed, base.nodeCount());
        QVERIFY(cut->contains(kept));
        for (const NodeId id : cut->order())
            QCOMPARE(cut->node(id).name, names.at(id));
        for (std::uint32_t i = 0; i < cut->nodeBound(); ++i)
            if (cut->contains(NodeId{i}))
                QCOMPARE(&cut->node({i}), &base.node({i})); // shared, not copied
        QCOMPARE(cut->tensor(output).name, base.tensor(output).name);
    }
}

void GraphTest::orderStaysWhereItCan()
{
    Random random(7);
    const Graph base = test::randomGraph(random);
    // A changed attribute moves nothing.
    Node node = base.node(base.order()[10]);
    node.attributes = node.attributes.with("axis", std::int64_t(77));
    const auto same = base.with(base.order()[10], node);
    QVERIFY(same);
    QVERIFY(std::ranges::equal(same->order(), base.order()));
    // A node inserted on an edge goes there and the others stay in their order.
    const NodeId writer = base.order()[20];
    TensorId before;
    for (const TensorId output : base.node(writer).outputs)
        before = output.valid() ? output : before;
    GraphEditor editor(base);
    const TensorId after = editor.addTensor(named("after"));
    editor.replaceUses(before, after);
    const NodeId added = editor.addNode(nodeOf("Identity", {before}, {after}));
    const auto inserted = std::move(editor).finish();
    QVERIFY(inserted);
    std::vector<NodeId> rest(inserted->order().begin(), inserted->order().end());
    std::erase(rest, added);
    QVERIFY(std::ranges::equal(rest, base.order()));
    QCOMPARE(inserted->position(added), base.position(writer) + 1);
}

void GraphTest::orderIsRepaired()
{
    for (std::uint64_t seed = 0; seed < 30; ++seed) { // rebuilt() adds nodes in a random order
        Random random(seed);
        test::RandomGraphOptions options;
        options.nodes = 200;
        const Graph graph = test::rebuilt(test::randomGraph(random, options), random);
        QVERIFY(test::defectOf(graph).empty());
        GraphEditor editor(graph);
        std::vector<NodeId> wished(graph.order().begin(), graph.order().end());
        std::shuffle(wished.begin(), wished.end(), random);
        editor.setOrder(wished);
        const auto ordered = std::move(editor).finish();
        QVERIFY(ordered);
        QVERIFY(test::defectOf(*ordered).empty());
        QCOMPARE(ordered->hash(), graph.hash());
    }
}

void GraphTest::wishedOrderIsKept()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x"));
    editor.setInputs({x});
    std::vector<NodeId> nodes;
    for (int i = 0; i < 3; ++i)
        nodes.push_back(editor.addNode(nodeOf("A", {x}, {editor.addTensor(named("y"))})));
    editor.setOrder({nodes[2], nodes[0], nodes[1]});
    auto graph = std::move(editor).finish();
    QVERIFY(graph);
    QVERIFY(std::ranges::equal(graph->order(), std::vector{nodes[2], nodes[0], nodes[1]}));
    GraphEditor wrong(*graph);
    wrong.setOrder({nodes[2], nodes[0], nodes[0]});
    VERIFY_REFUSED(wrong, "order");
}

void GraphTest::replaceUsesRewritesReadersAndOutputs()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x")), y = editor.addTensor(named("y"));
    const TensorId o = editor.addTensor(named("o"));
    editor.setInputs({x, y});
    Node node = nodeOf("F", {x, TensorId{}, x}, {o});
    node.captures = {x};
    const NodeId id = editor.addNode(node);
    editor.setOutputs({o, x});
    editor.replaceUses(x, y);
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    QCOMPARE(graph->node(id).inputs, (std::vector<TensorId>{y, {}, y}));
    QCOMPARE(graph->node(id).captures, std::vector<TensorId>{y});
    QVERIFY(graph->uses(x).empty());
    QCOMPARE(graph->uses(y).size(), std::size_t(3));
    QVERIFY(std::ranges::equal(graph->outputs(), std::vector{o, y}));
}

void GraphTest::removeUnusedKeepsWhatCounts()
{
    Chain chain;
    GraphEditor editor(chain.graph);
    const TensorId weight = editor.addTensor(constantOf("w", 1));
    const TensorId side = editor.addTensor(named("side")), end = editor.addTensor(named("end"));
    const NodeId n1 = editor.addNode(nodeOf("C", {chain.a, weight}, {side}));
    const NodeId n2 = editor.addNode(nodeOf("D", {side}, {end}));
    QCOMPARE(editor.removeUnused(), std::size_t(2));
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    for (const TensorId gone : {weight, side, end})
        QVERIFY(!graph->contains(gone));
    QVERIFY(!graph->contains(n1) && !graph->contains(n2));
    QVERIFY(graph->contains(chain.x) && graph->contains(chain.first));
    QCOMPARE(graph->hash(), chain.graph.hash());
    // Graph inputs stay although nobody reads them.
    GraphEditor idle(*graph);
    idle.setOutputs({chain.x});
    QCOMPARE(idle.removeUnused(), std::size_t(2));
    const auto bare = std::move(idle).finish();
    QVERIFY(bare);
    QVERIFY(bare->contains(chain.x));
    QCOMPARE(bare->nodeCount(), std::size_t(0));
}

void GraphTest::removingAnInputMovesTheOthersUp()
{
    const auto build = [](bool extra) {
        GraphEditor editor;
        const TensorId unused = editor.addTensor(named("unused")), x = editor.addTensor(named("x"));
        const TensorId o = editor.addTensor(named("o"));
        editor.setInputs(extra ? std::vector{unused, x} : std::vector{x});
        editor.addNode(nodeOf("F", {x}, {o}));
        editor.setOutputs({o});
        return std::pair(*std::move(editor).finish(), unused);
    };
    const auto [graph, unused] = build(true);
    GraphEditor editor(graph);
    editor.removeTensor(unused);
    const auto cut = std::move(editor).finish();
    QVERIFY(cut);
    QCOMPARE(cut->inputs().size(), std::size_t(1));
    QCOMPARE(cut->hash(), build(false).first.hash());
    QVERIFY(cut->hash() != graph.hash());
}

void GraphTest::inputsKeepTheirPlaceWhenTheirProducerGoes()
{
    const Chain chain;
    const auto cut = [&](bool inputsFirst) {
        GraphEditor editor(chain.graph);
        if (inputsFirst)
            editor.setInputs({chain.x, chain.a});
        editor.removeNode(chain.first);
        if (!inputsFirst)
            editor.setInputs({chain.x, chain.a});
        return *std::move(editor).finish();
    };
    Random random(1);
    QCOMPARE(cut(true).hash(), cut(false).hash());
    QCOMPARE(cut(true).hash(), test::rebuilt(cut(false), random).hash());
}

void GraphTest::neighboursAreListedOnce()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x"));
    const TensorId a = editor.addTensor(named("a")), b = editor.addTensor(named("b"));
    const TensorId c = editor.addTensor(named("c")), d = editor.addTensor(named("d"));
    editor.setInputs({x});
    const NodeId split = editor.addNode(nodeOf("Split", {x}, {a, b}));
    Node twice = nodeOf("F", {a, b, a}, {c});
    twice.captures = {b};
    const NodeId reader = editor.addNode(twice);
    const NodeId other = editor.addNode(nodeOf("G", {a}, {d}));
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    QCOMPARE(graph->successors(split), (std::vector{reader, other}));
    QCOMPARE(graph->predecessors(reader), std::vector{split});
    QVERIFY(graph->predecessors(split).empty());
}

void GraphTest::cyclesAreRefused()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x"));
    const TensorId a = editor.addTensor(named("a")), b = editor.addTensor(named("b"));
    const TensorId behind = editor.addTensor(named("behind"));
    editor.setInputs({x});
    editor.addNode(nodeOf("Behind", {b}, {behind})); // waits for the cycle, is not on it
    editor.addNode(nodeOf("First", {x, b}, {a}));
    editor.addNode(nodeOf("Second", {a}, {b}));
    const auto refused = std::move(editor).finish();
    QVERIFY(!refused);
    QCOMPARE(int(refused.error().kind), int(Error::Kind::Model));
    QVERIFY(refused.error().message.find("cycle") != std::string::npos);
    QVERIFY2(refused.error().where.find("First") != std::string::npos ||
                 refused.error().where.find("Second") != std::string::npos,
             refused.error().where.c_str());

    const Chain chain;
    GraphEditor itself(chain.graph);
    itself.replaceNode(chain.second, nodeOf("Self", {chain.b}, {chain.b}));
    VERIFY_REFUSED(itself, "Self");

    GraphEditor capture(chain.graph); // a cycle through a captured tensor
    Node node = chain.graph.node(chain.first);
    node.captures = {chain.b};
    capture.replaceNode(chain.first, node);
    VERIFY_REFUSED(capture, "cycle");
}

void GraphTest::doubleProducersAreRefused()
{
    const Chain chain;
    GraphEditor editor(chain.graph);
    editor.addNode(nodeOf("Again", {chain.x}, {chain.a}));
    VERIFY_REFUSED(editor, "Again");
    GraphEditor twice(chain.graph);
    const TensorId t = twice.addTensor(named("t"));
    twice.addNode(nodeOf("Both", {chain.x}, {t, t}));
    VERIFY_REFUSED(twice, "\"t\" is written twice");
    GraphEditor undone(chain.graph); // the second producer goes again: the first one still counts
    const NodeId again = undone.addNode(nodeOf("Again", {chain.x}, {chain.a}));
    undone.removeNode(again);
    VERIFY_REFUSED(undone, "twice");
}

void GraphTest::producedConstantsAndInputsAreRefused()
{
    const Chain chain;
    GraphEditor constant(chain.graph);
    constant.setTensor(chain.a, constantOf("a", 1));
    VERIFY_REFUSED(constant, "constant");
    GraphEditor input(chain.graph);
    input.setInputs({chain.x, chain.a});
    VERIFY_REFUSED(input, "input");
    GraphEditor written(chain.graph);
    written.addNode(nodeOf("W", {chain.a}, {chain.x}));
    VERIFY_REFUSED(written, "W");
}

void GraphTest::danglingReadsAreRefused()
{
    const Chain chain;
    GraphEditor editor(chain.graph);
    editor.removeNode(chain.first);
    VERIFY_REFUSED(editor, "reads tensor \"a\"");
    GraphEditor names(chain.graph);
    names.removeNode(chain.first);
    const auto refused = std::move(names).finish();
    QVERIFY(refused.error().where.find("\"B\"") != std::string::npos);

    GraphEditor noInput(chain.graph);
    noInput.setInputs({});
    VERIFY_REFUSED(noInput, "reads tensor \"x\"");

    GraphEditor constant(chain.graph);
    const TensorId w = constant.addTensor(constantOf("w", 1)), o = constant.addTensor(named("o"));
    constant.addNode(nodeOf("F", {w}, {o}));
    const auto valid = std::move(constant).finish();
    QVERIFY(valid);
    GraphEditor taken(*valid);
    taken.setTensor(w, named("w")); // its value goes, its reader stays
    VERIFY_REFUSED(taken, "reads tensor \"w\"");

    GraphEditor output(chain.graph);
    output.setOutputs({output.addTensor(named("nothing"))});
    VERIFY_REFUSED(output, "nothing");
}

void GraphTest::unknownTensorsAreRefused()
{
    const Chain chain;
    GraphEditor read(chain.graph);
    read.addNode(nodeOf("R", {TensorId{99}}, {}));
    VERIFY_REFUSED(read, "\"R\"");
    GraphEditor write(chain.graph);
    write.addNode(nodeOf("W", {}, {TensorId{99}}));
    VERIFY_REFUSED(write, "\"W\"");
    GraphEditor output(chain.graph);
    output.setOutputs({TensorId{99}});
    output.removeUnused(); // must not stumble either
    VERIFY_REFUSED(output, "output");
    GraphEditor none(chain.graph);
    none.setOutputs({TensorId{}});
    VERIFY_REFUSED(none, "output");
    GraphEditor input(chain.graph);
    input.setInputs({chain.x, TensorId{99}});
    VERIFY_REFUSED(input, "input");
    GraphEditor removed(chain.graph);
    removed.removeTensor(chain.a);
    VERIFY_REFUSED(removed, "\"a\"");
}

void GraphTest::brokenListsAreRefused()
{
    const Chain chain;
    GraphEditor twice(chain.graph);
    twice.setInputs({chain.x, chain.x});
    VERIFY_REFUSED(twice, "twice");
    GraphEditor both(chain.graph);
    both.setCaptured({chain.x});
    VERIFY_REFUSED(both, "twice");
}

void GraphTest::manyReadersAndOutputs()
{
    // Beyond what entries hold inline, on both sides, with edits in between.
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x"));
    editor.setInputs({x});
    std::vector<TensorId> parts, ends;
    for (int i = 0; i < 40; ++i)
        parts.push_back(editor.addTensor(named("p" + std::to_string(i))));
    editor.addNode(nodeOf("Split", {x}, parts));
    const TensorId whole = editor.addTensor(named("whole"));
    editor.addNode(nodeOf("Concat", parts, {whole}));
    std::vector<NodeId> readers;
    for (int i = 0; i < 300; ++i) {
        ends.push_back(editor.addTensor(named("e")));
        readers.push_back(
            editor.addNode(nodeOf("R", {whole, parts[std::size_t(i % 40)]}, {ends.back()})));
    }
    editor.setOutputs(ends);
    auto graph = std::move(editor).finish();
    QVERIFY(graph);
    Random random(3);
    QCOMPARE(graph->uses(whole).size(), std::size_t(300));
    QCOMPARE(graph->hash(), test::rebuilt(*graph, random).hash());
    GraphEditor fewer(*graph);
    std::shuffle(readers.begin(), readers.end(), random);
    for (std::size_t i = 0; i < 298; ++i)
        fewer.removeNode(readers[i]);
    fewer.setOutputs({whole});
    auto rest = std::move(fewer).finish();
    QVERIFY(rest);
    QCOMPARE(rest->uses(whole).size(), std::size_t(2));
    QVERIFY(test::defectOf(*rest).empty());
    QCOMPARE(rest->hash(), test::rebuilt(*rest, random).hash());
}

namespace {

/// B(A(input, captured), weight).
Graph partToInsert()
{
    GraphEditor editor;
    const TensorId x = editor.addTensor(named("x")), c = editor.addTensor(named("c"));
    const TensorId weight = editor.addTensor(constantOf("weight", 7));
    const TensorId a = editor.addTensor(named("a")), b = editor.addTensor(named("b"));
    editor.setInputs({x});
    editor.setCaptured({c});
    editor.addNode(nodeOf("A", {x, c}, {a}));
    editor.addNode(nodeOf("B", {a, weight}, {b}));
    editor.setOutputs({b, c, weight});
    return *std::move(editor).finish();
}

} // namespace

void GraphTest::insertedGraphComputesInPlace()
{
    GraphEditor editor;
    const TensorId p = editor.addTensor(named("p")), q = editor.addTensor(named("q"));
    editor.setInputs({p, q});
    const auto inserted =
        editor.insert(partToInsert(), std::array<TensorId, 1>{p}, std::array<TensorId, 1>{q});
    QCOMPARE(inserted.nodes.size(), std::size_t(2));
    QCOMPARE(inserted.outputs.size(), std::size_t(3));
    QCOMPARE(inserted.outputs[1], q);
    editor.setOutputs({inserted.outputs[0]});
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    QCOMPARE(graph->node(inserted.nodes[0]).inputs, (std::vector{p, q}));
    QCOMPARE(graph->producer(inserted.outputs[0]), inserted.nodes[1]);
    QVERIFY(graph->tensor(inserted.outputs[2]).constant);
    QVERIFY(test::defectOf(*graph).empty());
}

void GraphTest::insertedGraphNeedsItsInputs()
{
    GraphEditor editor;
    const TensorId p = editor.addTensor(named("p"));
    editor.setInputs({p});
    QVERIFY(editor.insert(partToInsert(), std::array<TensorId, 1>{p}, {}).nodes.empty());
    editor.setOutputs({p});
    const auto graph = std::move(editor).finish();
    QVERIFY(!graph);
    QVERIFY(graph.error().message.find("another number of inputs") != std::string::npos);
}

QTEST_GUILESS_MAIN(GraphTest)
#include "graph_test.moc"
