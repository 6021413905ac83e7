// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/measured_moves.h"

#include "engine/fusion/blocks/fusion_facts.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <map>

namespace graphloom::test::measured_moves_test {

namespace {

/// Two chains of two operators; a search has fused the operators of each.
struct Chains {
    std::unique_ptr<const FusionFacts> facts;
    std::vector<NodeId> nodes;
    std::map<std::size_t, double> seconds; // by size of a block

    Chains()
    {
        Sketch g;
        std::vector<TensorId> results;
        for (const char *name : {"x", "y"})
            results.push_back(g.call("Sigmoid", {g.call("Relu", {g.input(name, {4, 4})})}));
        facts = *FusionFacts::of(g.finish(results), sketchOpset, {}, devices().front(),
                                 [this](std::span<const NodeId> block) {
                                     const auto known = seconds.find(block.size());
                                     return known != seconds.end()
                                                ? std::optional(
                                                      BlockSeconds{known->second, Provenance::Host})
                                                : std::nullopt;
                                 });
        const auto order = facts->ecg().graph().order();
        nodes.assign(order.begin(), order.end());
    }
    BlockGraph apart() const { return BlockGraph(facts->ecg().graph()); }
    BlockGraph fused() const
    {
        BlockGraph blocks = apart();
        for (const NodeId id : nodes)
            for (const NodeId next : blocks.graph().successors(id))
                blocks.merge(blocks.blockOf(id), blocks.blockOf(next));
        return blocks;
    }
    std::size_t provenBlocks() const
    {
        return provenMoves(facts->merger(), apart(), fused()).count();
    }
};

} // namespace

class MeasuredMovesTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void movesThatTakeLongerAreUndone()
    {
        Chains chains;
        chains.seconds = {{1, 1.0}, {2, 3.0}};
        QCOMPARE(chains.provenBlocks(), std::size_t(4));
    }

    void movesThatPayStay()
    {
        Chains chains;
        chains.seconds = {{1, 1.0}, {2, 1.5}};
        QCOMPARE(chains.provenBlocks(), std::size_t(2));
    }

    void whatWasNotMeasuredStays()
    {
        Chains chains;
        chains.seconds = {{2, 3.0}};
        QCOMPARE(chains.provenBlocks(), std::size_t(2));
    }

    void eachChangeIsDecidedByItself()
    {
        Chains chains;
        chains.seconds = {{1, 1.0}, {2, 3.0}};
        BlockGraph before = chains.apart();
        const BlockGraph found = chains.fused();
        // The second chain was fused before, too.
        const NodeId last = chains.nodes.back();
        for (const NodeId id : before.graph().predecessors(last))
            before.merge(before.blockOf(id), before.blockOf(last));
        QCOMPARE(provenMoves(chains.facts->merger(), before, found).count(), std::size_t(3));
    }
};

GRAPHLOOM_TESTS(MeasuredMovesTest)

} // namespace graphloom::test::measured_moves_test

#include "measured_moves_test.moc"
