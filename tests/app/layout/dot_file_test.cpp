// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/dot_file.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace graphloom::layout::dot_file_test {

namespace {

DotGraph::Node nodeOf(std::string name, std::string label)
{
    DotGraph::Node node;
    node.name = std::move(name);
    node.label = std::move(label);
    return node;
}

} // namespace

class DotFileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsWrittenIsReadBack()
    {
        DotGraph graph;
        graph.name = "written";
        graph.nodes = {nodeOf("a", "Conv\n1x8"), nodeOf("b \"quoted\" \\ & <c>", "Relu")};
        graph.edges = {{0, 1, "x"}};
        const auto text = writeDot(graph);
        QVERIFY(text);
        const auto model = read(*text);
        QVERIFY(model);
        QCOMPARE(model->graph.name(), graph.name);
        const auto &order = model->graph.order();
        QCOMPARE(order.size(), std::size_t(2));
        QCOMPARE(model->graph.node(order[0]).op, std::string("Conv"));
        QCOMPARE(model->graph.node(order[1]).name, graph.nodes[1].name);
        QCOMPARE(model->graph.node(order[1]).inputs, model->graph.node(order[0]).outputs);
    }

    void clustersHoldTheirNodes()
    {
        DotGraph graph;
        graph.nodes = {nodeOf("a", "x"), nodeOf("b", "x"), nodeOf("c", "x")};
        graph.nodes[0].cluster = graph.nodes[1].cluster = 0;
        graph.clusters = {{"Subgraph 0"}};
        const auto text = writeDot(graph);
        QVERIFY(text);
        QVERIFY2(text->find("subgraph cluster_0") != std::string::npos, text->c_str());
        QVERIFY2(text->find("label=\"Subgraph 0\"") != std::string::npos, text->c_str());
    }

    void clustersInClusters()
    {
        DotGraph graph;
        graph.nodes = {nodeOf("a", "x"), nodeOf("b", "x")};
        graph.nodes[0].cluster = 0;
        graph.nodes[1].cluster = 1;
        graph.clusters = {{"outer"}, {"inner", 0}};
        const auto text = writeDot(graph);
        QVERIFY(text);
        const auto outer = text->find("subgraph cluster_0"),
                   inner = text->find("subgraph cluster_1");
        QVERIFY2(outer != std::string::npos && inner != std::string::npos, text->c_str());
        // Only opening braces are between them: the inner one is in the outer.
        const std::string between = text->substr(outer, inner - outer);
        QVERIFY2(std::ranges::count(between, '{') > std::ranges::count(between, '}'),
                 text->c_str());
    }

    void operatorsAreLabelsAttributesOrNames()
    {
        const auto model =
            read("digraph g { a [op=Conv, label=x]; b [label=\"Relu\\n1x8\"]; c; a -> b -> c }");
        QVERIFY(model);
        QStringList operators;
        for (const NodeId id : model->graph.order())
            operators << QString::fromStdString(model->graph.node(id).op);
        QCOMPARE(operators, QStringList({QStringLiteral("Conv"), QStringLiteral("Relu"),
                                         QStringLiteral("c")}));
    }

    void nodesThatNobodyReadsAreOutputs()
    {
        const auto model = read("digraph g { a -> b; a -> c }");
        QVERIFY(model);
        QCOMPARE(model->graph.outputs().size(), std::size_t(2));
    }

    void anEmptyGraphIsAGraph()
    {
        const auto model = read("digraph g { }");
        QVERIFY(model);
        QCOMPARE(model->graph.nodeCount(), std::size_t(0));
    }

    void otherFilesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("reason");
        QTest::newRow("empty") << QByteArray() << QStringLiteral("is not in the DOT language");
        QTest::newRow("no DOT") << QByteArray("<html></html>")
                                << QStringLiteral("is not in the DOT language");
        QTest::newRow("cut off") << QByteArray("digraph g { a -> ")
                                 << QStringLiteral("is not in the DOT language");
        QTest::newRow("undirected")
            << QByteArray("graph g { a -- b }") << QStringLiteral("edges must have a direction");
        QTest::newRow("cycle") << QByteArray("digraph g { a -> b; b -> a }")
                               << QStringLiteral("cycle");
        QTest::newRow("loop") << QByteArray("digraph g { a -> a }") << QStringLiteral("cycle");
    }
    void otherFilesAreRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, reason);
        const auto model = read(text.toStdString());
        QVERIFY(!model);
        QCOMPARE(model.error().kind, Error::Kind::Model);
        QVERIFY2(model.error().message.find(reason.toStdString()) != std::string::npos,
                 model.error().message.c_str());
        QVERIFY(model.error().where.find("x.dot") != std::string::npos);
    }

    void aFileThatIsNotThereIsMissing()
    {
        const auto model = readDot("/no/such/file.dot");
        QVERIFY(!model);
        QCOMPARE(model.error().kind, Error::Kind::Missing);
    }

    void afterARefusedFileTheNextIsRead()
    {
        QVERIFY(!read("digraph g { a -> "));
        QVERIFY(read("digraph g { a -> b }"));
    }

private:
    Result<Model> read(const std::string &text)
    {
        const std::string path = m_folder.filePath(QStringLiteral("x.dot")).toStdString();
        std::ofstream(path) << text;
        return readDot(path);
    }

    QTemporaryDir m_folder;
};

GRAPHLOOM_TESTS(DotFileTest)

} // namespace graphloom::layout::dot_file_test

#include "dot_file_test.moc"
