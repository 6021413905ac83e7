// SPDX-License-Identifier: Apache-2.0
#include "tests/support/exported.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <set>

namespace graphloom::test::weight_writer_test {

/// Where an export puts constants: as one element, in the file, or in a file beside it.
class WeightWriterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void splats();
    void externalData();
    void locationsOfTheFileAreNotWrittenTo();
    void linksAreNotWrittenThrough();
    void otherDataHaveAnotherName();
    void dataOfOtherModelsStay();
};

namespace {

/// A plan whose constant of 3000 floats is in external data, at `location` in the folder.
Plan planWithData(const ModelFolder &folder, const std::string &location, char element = 'x')
{
    const std::string bytes(12'000, element);
    folder.save(bytes, location);
    auto proto = emptyModel();
    auto &tensor = addFloats(*proto.mutable_graph(), "w", {3000}, {});
    tensor.clear_raw_data();
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    setEntry(*tensor.add_external_data(), "location", location);
    addInput(*proto.mutable_graph(), "x", {3000});
    addNode(*proto.mutable_graph(), "Mul", {"x", "w"}, {"y"}, "mul");
    addOpenOutput(*proto.mutable_graph(), "y");
    return planOf(importOnnx(folder.save(proto, "in.onnx")));
}

ExportOptions allExternal()
{
    ExportOptions options;
    options.externalAbove = 1000;
    return options;
}

/// Where a written model has the elements of its first constant.
std::string dataNameIn(const std::filesystem::path &model)
{
    const auto written = protoOf(model);
    for (const auto &entry : written.graph().initializer(0).external_data())
        if (entry.key() == "location")
            return entry.value();
    return "nowhere";
}

std::set<std::string> filesIn(const std::filesystem::path &folder)
{
    std::set<std::string> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
        if (!entry.is_directory())
            files.insert(std::filesystem::relative(entry.path(), folder));
    return files;
}

} // namespace

void WeightWriterTest::splats()
{
    auto proto = emptyModel();
    auto &graph = *proto.mutable_graph();
    addInts(graph, "large_shape", {2}, {100, 50});
    addInts(graph, "small_shape", {1}, {3});
    addNode(graph, "ConstantOfShape", {"large_shape"}, {"large"}, "large_fill");
    addNode(graph, "ConstantOfShape", {"small_shape"}, {"small"}, "small_fill");
    addInput(graph, "x", {100, 50});
    addNode(graph, "Add", {"x", "large"}, {"y"}, "add");
    addOpenOutput(graph, "y");
    addOpenOutput(graph, "small");
    const auto model = load(proto);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    const Plan plan = planAsRead(model);
    const ModelFolder folder;
    QVERIFY(exportOnnx(plan, folder.path() / "out.onnx"));
    QVERIFY(std::filesystem::file_size(folder.path() / "out.onnx") < 2000);
    const auto written = protoOf(folder.path() / "out.onnx");
    QCOMPARE(written.graph().node(0).op_type(), std::string("ConstantOfShape"));
    QCOMPARE(written.graph().node(0).output(0), std::string("large"));
    QCOMPARE(written.graph().node(0).input(0), std::string("large__SHAPE"));
    QCOMPARE(written.graph().node_size(), 2); // the small one is an initializer
    const auto back = importOnnx(folder.path() / "out.onnx");
    QVERIFY(back);
    QCOMPARE(back->graph.hash(), plan.graph.hash());
    QVERIFY(!tensorNamed(back->graph, "large__SHAPE").valid());
}

void WeightWriterTest::externalData()
{
    std::vector<float> weights(3000);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = float(i);
    auto proto = emptyModel();
    auto &graph = *proto.mutable_graph();
    addFloats(graph, "w", {3000}, weights);
    addFloats(graph, "v", {3000}, weights);
    addFloats(graph, "small", {1}, {2});
    addInput(graph, "x", {3000});
    addNode(graph, "Mul", {"x", "w"}, {"a"}, "mul");
    addNode(graph, "Add", {"a", "v"}, {"b"}, "add");
    addNode(graph, "Sub", {"b", "small"}, {"y"}, "sub");
    addOpenOutput(graph, "y");
    const ModelFolder folder;
    const Plan plan = planOf(importOnnx(folder.save(proto, "in.onnx")));
    ExportOptions options;
    options.externalAbove = 10'000;
    const auto path = folder.path() / "out.onnx";
    const auto exported = exportOnnx(plan, path, options);
    QVERIFY2(exported, exported ? "" : exported.error().text().c_str());
    QVERIFY(std::filesystem::file_size(path) < 2000);
    const auto data = folder.path() / dataNameIn(path);
    QVERIFY(std::filesystem::file_size(data) >= 24'000);
    auto back = importOnnx(path);
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QCOMPARE(back->graph.hash(), plan.graph.hash());
    if (haveChecker())
        QCOMPARE(objectionsTo({QString::fromStdString(path)}), QString());
    // Over the files that it was read from.
    const Plan again = planOf(importOnnx(path));
    QVERIFY(exportOnnx(again, path, options));
    back = importOnnx(path);
    QVERIFY(back);
    QCOMPARE(back->graph.hash(), plan.graph.hash());
    // Weights that are gone are not written as zeros.
    const Plan later = planOf(importOnnx(path));
    std::filesystem::resize_file(data, 100);
    const auto refused = exportOnnx(later, folder.path() / "late.onnx");
    QVERIFY(!refused);
    QVERIFY2(refused.error().text().find("truncated") != std::string::npos,
             refused.error().text().c_str());
    QVERIFY(!std::filesystem::exists(folder.path() / "late.onnx"));
}

/// An export makes up its own name for the data; where the model had it is of no account.
void WeightWriterTest::locationsOfTheFileAreNotWrittenTo()
{
    const ModelFolder from, to;
    const Plan plan = planWithData(from, "sub/weights.bin");
    const auto before = std::filesystem::last_write_time(from.path() / "sub/weights.bin");
    const auto exported = exportOnnx(plan, to.path() / "out.onnx", allExternal());
    QVERIFY2(exported, exported ? "" : exported.error().text().c_str());
    const std::string data = dataNameIn(to.path() / "out.onnx");
    QCOMPARE(filesIn(to.path()), (std::set<std::string>{"out.onnx", data}));
    QCOMPARE(filesIn(from.path()), (std::set<std::string>{"in.onnx", "sub/weights.bin"}));
    QVERIFY(std::filesystem::last_write_time(from.path() / "sub/weights.bin") == before);
    QVERIFY2(data.starts_with("out.onnx.") && data.ends_with(".data"), data.c_str());
}

void WeightWriterTest::linksAreNotWrittenThrough()
{
    const ModelFolder from, to;
    const Plan plan = planWithData(from, "weights.bin");
    const auto precious = from.save("precious", "precious");
    QVERIFY(exportOnnx(plan, to.path() / "out.onnx", allExternal()));
    const auto data = to.path() / dataNameIn(to.path() / "out.onnx");
    std::filesystem::remove(data);
    std::filesystem::create_symlink(precious, data);
    QVERIFY(exportOnnx(plan, to.path() / "out.onnx", allExternal()));
    QCOMPARE(std::filesystem::file_size(precious), std::uintmax_t{8});
    QVERIFY(!std::filesystem::is_symlink(data));
    const auto back = importOnnx(to.path() / "out.onnx");
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QCOMPARE(back->graph.hash(), plan.graph.hash());
}

/// The name tells the data of two models apart, so that the old one is whole until it is replaced.
void WeightWriterTest::otherDataHaveAnotherName()
{
    const ModelFolder from, other, to;
    const auto target = to.path() / "out.onnx";
    const Plan plan = planWithData(from, "weights.bin");
    QVERIFY(exportOnnx(plan, target, allExternal()));
    const std::string before = dataNameIn(target);
    QVERIFY(exportOnnx(plan, target, allExternal()));
    QCOMPARE(dataNameIn(target), before);
    const Plan changed = planWithData(other, "weights.bin", 'y');
    QVERIFY(exportOnnx(changed, target, allExternal()));
    QVERIFY(dataNameIn(target) != before);
    QCOMPARE(filesIn(to.path()), (std::set<std::string>{"out.onnx", dataNameIn(target)}));
}

void WeightWriterTest::dataOfOtherModelsStay()
{
    const ModelFolder from, to;
    const std::set<std::string> others = {"out.onnx.data", "another.onnx.0123456789abcdef.data",
                                          "out.onnx.0123456789abcdeX.data", "out.onnx.01.data"};
    for (const std::string &name : others)
        to.save(name, name);
    to.save("of the model that is replaced", "out.onnx.0123456789abcdef.data");
    QVERIFY(exportOnnx(planWithData(from, "weights.bin"), to.path() / "out.onnx", allExternal()));
    std::set<std::string> expected = others;
    expected.insert({"out.onnx", dataNameIn(to.path() / "out.onnx")});
    QCOMPARE(filesIn(to.path()), expected);
}

GRAPHLOOM_TESTS(WeightWriterTest)

} // namespace graphloom::test::weight_writer_test

#include "weight_writer_test.moc"
