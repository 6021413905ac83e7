// SPDX-License-Identifier: Apache-2.0
#include "targets/arm64/arm64_target.h"

#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "engine/machine_code/llvm_tools.h"
#include "engine/target/call_timing.h"
#include "targets/arm64/arm_devices.h"
#include "targets/arm64/arm_tools.h"
#include "tests/support/board.h"
#include "tests/support/scoped_variable.h"
#include "tests/support/small_network.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::arm64_target_test {

namespace {

/// A convolution of 1 x 1, a depthwise one and a sum, with 20 channels, in half precision.
Plan halfNetwork()
{
    GraphMaker maker(DataType::Float16);
    const Shape shape = {Dim(1), Dim(20), Dim(9), Dim(9)};
    const auto halves = [](const TensorData::Extents &extents, std::size_t count) {
        std::vector<qfloat16> values;
        for (std::size_t i = 0; i < count; ++i)
            values.push_back(qfloat16(float(i % 7) / 16 - 0.15F));
        return TensorData::fromValues<qfloat16>(DataType::Float16, extents, values);
    };
    const std::vector<Attribute> depthwise = {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
                                              {"group", std::int64_t{20}}};
    const TensorId x = maker.input("x", {Dim(1), Dim(24), Dim(9), Dim(9)});
    const TensorId a = maker.constant("a", halves({20, 24, 1, 1}, 480));
    const TensorId b = maker.constant("b", halves({20, 1, 3, 3}, 180));
    const TensorId first = maker.call("Conv", {x, a}, shape);
    const TensorId relu = maker.call("Relu", {first}, shape);
    const TensorId second = maker.call("Conv", {relu, b}, shape, depthwise);
    return unfusedPlanOf(maker.finish({maker.call("Add", {second, relu}, shape)}));
}

} // namespace

class Arm64TargetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theDefaultDeviceIsAPhone();
    void unknownDevicesAreRefusedWithTheKnownOnes();
    void namesMayHaveAConnection_data();
    void namesMayHaveAConnection();
    void hostilePlacesAreRefused_data();
    void hostilePlacesAreRefused();
    void processorsWithTheSameInstructionsAreEmulated();
    void otherProcessorsAreNotEmulated();
    void outputsAreThoseOfTheInterpreter_data();
    void outputsAreThoseOfTheInterpreter();
    void timesUnderAnEmulatorAreModelled();
    void passesPlanByTheDescriptionUnderAnEmulator();
    void kernelsAreCounted();
    void machineCodeIsForTheProcessor();
    void fewerThreadsTakeLonger();
    void halfPrecisionIsComputedInHalfPrecision_data();
    void halfPrecisionIsComputedInHalfPrecision();
    void functionsOfHalfPrecision();
    void kernelsAreTuned_data();
    void kernelsAreTuned();
    void blocksWithoutKernelAreNamed();
    void aMissingCompilerIsNamed();
    void knownSchedulesNeedNoTools();

private:
    BuildOptions options(const std::string &device, unsigned threads = 2) const
    {
        BuildOptions build;
        build.device = device;
        build.threads = threads;
        build.cache = m_folder.filePath("cache").toStdString();
        return build;
    }
    /// Verifies what a plan computes on a device.
    void checkOutputs(const Plan &plan, const std::string &device, unsigned threads,
                      double tolerance = 1e-5) const;
    bool canRun() const { return m_target.checkDevice("kirin990").has_value(); }

    arm64::Arm64Target m_target;
    QTemporaryDir m_folder;
};

void Arm64TargetTest::theDefaultDeviceIsAPhone()
{
    QCOMPARE(m_target.devices().front(), std::string("sd865"));
}

void Arm64TargetTest::unknownDevicesAreRefusedWithTheKnownOnes()
{
    const auto described = m_target.describe("pdp11", {});
    QVERIFY(!described);
    QCOMPARE(int(described.error().kind), int(Error::Kind::Usage));
    QVERIFY(described.error().message.find("kirin990") != std::string::npos);
}

void Arm64TargetTest::namesMayHaveAConnection_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"kirin990", "kirin990@ssh:pi@board", "kirin990@ssh:[::1]:22",
                             "kirin990@adb:R58N", "kirin990@adb:10.0.0.1:5555"})
        QTest::newRow(name) << name;
}

void Arm64TargetTest::namesMayHaveAConnection()
{
    QFETCH(QString, name);
    QVERIFY(m_target.hasDevice(name.toStdString()));
    const auto described = m_target.describe(name.toStdString(), {});
    QVERIFY(described);
    QCOMPARE(described->target, "arm64:" + name.toStdString());
}

