// SPDX-License-Identifier: GPL-3.0-or-later
// What is known of tensors, and where their values are.
#include "app/tensors/content/inspected_tensor.h"

#include "app/snapshot/nested_snapshot.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/inspected_model.h"

namespace graphloom::test::inspected_tensor_test {

namespace {

TensorId tensorNamed(const Graph &graph, std::string_view name)
{
    for (std::uint32_t index = 0; index < graph.tensorBound(); ++index)
        if (const TensorId id{index}; graph.contains(id) && graph.tensor(id).name == name)
            return id;
    return {};
}

/// Values for no tensor at all.
class NoValues final : public TensorSource {
public:
    QString title() const override { return QStringLiteral("the run"); }
    std::shared_ptr<const TensorData> valuesOf(const Snapshot &, TensorId) const override
    {
        return nullptr;
    }
};

} // namespace

class InspectedTensorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const QTemporaryDir folder;
        const std::filesystem::path path =
            folder.filePath(QStringLiteral("inspected.onnx")).toStdString();
        writeInspectedModel(path);
        m_snapshot = snapshotOfFile(path);
        QVERIFY(m_snapshot);
    }

    void constantsOfANodeComeFirst()
    {
        const auto choices = tensorsOf(*m_snapshot, Item::of(nodeNamed(*m_snapshot, "conv")));
        QStringList texts;
        for (const TensorChoice &choice : choices)
            texts << choice.text;
        QCOMPARE(texts, (QStringList{QStringLiteral("input 1 · conv.weight · float 64x3x7x7"),
                                     QStringLiteral("input 2 · conv.bias · float 64"),
                                     QStringLiteral("input 0 · x · float 1x3x56x56"),
                                     QStringLiteral("output 0 · c · float 1x64x28x28")}));
    }

    void aTensorIsItsOwnChoice()
    {
        const Graph &graph = m_snapshot->graph();
        const TensorId input = tensorNamed(graph, "x"), inner = tensorNamed(graph, "c");
        QCOMPARE(tensorsOf(*m_snapshot, Item::input(input)).front().id, input);
        QCOMPARE(tensorsOf(*m_snapshot, Item::tensor(inner)).front().id, inner);
        QVERIFY(tensorsOf(*m_snapshot, Item()).empty());
        QVERIFY(tensorsOf(*m_snapshot, Item::module(0)).empty());
        QVERIFY(tensorsOf(*m_snapshot, Item::tensor(TensorId{100'000})).empty());
    }

    void whatIsNoConstantSaysSo()
    {
        const Graph &graph = m_snapshot->graph();
        const InspectedTensor inner = inspected(*m_snapshot, tensorNamed(graph, "c"), nullptr);
        QVERIFY(!inner.data && !inner.isConstant);
        QCOMPARE(inner.origin, QStringLiteral("known only after a run"));
        QCOMPARE(inner.role, QStringLiteral("activation"));
        QCOMPARE(inner.bytes, QStringLiteral("196 KiB"));
        const InspectedTensor input = inspected(*m_snapshot, tensorNamed(graph, "x"), nullptr);
        QVERIFY(input.origin.contains(QStringLiteral("given to each run")));
        const NoValues source;
        QCOMPARE(inspected(*m_snapshot, tensorNamed(graph, "c"), &source).origin,
                 QStringLiteral("the run has no values of this tensor"));
        QVERIFY(inspected(*m_snapshot, tensorNamed(graph, "low"), &source).isConstant);
    }

    void aTruncatedFileIsSaid()
    {
        const ModelFolder folder;
        const auto path = folder.path() / "inspected.onnx";
        constexpr std::uint64_t bytes = 1 << 20;
        writeInspectedModel(path, bytes);
        const SnapshotPointer snapshot = snapshotOfFile(path);
        QVERIFY(snapshot);
        const TensorId huge = tensorNamed(snapshot->graph(), "huge");
        QCOMPARE(inspected(*snapshot, huge, nullptr).origin,
                 QStringLiteral("in the external data file huge.bin, from byte 0"));
        std::filesystem::resize_file(folder.path() / "huge.bin", 10);
        const InspectedTensor before = inspected(*snapshot, huge, nullptr);
        QCOMPARE(before.data->real(before.data->elements() - 1), 0.0); // finds out
        QVERIFY(inspected(*snapshot, huge, nullptr).origin.contains(QStringLiteral("truncated")));
    }

    void aFoldedConstantIsComputed()
    {
        auto proto = emptyModel();
        onnx::GraphProto &graph = *proto.mutable_graph();
        addFloats(graph, "a", {3}, {1, 2, 3});
        addFloats(graph, "b", {3}, {5, 5, 5});
        addInput(graph, "x", {3});
        addNode(graph, "Mul", {"a", "b"}, {"folded"}, "fold");
        addNode(graph, "Add", {"x", "folded"}, {"y"}, "add");
        addOutput(graph, "y", {3});
        const ModelFolder folder;
        const SnapshotPointer snapshot = snapshotOfFile(folder.save(proto));
        QVERIFY(snapshot);
        const NodeId add = nodeNamed(*snapshot, "add");
        const auto choices = tensorsOf(*snapshot, Item::of(add));
        const InspectedTensor tensor = inspected(*snapshot, choices.front().id, nullptr);
        QVERIFY(tensor.data);
        QCOMPARE(tensor.data->real(2), 15.0);
        QVERIFY2(tensor.origin.startsWith(QStringLiteral("computed from other constants")),
                 qPrintable(tensor.origin));
    }

    void aCapturedConstantIsThatOfTheGraphAround()
    {
        auto proto = emptyModel();
        onnx::GraphProto &graph = *proto.mutable_graph();
        addFloats(graph, "weight", {3}, {7, 8, 9});
        addInput(graph, "flag", {}, onnx::TensorProto::BOOL);
        addInput(graph, "x", {3});
        auto &pick = addNode(graph, "If", {"flag"}, {"y"}, "pick");
        setBranches(pick, [](onnx::GraphProto &body, const std::string &branch) {
            addNode(body, branch == "then_branch" ? "Add" : "Sub", {"x", "weight"}, {branch + "_y"},
                    branch + "_node");
            addOutput(body, branch + "_y", {3});
        });
        addOutput(graph, "y", {3});
        const ModelFolder folder;
        const SnapshotPointer snapshot = snapshotOfFile(folder.save(proto));
        QVERIFY(snapshot);
        const SnapshotPointer branch = inside(snapshot, "pick", QStringLiteral("then_branch"));
        QVERIFY(branch);
        const auto choices = tensorsOf(*branch, Item::of(nodeNamed(*branch, "then_branch_node")));
        bool found = false;
        for (const TensorChoice &choice : choices) {
            const InspectedTensor tensor = inspected(*branch, choice.id, nullptr);
            found = found || (tensor.isConstant && tensor.data->real(1) == 8);
        }
        QVERIFY(found);
    }

private:
    SnapshotPointer m_snapshot;
};

GRAPHLOOM_WINDOW_TESTS(InspectedTensorTest)

} // namespace graphloom::test::inspected_tensor_test

#include "inspected_tensor_test.moc"
