// SPDX-License-Identifier: Apache-2.0
// An outsider can count again what the report says of memory, with nothing but the exported files.
#include "engine/autodiff/training_plan.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/onnx_export/stored_schedule.h"
#include "engine/plan/report/report.h"
#include "tests/plugins/magis/magis_run.h"
#include "tests/plugins/magis/workloads.h"
#include "tests/support/test_program.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>
#include <onnx/onnx_pb.h>

namespace graphloom::test::recount_test {

using OrderedJson = nlohmann::ordered_json;

namespace {

const QString program = GRAPHLOOM_RECOUNT;

struct Counted {
    int exitCode = -1;
    QString text;
};
Counted counted(const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    const bool ended = process.waitForFinished(60'000);
    return {ended && process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAll())};
}

void write(const QString &path, const std::string &text)
{
    std::ofstream(path.toStdString(), std::ios::binary) << text;
}

Plan trainingOf(const std::string &name)
{
    auto model = importOnnx(GRAPHLOOM_WORKLOADS "/" + name + ".onnx");
    if (!model)
        qFatal("%s", model.error().text().c_str());
    auto plan = trainingPlan(*std::move(model), {.batchNorm = TrainingOptions::BatchNorm::Frozen});
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return *std::move(plan);
}

/// Small calls are all launch: what is done for memory costs more than it does in the large ones.
Plan planned(const Plan &plan)
{
    const magis::MagisPass pass;
    Context context;
    context.settings = magisSettings();
    context.objective = {Objective::Mode::Memory, {}, 3.};
    context.threads = 1;
    context.seed = 1;
    for (const auto &[setting, value] : {std::pair{"seconds", 0.}, {"states", 96.}})
        if (!context.settings.set(setting, value))
            qFatal("no such setting");
    auto result = runPass(pass, plan, context);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

} // namespace

class RecountTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void filesTellThePeaksOfTheReport_data();
    void filesTellThePeaksOfTheReport();
    void schedulesThatDoNotHoldAreRefused_data();
    void schedulesThatDoNotHoldAreRefused();
    void otherFiguresAreNotAccepted();
    void cleanupTestCase();

private:
    QString path(const char *name) const { return m_folder.filePath(name); }

    QTemporaryDir m_folder;
    Plan m_plan; // of one workload, with swaps
    int m_workloads = 0, m_cut = 0, m_swapped = 0;
};

void RecountTest::initTestCase()
{
    if (program.isEmpty())
        QSKIP("the benchmarks are not built (GRAPHLOOM_BENCH)");
}

void RecountTest::filesTellThePeaksOfTheReport_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name :
         {"resnet50", "bert", "vit", "unet", "unetpp", "gpt_neo_1_3b", "btlm_3b"})
        QTest::newRow(name) << name;
}

void RecountTest::filesTellThePeaksOfTheReport()
{
    QFETCH(QString, name);
    const Plan before = trainingOf(name.toStdString()), after = planned(before);
    QVERIFY2(after.memory->realized, after.memory->unrealized.c_str());
    const MemorySchedule *schedule = scheduleOf(after);
    QVERIFY(schedule);
    const auto report = reportOf(after, {});
    QVERIFY(report);
    write(path("report.json"), report->dump());
    QVERIFY(exportOnnx(before, path("before.onnx").toStdString()));
    QVERIFY(exportOnnx(after, path("after.onnx").toStdString()));
    const Counted result = counted(
        {path("before.onnx"), path("after.onnx"), "--top", "0", "--expect", path("report.json")});
    QVERIFY2(result.exitCode == 0, qPrintable(result.text));
    QCOMPARE(result.text.count("as counted"), 2);
    ++m_workloads;
    m_cut += std::ranges::any_of(after.memory->fissions,
                                 [](const auto &fission) { return fission.number > 1; });
    m_swapped += !schedule->swaps.empty();
    if (!m_plan.model && !schedule->swaps.empty())
        m_plan = after;
}

