// SPDX-License-Identifier: GPL-3.0-or-later
// A model with operators that nobody knows, from the file to the exported one.
#include "app/graph/canvas_page.h"
#include "app/nodes/node_list_panel.h"
#include "app/properties/properties_panel.h"
#include "app/runs/pass_panel.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/describe/stage.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/onnx_builder.h"

#include <QLabel>
#include <QSignalSpy>

namespace graphloom::test::unknown_operators_test {

using test::nodeNamed;
using test::WindowDriver;

namespace {

/// Known operators on both sides of one of an unknown domain, which holds a graph, and of one
/// that ai.onnx does not have.
onnx::ModelProto strangeModel()
{
    using namespace graphloom::test;
    onnx::ModelProto model = emptyModel();
    importDomain(model, "com.acme", 3);
    onnx::GraphProto &graph = *model.mutable_graph();
    addInput(graph, "x", {1, 4});
    addOutput(graph, "y", {1, 4});
    addNode(graph, "Relu", {"x"}, {"a"}, "relu");
    addNode(graph, "Exp", {"a"}, {"b"}, "exp");
    onnx::NodeProto &foo = addNode(graph, "Foo", {"b", ""}, {"c", ""}, "foo");
    foo.set_domain("com.acme");
    foo.set_doc_string("what it is for");
    setText(foo, "mode", "strange");
    setFloats(foo, "numbers", {1, 2});
    onnx::GraphProto &part = setGraph(foo, "part");
    addOutput(part, "p", {1, 4});
    addNode(part, "Bar", {"b"}, {"p"}, "bar").set_domain("com.acme");
    addNode(graph, "BrandNew", {"c"}, {"d"}, "new").set_domain("");
    addNode(graph, "Neg", {"d"}, {"e"}, "neg");
    addNode(graph, "Sigmoid", {"e"}, {"y"}, "sigmoid");
    describeValue(*graph.add_value_info(), "c", {1, 4});
    return model;
}

onnx::ModelProto protoOf(const std::filesystem::path &path)
{
    onnx::ModelProto model;
    std::ifstream stream(path, std::ios::binary);
    model.ParseFromIstream(&stream);
    return model;
}

} // namespace

class UnknownOperatorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>(test::builtPlugins());
        const auto path = m_driver->scratch("strange.onnx");
        std::ofstream(path, std::ios::binary) << strangeModel().SerializeAsString();
        QVERIFY(m_driver->open(path));
    }
    void cleanup() { m_driver.reset(); }

    void theyAreShown()
    {
        QCOMPARE(window().view<NodeListPanel>().model().rowCount(), 6);
        for (const char *name : {"foo", "new"})
            QVERIFY(window().page().canvas().drawing()->rectOf(item(name)));
    }

    void theNodeSaysWhyItCannotBeOptimized_data()
    {
        QTest::addColumn<QString>("node");
        QTest::newRow("domain") << QStringLiteral("foo");
        QTest::newRow("operator") << QStringLiteral("new");
    }
    void theNodeSaysWhyItCannotBeOptimized()
    {
        QFETCH(QString, node);
        const Item selected = item(node.toStdString());
        const Plan &plan = *window().session().snapshot()->plan;
        const auto description = describe(plan.graph, selected.node(), opsetsOf(*plan.model));
        QVERIFY(description && description->opaque.find("operator table") != std::string::npos);
        const QString reason =
            QString::fromStdString(description->opaque) +
            QStringLiteral(": passes do not change it, and export writes it unchanged");
        window().selection().select(selected);
        const PropertyModel &model = window().view<PropertiesPanel>().model();
        QStringList said;
        for (int row = 0; row < model.rowCount(model.index(0, 0)); ++row)
            if (model.index(row, 0, model.index(0, 0)).data() == QStringLiteral("opaque, because"))
                said << model.index(row, 1, model.index(0, 0)).data().toString();
        QCOMPARE(said, QStringList({reason}));
        QVERIFY(window().page().canvas().accessibleDescription().contains(reason));
        const NodeModel &nodes = window().view<NodeListPanel>().model();
        QVERIFY(nodes.index(nodes.rowOf(selected), 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(reason));
    }

    void theGraphOfAnUnknownNodeCanBeOpened()
    {
        window().selection().select(item("foo"));
        window().actions().openNested->trigger();
        QVERIFY(m_driver->settle());
        QCOMPARE(titleOf(*window().bench().navigator.shown()), QStringLiteral("foo › part"));
        QVERIFY(nodeNamed(*window().bench().navigator.shown(), "bar").valid());
    }

    void passesWorkAroundThem()
    {
        QVERIFY(partition());
        const Snapshot &snapshot = *window().session().snapshot();
        const auto rowOf = [&](const char *name) {
            return snapshot.partition->rows[snapshot.subgraphOf(nodeNamed(snapshot, name))];
        };
        QCOMPARE(rowOf("foo").operators, QStringLiteral("com.acme.Foo"));
        QCOMPARE(rowOf("new").operators, QStringLiteral("BrandNew"));
        QCOMPARE(rowOf("relu").operators, QStringLiteral("Exp, Relu"));
        QCOMPARE(rowOf("sigmoid").operators, QStringLiteral("Neg, Sigmoid"));
    }

    void exportWritesThemByteEqual()
    {
        QVERIFY(partition());
        const auto path = m_driver->scratch("out.onnx");
        QSignalSpy said(&window().session().messages(), &MessageModel::added);
        window().bench().documents.exportTo(path);
        QVERIFY(said.wait(20'000));
        const onnx::ModelProto before = strangeModel(), after = protoOf(path);
        for (const char *name : {"foo", "new"}) {
            const std::string wanted = bytesOf(before.graph(), name);
            QVERIFY(!wanted.empty());
            QVERIFY2(bytesOf(after.graph(), name) == wanted, name);
        }
        QVERIFY(std::any_of(after.opset_import().begin(), after.opset_import().end(),
                            [](const auto &import) {
                                return import.domain() == "com.acme" && import.version() == 3;
                            }));
        QVERIFY(m_driver->open(path)); // with the same partition
        QVERIFY(window().session().snapshot()->partition);
    }

private:
    MainWindow &window() { return m_driver->window(); }
    Item item(std::string_view name)
    {
        return Item::of(nodeNamed(*window().session().snapshot(), name));
    }
    bool partition()
    {
        if (!window().view<PassPanel>().choose("ago"))
            return false;
        window().bench().passes.run();
        return m_driver->settle() && window().session().snapshot()->partition;
    }
    /// A node as it is written; empty when there is none of this name.
    static std::string bytesOf(const onnx::GraphProto &graph, const std::string &name)
    {
        for (const onnx::NodeProto &node : graph.node())
            if (node.name() == name)
                return node.SerializeAsString();
        return {};
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(UnknownOperatorsTest)

} // namespace graphloom::test::unknown_operators_test

#include "unknown_operators_test.moc"
