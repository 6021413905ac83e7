// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/interpreter.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/upgrade/upgrade.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace graphloom::test::upgrade_test {

using Floats = std::vector<float>;

/// Operators of older operator sets get the newest form and keep their meaning: models that use
/// the old form are read and run, and the results compared with values worked out by hand.
class UpgradeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void firstForms();
    void firstFormsWithConstants();
    void firstFormsThatCannotBeKept();
    void axesBecomeInputs();
    void splitSizes();
    void slice();
    void clip();
    void pad();
    void topK();
    void scatter();
    void softmaxFlattened();
    void softmaxOfUnknownRank();
    void upsample();
    void resizeTen();
    void resizeEmptyInputs();
    void dropout();
    void batchNormalization();
    void elementStatistics();
    void broadcastAlongAxis();
    void slopesByChannel();
    void scanWithBatch();
    void roiCoordinates();
    void insideNestedGraphs();
    void beyondSeventeen();
    void currentFormsStay();
};

namespace {

struct Expected {
    Extents extents;
    Floats numbers;
};

/// A model of one node: its inputs are graph inputs "a", "b"…
struct OneNode {
    onnx::ModelProto model;
    onnx::NodeProto *node;

    OneNode(const std::string &op, std::int64_t opset, const std::vector<Extents> &inputs,
            std::size_t outputs = 1)
        : model(emptyModel(opset))
    {
        auto &graph = *model.mutable_graph();
        node = &addNode(graph, op, {}, {}, "subject");
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::string name(1, char('a' + i));
            addInput(graph, name, inputs[i]);
            node->add_input(name);
        }
        for (std::size_t i = 0; i < outputs; ++i) {
            node->add_output("y" + std::to_string(i));
            addOpenOutput(graph, node->output(int(i)));
        }
    }
};

Result<std::vector<TensorData>> run(const Model &model, const std::vector<Floats> &inputs)
{
    std::vector<TensorData> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        TensorData::Extents extents;
        for (const Dim &dim : *model.graph.tensor(model.graph.inputs()[i]).shape)
            extents.push_back(dim.value());
        values.push_back(TensorData::fromValues<float>(DataType::Float, extents, inputs[i]));
    }
    return interpret(model.graph, opsetsOf(model), values);
}

/// Empty when the model gives these results; else what is wrong.
std::string defectOf(const onnx::ModelProto &proto, const std::vector<Floats> &inputs,
                     const std::vector<Expected> &expected)
{
    const auto model = load(proto);
    if (!model)
        return model.error().text();
    const auto results = run(*model, inputs);
    if (!results)
        return results.error().text();
    for (std::size_t k = 0; k < expected.size(); ++k) {
        const TensorData &result = (*results)[k];
        if (result.extents() != expected[k].extents)
            return "result " + std::to_string(k) + " has another shape: " +
                   text(Shape(result.extents().begin(), result.extents().end()));
        for (std::size_t i = 0; i < expected[k].numbers.size(); ++i)
            if (std::fabs(result.real(std::int64_t(i)) - double(expected[k].numbers[i])) > 1e-5)
                return "result " + std::to_string(k) + ", element " + std::to_string(i) + " is " +
                       std::to_string(result.real(std::int64_t(i)));
    }
    return {};
}

std::string operatorsAfterImport(const onnx::ModelProto &proto)
{
    const auto model = load(proto);
    return model ? operatorsOf(model->graph) : model.error().text();
}

#define GIVES(...)                                                                                 \
    do {                                                                                           \
        const std::string defect = defectOf(__VA_ARGS__);                                          \
        QVERIFY2(defect.empty(), defect.c_str());                                                  \
    } while (false)

} // namespace

