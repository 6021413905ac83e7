// SPDX-License-Identifier: Apache-2.0
#include "targets/opencl/opencl_target.h"

#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "targets/opencl/opencl_devices.h"
#include "tests/support/random_network.h"
#include "tests/support/small_network.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::opencl_target_test {

class OpenclTargetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unknownDevicesAreRefusedWithTheKnownOnes();
    void outputsAreThoseOfTheInterpreter_data();
    void outputsAreThoseOfTheInterpreter();
    void workItemsShareTasks();
    void allWorkItemsFillMargins();
    void imagesAreForSomeDevices_data();
    void imagesAreForSomeDevices();
    void randomNetworksAreComputed_data();
    void randomNetworksAreComputed();
    void interpretedBlocksRunOnTheHost();
    void halvesAreComputedAsFloats();
    void indicesOutOfRangeAreAnError();
    void binariesAreKept();
    void damagedBinariesAreMadeAnew();
    void theDeviceIsMeasured();
    void stepsAreTimed();
    void tunedPlansComputeTheSame();
    void kernelsAreFilesToRead();

private:
    BuildOptions options(const std::string &device = "0") const
    {
        BuildOptions build;
        build.device = device;
        build.cache = m_folder.filePath("cache").toStdString();
        return build;
    }
    bool canRun() const { return m_target.checkDevice("0").has_value(); }
    /// Checks the outputs of a plan, which runs twice: memory of the first run is used again.
    void checkOutputs(const Plan &plan, const std::string &what,
                      const std::string &device = "0") const;
    std::vector<std::string> binaries() const
    {
        std::vector<std::string> names;
        for (const QString &name : QDir(m_folder.filePath("cache")).entryList({"*.clb"}))
            names.push_back(name.toStdString());
        return names;
    }

    opencl::OpenclTarget m_target;
    QTemporaryDir m_folder;
};

/// Returns a plan whose blocks have several nests that need the same rows.
Plan normalizations()
{
    GraphMaker maker;
    const Shape shape = {Dim(3), Dim(10), Dim(37)};
    const TensorId x = maker.input("x", shape);
    const TensorId scale = maker.constant("scale", numbered({37}));
    const TensorId softmax = maker.call("Softmax", {x}, shape);
    const TensorId normal = maker.call("LayerNormalization", {softmax, scale}, shape);
    return unfusedPlanOf(maker.finish({normal}));
}

#define NEEDS_DEVICE                                                                               \
    if (!canRun())                                                                                 \
    QSKIP("needs a driver of OpenCL, such as pocl-opencl-icd")

void OpenclTargetTest::checkOutputs(const Plan &plan, const std::string &what,
                                    const std::string &device) const
{
    const auto built = m_target.build(plan, options(device));
    QVERIFY2(built, built ? "" : (what + ": " + built.error().text()).c_str());
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        const auto inputs = *randomInputs(plan.graph, seed);
        QVERIFY((*built)->setInputs(inputs));
        const auto ran = (*built)->runOnce();
        QVERIFY2(ran, ran ? "" : (what + ": " + ran.error().text()).c_str());
        const auto outputs = (*built)->outputs();
        QVERIFY2(outputs, outputs ? "" : (what + ": " + outputs.error().text()).c_str());
        const auto expected = *interpret(plan.graph, opsetsOf(*plan.model), inputs);
        QCOMPARE(outputs->size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto difference = compare(expected[i], (*outputs)[i]);
            QVERIFY2(difference.maxRelError < 1e-4,
                     (what + ": " + std::to_string(difference.maxRelError)).c_str());
        }
    }
}

void OpenclTargetTest::unknownDevicesAreRefusedWithTheKnownOnes()
{
    NEEDS_DEVICE;
    for (const char *name : {"99", "-1", "0x", "mali"}) {
        const auto checked = m_target.checkDevice(name);
        QVERIFY(!checked);
        QCOMPARE(int(checked.error().kind), int(Error::Kind::Usage));
        QVERIFY(checked.error().message.find("0 (") != std::string::npos);
    }
}

void OpenclTargetTest::outputsAreThoseOfTheInterpreter_data()
{
    QTest::addColumn<QString>("device");
    for (const char *device : {"0", "adreno650", "mali-g76"})
        QTest::newRow(device) << device;
}

