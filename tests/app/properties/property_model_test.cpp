// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/properties/property_model.h"

#include "tests/support/app/window_driver.h"

#include <QAbstractItemModelTester>

namespace graphloom::test::property_model_test {

namespace {

/// All lines of an item as "section/name = value".
QStringList linesOf(const Snapshot &snapshot, const Item &item)
{
    QStringList lines;
    for (const PropertySection &section : propertiesOf(snapshot, item))
        for (const Property &property : section.properties)
            lines << section.title + '/' + property.name + QStringLiteral(" = ") + property.value;
    return lines;
}

/// The first node with an operator.
Item firstOf(const Snapshot &snapshot, std::string_view op)
{
    for (const NodeId id : snapshot.graph().order())
        if (snapshot.graph().node(id).op == op)
            return Item::of(id);
    return {};
}

} // namespace

class PropertyModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_snapshot);
    }

    void keepsTheContractOfModels()
    {
        PropertyModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSections(propertiesOf(*m_snapshot, firstOf(*m_snapshot, "Conv")));
        QVERIFY(model.rowCount() > 4);
        model.setSections(propertiesOf(*m_snapshot, Item::subgraph(0)));
        model.setSections({});
        QCOMPARE(model.rowCount(), 0);
    }

    void formulasWantAFixedWidth()
    {
        PropertyModel model;
        model.setSections(
            {{QStringLiteral("s"), {{QStringLiteral("n"), QStringLiteral("y = a"), true}}}});
        const QModelIndex section = model.index(0, 0);
        QVERIFY(
            model.index(0, PropertyModel::Value, section).data(PropertyModel::CodeRole).toBool());
        QVERIFY(
            !model.index(0, PropertyModel::Name, section).data(PropertyModel::CodeRole).toBool());
    }

    void aNodeSaysWhatItComputes_data()
    {
        QTest::addColumn<QString>("line");
        for (const char *line :
             {"Node/operator = Conv", "Node/class = contraction",
              "Node/position = #0 in the schedule (last: #", "Cost (modelled)/MACs = 10.8 M",
              "Cost (modelled)/reads = ", "Attributes/strides = [2, 2]",
              "Outputs/0 = ", "float 1x32x112x112 · 1.53 MiB",
              "Mapping type/overall = Many-to-Many", "Node/subgraph = "})
            QTest::newRow(line) << QString::fromUtf8(line);
    }
    void aNodeSaysWhatItComputes()
    {
        QFETCH(QString, line);
        const QString all = linesOf(*m_snapshot, firstOf(*m_snapshot, "Conv")).join('\n');
        QVERIFY2(all.contains(line), qPrintable(all));
    }

    void indexMapsAreFormulas()
    {
        const QString all = linesOf(*m_snapshot, firstOf(*m_snapshot, "Add")).join('\n');
        QVERIFY2(all.contains(QStringLiteral("y[")) && all.contains(QStringLiteral("a[")) &&
                     all.contains(QStringLiteral("b[")),
                 qPrintable(all));
    }

    void everyNodeHasProperties()
    {
        for (const NodeId id : m_snapshot->graph().order())
            QVERIFY(propertiesOf(*m_snapshot, Item::of(id)).size() >= 4);
    }

    void aSubgraphSaysWhatItReadsAndWrites()
    {
        const QString all = linesOf(*m_snapshot, Item::subgraph(0)).join('\n');
        QVERIFY2(all.contains(QStringLiteral("Subgraph 0/operators = ")) &&
                     all.contains(QStringLiteral("Reads/0 = ")) &&
                     all.contains(QStringLiteral("Writes/0 = ")),
                 qPrintable(all));
    }

    void anInputSaysWhoReadsIt()
    {
        const QString all =
            linesOf(*m_snapshot, Item::input(m_snapshot->graph().inputs().front())).join('\n');
        QVERIFY2(all.contains(QStringLiteral("Graph input/read by = 1 node")) &&
                     all.contains(QStringLiteral("float 1x3x224x224")),
                 qPrintable(all));
    }

    void anOutputSaysWhoWritesIt()
    {
        const QString all =
            linesOf(*m_snapshot, Item::output(m_snapshot->graph().outputs().front())).join('\n');
        QVERIFY2(all.contains(QStringLiteral("Graph output/written by = ")), qPrintable(all));
    }

    void inputsLeadToTheirProducers()
    {
        const Graph &graph = m_snapshot->graph();
        const Item add = firstOf(*m_snapshot, "Add");
        std::vector<Item> expected, found;
        for (const TensorId input : graph.node(add.node()).inputs)
            if (const NodeId producer = graph.producer(input); producer.valid())
                expected.push_back(Item::of(producer));
        QVERIFY(!expected.empty());
        for (const Property &property : sectionOf(add, QStringLiteral("Inputs")).properties)
            if (property.name == QLatin1String("from") && property.link)
                found.push_back(property.link->item);
        QCOMPARE(found, expected);
    }

    void outputsLeadToTheirReaders()
    {
        const Graph &graph = m_snapshot->graph();
        const Item conv = firstOf(*m_snapshot, "Conv");
        std::set<Item> expected, found;
        for (const Use &use : graph.uses(graph.node(conv.node()).outputs[0]))
            expected.insert(Item::of(use.node));
        for (const Property &property : sectionOf(conv, QStringLiteral("Outputs")).properties)
            if (property.name == QLatin1String("to") && property.link)
                found.insert(property.link->item);
        QCOMPARE(found, expected);
    }

    void inputsAndOutputsOfTheGraphAreEnds()
    {
        const Graph &graph = m_snapshot->graph();
        const Item first = firstOf(*m_snapshot, "Conv");
        const auto leadsTo = [&](const Item &node, const QString &title, const Item &item) {
            for (const Property &property : sectionOf(node, title).properties)
                if (property.link && property.link->item == item)
                    return true;
            return false;
        };
        QVERIFY(leadsTo(first, QStringLiteral("Inputs"), Item::input(graph.inputs()[0])));
        const TensorId output = graph.outputs()[0];
        QVERIFY(leadsTo(Item::of(graph.producer(output)), QStringLiteral("Outputs"),
                        Item::output(output)));
    }

    void tensorsLeadToTheirValues()
    {
        const Item conv = firstOf(*m_snapshot, "Conv");
        const TensorId weights = m_snapshot->graph().node(conv.node()).inputs[1];
        const PropertySection inputs = sectionOf(conv, QStringLiteral("Inputs"));
        QVERIFY(std::ranges::any_of(inputs.properties, [&](const Property &property) {
            return property.link && property.link->item == Item::tensor(weights);
        }));
        // A constant comes from nowhere.
        QVERIFY(std::ranges::count(inputs.properties, QStringLiteral("from"), &Property::name) ==
                1);
    }

    void whatIsNotThereHasNone()
    {
        QVERIFY(propertiesOf(*m_snapshot, {}).empty());
        QVERIFY(
            propertiesOf(*m_snapshot, Item::of(NodeId{m_snapshot->graph().nodeBound()})).empty());
        QVERIFY(propertiesOf(*m_snapshot, Item::subgraph(100'000)).empty());
    }

    void axesAndNamesOfAFormulaStayWhole()
    {
        const QStringList lines = linesOf(*m_snapshot, firstOf(*m_snapshot, "Conv"));
        const QStringList axes = lines.filter(QStringLiteral("Index maps/axes"));
        QCOMPARE(axes.size(), 1);
        QVERIFY(axes.front().contains(QStringLiteral("Σ\u00a0r\u00a0<\u00a03")));
        const Node &conv = m_snapshot->graph().node(firstOf(*m_snapshot, "Conv").node());
        QString where = QStringLiteral("Index maps/where = a = %1\nb = %2");
        for (std::size_t i = 0; i < 2; ++i)
            where =
                where.arg(QString::fromStdString(m_snapshot->graph().tensor(conv.inputs[i]).name));
        QVERIFY2(lines.join('|').contains(where), qPrintable(where));
    }

    void nestedGraphsAreLinks()
    {
        const SnapshotPointer own = test::nestedSnapshot();
        QVERIFY(own);
        PropertyModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setSections({{QStringLiteral("s"),
                            {{QStringLiteral("n"), QStringLiteral("1")},
                             {QStringLiteral("n"), QStringLiteral("2"), false, Place{}}}}});
        const QModelIndex section = model.index(0, 0);
        QVERIFY(!model.linkAt(section));
        QVERIFY(!model.linkAt(model.index(0, PropertyModel::Value, section)));
        QVERIFY(!model.linkAt({}));
        QVERIFY(model.linkAt(model.index(1, PropertyModel::Value, section)));
        QVERIFY(
            model.index(1, PropertyModel::Value, section).data(PropertyModel::LinkRole).toBool());
        const QStringList lines = linesOf(*own, Item::of(test::nodeNamed(*own, "pick")));
        QVERIFY(lines.contains(QStringLiteral("Nested graphs/else_branch = 0 nodes")));
        QVERIFY(lines.contains(QStringLiteral("Nested graphs/then_branch = 2 nodes")));
        QVERIFY(lines.filter(QStringLiteral("Attributes/")).isEmpty());
    }

    void aCapturedTensorSaysWhereItComesFrom()
    {
        const SnapshotPointer own = test::nestedSnapshot();
        QVERIFY(own);
        const SnapshotPointer branch = test::inside(own, "pick", QStringLiteral("then_branch"));
        const Item captured = Item::captured(branch->graph().captured().front());
        const auto sections = propertiesOf(*branch, captured);
        const QString title = QStringLiteral("Captured from the parent graph/");
        const QStringList lines = linesOf(*branch, captured);
        QVERIFY(lines.contains(title + QStringLiteral("written by = Loop outer")));
        QVERIFY(lines.contains(title + QStringLiteral("comes from = b\nfloat 4 · 16 B")));
        const auto link = std::find_if(sections[0].properties.begin(), sections[0].properties.end(),
                                       [](const Property &p) { return p.link.has_value(); });
        QVERIFY(link != sections[0].properties.end());
        QCOMPARE(link->link->item, Item::of(test::nodeNamed(*own, "outer")));
        QVERIFY(link->link->path.empty());
    }

private:
    PropertySection sectionOf(const Item &item, const QString &title) const
    {
        for (const PropertySection &section : propertiesOf(*m_snapshot, item))
            if (section.title == title)
                return section;
        return {};
    }

    SnapshotPointer m_snapshot;
};

GRAPHLOOM_WINDOW_TESTS(PropertyModelTest)

} // namespace graphloom::test::property_model_test

#include "property_model_test.moc"
