// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_target.h"

#include "engine/codegen/build/c_compiler.h"
#include "engine/cost/host.h"
#include "engine/interpreter/compare.h"
#include "engine/interpreter/interpreter.h"
#include "engine/machine_code/llvm_tools.h"
#include "engine/profile/profile_database.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/scoped_variable.h"
#include "tests/support/small_network.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace graphloom::test::host_target_test {

namespace fs = std::filesystem;

namespace {

/// s = Relu(x) * x + x and, if wanted, its determinant, which only the interpreter computes; the
/// first three nodes are one block.
Plan planOf(bool withDeterminant)
{
    test::GraphMaker maker;
    const Shape shape = {Dim(13), Dim(13)};
    const TensorId x = maker.input("x", shape);
    const TensorId r = maker.call("Relu", {x}, shape);
    const TensorId p = maker.call("Mul", {r, x}, shape);
    const TensorId s = maker.call("Add", {p, x}, shape);
    std::vector<TensorId> outputs = {s};
    if (withDeterminant)
        outputs.push_back(maker.call("Det", {s}, {}));
    Plan plan = unfusedPlanOf(maker.finish(outputs));
    auto fusion = std::make_shared<FusionPlan>();
    const auto order = plan.graph.order();
    fusion->partition.subgraphs.push_back({{order.begin(), order.begin() + 3}, 1});
    if (withDeterminant)
        fusion->partition.subgraphs.push_back({{order[3]}, 1});
    fusion->partition.index(plan.graph);
    fusion->blocks.resize(fusion->partition.subgraphs.size());
    plan.fusion = std::move(fusion);
    return plan;
}

/// Whose instruction set is tested.
std::string testedDevice()
{
    return std::string(test::testedSet().name);
}

BuildOptions forDevice()
{
    BuildOptions options;
    options.device = testedDevice();
    return options;
}

} // namespace

class HostTargetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void resultsAreTheInterpreters();
    void stepsNameTheirBlocks();
    void schedulesOfThePlanAreUsed();
    void schedulesThatDoNotFitAreRefused();
    void algorithmsOfThePlanAreUsed();
    void algorithmsThatDoNotFitAreRefused();
    void tuningGivesSchedulesThatHold();
    void whatWasTunedIsKnown();
    void theFastestKnownScheduleIsTaken();
    void tracesAreOfOneRun();
    void sourcesCompile();
    void machineCodeIsThatOfASource();
    void otherDevicesAreRefused();
    void kernelsAreOfTheDevicesInstructionSet();
    void schedulesForOtherVectorsAreNotUsed();
    void devicesAreCheckedByThemselves();
    void whatCannotRunHereIsRefused();
    void kernelsThatDoNotCompileAreInterpreted();
    void kernelsThatCrashAreInterpreted();
    void describesThisMachine();
    void probesTheCompiler();

private:
    /// The outputs of the plan with two kernels, built by a compiler that changes generated code
    /// by a script of sed; every block has to be interpreted, with `reason`.
    void buildsWithout(const std::string &script, const std::string &reason);

    std::shared_ptr<BuiltPlan> built(const Plan &plan)
    {
        BuildOptions options;
        options.device = testedDevice();
        options.threads = 1;
        options.cache = m_folder.path().toStdString();
        auto made = m_target.build(plan, options);
        if (!made)
            qFatal("%s", made.error().text().c_str());
        return *std::move(made);
    }

    host::HostTarget m_target;
    QTemporaryDir m_folder;
};

void HostTargetTest::initTestCase()
{
    if (!findCCompiler())
        QSKIP("needs gcc or clang");
}

void HostTargetTest::init()
{
    const std::string function = QTest::currentTestFunction();
    const bool runs = function != "sourcesCompile" && function != "otherDevicesAreRefused" &&
                      function != "kernelsAreOfTheDevicesInstructionSet" &&
                      function != "whatCannotRunHereIsRefused";
    if (const std::string reason = test::whyNotRun(); runs && !reason.empty())
        QSKIP(reason.c_str());
}