void UpgradeTest::firstForms()
{
    OneNode relu("Relu", 1, {{2}});
    setInts(*relu.node, "consumed_inputs", {0});
    GIVES(relu.model, {{-1, 2}}, {{{2}, {0, 2}}});
    OneNode cast("Cast", 1, {{2}});
    setText(*cast.node, "to", "INT8");
    GIVES(cast.model, {{-1.5f, 2}}, {{{2}, {-1, 2}}});
    OneNode joined("Concat", 1, {{1, 1}, {1, 2}}); // along dimension 1, if nothing else is said
    GIVES(joined.model, {{1}, {2, 3}}, {{{1, 3}, {1, 2, 3}}});
    OneNode shaped("Reshape", 1, {{2, 2}});
    setInts(*shaped.node, "shape", {-1});
    GIVES(shaped.model, {{1, 2, 3, 4}}, {{{4}, {1, 2, 3, 4}}});
    OneNode padded("Pad", 1, {{2}});
    setInts(*padded.node, "paddings", {1, 0});
    setFloat(*padded.node, "value", 5);
    GIVES(padded.model, {{1, 2}}, {{{3}, {5, 1, 2}}});
    OneNode pooled("GlobalLpPool", 1, {{1, 1, 2}});
    setFloat(*pooled.node, "p", 1);
    GIVES(pooled.model, {{-1, 2}}, {{{1, 1, 1}, {3}}});
    GIVES(OneNode("Selu", 1, {{2}}).model, {{1, -1}},
          {{{2}, {1.0507f, 1.0507f * 1.6732f * (std::exp(-1.f) - 1)}}});
    OneNode sum("Add", 1, {{2, 2}, {2}});
    setInt(*sum.node, "broadcast", 1);
    setInt(*sum.node, "axis", 0);
    GIVES(sum.model, {{1, 2, 3, 4}, {10, 20}}, {{{2, 2}, {11, 12, 23, 24}}});
}

void UpgradeTest::firstFormsWithConstants()
{
    OneNode split("Split", 1, {{3}}, 2);
    addFloats(*split.model.mutable_graph(), "parts", {2}, {1, 2});
    split.node->add_input("parts");
    GIVES(split.model, {{1, 2, 3}}, {{{1}, {1}}, {{2}, {2, 3}}});
    OneNode tile("Tile", 1, {{1, 2}});
    addFloats(*tile.model.mutable_graph(), "tiles", {}, {2});
    addFloats(*tile.model.mutable_graph(), "axis", {}, {1});
    tile.node->add_input("tiles");
    tile.node->add_input("axis");
    GIVES(tile.model, {{1, 2}}, {{{1, 4}, {1, 2, 1, 2}}});
}

void UpgradeTest::firstFormsThatCannotBeKept()
{
    const auto refusal = [](const onnx::ModelProto &model) {
        const auto loaded = load(model);
        return loaded ? QString() : QString::fromStdString(loaded.error().text());
    };
    OneNode cast("Cast", 1, {{2}});
    setText(*cast.node, "to", "TRIT");
    QVERIFY(refusal(cast.model).contains("casts to \"trit\""));
    OneNode pooled("LpPool", 1, {{1, 1, 2}});
    setInts(*pooled.node, "kernel_shape", {1});
    setFloat(*pooled.node, "p", 1.5f);
    QVERIFY(refusal(pooled.model).contains("exponent 1.5"));
    QVERIFY(refusal(OneNode("Split", 1, {{3}, {2}}, 2).model).contains("must be a constant"));
    QVERIFY(refusal(OneNode("Tile", 1, {{2}, {}, {}}).model).contains("must be a constant"));
}

void UpgradeTest::axesBecomeInputs()
{
    OneNode squeeze("Squeeze", 11, {{1, 2, 1}});
    setInts(*squeeze.node, "axes", {0});
    GIVES(squeeze.model, {{1, 2}}, {{{2, 1}, {1, 2}}});
    GIVES(OneNode("Squeeze", 11, {{1, 2, 1}}).model, {{1, 2}}, {{{2}, {1, 2}}});
    OneNode unsqueeze("Unsqueeze", 7, {{2}});
    setInts(*unsqueeze.node, "axes", {0, 2});
    GIVES(unsqueeze.model, {{1, 2}}, {{{1, 2, 1}, {1, 2}}});
    OneNode sum("ReduceSum", 11, {{2, 3}});
    setInts(*sum.node, "axes", {1});
    setInt(*sum.node, "keepdims", 0);
    GIVES(sum.model, {{1, 2, 3, 4, 5, 6}}, {{{2}, {6, 15}}});
    GIVES(OneNode("ReduceSum", 11, {{2, 3}}).model, {{1, 2, 3, 4, 5, 6}}, {{{1, 1}, {21}}});
}

void UpgradeTest::splitSizes()
{
    OneNode uneven("Split", 11, {{5}}, 2);
    setInts(*uneven.node, "split", {2, 3});
    GIVES(uneven.model, {{1, 2, 3, 4, 5}}, {{{2}, {1, 2}}, {{3}, {3, 4, 5}}});
    GIVES(OneNode("Split", 7, {{4}}, 2).model, {{1, 2, 3, 4}}, {{{2}, {1, 2}}, {{2}, {3, 4}}});
}