void RecountTest::schedulesThatDoNotHoldAreRefused_data()
{
    using Change = std::function<void(OrderedJson &)>;
    QTest::addColumn<Change>("change");
    const auto row = [](const char *name, Change change) { QTest::newRow(name) << change; };
    row("another order", [](OrderedJson &json) { std::swap(json["order"][0], json["order"][1]); });
    row("too few nodes", [](OrderedJson &json) { json["order"].erase(0); });
    row("another form", [](OrderedJson &json) { json["schema"] = 2; });
    row("no storages", [](OrderedJson &json) { json.erase("storages"); });
    row("a tensor that is not there",
        [](OrderedJson &json) { json["storages"][0]["tensors"]["?"] = 0; });
    row("away while it is read",
        [](OrderedJson &json) { ++json["swaps"][0]["loaded_before"].get_ref<std::int64_t &>(); });
    row("all in one place", [](OrderedJson &json) {
        OrderedJson all = OrderedJson::object();
        for (OrderedJson &storage : json["storages"])
            if (!storage.contains("weight")) {
                for (const auto &[name, offset] : storage["tensors"].items())
                    all[name] = 0;
                storage["tensors"] = OrderedJson::object();
            }
        for (OrderedJson &storage : json["storages"])
            if (!storage.contains("weight")) {
                storage["tensors"] = all;
                break;
            }
    });
    row("in the place of anything", [](OrderedJson &json) {
        for (OrderedJson &storage : json["storages"])
            if (!storage.contains("weight") && !storage.contains("takes_over"))
                storage["takes_over"] = 0;
    });
}

/// The program believes no more than it has to.
void RecountTest::schedulesThatDoNotHoldAreRefused()
{
    QFETCH(std::function<void(OrderedJson &)>, change);
    QVERIFY(m_plan.model);
    QVERIFY(exportOnnx(m_plan, path("right.onnx").toStdString()));
    QCOMPARE(counted({path("right.onnx")}).exitCode, 0);
    onnx::ModelProto proto;
    std::ifstream stream(path("right.onnx").toStdString(), std::ios::binary);
    QVERIFY(proto.ParseFromIstream(&stream));
    int changed = 0;
    for (auto &entry : *proto.mutable_metadata_props())
        if (entry.key() == storedScheduleKey) {
            OrderedJson json = OrderedJson::parse(entry.value());
            change(json);
            entry.set_value(json.dump());
            ++changed;
        }
    QCOMPARE(changed, 1);
    write(path("wrong.onnx"), proto.SerializeAsString());
    const Counted result = counted({path("wrong.onnx")});
    QVERIFY2(result.exitCode == 1, qPrintable(result.text));
}

/// More than 1 % beside the report.
void RecountTest::otherFiguresAreNotAccepted()
{
    QVERIFY(m_plan.model);
    QVERIFY(exportOnnx(m_plan, path("plan.onnx").toStdString()));
    for (const double share : {0.985, 0.995, 1.005, 1.015}) {
        const auto peak = double(peakOf(*scheduleOf(m_plan)).bytes);
        write(path("said.json"),
              OrderedJson{{"memory", {{"peak_bytes_after", share * peak}}}}.dump());
        const Counted result = counted({path("plan.onnx"), "--expect", path("said.json")});
        QVERIFY2(result.exitCode == (share > 0.99 && share < 1.01 ? 0 : 1),
                 qPrintable(result.text));
    }
}

void RecountTest::cleanupTestCase()
{
    if (QTest::currentTestFailed() || m_workloads == 0)
        return;
    qInfo("%d workloads, %d in parts, %d with swaps", m_workloads, m_cut, m_swapped);
    QVERIFY(m_cut > 0 && m_swapped > 0);
}

GRAPHLOOM_TESTS(RecountTest)

} // namespace graphloom::test::recount_test

#include "recount_test.moc"