void Arm64TargetTest::hostilePlacesAreRefused_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name :
         {"kirin990@ssh:-oProxyCommand=touch /tmp/x", "kirin990@ssh:", "kirin990@ssh:a b",
          "kirin990@ssh:board:99999", "kirin990@ssh:board:", "kirin990@adb:-e",
          "kirin990@adb:", "kirin990@adb:a\nb", "kirin990@telnet:board"})
        QTest::newRow(name) << name;
}

void Arm64TargetTest::hostilePlacesAreRefused()
{
    QFETCH(QString, name);
    if (!arm64::armCompiler({}))
        QSKIP("needs a compiler for 64-bit ARM");
    const auto checked = m_target.checkDevice(name.toStdString());
    QVERIFY(!checked);
    QCOMPARE(int(checked.error().kind), int(Error::Kind::Usage));
}

void Arm64TargetTest::processorsWithTheSameInstructionsAreEmulated()
{
    const arm64::ArmEmulator emulator{"qemu-aarch64", "7.2", {"cortex-a53", "cortex-a76"}};
    QCOMPARE(*arm64::emulatedProcessor(emulator, "cortex-a53"), std::string("cortex-a53"));
    QCOMPARE(*arm64::emulatedProcessor(emulator, "cortex-a77"), std::string("cortex-a76"));
}

void Arm64TargetTest::otherProcessorsAreNotEmulated()
{
    const arm64::ArmEmulator emulator{"qemu-aarch64", "7.2", {"cortex-a53", "cortex-a76", "max"}};
    const auto processor = arm64::emulatedProcessor(emulator, "cortex-x4");
    QVERIFY(!processor);
    QCOMPARE(int(processor.error().kind), int(Error::Kind::Missing));
}

void Arm64TargetTest::outputsAreThoseOfTheInterpreter_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<int>("threads");
    QTest::addColumn<int>("board"); // Board::Kind; -1: none
    QTest::newRow("big cores") << "kirin990" << 1 << -1;
    QTest::newRow("little cores") << "a55-pair" << 2 << -1;
    QTest::newRow("a board") << "rpi5" << 2 << int(Board::Kind::Ssh);
    QTest::newRow("a phone") << "sd865" << 2 << int(Board::Kind::Adb);
}

void Arm64TargetTest::outputsAreThoseOfTheInterpreter()
{
    QFETCH(QString, device);
    QFETCH(int, threads);
    QFETCH(int, board);
    if (!canRun())
        QSKIP("needs gcc-aarch64-linux-gnu and qemu-user");
    std::string name = device.toStdString();
    std::unique_ptr<Board> there;
    if (board >= 0) {
        there = std::make_unique<Board>(Board::Kind(board), "qemu-aarch64 -cpu cortex-a76");
        if (!there->problem().empty())
            QSKIP(there->problem().c_str());
        name += "@" + there->address();
    }
    checkOutputs(smallNetwork(), name, unsigned(threads));
}

void Arm64TargetTest::checkOutputs(const Plan &plan, const std::string &device, unsigned threads,
                                   double tolerance) const
{
    const auto built = m_target.build(plan, options(device, threads));
    QVERIFY2(built, built ? "" : built.error().text().c_str());
    const auto inputs = *randomInputs(plan.graph, 1);
    QVERIFY((*built)->setInputs(inputs));
    const auto ran = (*built)->runOnce();
    QVERIFY2(ran, ran ? "" : ran.error().text().c_str());
    const auto outputs = (*built)->outputs();
    QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
    const auto expected = *interpret(plan.graph, opsetsOf(*plan.model), inputs);
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY(compare(expected[i], (*outputs)[i]).maxRelError < tolerance);
}

void Arm64TargetTest::timesUnderAnEmulatorAreModelled()
{
    if (!canRun())
        QSKIP("needs gcc-aarch64-linux-gnu and qemu-user");
    const auto built = m_target.build(smallNetwork(), options("kirin990"));
    QVERIFY(built);
    QCOMPARE(int((*built)->provenance()), int(Provenance::Modelled));
    QVERIFY((*built)->setInputs(*randomInputs(smallNetwork().graph, 1)));
    const auto measured = m_target.measure(std::span(&*built, 1), {});
    QVERIFY2(measured, measured ? "" : measured.error().text().c_str());
    QCOMPARE(int(measured->front().provenance), int(Provenance::Modelled));
    QCOMPARE(measured->front().steps.size(), (*built)->steps().size());
    QVERIFY(measured->front().whole.median > 0);
}