void HostTargetTest::resultsAreTheInterpreters()
{
    const Plan plan = planOf(true);
    const auto inputs = randomInputs(plan.graph, 1);
    const auto expected = interpret(plan.graph, opsetsOf(*plan.model), *inputs);
    const auto built = this->built(plan);
    QVERIFY(built->setInputs(*inputs));
    QVERIFY(built->runOnce());
    const auto actual = built->outputs();
    QVERIFY(expected && actual);
    QCOMPARE(actual->size(), std::size_t(2));
    for (std::size_t i = 0; i < 2; ++i) {
        const Comparison difference = compare((*expected)[i], (*actual)[i]);
        QVERIFY2(difference.maxRelError < 1e-4, difference.worst.c_str());
    }
}

void HostTargetTest::stepsNameTheirBlocks()
{
    const auto built = this->built(planOf(true));
    const auto &steps = built->steps();
    QCOMPARE(steps.size(), std::size_t(2));
    QCOMPARE(steps[0].block, std::optional<std::uint32_t>(0));
    QVERIFY(!steps[0].symbol.empty() && steps[0].reason.empty());
    QCOMPARE(steps[0].bytes, 2.0 * 13 * 13 * 4);
    QVERIFY(steps[0].flops >= 3.0 * 13 * 13);
    QCOMPARE(steps[1].block, std::optional<std::uint32_t>(1));
    QVERIFY(steps[1].symbol.empty() && !steps[1].reason.empty());
}

/// The plan with one schedule for its first nest.
Plan scheduled(Plan plan, const std::string &schedule)
{
    auto kernels = std::make_shared<KernelPlan>();
    kernels->fusion = plan.fusion;
    kernels->blocks.resize(1);
    kernels->blocks[0].emplace_back();
    kernels->blocks[0][0].schedule = schedule;
    plan.kernels = std::move(kernels);
    return plan;
}

void HostTargetTest::schedulesOfThePlanAreUsed()
{
    const Plan plan = planOf(false);
    const std::string usual = built(plan)->steps()[0].schedule;
    QVERIFY2(usual.starts_with("tile "), usual.c_str());
    const std::string axis = usual.substr(5, usual.find(' ', 5) - 5);
    const auto other = built(scheduled(plan, "tile " + axis + " 3"));
    QCOMPARE(other->steps()[0].schedule, "tile " + axis + " 3");
}

void HostTargetTest::schedulesThatDoNotFitAreRefused()
{
    const auto made = m_target.build(scheduled(planOf(false), "vectorize nosuch"), forDevice());
    QVERIFY(!made);
    QCOMPARE(int(made.error().kind), int(Error::Kind::Usage));
    QVERIFY2(made.error().text().find("nosuch") != std::string::npos, made.error().text().c_str());
}

/// A convolution that is computed as the text says.
Plan convolutionPlan(const std::string &algorithm)
{
    test::GraphMaker maker;
    const TensorId x = maker.input("x", {Dim(1), Dim(8), Dim(10), Dim(10)});
    const TensorId w =
        maker.constant("w", test::floats({8, 8, 3, 3}, std::vector<float>(8 * 72, 0.25F)));
    const TensorId y = maker.call("Conv", {x, w}, {Dim(1), Dim(8), Dim(8), Dim(8)});
    Plan plan = unfusedPlanOf(maker.finish({y}));
    auto kernels = std::make_shared<KernelPlan>();
    kernels->algorithms = {algorithm};
    plan.kernels = std::move(kernels);
    return plan;
}

void HostTargetTest::algorithmsOfThePlanAreUsed()
{
    QCOMPARE(built(convolutionPlan("direct 0"))->steps().size(), std::size_t(1));
    const Plan apart = convolutionPlan("winograd 0 2x2; alone 0; alone 1; alone 2");
    QCOMPARE(built(apart)->steps().size(), std::size_t(3));
    const auto files = m_target.generate(apart, forDevice());
    QVERIFY(files);
    const std::string &source = files->back().content;
    QVERIFY2(source.find("// Algorithm: winograd 0 2x2; alone 0; alone 1; alone 2\n") !=
                 std::string::npos,
             source.c_str());
}

void HostTargetTest::algorithmsThatDoNotFitAreRefused()
{
    const auto made = m_target.build(convolutionPlan("winograd 3 2x2"), forDevice());
    QVERIFY(!made);
    QCOMPARE(int(made.error().kind), int(Error::Kind::Usage));
    const std::string text = made.error().text();
    QVERIFY2(text.starts_with("block 0") && text.find("nest 3") != std::string::npos, text.c_str());
}