void OpenclTargetTest::outputsAreThoseOfTheInterpreter()
{
    NEEDS_DEVICE;
    QFETCH(QString, device);
    checkOutputs(smallNetwork(), "small network", device.toStdString());
    checkOutputs(normalizations(), "normalizations", device.toStdString());
}

/// On a GPU, the rows of a softmax are in local memory.
void OpenclTargetTest::workItemsShareTasks()
{
    const auto files = m_target.generate(normalizations(), options("adreno650"));
    QVERIFY2(files, files ? "" : files.error().text().c_str());
    QVERIFY(std::ranges::any_of(*files, [](const SourceFile &file) {
        return file.content.find("get_local_id") != std::string::npos &&
               file.content.find("__local") != std::string::npos &&
               file.content.find("barrier(") != std::string::npos;
    }));
}

/// Those beyond the last task, too: each fills its share.
void OpenclTargetTest::allWorkItemsFillMargins()
{
    const auto files = m_target.generate(smallNetwork(), options("adreno650"));
    QVERIFY2(files, files ? "" : files.error().text().c_str());
    int filled = 0;
    for (const SourceFile &file : *files) {
        const auto fills = file.content.find("for (int32_t run = ");
        if (fills == std::string::npos)
            continue;
        ++filled;
        QVERIFY(file.content.find("return;", file.content.find("__kernel")) > fills);
    }
    QVERIFY(filled > 0);
}

void OpenclTargetTest::imagesAreForSomeDevices_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<bool>("has");
    QTest::newRow("adreno650") << "adreno650" << true;
    QTest::newRow("mali-g76") << "mali-g76" << false;
}

void OpenclTargetTest::imagesAreForSomeDevices()
{
    QFETCH(QString, device);
    QFETCH(bool, has);
    const auto files = m_target.generate(smallNetwork(), options(device.toStdString()));
    QVERIFY2(files, files ? "" : files.error().text().c_str());
    QCOMPARE(std::ranges::any_of(*files,
                                 [](const SourceFile &file) {
                                     return file.content.find("image1d_buffer_t") !=
                                            std::string::npos;
                                 }),
             has);
}

void OpenclTargetTest::randomNetworksAreComputed_data()
{
    QTest::addColumn<QString>("device");
    for (const char *device : {"0", "adreno650"}) // from buffers, and from images
        QTest::newRow(device) << device;
}

void OpenclTargetTest::randomNetworksAreComputed()
{
    NEEDS_DEVICE;
    QFETCH(QString, device);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Random random(seed);
        checkOutputs(unfusedPlanOf(randomNetwork(random, normalOpset)),
                     "network " + std::to_string(seed), device.toStdString());
    }
}

void OpenclTargetTest::interpretedBlocksRunOnTheHost()
{
    NEEDS_DEVICE;
    const Plan plan = smallNetwork(true);
    const auto built = m_target.build(plan, options());
    QVERIFY(built);
    QCOMPARE(std::ranges::count_if((*built)->steps(),
                                   [](const PlanStep &step) { return !step.reason.empty(); }),
             std::ptrdiff_t(1));
    checkOutputs(plan, "determinant");
}

void OpenclTargetTest::halvesAreComputedAsFloats()
{
    NEEDS_DEVICE;
    GraphMaker maker;
    const Shape shape = {Dim(3), Dim(37)};
    const TensorId x = maker.input("x", shape);
    const std::vector<Attribute> half = {{"to", std::int64_t(DataType::Float16)}};
    const std::vector<Attribute> single = {{"to", std::int64_t(DataType::Float)}};
    const TensorId narrow = maker.call("Cast", {x}, shape, half);
    const TensorId wide = maker.call("Cast", {narrow}, shape, single);
    Graph graph = maker.finish({wide});
    GraphEditor editor(std::move(graph));
    Tensor stored = editor.graph().tensor(narrow);
    stored.type = DataType::Float16;
    editor.setTensor(narrow, std::move(stored));
    checkOutputs(unfusedPlanOf(*std::move(editor).finish()), "halves");
}

