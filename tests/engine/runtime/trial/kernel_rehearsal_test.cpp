// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/trial/kernel_rehearsal.h"

#include "engine/codegen/build/sealed_file.h"
#include "engine/ir/model.h"
#include "tests/support/graph_maker.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>

namespace graphloom::test::kernel_rehearsal_test {

namespace fs = std::filesystem;

/// The blocks of Relu and Neg.
constexpr BlockIndex reluBlock(0), negBlock(1);

/// Kernels of Relu and Neg, one block each, whose code a test replaces by something worse.
class KernelRehearsalTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void generatedKernelsPass();
    void crashesAreFound();
    void overrunsAreFound();
    void hangsAreFound();
    void whatWasFoundIsKept();
    void whatWasNotTriedIsTried();
    void onlyMissingKernelsAreCompiled();
    void damagedRecordsAreNotTaken();
    void recordsOfOtherLibrariesAreNotTaken();
    void codeThatDoesNotCompileIsFound();
    void refusedBlocksHaveNoKernel();
    void schedulesAreThoseOfTheirBlock();

private:
    Result<CompiledKernels> compiled()
    {
        return compileKernels(m_plan.kernels, {.lanes = m_lanes,
                                               .compiler = &*m_compiler,
                                               .cache = m_cache.get(),
                                               .threads = 1,
                                               .seconds = 60,
                                               .stop = {}});
    }
    /// What becomes of the plan when the second block's kernel has another body.
    RefusedBlocks rehearsed(const std::string &body, double limitSeconds = 60)
    {
        BlockKernel::Phase &phase = m_plan.kernels[negBlock]->phases.front();
        phase.symbol = "kernel_" + std::to_string(std::hash<std::string>()(body));
        phase.code = "void " + phase.symbol +
                     "(void *const *buffers, char *scratch, int64_t first, int64_t last,\n"
                     "    int32_t *status)\n{" +
                     body + "}\n";
        const auto libraries = compiled();
        if (!libraries)
            qFatal("%s", libraries.error().text().c_str());
        if (!libraries->failed.empty())
            return libraries->failed;
        const auto failed =
            rehearseKernels(m_plan.kernels, *libraries, {.limitSeconds = limitSeconds, .stop = {}});
        if (!failed)
            qFatal("%s", failed.error().text().c_str());
        return *failed;
    }
    /// What was kept of a library, with another outcome.
    static void rewrite(const fs::path &file, const std::string &outcome)
    {
        const auto kept = readSealed(file);
        if (!kept)
            qFatal("%s", kept.error().text().c_str());
        const std::string text = kept->content.substr(0, kept->content.find('\n') + 1) + outcome;
        std::ofstream(file) << text;
        if (const auto sealed = sealFile(file, text, file.stem().native()); !sealed)
            qFatal("%s", sealed.error().text().c_str());
    }
    PlanKernels generated(const GenerateOptions &options)
    {
        auto plan = generateKernels(
            m_graph, [](std::string_view) { return normalOpset; },
            {{m_graph.order()[0]}, {m_graph.order()[1]}}, options);
        if (!plan)
            qFatal("%s", plan.error().text().c_str());
        return *std::move(plan);
    }

    static constexpr int m_lanes = 4; // runs everywhere
    std::optional<CCompiler> m_compiler;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<KernelCache> m_cache;
    Graph m_graph;
    PlanKernels m_plan;
};

void KernelRehearsalTest::initTestCase()
{
    const auto compiler = findCCompiler();
    if (!compiler)
        QSKIP("needs gcc or clang");
    m_compiler = *compiler;
    test::GraphMaker maker;
    const TensorId x = maker.input("x", {Dim(40)});
    const TensorId y = maker.call("Relu", {x}, {Dim(40)});
    const TensorId z = maker.call("Neg", {y}, {Dim(40)});
    m_graph = maker.finish({z});
}

void KernelRehearsalTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_cache = std::make_unique<KernelCache>(m_folder->path().toStdString(), 1 << 30);
    GenerateOptions options;
    options.target.lanes = m_lanes;
    m_plan = generated(options);
}

void KernelRehearsalTest::generatedKernelsPass()
{
    const auto libraries = compiled();
    QVERIFY(libraries && libraries->failed.empty());
    const auto failed = rehearseKernels(m_plan.kernels, *libraries, {});
    QVERIFY2(failed, failed ? "" : failed.error().text().c_str());
    QVERIFY(failed->empty());
}

void KernelRehearsalTest::crashesAreFound()
{
    const RefusedBlocks failed = rehearsed("__builtin_trap();");
    QCOMPARE(failed.size(), std::size_t(1));
    QVERIFY2(failed.at(negBlock).find("crashed") != std::string::npos, failed.at(negBlock).c_str());
}

void KernelRehearsalTest::overrunsAreFound()
{
    const RefusedBlocks failed = rehearsed("((volatile float *)buffers[1])[40 + 64] = 1;");
    QCOMPARE(failed.size(), std::size_t(1));
}

void KernelRehearsalTest::hangsAreFound()
{
    const RefusedBlocks failed = rehearsed("for (volatile int i = 0;; ++i) {}", 0.3);
    QCOMPARE(failed.size(), std::size_t(1));
    QVERIFY2(failed.at(negBlock).find("took more than") != std::string::npos,
             failed.at(negBlock).c_str());
}

