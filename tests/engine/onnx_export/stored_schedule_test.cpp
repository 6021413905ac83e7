// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_export/stored_schedule.h"

#include "engine/onnx/format/utf8.h"
#include "tests/support/exported.h"
#include "tests/support/scheduled_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>

namespace graphloom::test::stored_schedule_test {

using Json = nlohmann::ordered_json;

namespace {

Plan scheduledPlan()
{
    ScheduledGraph made;
    auto model = std::make_shared<Model>();
    model->graph = made.graph;
    model->opsets = {{"", normalOpset}};
    Plan plan;
    plan.graph = plan.original = made.graph;
    plan.model = std::move(model);
    plan.schedule = std::make_shared<const MemorySchedule>(std::move(made.schedule));
    return plan;
}

std::string storedIn(const std::filesystem::path &path)
{
    const onnx::ModelProto proto = protoOf(path);
    for (const auto &entry : proto.metadata_props())
        if (entry.key() == storedScheduleKey)
            return entry.value();
    return {};
}

/// The plan of a file whose schedule has become another text.
Result<Plan> withText(const std::filesystem::path &path, const std::string &text)
{
    onnx::ModelProto proto = protoOf(path);
    for (auto &entry : *proto.mutable_metadata_props())
        if (entry.key() == storedScheduleKey)
            entry.set_value(text);
    std::ofstream(path, std::ios::binary) << proto.SerializeAsString();
    auto model = importOnnx(path);
    if (!model)
        return tl::unexpected(model.error());
    return importPlan(std::make_shared<const Model>(*std::move(model)));
}

} // namespace

class StoredScheduleTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itComesBack();
    void namesMayBeOfAnyForm();
    void otherOrdersAreWrittenWithoutIt();
    void hostileTextsAreIgnoredWithAReason_data();
    void hostileTextsAreIgnoredWithAReason();
    void deepTextsAreIgnoredWithAReason();
    void filesTellTheSizesOfAllTensors();
};

void StoredScheduleTest::itComesBack()
{
    const ModelFolder folder;
    const auto path = folder.path() / "out.onnx";
    const Plan plan = scheduledPlan();
    QVERIFY(exportOnnx(plan, path));
    const std::string stored = storedIn(path);
    QVERIFY(!stored.empty());
    auto model = importOnnx(path);
    QVERIFY(model);
    const auto back = importPlan(std::make_shared<const Model>(*std::move(model)));
    QVERIFY(back);
    QVERIFY(back->history.empty());
    const MemorySchedule *schedule = scheduleOf(*back);
    QVERIFY(schedule);
    QCOMPARE(peakOf(*schedule).bytes, peakOf(*plan.schedule).bytes);
    const auto again = folder.path() / "again.onnx";
    QVERIFY(exportOnnx(*back, again));
    QCOMPARE(storedIn(again), stored);
}

void StoredScheduleTest::namesMayBeOfAnyForm()
{
    Plan plan = scheduledPlan();
    GraphEditor editor(plan.graph);
    for (std::uint32_t t = 0; t < plan.graph.tensorBound(); ++t)
        if (plan.graph.contains(TensorId{t})) {
            Tensor tensor = plan.graph.tensor(TensorId{t});
            tensor.name = "\"same\"\n\u00e4";
            editor.setTensor(TensorId{t}, tensor);
        }
    plan.graph = *std::move(editor).finish();
    MemorySchedule schedule = *plan.schedule;
    schedule.graphHash = plan.graph.hash();
    plan.schedule = std::make_shared<const MemorySchedule>(schedule);
    const ModelFolder folder;
    const auto path = folder.path() / "out.onnx";
    QVERIFY(exportOnnx(plan, path));
    auto model = importOnnx(path);
    QVERIFY(model);
    const auto back = importPlan(std::make_shared<const Model>(*std::move(model)));
    QVERIFY(back && scheduleOf(*back));
}

/// Functions put the nodes of a block side by side.
void StoredScheduleTest::otherOrdersAreWrittenWithoutIt()
{
    const ModelFolder folder;
    Plan plan = scheduledPlan();
    plan.partition = partitionOf(plan.graph, {{0, 6}, {1}, {2, 3}, {4}, {5}, {7}});
    QVERIFY(exportOnnx(plan, folder.path() / "functions.onnx"));
    QVERIFY(storedIn(folder.path() / "functions.onnx").empty());
    QVERIFY(exportOnnx(plan, folder.path() / "flat.onnx", {.flat = true}));
    QVERIFY(!storedIn(folder.path() / "flat.onnx").empty());
}

