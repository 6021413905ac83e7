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
};

GRAPHLOOM_TESTS(PlanKernelsTest)

} // namespace graphloom::test::plan_kernels_test

#include "plan_kernels_test.moc"