void OpenclTargetTest::indicesOutOfRangeAreAnError()
{
    NEEDS_DEVICE;
    GraphMaker maker;
    const TensorId table = maker.constant("table", numbered({4, 3}));
    const TensorId x = maker.input("x", {Dim(2)});
    Graph graph = maker.finish({maker.call("Gather", {table, x}, {Dim(2), Dim(3)})});
    GraphEditor editor(std::move(graph));
    Tensor index = editor.graph().tensor(x);
    index.type = DataType::Int64;
    editor.setTensor(x, std::move(index));
    const Plan plan = unfusedPlanOf(*std::move(editor).finish());
    const auto built = m_target.build(plan, options());
    QVERIFY2(built, built ? "" : built.error().text().c_str());
    const auto runOn = [&](std::vector<std::int64_t> values) {
        (void)(*built)->setInputs(
            {TensorData::fromValues<std::int64_t>(DataType::Int64, {2}, values)});
        return (*built)->runOnce();
    };
    QVERIFY(runOn({3, -4}));
    const auto ran = runOn({0, 4});
    QVERIFY(!ran);
    QCOMPARE(int(ran.error().kind), int(Error::Kind::Model));
    QVERIFY(runOn({1, 2})); // the error is not told again
}

void OpenclTargetTest::binariesAreKept()
{
    NEEDS_DEVICE;
    QVERIFY(m_target.build(smallNetwork(), options()));
    const auto first = binaries();
    QVERIFY(!first.empty());
    QVERIFY(m_target.build(smallNetwork(), options()));
    QCOMPARE(binaries(), first);
}

void OpenclTargetTest::damagedBinariesAreMadeAnew()
{
    NEEDS_DEVICE;
    QVERIFY(m_target.build(smallNetwork(), options()));
    for (const std::string &name : binaries()) {
        QFile file(m_folder.filePath("cache/" + QString::fromStdString(name)));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.seek(file.size() / 2));
        file.write("damage");
    }
    checkOutputs(smallNetwork(), "damaged");
}

void OpenclTargetTest::theDeviceIsMeasured()
{
    NEEDS_DEVICE;
    const auto device = m_target.describe("0", {});
    QVERIFY2(device, device ? "" : device.error().text().c_str());
    QVERIFY(device->peakFlops > 1e8);
    QVERIFY(device->bandwidth > 1e8);
    QVERIFY(device->launchSeconds > 0);
}

void OpenclTargetTest::stepsAreTimed()
{
    NEEDS_DEVICE;
    const auto built = m_target.build(smallNetwork(), options());
    QVERIFY(built);
    QVERIFY((*built)->setInputs(*randomInputs(smallNetwork().graph, 1)));
    const auto seconds = (*built)->timeSteps();
    QVERIFY(seconds);
    QCOMPARE(seconds->size(), (*built)->steps().size());
    QVERIFY(std::ranges::all_of(*seconds, [](double time) { return time > 0 && time < 10; }));
    const auto devices = *opencl::openclDevices();
    QCOMPARE((*built)->provenance() == Provenance::Host, devices.front().isCpu);
}

void OpenclTargetTest::tunedPlansComputeTheSame()
{
    NEEDS_DEVICE;
    TuneOptions tuning;
    tuning.device = "0";
    tuning.cache = options().cache;
    tuning.seconds = 20;
    tuning.trials = 6;
    int trials = 0;
    tuning.tried = [&](const TuningTrial &trial) { trials += trial.problem.empty(); };
    const auto tuned = m_target.tune(smallNetwork(), tuning);
    QVERIFY2(tuned, tuned ? "" : tuned.error().text().c_str());
    QVERIFY(trials > 0);
    QVERIFY(kernelsOf(*tuned));
    QCOMPARE(kernelsOf(*tuned)->target, std::string("opencl"));
    checkOutputs(*tuned, "tuned");
}

void OpenclTargetTest::kernelsAreFilesToRead()
{
    NEEDS_DEVICE;
    const auto files = m_target.generate(smallNetwork(), options());
    QVERIFY(files);
    QCOMPARE(std::ranges::count_if(*files,
                                   [](const SourceFile &file) {
                                       return file.content.find("__kernel void") !=
                                              std::string::npos;
                                   }),
             std::ptrdiff_t(files->size() - 1)); // the header has none
}

GRAPHLOOM_TESTS(OpenclTargetTest)

} // namespace graphloom::test::opencl_target_test

#include "opencl_target_test.moc"