/// A matrix product with weights: there are register tiles to choose from.
Plan productPlan()
{
    test::GraphMaker maker;
    std::vector<float> weights(64 * 64);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = float(i % 7) - 3;
    const TensorId x = maker.input("x", {Dim(48), Dim(64)});
    const TensorId w = maker.constant("w", test::floats({64, 64}, weights));
    const TensorId y = maker.call("MatMul", {x, w}, {Dim(48), Dim(64)});
    return unfusedPlanOf(maker.finish({y}));
}

TuneOptions tuneOptions(const QTemporaryDir &folder)
{
    TuneOptions options;
    options.device = testedDevice();
    options.threads = 1;
    options.cache = folder.path().toStdString();
    options.seconds = 3000; // the trials end it, however slow the machine is
    options.trials = 6;
    return options;
}

std::shared_ptr<ProfileDatabase> emptyDatabase()
{
    auto database = ProfileDatabase::inMemory();
    if (!database)
        qFatal("%s", database.error().text().c_str());
    return std::make_shared<ProfileDatabase>(*std::move(database));
}

void HostTargetTest::tuningGivesSchedulesThatHold()
{
    Plan plan = productPlan();
    TuneOptions options = tuneOptions(m_folder);
    std::int64_t tried = 0;
    options.tried = [&](const TuningTrial &trial) {
        ++tried;
        QCOMPARE(trial.place.block, 0U);
        QVERIFY(tried > 1 || trial.byDefault); // what the others are compared with
        QCOMPARE(trial.uses, 1);
        QVERIFY(trial.problem.empty() ? trial.milliseconds > 0 : trial.milliseconds == 0);
    };
    const auto tuned = m_target.tune(plan, options);
    QVERIFY2(tuned, tuned ? "" : tuned.error().text().c_str());
    const KernelPlan &kernels = *tuned->kernels;
    QVERIFY(tried > 1);
    QCOMPARE(kernels.blocks.size(), std::size_t(1));
    QCOMPARE(kernels.blocks[0][0].trials, tried);
    QVERIFY(kernels.blocks[0][0].time && kernels.blocks[0][0].time->value > 0);
    plan = *tuned;
    const auto built = this->built(plan);
    const auto inputs = randomInputs(plan.graph, 1);
    const auto expected = interpret(plan.graph, opsetsOf(*plan.model), *inputs);
    QVERIFY(built->setInputs(*inputs) && built->runOnce());
    QVERIFY(compare((*expected)[0], (*built->outputs())[0]).maxRelError < 1e-5);
}

/// The code of the plan: the same whether a default schedule is named or left open.
QString sourcesOf(const Target &target, const Plan &plan)
{
    BuildOptions options = forDevice();
    options.threads = 1;
    const auto files = target.generate(plan, options);
    if (!files)
        return QString::fromStdString(files.error().text());
    QString sources;
    for (const SourceFile &file : *files)
        sources += QString::fromStdString(file.content);
    return sources;
}

void HostTargetTest::whatWasTunedIsKnown()
{
    const Plan plan = productPlan();
    TuneOptions options = tuneOptions(m_folder);
    options.database = emptyDatabase();
    const auto first = m_target.tune(plan, options);
    QVERIFY2(first, first ? "" : first.error().text().c_str());
    options.seconds = 0;
    const auto known = m_target.tune(plan, options);
    QVERIFY2(known, known ? "" : known.error().text().c_str());
    QVERIFY(known->kernels->blocks[0][0].time);
    QCOMPARE(known->kernels->algorithms, first->kernels->algorithms);
    QCOMPARE(sourcesOf(m_target, *known), sourcesOf(m_target, *first));
}

void HostTargetTest::theFastestKnownScheduleIsTaken()
{
    const Plan plan = productPlan();
    TuneOptions options = tuneOptions(m_folder);
    options.database = emptyDatabase();
    std::string byDefault;
    options.tried = [&](const TuningTrial &trial) {
        if (trial.byDefault)
            byDefault = trial.schedule;
    };
    QVERIFY(m_target.tune(plan, options));
    // The default one may be the fastest, and would be taken without a database as well.
    std::optional<ProfileKey> key;
    QVERIFY(options.database->forEach([&](const ProfileKey &known, const auto &) {
        if (known.schedule != byDefault && !known.schedule.starts_with("tuned: "))
            key = known; // of the loop nest, not of the whole block
    }));
    QVERIFY(key);
    LatencySamples samples;
    samples.minNs = samples.medianNs = 1;
    samples.count = 10;
    QVERIFY(options.database->record(*key, samples));
    options.seconds = 0;
    const auto known = m_target.tune(plan, options);
    QVERIFY2(known, known ? "" : known.error().text().c_str());
    QCOMPARE(known->kernels->blocks[0][0].schedule, key->schedule);
}

