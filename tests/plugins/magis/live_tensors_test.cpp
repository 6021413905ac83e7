// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/memory/live_tensors.h"

#include "tests/plugins/magis/random_memory.h"
#include "tests/plugins/magis/simulation/simulated_run.h"
#include "tests/plugins/magis/workloads.h"
#include "tests/support/magis_networks.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QFileInfo>
#include <QTest>

#include <set>

namespace graphloom::test::live_tensors_test {

/// What the engine says of a graph is what the pass says of it before it changes anything.
class MagisLiveTensorsTest : public QObject {
    Q_OBJECT

private:
    static void compare(const magis::MemoryGraph &memory, const Opsets &opsets)
    {
        const magis::SearchSpace space(memory, {ownOrder(memory)});
        magis::Trace trace;
        const magis::Outcome outcome =
            magis::Simulator(memory, space.evictions())
                .run(*space.arrange(magis::firstOrder, {}), space.keepAll(), &trace);
        const auto live = liveTensorsOf(memory.graph(), opsets);
        QVERIFY(live);
        QVERIFY(live->unsized.empty());
        QCOMPARE(live->residentBytes, memory.residentBytes());
        // Workspaces are those of the kernels of a device, which only the pass knows.
        const auto withoutWorkspace = [](const magis::Trace::Run &run) {
            return run.bytes - run.workspace;
        };
        const auto peak = std::ranges::max_element(trace.runs, {}, withoutWorkspace);
        QVERIFY(peak != trace.runs.end());
        QCOMPARE(live->peakBytes, withoutWorkspace(*peak));
        QCOMPARE(live->peakStep.number(), int(peak - trace.runs.begin()));
        QVERIFY(outcome.peak >= live->peakBytes);
        QCOMPARE(live->steps.size(), trace.runs.size());
        for (const magis::RunIndex r : trace.runs.indices()) {
            const LiveTensors::Step &step = live->steps[LiveTensors::StepIndex(r.number())];
            QCOMPARE(step.nodes.back(), memory.steps()[trace.runs[r].step].node);
            QCOMPARE(step.bytes, withoutWorkspace(trace.runs[r]));
        }
        // Lives, in whatever order.
        using Life = std::tuple<TensorId, std::int64_t, int, int>;
        std::set<Life> expected, found;
        for (const magis::Trace::Life &life : trace.lives)
            expected.emplace(memory.buffers()[life.buffer].tensor, life.bytes, life.first.number(),
                             life.last.number());
        for (const LiveTensors::Life &life : live->lives)
            found.emplace(life.tensor, life.bytes, life.first.number(), life.last.number());
        QCOMPARE(found.size(), live->lives.size());
        QVERIFY(found == expected);
    }

private Q_SLOTS:
    void randomGraphs()
    {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            Random random(seed);
            compare(RandomMemory(random).of(24), sketchOpset);
            if (QTest::currentTestFailed())
                QFAIL(qPrintable(QStringLiteral("seed %1").arg(seed)));
        }
    }

    void networks()
    {
        for (const Graph &graph : {perceptron(), chain()})
            compare(memoryOf(graph), sketchOpset);
    }

    /// Small versions of the seven networks of the paper.
    void workloads_data()
    {
        QTest::addColumn<QString>("name");
        for (const QFileInfo &file : QDir(QStringLiteral(GRAPHLOOM_WORKLOADS))
                                         .entryInfoList({QStringLiteral("*.onnx")}, QDir::Files))
            QTest::addRow("%s", qPrintable(file.completeBaseName())) << file.completeBaseName();
    }
    void workloads()
    {
        QFETCH(QString, name);
        for (const Mode mode : {Mode::Inference, Mode::Training}) {
            const Workload of = workload(name.toStdString(), mode);
            compare(memoryOf(of.graph, *findDevice("rtx-3090"), true, of.opsets), of.opsets);
        }
    }

    void stepsOfTraining()
    {
        for (const Graph &graph : {perceptron(), chain()}) {
            Model model;
            model.graph = graph;
            model.opsets = {{"", 17}};
            auto training = trainingModel(std::move(model), {});
            QVERIFY2(training, training ? "" : training.error().text().c_str());
            const Opsets opsets = opsetsOf(training->model);
            compare(memoryOf(training->model.graph, *findDevice("rtx-3090"), true, opsets), opsets);
        }
    }
};

GRAPHLOOM_TESTS(MagisLiveTensorsTest)

} // namespace graphloom::test::live_tensors_test

#include "live_tensors_test.moc"