void StoredScheduleTest::hostileTextsAreIgnoredWithAReason_data()
{
    using Change = std::function<void(Json &)>;
    QTest::addColumn<Change>("change");
    const auto row = [](const char *name, const Change &change) { QTest::newRow(name) << change; };
    row("a text", [](Json &json) { json = "x"; });
    row("a list", [](Json &json) { json = Json::array({1, 2}); });
    row("deep", [](Json &json) {
        for (int i = 0; i < 1'000; ++i) // more overflow the stack of the writer itself
            json = Json::array({std::move(json)});
    });
    row("another form", [](Json &json) { json["schema"] = 2; });
    row("no form", [](Json &json) { json.erase("schema"); });
    row("a form that is no number", [](Json &json) { json["schema"] = "1"; });
    row("no weights", [](Json &json) { json.erase("weights"); });
    row("order of numbers", [](Json &json) { json["order"][0] = 7; });
    row("order of others", [](Json &json) { json["order"][0] = "?"; });
    row("order too short", [](Json &json) { json["order"].erase(0); });
    row("storages as a number", [](Json &json) { json["storages"] = 3; });
    row("tensors as a list", [](Json &json) { json["storages"][0]["tensors"] = Json::array(); });
    row("a tensor elsewhere", [](Json &json) { json["storages"][0]["tensors"]["?"] = 0; });
    row("a long name", [](Json &json) {
        json["order"][0] = std::string(199, 'x') + "\u00e4"; // which a message may not cut
    });
    row("three steps", [](Json &json) { json["storages"][0]["steps"] = {0, 1, 2}; });
    row("a negative step", [](Json &json) { json["storages"][0]["steps"][0] = -1; });
    row("a huge step", [](Json &json) { json["storages"][0]["steps"][1] = ~std::uint64_t{0}; });
    row("a broken number", [](Json &json) { json["storages"][0]["bytes"] = 32.5; });
    row("no number", [](Json &json) { json["storages"][0]["bytes"] = nullptr; });
    row("a huge size", [](Json &json) { json["storages"][0]["bytes"] = ~std::uint64_t{0}; });
    row("a huge offset",
        [](Json &json) { json["storages"][0]["arena"][0] = ~std::uint64_t{0} / 2; });
    row("takes over much", [](Json &json) { json["storages"][0]["takes_over"] = 1 << 30; });
    row("a swap of nothing", [](Json &json) { json["swaps"][0]["storage"] = 1 << 30; });
    row("a swap without steps", [](Json &json) { json["swaps"][0] = Json::object(); });
    row("a copy without names", [](Json &json) { json["early_copies"][0] = {{"tensor", 1}}; });
    row("no arena", [](Json &json) { json["arena"] = 5; });
}

void StoredScheduleTest::hostileTextsAreIgnoredWithAReason()
{
    QFETCH(std::function<void(Json &)>, change);
    const ModelFolder folder;
    const auto path = folder.path() / "out.onnx";
    QVERIFY(exportOnnx(scheduledPlan(), path));
    Json json = Json::parse(storedIn(path));
    change(json);
    const auto plan = withText(path, json.dump());
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    QVERIFY(!plan->schedule);
    QCOMPARE(plan->history.size(), std::size_t(1));
    QCOMPARE(plan->history[0].pass, std::string("stored memory schedule"));
    const auto why = std::get<std::string>(plan->history[0].summary[0].value);
    QVERIFY(!why.empty() && isUtf8(why));
}

/// What a number stands in the place of is quoted, which goes down all levels.
void StoredScheduleTest::deepTextsAreIgnoredWithAReason()
{
    constexpr std::size_t levels = 2'000'000;
    const ModelFolder folder;
    const auto path = folder.path() / "out.onnx";
    QVERIFY(exportOnnx(scheduledPlan(), path));
    Json json = Json::parse(storedIn(path));
    json["storages"][0]["bytes"] = "deep";
    std::string text = json.dump();
    const std::string_view place = "\"deep\"";
    text.replace(text.find(place), place.size(),
                 std::string(levels, '[') + std::string(levels, ']'));
    const auto plan = withText(path, text);
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    QVERIFY(!plan->schedule);
    QCOMPARE(plan->history.size(), std::size_t(1));
}

/// Also of what is in functions, and of weights that a node fills.
void StoredScheduleTest::filesTellTheSizesOfAllTensors()
{
    auto proto = emptyModel();
    auto &graph = *proto.mutable_graph();
    addInput(graph, "x", {512});
    auto &extents = *graph.add_initializer();
    extents.set_name("extents");
    extents.set_data_type(onnx::TensorProto::INT64);
    extents.add_dims(1);
    extents.add_int64_data(512);
    addNode(graph, "ConstantOfShape", {"extents"}, {"w"}, "fill");
    addNode(graph, "Mul", {"x", "w"}, {"a"}, "one");
    addNode(graph, "Abs", {"a"}, {"b"}, "two");
    addNode(graph, "Neg", {"b"}, {"y"}, "three");
    addOpenOutput(graph, "y");
    Plan plan = planAsRead(load(proto));
    plan.partition = partitionOf(plan.graph, {{0}, {1, 2}});
    const ModelFolder folder;
    QVERIFY(exportOnnx(plan, folder.path() / "out.onnx"));
    const auto written = protoOf(folder.path() / "out.onnx");
    std::map<std::string, std::int64_t> extentOf;
    for (const auto &info : written.graph().value_info())
        extentOf[info.name()] = info.type().tensor_type().shape().dim(0).dim_value();
    QCOMPARE(extentOf.at("w"), std::int64_t{512});
    QCOMPARE(extentOf.at("a"), std::int64_t{512});
    QCOMPARE(written.functions_size(), 1);
    std::map<std::string, std::int64_t> inside;
    const auto &fields = written.functions(0).unknown_fields();
    for (int i = 0; i < fields.field_count(); ++i) {
        onnx::ValueInfoProto info;
        if (fields.field(i).number() == 12 &&
            info.ParseFromString(fields.field(i).length_delimited()))
            inside[info.name()] = info.type().tensor_type().shape().dim(0).dim_value();
    }
    QCOMPARE(inside, (std::map<std::string, std::int64_t>{{"a", 512}, {"b", 512}, {"y", 512}}));
}

GRAPHLOOM_TESTS(StoredScheduleTest)

} // namespace graphloom::test::stored_schedule_test

#include "stored_schedule_test.moc"