void UpgradeTest::slice()
{
    OneNode slice("Slice", 9, {{2, 4}});
    setInts(*slice.node, "starts", {1, -3});
    setInts(*slice.node, "ends", {2, 1000});
    GIVES(slice.model, {{1, 2, 3, 4, 5, 6, 7, 8}}, {{{1, 3}, {6, 7, 8}}});
    setInts(*slice.node, "axes", {0, 1});
    GIVES(slice.model, {{1, 2, 3, 4, 5, 6, 7, 8}}, {{{1, 3}, {6, 7, 8}}});
}

void UpgradeTest::clip()
{
    OneNode clip("Clip", 6, {{3}});
    setFloat(*clip.node, "min", -1);
    GIVES(clip.model, {{-5, 0, 5}}, {{{3}, {-1, 0, 5}}});
    setFloat(*clip.node, "max", 2);
    GIVES(clip.model, {{-5, 0, 5}}, {{{3}, {-1, 0, 2}}});
    GIVES(OneNode("Clip", 6, {{3}}).model, {{-5, 0, 5}}, {{{3}, {-5, 0, 5}}});
    // The bounds get the type of the data, also where that is only known after inference.
    auto &graph = *clip.model.mutable_graph();
    auto &cast = addNode(graph, "Cast", {"a"}, {"half"}, "cast");
    setInt(cast, "to", onnx::TensorProto::FLOAT16);
    graph.mutable_node(0)->set_input(0, "half");
    graph.mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(
        onnx::TensorProto::FLOAT16);
    const auto model = load(clip.model);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    QCOMPARE(operatorsOf(model->graph), std::string("Cast Clip"));
    const Node &node = model->graph.node(model->graph.order()[1]);
    QCOMPARE(model->graph.tensor(node.inputs[2]).type, DataType::Float16);
    QCOMPARE(model->graph.tensor(node.inputs[2]).constant->real(0), 2.0);
}

void UpgradeTest::pad()
{
    OneNode pad("Pad", 10, {{2}});
    setInts(*pad.node, "pads", {1, 2});
    GIVES(pad.model, {{1, 2}}, {{{5}, {0, 1, 2, 0, 0}}});
    setFloat(*pad.node, "value", 9);
    GIVES(pad.model, {{1, 2}}, {{{5}, {9, 1, 2, 9, 9}}});
    OneNode reflect("Pad", 10, {{3}});
    setInts(*reflect.node, "pads", {2, 0});
    setText(*reflect.node, "mode", "reflect");
    GIVES(reflect.model, {{1, 2, 3}}, {{{5}, {3, 2, 1, 2, 3}}});
}

void UpgradeTest::topK()
{
    OneNode top("TopK", 9, {{4}}, 2);
    top.model.mutable_graph()
        ->mutable_output(1)
        ->mutable_type()
        ->mutable_tensor_type()
        ->set_elem_type(onnx::TensorProto::INT64);
    setInt(*top.node, "k", 2);
    GIVES(top.model, {{3, 1, 4, 2}}, {{{2}, {4, 3}}, {{2}, {2, 0}}});
}

void UpgradeTest::scatter()
{
    OneNode scatter("Scatter", 9, {{3}});
    auto &graph = *scatter.model.mutable_graph();
    addInts(graph, "at", {1}, {1});
    addFloats(graph, "new", {1}, {9});
    scatter.node->add_input("at");
    scatter.node->add_input("new");
    const auto model = load(scatter.model);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    QCOMPARE(operatorsOf(model->graph), std::string("ScatterElements"));
    QCOMPARE(model->graph.node(model->graph.order()[0]).inputs.size(), std::size_t(3));
}

