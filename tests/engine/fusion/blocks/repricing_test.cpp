// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/repricing.h"

#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/ops/derive/infer.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <array>

namespace graphloom::test::repricing_test {

namespace {

/// A plan as a pass makes it for a device: blocks of one node each, and layouts.
Plan planFor(const Device &device)
{
    Sketch g;
    TensorId x = g.input("x", {1, 256, 7, 7});
    for (int i = 0; i < 4; ++i)
        x = g.call("Relu", {g.conv(x, 256, 256)});
    Plan plan = *initialPlan(modelOf(g.finish({x})));
    const auto facts = FusionFacts::of(plan.graph, opsetsOf(*plan.model), {}, device);
    auto fusion = planOf((*facts)->merger(), BlockGraph((*facts)->ecg().graph()), "test");
    plan.layouts =
        std::make_shared<const LayoutPlan>(chooseLayouts((*facts)->ecg(), fusion, device));
    plan.fusion = std::make_shared<const FusionPlan>(std::move(fusion));
    plan.baselineFusion = plan.fusion;
    plan.device = sharedDevice(device);
    return plan;
}

const Device &phone()
{
    return *findDevice("phone-cpu");
}
const Device &card()
{
    return *findDevice("rtx-3090");
}

Plan pricedForCard()
{
    auto priced = pricedFor(planFor(phone()), sharedDevice(card()));
    if (!priced)
        qFatal("%s", priced.error().text().c_str());
    return *std::move(priced);
}

} // namespace

class RepricingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void costsAreThoseOnTheDevice()
    {
        const Plan priced = pricedForCard(), made = planFor(card());
        QCOMPARE(priced.device->name, card().name);
        for (const auto &fusion : {priced.fusion, priced.baselineFusion}) {
            QCOMPARE(fusion->device, card().name);
            QCOMPARE(fusion->costMs, made.fusion->costMs);
            QCOMPARE(fusion->unfusedMs, made.fusion->unfusedMs);
        }
    }

    void decisionsStay()
    {
        Plan before = planFor(phone());
        auto layouts = std::make_shared<LayoutPlan>(*before.layouts);
        layouts->blocks[1].locked = true;
        before.layouts = layouts;
        const auto priced = pricedFor(before, sharedDevice(card()));
        QVERIFY(priced);
        QCOMPARE(priced->fusion->partition.subgraphs.size(),
                 before.fusion->partition.subgraphs.size());
        for (std::size_t b = 0; b < layouts->blocks.size(); ++b) {
            QCOMPARE(priced->layouts->blocks[b].layout, layouts->blocks[b].layout);
            QCOMPARE(priced->layouts->blocks[b].locked, layouts->blocks[b].locked);
        }
        QVERIFY(priced->layouts->ms != layouts->ms);
    }

    void tunedKernelsStay()
    {
        Plan before = planFor(phone());
        auto kernels = std::make_shared<KernelPlan>();
        kernels->fusion = before.fusion;
        kernels->device = "phone";
        before.kernels = std::move(kernels);
        const auto priced = pricedFor(before, sharedDevice(card()));
        QVERIFY(priced);
        QVERIFY(kernelsOf(*priced));
        QCOMPARE(kernelsOf(*priced)->device, std::string("phone"));
    }

    void aPlanWithoutBlocksOnlyGetsTheDevice()
    {
        const auto priced = pricedFor(*initialPlan(modelOf(transformer(40))), sharedDevice(card()));
        QVERIFY(priced);
        QCOMPARE(priced->device->name, card().name);
        QVERIFY(!priced->fusion);
    }

    void itCanBeStopped()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto priced = pricedFor(planFor(phone()), sharedDevice(card()), stop.get_token());
        QVERIFY(!priced && isStopped(priced.error()));
    }
};

GRAPHLOOM_TESTS(RepricingTest)

} // namespace graphloom::test::repricing_test

#include "repricing_test.moc"