void HostTargetTest::tracesAreOfOneRun()
{
    const Plan plan = planOf(true);
    const auto built = this->built(plan);
    QVERIFY(built->setInputs(*randomInputs(plan.graph, 1)));
    const auto slices = built->trace();
    QVERIFY(slices);
    QCOMPARE(slices->size(), std::size_t(2));
    QVERIFY((*slices)[0].tasks > 0);
    QCOMPARE((*slices)[1].tasks, std::int64_t(0)); // interpreted
    QVERIFY((*slices)[1].start >= (*slices)[0].start + (*slices)[0].seconds);
}

void HostTargetTest::sourcesCompile()
{
    const auto files = m_target.generate(planOf(false), forDevice());
    QVERIFY(files);
    QCOMPARE(files->size(), std::size_t(2));
    const fs::path folder = m_folder.path().toStdString();
    for (const SourceFile &file : *files)
        std::ofstream(folder / file.name) << file.content;
    const std::string &source = (*files)[1].content;
    QCOMPARE((*files)[1].name, std::string("block_000_relu_mul_add.c"));
    for (const char *part : {"// Block 0:", "Relu", "// Schedule: "})
        QVERIFY2(source.find(part) != std::string::npos, source.c_str());
    // The comment on top says how.
    const auto at = source.find("// cc ");
    QVERIFY(at != std::string::npos);
    const std::string options = source.substr(at + 6, source.find('\n', at) - at - 6);
    const std::string command =
        "cd '" + folder.string() + "' && " + findCCompiler()->program.string() + " " + options;
    QCOMPARE(std::system(command.c_str()), 0);
}

void HostTargetTest::machineCodeIsThatOfASource()
{
    if (!llvmTools({}))
        QSKIP("needs llvm-19");
    const auto steps = built(planOf(false))->steps();
    const auto files = m_target.generate(planOf(false), forDevice());
    QVERIFY(files);
    const auto code = m_target.compiledCode(*files, steps.front().symbol, forDevice());
    QVERIFY2(code, code ? "" : code.error().text().c_str());
    QCOMPARE(code->file, (*files)[1].name);
    QVERIFY(!code->loops.empty());
    QVERIFY(std::ranges::any_of(code->instructions, [](const auto &of) { return of.line > 0; }));
}

void HostTargetTest::otherDevicesAreRefused()
{
    BuildOptions options;
    options.device = "gpu";
    const auto made = m_target.build(planOf(false), options);
    QVERIFY(!made);
    QCOMPARE(int(made.error().kind), int(Error::Kind::Usage));
    QVERIFY(!m_target.describe("gpu", {}));
}

void HostTargetTest::kernelsAreOfTheDevicesInstructionSet()
{
    const auto files = m_target.generate(planOf(false), forDevice());
    QVERIFY(files);
    QCOMPARE(files->size(), std::size_t(2));
    const std::string &source = (*files)[1].content;
    for (const std::string &part :
         {"// Instruction set: " + std::string(test::testedSet().title) + "\n",
          "#define GL_LANES " + std::to_string(test::testedSet().lanes) + "\n"})
        QVERIFY2(source.find(part) != std::string::npos, source.c_str());
    if (test::whyNotRun().empty())
        QCOMPARE(built(planOf(false))->instructionSet(), std::string(test::testedSet().title));
}

/// As of a session that was saved on another machine: a loop over 64 lanes is refused.
void HostTargetTest::schedulesForOtherVectorsAreNotUsed()
{
    Plan plan = planOf(false);
    const std::string usual = built(plan)->steps()[0].schedule;
    const std::string axis = usual.substr(5, usual.find(' ', 5) - 5);
    plan = scheduled(plan, "tile " + axis + " 64; vectorize " + axis + ".i");
    auto kernels = std::make_shared<KernelPlan>(*plan.kernels);
    kernels->device = "another processor, vectors of 64, another compiler";
    plan.kernels = std::move(kernels);
    QCOMPARE(built(plan)->steps()[0].schedule, usual);
}