void UpgradeTest::softmaxFlattened()
{
    // Two rows of four: every element is a quarter, where one axis of two would give halves.
    OneNode soft("Softmax", 11, {{2, 2, 2}});
    GIVES(soft.model, {Floats(8, 1)}, {{{2, 2, 2}, Floats(8, 0.25f)}});
    QCOMPARE(operatorsAfterImport(soft.model), std::string("Flatten Softmax Reshape"));
    setInt(*soft.node, "axis", 2);
    GIVES(soft.model, {Floats(8, 1)}, {{{2, 2, 2}, Floats(8, 0.5f)}});
    QCOMPARE(operatorsAfterImport(soft.model), std::string("Softmax"));
    OneNode logs("LogSoftmax", 11, {{2, 4, 1, 1}});
    setInt(*logs.node, "axis", 1);
    GIVES(logs.model, {Floats(8, 1)}, {{{2, 4, 1, 1}, Floats(8, std::log(0.25f))}});
    QCOMPARE(operatorsAfterImport(logs.model), std::string("LogSoftmax"));
    OneNode hard("Hardmax", 11, {{1, 2, 2}});
    GIVES(hard.model, {{1, 2, 4, 3}}, {{{1, 2, 2}, {0, 0, 1, 0}}});
    OneNode wrong("Softmax", 11, {{2, 2}});
    setInt(*wrong.node, "axis", 5);
    REFUSED(wrong.model, "axis 5");
}

void UpgradeTest::softmaxOfUnknownRank()
{
    GraphEditor editor;
    Tensor data;
    data.name = "x";
    data.type = DataType::Float;
    const TensorId x = editor.addTensor(data);
    const TensorId y = editor.addTensor({"y", DataType::Float, {}, nullptr, nullptr, {}});
    Node soft;
    soft.op = "Softmax";
    soft.inputs = {x};
    soft.outputs = {y};
    auto nodes = upgradeNode(editor, soft, 11, normalOpset, [](TensorId) { return true; });
    QVERIFY(nodes);
    for (Node &node : *nodes)
        editor.addNode(std::move(node));
    editor.setInputs({x});
    editor.setOutputs({y});
    const auto graph = std::move(editor).finish();
    QVERIFY(graph);
    const auto finished = finishUpgrade(*graph);
    QVERIFY(finished);
    QCOMPARE(operatorsOf(*finished), std::string("Flatten Shape Softmax Reshape"));
    const auto again = finishUpgrade(*finished);
    QVERIFY(again);
    QCOMPARE(again->hash(), finished->hash());
}

void UpgradeTest::upsample()
{
    OneNode seven("Upsample", 7, {{1, 1, 1, 2}});
    setFloats(*seven.node, "scales", {1, 1, 2, 2});
    GIVES(seven.model, {{1, 2}}, {{{1, 1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2}}});
    OneNode nine("Upsample", 9, {{1, 1, 1, 2}});
    addFloats(*nine.model.mutable_graph(), "scales", {4}, {1, 1, 1, 3});
    nine.node->add_input("scales");
    GIVES(nine.model, {{1, 2}}, {{{1, 1, 1, 6}, {1, 1, 1, 2, 2, 2}}});
}

void UpgradeTest::resizeTen()
{
    const auto resize = [](const Floats &scales) {
        OneNode one("Resize", 10, {{1, 1, 2, 4}});
        addFloats(*one.model.mutable_graph(), "scales", {4}, scales);
        one.node->add_input("scales");
        return one.model;
    };
    const Floats image{1, 2, 3, 4, 5, 6, 7, 8};
    // The example of that version's documentation.
    GIVES(resize({1, 1, 0.6f, 0.6f}), {image}, {{{1, 1, 1, 2}, {1, 3}}});
    GIVES(resize({1, 1, 2, 1}), {image},
          {{{1, 1, 4, 4}, {1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8}}});
    // Larger and smaller at once.
    GIVES(resize({1, 1, 2, 0.5f}), {image}, {{{1, 1, 4, 2}, {1, 3, 1, 3, 5, 7, 5, 7}}});
}

void UpgradeTest::resizeEmptyInputs()
{
    OneNode one("Resize", 11, {{1, 1, 1, 2}});
    auto &graph = *one.model.mutable_graph();
    addFloats(graph, "roi", {0}, {});
    addFloats(graph, "scales", {0}, {});
    addInts(graph, "sizes", {4}, {1, 1, 1, 4});
    for (const char *name : {"roi", "scales", "sizes"})
        one.node->add_input(name);
    setText(*one.node, "nearest_mode", "floor");
    setText(*one.node, "coordinate_transformation_mode", "asymmetric");
    GIVES(one.model, {{1, 2}}, {{{1, 1, 1, 4}, {1, 1, 2, 2}}});
}