void KernelRehearsalTest::whatWasFoundIsKept()
{
    const std::string body = "__builtin_trap();";
    const RefusedBlocks first = rehearsed(body);
    for (const auto &entry : fs::directory_iterator(m_folder->path().toStdString()))
        if (entry.path().extension() == ".ran")
            rewrite(entry.path(), m_plan.kernels[negBlock]->phases.front().symbol + " was told\n");
    const RefusedBlocks second = rehearsed(body);
    QCOMPARE(first.size(), std::size_t(1));
    QCOMPARE(second.size(), std::size_t(1));
    QVERIFY2(second.at(negBlock).find("was told") != std::string::npos,
             second.at(negBlock).c_str());
}

void KernelRehearsalTest::whatWasNotTriedIsTried()
{
    const BlockKernels good = m_plan.kernels;
    QCOMPARE(rehearsed("__builtin_trap();").size(), std::size_t(1)); // a library of both
    const auto libraries = compiled();
    QVERIFY(libraries);
    for (const auto &entry : fs::directory_iterator(m_folder->path().toStdString()))
        if (entry.path().extension() == ".ran")
            rewrite(entry.path(), good[reluBlock]->phases.front().symbol + "\n");
    const auto failed = rehearseKernels(m_plan.kernels, *libraries, {});
    QVERIFY(failed);
    QCOMPARE(failed->size(), std::size_t(1));
    QVERIFY(failed->contains(negBlock));
}

void KernelRehearsalTest::onlyMissingKernelsAreCompiled()
{
    const BlockKernels both = m_plan.kernels;
    m_plan.kernels[negBlock].reset();
    QVERIFY(compiled());
    // Another program, and a plan that has one kernel more.
    m_cache = std::make_unique<KernelCache>(m_folder->path().toStdString(), 1 << 30);
    m_plan.kernels = both;
    const auto libraries = compiled();
    QVERIFY(libraries);
    QCOMPARE(libraries->libraries.size(), std::size_t(2));
    const std::string &relu = both[reluBlock]->phases.front().symbol;
    const std::string &neg = both[negBlock]->phases.front().symbol;
    QVERIFY(libraries->libraries[0].kernel(relu) && !libraries->libraries[0].kernel(neg));
    QVERIFY(libraries->libraries[1].kernel(neg) && !libraries->libraries[1].kernel(relu));
}

void KernelRehearsalTest::damagedRecordsAreNotTaken()
{
    const std::string body = "__builtin_trap();";
    QCOMPARE(rehearsed(body).size(), std::size_t(1));
    int records = 0;
    for (const auto &entry : fs::directory_iterator(m_folder->path().toStdString()))
        if (entry.path().extension() == ".ran") {
            fs::resize_file(entry.path(), 0); // as if nothing had been found
            ++records;
        }
    QCOMPARE(records, 1);
    QCOMPARE(rehearsed(body).size(), std::size_t(1));
}

void KernelRehearsalTest::recordsOfOtherLibrariesAreNotTaken()
{
    const std::string body = "__builtin_trap();";
    QCOMPARE(rehearsed(body).size(), std::size_t(1));
    int records = 0;
    for (const auto &entry : fs::directory_iterator(m_folder->path().toStdString()))
        if (entry.path().extension() == ".ran") {
            const std::string text = "00000000000000000000000000000000\n";
            std::ofstream(entry.path()) << text;
            QVERIFY(sealFile(entry.path(), text, entry.path().stem().native()));
            ++records;
        }
    QCOMPARE(records, 1);
    QCOMPARE(rehearsed(body).size(), std::size_t(1));
}

void KernelRehearsalTest::codeThatDoesNotCompileIsFound()
{
    const RefusedBlocks failed = rehearsed("this is no C");
    QCOMPARE(failed.size(), std::size_t(1));
    QVERIFY2(failed.at(negBlock).find("error") != std::string::npos, failed.at(negBlock).c_str());
}

void KernelRehearsalTest::refusedBlocksHaveNoKernel()
{
    GenerateOptions options;
    options.refused[PartIndex(0)] = "for this test";
    const PlanKernels plan = generated(options);
    QVERIFY(!plan.kernels[reluBlock] && plan.kernels[negBlock]);
    QCOMPARE(plan.reasons[reluBlock], std::string("for this test"));
}

void KernelRehearsalTest::schedulesAreThoseOfTheirBlock()
{
    GenerateOptions options;
    const std::string axis = m_plan.kernels[negBlock]->block.nests.front().axes.front().name;
    options.schedules = {{}, {"tile " + axis + " 5"}};
    const PlanKernels plan = generated(options);
    const std::string &asked = options.schedules.back().front();
    QCOMPARE(plan.kernels[negBlock]->schedules.front().text(), asked);
    QVERIFY(plan.kernels[reluBlock]->schedules.front().text() != asked);
}

GRAPHLOOM_TESTS(KernelRehearsalTest)

} // namespace graphloom::test::kernel_rehearsal_test

#include "kernel_rehearsal_test.moc"
