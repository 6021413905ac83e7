// SPDX-License-Identifier: Apache-2.0
// One step of training against PyTorch's, whose results tests/support/training_golden.py has put
// down in golden/.
#include "engine/autodiff/training.h"
#include "engine/interpreter/interpreter.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "tests/support/graph_maker.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace graphloom::test::golden_test {

using Json = nlohmann::json;

namespace {

Json readGolden(const std::string &name)
{
    std::ifstream file(GRAPHLOOM_GOLDEN "/" + name + ".json");
    return Json::parse(file, nullptr, false);
}

/// A tensor of the type that the graph wants.
TensorData dataOf(const Json &json, DataType type)
{
    const auto extents = json["shape"].get<TensorData::Extents>();
    if (type == DataType::Int64)
        return TensorData::fromValues<std::int64_t>(type, extents,
                                                    json["data"].get<std::vector<std::int64_t>>());
    return test::floats(extents, json["data"].get<std::vector<float>>());
}

/// What the step is given: input, labels, the number of the step, moments of 0.
TensorData inputOf(const Tensor &tensor, const Json &golden)
{
    if (tensor.name == "x")
        return dataOf(golden["x"], tensor.type);
    if (tensor.name == "labels" || tensor.name == "target")
        return dataOf(golden["labels"], tensor.type);
    if (tensor.name == "step")
        return TensorData::scalar(1);
    TensorData::Extents extents;
    for (const Dim &dim : *tensor.shape)
        extents.push_back(dim.value());
    return test::splat(0, extents);
}

} // namespace

class GoldenTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void step_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("mode");
        QTest::addColumn<QString>("optimizer");
        for (const char *name : {"mlp", "residual", "decoder", "encoder", "segmentation"})
            for (const char *mode : {"batch", "frozen"})
                for (const char *optimizer : {"sgd", "adam"})
                    if (readGolden(name)["modes"].contains(mode))
                        QTest::addRow("%s, %s, %s", name, mode, optimizer)
                            << QString(name) << QString(mode) << QString(optimizer);
    }
    /// Loss and all weights after the step.
    void step()
    {
        QFETCH(QString, name);
        QFETCH(QString, mode);
        QFETCH(QString, optimizer);
        const Json golden = readGolden(name.toStdString());
        const Json &expected = golden["modes"][mode.toStdString()];
        TrainingOptions options;
        options.learningRate = golden["rate"];
        options.batchNorm = mode == "frozen" ? TrainingOptions::BatchNorm::Frozen
                                             : TrainingOptions::BatchNorm::Batch;
        options.optimizer =
            optimizer == "sgd" ? TrainingOptions::Optimizer::Sgd : TrainingOptions::Optimizer::Adam;
        const auto model = importOnnx(GRAPHLOOM_GOLDEN "/" + name.toStdString() + ".onnx");
        QVERIFY2(model, model ? "" : model.error().text().c_str());
        const Opsets opsets = trainingOpsets(opsetsOf(*model));
        const auto training = trainingGraph(model->graph, opsets, options);
        QVERIFY2(training, training ? "" : training.error().text().c_str());
        const Graph &graph = training->graph;
        std::vector<TensorData> inputs;
        for (const TensorId id : graph.inputs())
            inputs.push_back(inputOf(graph.tensor(id), golden));
        const auto outputs = interpret(graph, opsets, inputs);
        QVERIFY2(outputs, outputs ? "" : outputs.error().text().c_str());
        const double loss = expected["loss"];
        QVERIFY2(std::abs((*outputs)[0].real(0) - loss) < 1e-5,
                 qPrintable(QString("%1, not %2").arg((*outputs)[0].real(0)).arg(loss)));
        QCOMPARE(training->updates.size(), expected["sgd"].size());
        for (const ParameterUpdate &update : training->updates)
            compare(*training, *outputs, update, expected, optimizer.toStdString());
    }

private:
    static void compare(const TrainingGraph &training, const std::vector<TensorData> &outputs,
                        const ParameterUpdate &update, const Json &expected,
                        const std::string &optimizer)
    {
        const std::string &name = training.graph.tensor(update.parameter).name;
        QVERIFY2(expected[optimizer].contains(name), name.c_str());
        const auto place = std::ranges::find(training.graph.outputs(), update.updated);
        const TensorData &result = outputs[std::size_t(place - training.graph.outputs().begin())];
        const TensorData &before = *training.graph.tensor(update.parameter).constant;
        const auto wanted = expected[optimizer][name]["data"].get<std::vector<double>>();
        const auto descended = expected["sgd"][name]["data"].get<std::vector<double>>();
        QCOMPARE(std::size_t(result.elements()), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto at = std::int64_t(i);
            // Adam divides a gradient by its own magnitude: of what should be 0, rounding is left.
            if (optimizer == "adam" && std::abs(descended[i] - before.real(at)) < 1e-6)
                continue;
            QVERIFY2(std::abs(result.real(at) - wanted[i]) < 1e-5,
                     qPrintable(QString("%1[%2]: %3, not %4")
                                    .arg(QString::fromStdString(name))
                                    .arg(i)
                                    .arg(result.real(at))
                                    .arg(wanted[i])));
        }
    }
};

GRAPHLOOM_TESTS(GoldenTest)

} // namespace graphloom::test::golden_test

#include "golden_test.moc"