void UpgradeTest::dropout()
{
    OneNode seven("Dropout", 7, {{2}}, 2);
    setFloat(*seven.node, "ratio", 0.3f);
    const auto model = load(seven.model);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    QCOMPARE(operatorsOf(model->graph), std::string("Dropout CastLike")); // the mask was a number
    const Node &node = model->graph.node(model->graph.order()[0]);
    QCOMPARE(node.inputs.size(), std::size_t(2));
    QCOMPARE(model->graph.tensor(node.inputs[1]).constant->real(0), double(0.3f));
    OneNode ten("Dropout", 10, {{2}});
    GIVES(ten.model, {{1, 2}}, {{{2}, {1, 2}}});
    OneNode test("Dropout", 6, {{2}});
    setInt(*test.node, "is_test", 1);
    GIVES(test.model, {{1, 2}}, {{{2}, {1, 2}}});
    OneNode training("Dropout", 6, {{2}});
    const auto trained = load(training.model);
    QVERIFY2(trained, trained ? "" : trained.error().text().c_str());
    QCOMPARE(trained->graph.node(trained->graph.order()[0]).inputs.size(), std::size_t(3));
}

void UpgradeTest::batchNormalization()
{
    const std::vector<Extents> shapes{{1, 2, 2}, {2}, {2}, {2}, {2}};
    const std::vector<Floats> inputs{{1, 2, 3, 4}, {1, 2}, {0, 1}, {1, 3}, {1, 4}};
    const std::vector<Expected> expected{{{1, 2, 2}, {0, 1, 1, 2}}};
    for (const std::int64_t opset : {6, 7, 9, 13}) {
        OneNode norm("BatchNormalization", opset, shapes);
        setFloat(*norm.node, "epsilon", 0);
        if (opset == 6)
            setInt(*norm.node, "is_test", 1);
        GIVES(norm.model, inputs, expected);
    }
    OneNode training("BatchNormalization", 9, shapes, 3);
    const auto model = load(training.model);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    QCOMPARE(model->graph.node(model->graph.order()[0]).attributes.integer("training_mode", 0),
             std::int64_t{1});
    OneNode saved("BatchNormalization", 9, shapes, 5);
    REFUSED(saved.model, "saved statistics");
    saved.model.mutable_graph()->mutable_output()->DeleteSubrange(3, 2); // nobody reads them
    ACCEPTED(saved.model);
}

void UpgradeTest::elementStatistics()
{
    OneNode norm("BatchNormalization", 7, {{2, 1, 2}, {1, 2}, {1, 2}, {1, 2}, {1, 2}});
    setInt(*norm.node, "spatial", 0);
    setFloat(*norm.node, "epsilon", 0);
    GIVES(norm.model, {{1, 2, 3, 4}, {1, 2}, {0, 1}, {1, 2}, {1, 4}}, {{{2, 1, 2}, {0, 1, 2, 3}}});
}

void UpgradeTest::broadcastAlongAxis()
{
    OneNode add("Add", 6, {{1, 2, 2}, {2}});
    setInt(*add.node, "broadcast", 1);
    GIVES(add.model, {{1, 2, 3, 4}, {10, 20}}, {{{1, 2, 2}, {11, 22, 13, 24}}});
    setInt(*add.node, "axis", 1);
    GIVES(add.model, {{1, 2, 3, 4}, {10, 20}}, {{{1, 2, 2}, {11, 12, 23, 24}}});
    // Where the rank of the first operand is not declared, it is computed.
    auto &graph = *add.model.mutable_graph();
    addNode(graph, "Abs", {"a"}, {"positive"});
    graph.mutable_node(0)->set_input(0, "positive");
    GIVES(add.model, {{1, 2, 3, 4}, {10, 20}}, {{{1, 2, 2}, {11, 12, 23, 24}}});
}

void UpgradeTest::slopesByChannel()
{
    OneNode slopes("PRelu", 6, {{1, 2, 2}});
    addFloats(*slopes.model.mutable_graph(), "slope", {2}, {2, 3});
    slopes.node->add_input("slope");
    GIVES(slopes.model, {{-1, -1, -1, 1}}, {{{1, 2, 2}, {-2, -2, -3, 1}}});
}

