// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/properties/group_properties.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

namespace graphloom::test::group_properties_test {

class GroupPropertiesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fusedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_fused);
    }

    void aBlockSaysWhatItIs()
    {
        const PropertySection general = sectionOf("Block 0");
        QCOMPARE(valueOf(general, "mapping type"), QStringLiteral("Many-to-Many"));
        QCOMPARE(valueOf(general, "pattern"), QStringLiteral("Head"));
        QVERIFY(valueOf(general, "removed").startsWith(QStringLiteral("4.00 KiB")));
        QCOMPARE(valueOf(general, "lock"), QStringLiteral("not locked"));
    }

    void aBorderHasCauseAndReasonAndLeadsToTheNeighbour()
    {
        const PropertySection borders = sectionOf("Why not larger");
        QCOMPARE(borders.properties.size(), std::size_t(1));
        const Property &border = borders.properties.front();
        QCOMPARE(border.name, QStringLiteral("mapping types"));
        QVERIFY2(border.value.endsWith(QStringLiteral(", block 1\nmade by a test")),
                 qPrintable(border.value));
        QVERIFY(border.link);
        QCOMPARE(border.link->item, Item::block(1));
    }

    void causesAreNamedInFull_data()
    {
        QTest::addColumn<BlockBorder::Cause>("cause");
        QTest::addColumn<QString>("name");
        QTest::newRow("taken") << BlockBorder::Cause::Taken << QStringLiteral("other block");
        QTest::newRow("generator")
            << BlockBorder::Cause::Generator << QStringLiteral("code generator");
        QTest::newRow("cost") << BlockBorder::Cause::Cost << QStringLiteral("cost");
    }
    void causesAreNamedInFull()
    {
        QFETCH(BlockBorder::Cause, cause);
        QFETCH(QString, name);
        Plan plan = *m_fused->plan;
        auto fusion = std::make_shared<FusionPlan>(*plan.fusion);
        fusion->blocks[0].borders.front().cause = cause;
        plan.fusion = std::move(fusion);
        const auto snapshot = snapshotOf(std::make_shared<const Plan>(plan), m_fused, {});
        for (const PropertySection &section : propertiesOf(*snapshot, Item::block(0)))
            if (section.title == QLatin1String("Why not larger")) {
                QCOMPARE(section.properties.front().name, name);
                return;
            }
        QFAIL("the block does not say why it is not larger");
    }

    void theNeighbourSaysTheSameOfTheOtherSide()
    {
        bool found = false;
        for (const PropertySection &section : blockProperties(*m_fused, Item::block(1)))
            for (const Property &property : section.properties)
                found = found || (property.value.startsWith(QStringLiteral("after Clip")) &&
                                  property.link && property.link->item == Item::block(0));
        QVERIFY(found);
    }

    void decisionsAreSaid()
    {
        const PropertySection decisions = sectionOf("Decisions");
        QCOMPARE(decisions.properties.size(), std::size_t(1));
        QVERIFY(decisions.properties.front().value.endsWith(QStringLiteral("\ndecided by a test")));
    }

    void operatorsLeadToTheirNodes()
    {
        const PropertySection operators = sectionOf("Operators");
        QCOMPARE(operators.properties.size(), std::size_t(3));
        QVERIFY(operators.properties[1].link);
        QCOMPARE(operators.properties[1].link->item, Item::of(m_fused->graph().order()[1]));
    }

    void whatCrossesTheBorderHasShapesAndBytes()
    {
        QVERIFY(sectionOf("Reads").properties.front().value.contains(
            QStringLiteral("float 1x3x224x224 · 588 KiB")));
        QVERIFY(sectionOf("Writes").properties.front().value.contains(
            QStringLiteral("float 1x32x112x112 · 1.53 MiB")));
    }

    void layoutAndIndexChangesAreSaid()
    {
        Plan plan = *m_fused->plan;
        auto fusion = std::make_shared<FusionPlan>(*plan.fusion);
        const NodeId conv = m_fused->graph().order()[0], clip = m_fused->graph().order()[2];
        fusion->blocks[0].indexChanges = {clip};
        auto layouts = std::make_shared<LayoutPlan>();
        layouts->blocks.resize(fusion->blocks.size());
        layouts->blocks[0] = {Layout::ChannelsLast, conv, 0.25};
        plan.fusion = std::move(fusion);
        plan.layouts = std::move(layouts);
        const auto snapshot = snapshotOf(std::make_shared<const Plan>(plan), m_fused, {});
        const auto sections = propertiesOf(*snapshot, Item::block(0));
        const QString layout = valueOf(sections.front(), "layout");
        QVERIFY2(layout.startsWith(
                     QStringLiteral("channels last\nsaves 0.2500 ms (modelled), mainly in Conv")),
                 qPrintable(layout));
        for (const PropertySection &section : sections)
            if (section.title == QLatin1String("Operators")) {
                QVERIFY(section.properties[2].value.endsWith(
                    QStringLiteral("index computation of its readers")));
                QVERIFY(!section.properties[0].value.contains(QStringLiteral("no work")));
            }
    }

    void aNodeLeadsToItsBlock()
    {
        const auto sections = propertiesOf(*m_fused, Item::of(m_fused->graph().order()[4]));
        QVERIFY(!sections.empty());
        for (const Property &property : sections.front().properties)
            if (property.name == QLatin1String("block")) {
                QVERIFY(property.link);
                QCOMPARE(property.link->item, Item::block(1));
                return;
            }
        QFAIL("the node does not say which block it is in");
    }

private:
    PropertySection sectionOf(const char *title) const
    {
        for (const PropertySection &section : propertiesOf(*m_fused, Item::block(0)))
            if (section.title == QLatin1String(title))
                return section;
        return {};
    }
    static QString valueOf(const PropertySection &section, const char *name)
    {
        for (const Property &property : section.properties)
            if (property.name == QLatin1String(name))
                return property.value;
        return {};
    }

    SnapshotPointer m_fused;
};

GRAPHLOOM_WINDOW_TESTS(GroupPropertiesTest)

} // namespace graphloom::test::group_properties_test

#include "group_properties_test.moc"
