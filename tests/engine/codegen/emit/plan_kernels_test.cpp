// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/plan_kernels.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/opsets.h"
#include "tests/support/random_network.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::plan_kernels_test {

class PlanKernelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A kernel that is generated alone is the one that it would be among the others.
    void someKernelsAreThoseOfAll()
    {
        int compared = 0;
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            Random random(seed);
            const Graph graph = randomNetwork(random, 17);
            const auto parts = randomBlocks(graph, random, 4);
            GenerateOptions options;
            options.target = targetOf(8);
            const auto all = generateKernels(graph, opset17, parts, options);
            const PartIndex wanted(int(below(random, parts.size())));
            options.only.emplace({wanted});
            const auto some = generateKernels(graph, opset17, parts, options);
            QVERIFY2(all && some, qPrintable(QString::number(seed)));
            for (const BlockIndex block : some->blocks.indices()) {
                const auto &kernel = some->kernels[block], &other = all->kernels[block];
                if (some->part(block) != wanted) {
                    QVERIFY(!kernel);
                    continue;
                }
                QCOMPARE(kernel.has_value(), other.has_value());
                QCOMPARE(some->reasons[block], all->reasons[block]);
                if (!kernel || std::ranges::any_of(all->given(), [&](BlockIndex each) {
                        return !all->kernels[each]; // it may change the storages of others
                    }))
                    continue;
                QCOMPARE(kernel->phases.size(), other->phases.size());
                for (std::size_t p = 0; p < kernel->phases.size(); ++p)
                    QCOMPARE(kernel->phases[PhaseIndex(int(p))].code,
                             other->phases[PhaseIndex(int(p))].code);
                ++compared;
            }
        }
        QVERIFY(compared > 10);
    }

    /// What was generated for other blocks changes nothing: it is taken only where it is the same.
    void kernelsKnownOfOtherBlocksChangeNothing()
    {
        int compared = 0;
        for (std::uint64_t seed = 0; seed < 30; ++seed) {
            Random random(seed);
            const Graph graph = randomNetwork(random, 17);
            GenerateOptions options;
            options.target = targetOf(8);
            const auto others =
                generateKernels(graph, opset17, randomBlocks(graph, random, 4), options);
            const auto parts = randomBlocks(graph, random, 4);
            const auto fresh = generateKernels(graph, opset17, parts, options);
            QVERIFY2(others && fresh, qPrintable(QString::number(seed)));
            if (others->copies != fresh->copies)
                continue; // other inputs have margins
            options.known = &*others;
            const auto known = generateKernels(graph, opset17, parts, options);
            QVERIFY(known);
            for (const BlockIndex block : fresh->blocks.indices()) {
                const auto &kernel = known->kernels[block], &other = fresh->kernels[block];
                QCOMPARE(kernel.has_value(), other.has_value());
                if (!kernel)
                    continue;
                QCOMPARE(kernel->phases.size(), other->phases.size());
                for (const PhaseIndex phase : kernel->phases.indices())
                    QCOMPARE(kernel->phases[phase].code, other->phases[phase].code);
                ++compared;
            }
        }
        QVERIFY(compared > 10);
    }
};

GRAPHLOOM_TESTS(PlanKernelsTest)

} // namespace graphloom::test::plan_kernels_test

#include "plan_kernels_test.moc"