void UpgradeTest::scanWithBatch()
{
    // Running sums over sequences of three, for a batch of two.
    auto model = emptyModel(8);
    auto &graph = *model.mutable_graph();
    addInput(graph, "start", {2, 1});
    addInput(graph, "sequence", {2, 3, 1});
    auto &scan = addNode(graph, "Scan", {"", "start", "sequence"}, {"total", "sums"}, "scan");
    setInt(scan, "num_scan_inputs", 1);
    auto &body = setGraph(scan, "body");
    addInput(body, "before", {1});
    addInput(body, "element", {1});
    addNode(body, "Add", {"before", "element"}, {"after"});
    addNode(body, "Identity", {"after"}, {"copy"});
    addOutput(body, "after", {1});
    addOutput(body, "copy", {1});
    addOpenOutput(graph, "total");
    addOpenOutput(graph, "sums");
    GIVES(model, {{0, 10}, {1, 2, 3, 1, 2, 3}},
          {{{2, 1}, {6, 16}}, {{2, 3, 1}, {1, 3, 6, 11, 13, 16}}});
    addInput(graph, "lengths", {2}, onnx::TensorProto::INT64);
    scan.set_input(0, "lengths");
    REFUSED(model, "different lengths");
}

void UpgradeTest::roiCoordinates()
{
    OneNode roi("RoiAlign", 10, {{1, 1, 4, 4}, {1, 4}});
    addInts(*roi.model.mutable_graph(), "batch", {1}, {0});
    roi.node->add_input("batch");
    const auto model = load(roi.model);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    QCOMPARE(model->graph.node(model->graph.order()[0])
                 .attributes.text("coordinate_transformation_mode", ""),
             std::string("output_half_pixel"));
}

void UpgradeTest::insideNestedGraphs()
{
    auto model = emptyModel(11);
    auto &graph = *model.mutable_graph();
    addInput(graph, "c", {}, onnx::TensorProto::BOOL);
    addInput(graph, "x", {1, 2, 2});
    auto &choice = addNode(graph, "If", {"c"}, {"y"});
    for (const char *branch : {"then_branch", "else_branch"}) {
        auto &body = setGraph(choice, branch);
        addNode(body, "Softmax", {"x"}, {std::string(branch) + "_y"});
        addOpenOutput(body, std::string(branch) + "_y");
    }
    addOpenOutput(graph, "y");
    const auto read = load(model);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    const Graph &body = *read->graph.node(read->graph.order()[0]).attributes.graph("then_branch");
    QCOMPARE(operatorsOf(body), std::string("Flatten Softmax Reshape"));
}

void UpgradeTest::beyondSeventeen()
{
    const auto upgraded = [](Node node, std::int64_t from, std::int64_t to) {
        GraphEditor editor;
        const TensorId x = editor.addTensor({"x", DataType::Float, {}, nullptr, nullptr, {}});
        node.inputs = {x};
        while (node.outputs.size() < 2)
            node.outputs.push_back(
                editor.addTensor({"y", DataType::Float, {}, nullptr, nullptr, {}}));
        return upgradeNode(editor, node, from, to, [](TensorId) { return true; });
    };
    Node split;
    split.op = "Split";
    QCOMPARE((*upgraded(split, 17, 18))[0].attributes.integer("num_outputs", 0), std::int64_t{2});
    QVERIFY(!(*upgraded(split, 17, 17))[0].attributes.contains("num_outputs"));
    Node mean;
    mean.op = "ReduceMean";
    mean.attributes = Attributes({{"axes", std::vector<std::int64_t>{1}}});
    QCOMPARE((*upgraded(mean, 13, 17))[0].inputs.size(), std::size_t(1));
    QCOMPARE((*upgraded(mean, 13, 18))[0].inputs.size(), std::size_t(2));
    Node grid;
    grid.op = "GridSample";
    grid.attributes = Attributes({{"mode", std::string("bilinear")}});
    QCOMPARE((*upgraded(grid, 16, 20))[0].attributes.text("mode", ""), std::string("linear"));
    Node dft;
    dft.op = "DFT";
    QCOMPARE((*upgraded(dft, 17, 20))[0].inputs.size(), std::size_t(3));
}

void UpgradeTest::currentFormsStay()
{
    // A twin of the tests above: nothing of operator set 17 is touched.
    OneNode soft("Softmax", 17, {{2, 2, 2}});
    QCOMPARE(operatorsAfterImport(soft.model), std::string("Softmax"));
    GIVES(soft.model, {Floats(8, 1)}, {{{2, 2, 2}, Floats(8, 0.5f)}});
    OneNode soft13("Softmax", 13, {{2, 2, 2}});
    GIVES(soft13.model, {Floats(8, 1)}, {{{2, 2, 2}, Floats(8, 0.5f)}});
}

GRAPHLOOM_TESTS(UpgradeTest)

} // namespace graphloom::test::upgrade_test

#include "upgrade_test.moc"
