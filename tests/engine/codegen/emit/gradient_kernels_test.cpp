// SPDX-License-Identifier: Apache-2.0
// Every gradient node of a typical call, compiled, against the interpreter.
#include "engine/ops/describe/stage.h"
#include "tests/support/gradient_graph.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::gradient_kernels_test {

namespace {

/// The gradient node alone: the outputs of the forward node are given.
KernelCase withoutForward(const GradientCase &call, GradientGraph made, std::string name)
{
    GraphEditor editor(made.graph);
    editor.removeNode(made.forward);
    std::vector<TensorId> external(made.graph.inputs().begin(), made.graph.inputs().end());
    const auto values = call.outputs();
    for (std::size_t k = 0; k < made.outputs.size(); ++k) {
        external.push_back(made.outputs[k]);
        made.inputs.push_back((*values)[k]);
    }
    editor.setInputs(std::move(external));
    return {std::move(name), *std::move(editor).finish(), std::move(made.inputs), {}};
}

} // namespace

class GradientKernelsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void likeTheInterpreter();
};

void GradientKernelsTest::likeTheInterpreter()
{
    KernelBatch batch(99);
    // What looks up where to read, perhaps outside, has no kernel: ReverseSequence, as forward.
    const auto mayLookOutside = [](const Description &description) {
        return std::ranges::any_of(description.stages, [](const Stage &stage) {
            return std::ranges::any_of(stage.reads, [](const Read &read) {
                return read.outside != Read::Outside::Never &&
                       std::ranges::any_of(read.map,
                                           [](const Index &index) { return index.lookup >= 0; });
            });
        });
    };
    int sums = 0;
    const auto add = [&](const GradientCase &call) {
        for (int input = 0; input < int(call.inputs()); ++input) {
            const auto description = call.gradientBy(input);
            if (!call.isReal(input) || !description || mayLookOutside(*description))
                continue;
            GradientGraph made(call, input);
            QVERIFY2(made.problem.empty(), made.problem.c_str());
            const std::string name = call.name() + " by " + std::to_string(input);
            if (auto adding = made.adding(call, input)) {
                batch.add(withoutForward(call, *std::move(adding), name + ", added to a sum"));
                ++sums;
            }
            batch.add(withoutForward(call, std::move(made), name));
        }
    };
    for (const Operator &entry : operatorTable())
        if (const auto call = GradientCase::of(entry))
            add(*call);
    add(GradientCase::of("Conv", "[1,3,7,8] [2,3,3,3] [2] strides=2,2 pads=1,0,1,2"));
    add(GradientCase::of("Conv", "[1,3,6,6] [2,3,1,1] strides=2,2"));
    add(GradientCase::of("ConvTranspose", "[1,4,5,5] [4,3,3,3] strides=2,2 pads=1,1,1,1"));
    add(GradientCase::of("MaxPool", "[1,2,7,7] kernel_shape=3,3 strides=2,2 pads=1,1,1,1 ->2"));
    // Rows that come again and again, a row longer than a vector, and lanes that are looked up.
    add(GradientCase::of("Gather", "[6,40] int64[4,5]"));
    add(GradientCase::of("Gather", "[2,6,3] int64[7] axis=1"));
    add(GradientCase::of("GatherElements", "[3,40] int64[9,40]"));
    add(GradientCase::of("GatherND", "[3,3,20] int64[9,2]"));
    add(GradientCase::of("LayerNormalization", "[2,8,12] [12] [12] ->3"));
    QVERIFY(batch.size() > 250 && sums > 100);
    if (const std::string reason = whyNotRun(); !reason.empty()) {
        const auto compiled = batch.compile(testedSet().lanes);
        QVERIFY2(compiled, compiled ? "" : compiled.error().text().c_str());
        QSKIP(reason.c_str());
    }
    const auto outcomes = batch.run(testedSet().lanes);
    QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
    QStringList problems;
    for (const auto &[name, outcome] : *outcomes)
        if (const std::string problem = outcome.problem(1e-9); !problem.empty())
            problems << QString::fromStdString(name + ": " + problem);
    QVERIFY2(problems.isEmpty(), qPrintable(problems.join('\n')));
}

GRAPHLOOM_TESTS(GradientKernelsTest)

} // namespace graphloom::test::gradient_kernels_test

#include "gradient_kernels_test.moc"