void Arm64TargetTest::passesPlanByTheDescriptionUnderAnEmulator()
{
    const auto target = std::make_shared<arm64::Arm64Target>();
    QVERIFY(!target->measures("kirin990"));
    QVERIFY(target->measures("kirin990@ssh:board"));
    CallTimingOptions options;
    const CallTimers timers = timersOn(
        [&] {
            return std::vector<TargetPlugin>{{"arm64.so", target, {}}};
        },
        options, [] { return Result<std::shared_ptr<ProfileDatabase>>(nullptr); });
    const auto timer = timers("arm64:kirin990");
    QVERIFY(!timer);
    QCOMPARE(int(timer.error().kind), int(Error::Kind::Missing));
    const auto planned = plannedDeviceOn({target, "kirin990"}, {}, timers);
    QVERIFY(planned);
    QVERIFY(planned->instead.empty());
    QVERIFY(!planned->device->rates());
}

void Arm64TargetTest::kernelsAreCounted()
{
    if (!canRun() || !llvmTools({}))
        QSKIP("needs gcc-aarch64-linux-gnu, qemu-user and llvm-19");
    const auto built = m_target.build(smallNetwork(), options("kirin990"));
    QVERIFY(built);
    QVERIFY((*built)->setInputs(*randomInputs(smallNetwork().graph, 1)));
    const auto measured = m_target.measure(std::span(&*built, 1), {});
    QVERIFY2(measured, measured ? "" : measured.error().text().c_str());
    const Measurement &of = measured->front();
    QVERIFY(of.isBracket);
    QVERIFY(of.whole.min > 0 && of.whole.min < of.whole.median && of.whole.median < of.whole.p95);
    QCOMPARE(of.counts.size(), (*built)->steps().size());
    for (std::size_t i = 0; i < of.counts.size(); ++i) {
        // At least a multiply-add for each four of them.
        QVERIFY(of.counts[i].instructions > (*built)->steps()[i].flops / 8);
        QVERIFY(of.counts[i].cycles > (*built)->steps()[i].flops / 16);
        QCOMPARE(of.counts[i].spills, 0);
    }
}

void Arm64TargetTest::machineCodeIsForTheProcessor()
{
    if (!canRun() || !llvmTools({}))
        QSKIP("needs gcc-aarch64-linux-gnu, qemu-user and llvm-19");
    const auto built = m_target.build(smallNetwork(), options("kirin990"));
    QVERIFY(built);
    const auto files = m_target.generate(smallNetwork(), options("kirin990"));
    QVERIFY(files);
    bool multiplies = false;
    for (const PlanStep &step : (*built)->steps()) {
        const auto code = m_target.compiledCode(*files, step.symbol, options("kirin990"));
        QVERIFY2(code, code ? "" : code.error().text().c_str());
        QVERIFY(code->model.find("neoverse-n1") != std::string::npos);
        for (const KernelCode::Loop &loop : code->loops) {
            QVERIFY(loop.cycles > 0);
            QVERIFY(loop.peakShare < 1.05);
            multiplies = multiplies || loop.multiplyAdds > 0;
        }
    }
    QVERIFY(multiplies);
}

void Arm64TargetTest::fewerThreadsTakeLonger()
{
    if (!canRun())
        QSKIP("needs gcc-aarch64-linux-gnu and qemu-user");
    double before = 0;
    for (const unsigned threads : {4U, 1U}) {
        const auto built = m_target.build(smallNetwork(), options("kirin990", threads));
        QVERIFY(built);
        QVERIFY((*built)->setInputs(*randomInputs(smallNetwork().graph, 1)));
        const auto measured = m_target.measure(std::span(&*built, 1), {});
        QVERIFY2(measured, measured ? "" : measured.error().text().c_str());
        const double after = measured->front().whole.median;
        QVERIFY(after > before);
        before = after;
    }
}

void Arm64TargetTest::halfPrecisionIsComputedInHalfPrecision_data()
{
    QTest::addColumn<QString>("device");
    QTest::addColumn<bool>("inHalf");
    QTest::newRow("without") << "kirin990" << false;
    QTest::newRow("with") << "kirin990+fp16" << true;
}

void Arm64TargetTest::halfPrecisionIsComputedInHalfPrecision()
{
    QFETCH(QString, device);
    QFETCH(bool, inHalf);
    if (!canRun())
        QSKIP("needs gcc-aarch64-linux-gnu and qemu-user");
    const Plan plan = halfNetwork();
    const auto files = m_target.generate(plan, options(device.toStdString(), 1));
    QVERIFY2(files, files ? "" : files.error().text().c_str());
    const bool sums = std::ranges::any_of(*files, [](const SourceFile &file) {
        return file.name.ends_with(".c") && file.content.find("vh acc0") != std::string::npos;
    });
    QCOMPARE(sums, inHalf);
    checkOutputs(plan, device.toStdString(), 1, 5e-3);
}