/// Of a processor that the test makes up, whichever runs it.
void HostTargetTest::devicesAreCheckedByThemselves()
{
    if (!findInstructionSet("avx512"))
        QSKIP("needs an x86 processor");
    HostFacts facts;
    facts.avx2 = facts.fma = facts.f16c = true;
    const host::HostTarget target(facts);
    for (const char *device : {"cpu", "avx2", "sse2"})
        QVERIFY(target.checkDevice(device));
    const auto refused = target.checkDevice("avx512");
    QVERIFY(!refused);
    QCOMPARE(int(refused.error().kind), int(Error::Kind::Missing));
    QVERIFY2(refused.error().text().starts_with(
                 "host:avx512: this processor supports AVX2, SSE2, but not AVX-512"),
             refused.error().text().c_str());
    BuildOptions options;
    options.device = "avx512";
    const auto built = target.build(planOf(false), options);
    QVERIFY(!built);
    QCOMPARE(built.error().text(), refused.error().text());
    QVERIFY(target.generate(planOf(false), options)); // to be run elsewhere
    QCOMPARE(int(target.checkDevice("mmx").error().kind), int(Error::Kind::Usage));
}

void HostTargetTest::whatCannotRunHereIsRefused()
{
    int refused = 0;
    for (const InstructionSet &set : instructionSets()) {
        if (isExecutable(set, hostFacts()))
            continue;
        ++refused;
        BuildOptions options;
        options.device = set.name;
        const auto made = m_target.build(planOf(false), options);
        QVERIFY(!made);
        QCOMPARE(int(made.error().kind), int(Error::Kind::Missing));
        QVERIFY2(made.error().text().find(set.title) != std::string::npos,
                 made.error().text().c_str());
        QVERIFY(!m_target.describe(options.device, {}));
        TuneOptions tune;
        tune.device = set.name;
        QVERIFY(!m_target.tune(planOf(false), tune));
        QVERIFY(m_target.generate(planOf(false), options));
    }
    if (refused == 0)
        QSKIP("needs a processor that cannot execute all instruction sets");
}

void HostTargetTest::buildsWithout(const std::string &script, const std::string &reason)
{
    const fs::path folder = m_folder.path().toStdString(), wrapper = folder / "compiler";
    std::ofstream(wrapper) << "#!/bin/sh\nfor word; do case $word in *.c) sed -i '" << script
                           << "' \"$word\";; esac; done\nexec " << findCCompiler()->program.string()
                           << " \"$@\"\n";
    fs::permissions(wrapper, fs::perms::owner_all);
    Plan plan = planOf(false);
    plan.fusion.reset();
    std::shared_ptr<BuiltPlan> built;
    {
        const test::ScopedVariable compiler("CC", wrapper.c_str());
        built = this->built(plan);
    }
    QCOMPARE(built->steps().size(), std::size_t(3));
    for (const PlanStep &step : built->steps())
        QVERIFY2(step.reason.find(reason) != std::string::npos, step.reason.c_str());
    const auto inputs = randomInputs(plan.graph, 1);
    const auto expected = interpret(plan.graph, opsetsOf(*plan.model), *inputs);
    QVERIFY(built->setInputs(*inputs) && built->runOnce());
    QVERIFY((*built->outputs())[0] == (*expected)[0]);
}

void HostTargetTest::kernelsThatDoNotCompileAreInterpreted()
{
    buildsWithout("s/^void kernel_/this is no C &/", "error");
}

void HostTargetTest::kernelsThatCrashAreInterpreted()
{
    buildsWithout("/^void kernel_/,/{/s/{/{ __builtin_trap();/", "crashed");
}

void HostTargetTest::describesThisMachine()
{
    const auto device = m_target.describe(testedDevice(), {});
    QVERIFY2(device, device ? "" : device.error().text().c_str());
    QCOMPARE(device->units, hostFacts().cores);
    QCOMPARE(device->lanes, test::testedSet().lanes);
    QVERIFY2(device->title.ends_with(test::testedSet().title), device->title.c_str());
    QVERIFY(device->peakFlops > 1e8 && device->bandwidth > 1e7);
}

void HostTargetTest::probesTheCompiler()
{
    bool found = false;
    for (const Finding &finding : m_target.probe())
        found = found || (finding.found && finding.what == "C compiler");
    QVERIFY(found);
}

GRAPHLOOM_TESTS(HostTargetTest)

} // namespace graphloom::test::host_target_test

#include "host_target_test.moc"