void Arm64TargetTest::functionsOfHalfPrecision()
{
    if (!canRun())
        QSKIP("needs gcc-aarch64-linux-gnu and qemu-user");
    GraphMaker maker(DataType::Float16);
    const Shape shape = {Dim(1), Dim(37)}; // four vectors and a rest
    const TensorId x = maker.input("x", shape);
    std::vector<TensorId> outputs;
    for (const char *op : {"Abs", "Neg",  "Floor",   "Ceil", "Round", "Exp",  "Sin",      "Cos",
                           "Tan", "Asin", "Acos",    "Atan", "Sinh",  "Cosh", "Tanh",     "Asinh",
                           "Erf", "Sign", "Sigmoid", "Relu", "Elu",   "Selu", "HardSwish"})
        outputs.push_back(maker.call(op, {x}, shape));
    for (const char *op : {"Add", "Sub", "Mul", "Min", "Max"})
        outputs.push_back(maker.call(op, {x, outputs.front()}, shape));
    const TensorId positive = outputs.front();
    for (const char *op : {"Sqrt", "Log", "Reciprocal"})
        outputs.push_back(maker.call(op, {positive}, shape));
    const Plan plan = unfusedPlanOf(maker.finish(outputs));
    const auto files = m_target.generate(plan, options("kirin990+fp16", 1));
    QVERIFY2(files, files ? "" : files.error().text().c_str());
    const auto isInHalf = [](const SourceFile &file) {
        return file.content.find("gh_load_f16") != std::string::npos;
    };
    QVERIFY(files->size() > 1);
    QVERIFY(std::ranges::all_of(*files, isInHalf));
    checkOutputs(plan, "kirin990+fp16", 1, 5e-3);
}

void Arm64TargetTest::kernelsAreTuned_data()
{
    QTest::addColumn<bool>("hasDevice");
    QTest::newRow("by counts") << false;
    QTest::newRow("on a device") << true;
}

void Arm64TargetTest::kernelsAreTuned()
{
    QFETCH(bool, hasDevice);
    if (!canRun() || !llvmTools({}))
        QSKIP("needs gcc-aarch64-linux-gnu, qemu-user and llvm-19");
    std::unique_ptr<Board> there;
    std::string name = "kirin990";
    if (hasDevice) {
        there = std::make_unique<Board>(Board::Kind::Ssh, "qemu-aarch64 -cpu cortex-a76");
        if (!there->problem().empty())
            QSKIP(there->problem().c_str());
        name += "@" + there->address();
    }
    TuneOptions tuning;
    tuning.device = name;
    tuning.threads = 1;
    tuning.cache = m_folder.filePath("cache").toStdString();
    tuning.seconds = 120;
    tuning.trials = 6;
    int timed = 0;
    tuning.tried = [&](const TuningTrial &trial) {
        QVERIFY2(trial.problem.empty(), trial.problem.c_str());
        QCOMPARE(int(trial.provenance), int(hasDevice ? Provenance::Device : Provenance::Modelled));
        QVERIFY(trial.milliseconds > 0);
        ++timed;
    };
    const auto tuned = m_target.tune(smallNetwork(), tuning);
    QVERIFY2(tuned, tuned ? "" : tuned.error().text().c_str());
    QVERIFY(timed >= 6);
    checkOutputs(*tuned, name, 1);
    if (there) // of the trials; that of the plan stays
        QCOMPARE(QDir(there->folder() + "/kept").entryList(QDir::Files).size(), 2);
}

void Arm64TargetTest::blocksWithoutKernelAreNamed()
{
    if (!canRun())
        QSKIP("needs gcc-aarch64-linux-gnu and qemu-user");
    const auto built = m_target.build(smallNetwork(true), options("kirin990"));
    QVERIFY(!built);
    QCOMPARE(int(built.error().kind), int(Error::Kind::Model));
    QVERIFY2(built.error().text().find("Det") != std::string::npos, built.error().text().c_str());
}

void Arm64TargetTest::aMissingCompilerIsNamed()
{
    const ScopedVariable path("PATH", "/nonexistent");
    const ScopedVariable compiler("GRAPHLOOM_ARM64_CC", "");
    const auto checked = m_target.checkDevice("kirin990");
    QVERIFY(!checked);
    QCOMPARE(int(checked.error().kind), int(Error::Kind::Missing));
    QVERIFY(checked.error().message.find("gcc-aarch64-linux-gnu") != std::string::npos);
}

void Arm64TargetTest::knownSchedulesNeedNoTools()
{
    const ScopedVariable path("PATH", "/nonexistent");
    TuneOptions tuning; // no seconds: only the database, as for a package
    tuning.device = "kirin990";
    tuning.threads = 1;
    const auto tuned = m_target.tune(smallNetwork(), tuning);
    QVERIFY2(tuned, tuned ? "" : tuned.error().text().c_str());
    QVERIFY(m_target.generate(*tuned, options("kirin990", 1)));
}

GRAPHLOOM_TESTS(Arm64TargetTest)

} // namespace graphloom::test::arm64_target_test

#include "arm64_target_test.moc"
