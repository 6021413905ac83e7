// SPDX-License-Identifier: Apache-2.0
// runBatch() with --training: what passes, report, verification and export see.
#include "app/batch/batch.h"
#include "engine/autodiff/training.h"
#include "engine/onnx/import.h"
#include "tests/support/app/program.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>
#include <sstream>

namespace graphloom::test::training_batch_test {

using test::readJson;
using Json = nlohmann::ordered_json;

namespace {

namespace fs = std::filesystem;

/// y = Tanh(x * w + b) for x of 2x4 and three classes; nothing but Tanh where it has no weights.
onnx::ModelProto classifier(bool withWeights = true)
{
    auto model = emptyModel();
    auto &graph = *model.mutable_graph();
    addInput(graph, "x", {2, 4});
    if (withWeights) {
        addFloats(graph, "w", {4, 3},
                  {.1f, .2f, .3f, -.4f, .5f, .6f, .7f, -.8f, .9f, 1, 1.1f, 1.2f});
        addFloats(graph, "b", {3}, {.1f, -.2f, .3f});
        addNode(graph, "Gemm", {"x", "w", "b"}, {"sum"}).set_name("product");
    }
    addNode(graph, "Tanh", {withWeights ? "sum" : "x"}, {"y"}).set_name("bend");
    addOpenOutput(graph, "y");
    return model;
}

} // namespace

class TrainingBatchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void stepIsReportedVerifiedAndExported_data();
    void stepIsReportedVerifiedAndExported();
    void batchIsRebound();
    void modelWithoutWeightsIsRefused();

private:
    int run()
    {
        m_out.str({});
        m_err.str({});
        m_options.progress = ProgressStyle::None;
        return runBatch(m_options, {}, m_out, m_err);
    }
    fs::path file(const char *name) const
    {
        return fs::path(m_folder->path().toStdString()) / name;
    }
    void write(const onnx::ModelProto &model)
    {
        std::ofstream stream(m_options.model, std::ios::binary);
        model.SerializeToOstream(&stream);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    BatchOptions m_options;
    std::ostringstream m_out, m_err;
};

void TrainingBatchTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
    m_options = {};
    m_options.model = file("m.onnx");
    m_options.training = TrainingOptions{};
    m_options.report = file("r.json");
    write(classifier());
}

void TrainingBatchTest::stepIsReportedVerifiedAndExported_data()
{
    QTest::addColumn<bool>("adam");
    QTest::newRow("sgd") << false;
    QTest::newRow("adam") << true;
}

void TrainingBatchTest::stepIsReportedVerifiedAndExported()
{
    QFETCH(bool, adam);
    if (adam)
        m_options.training->optimizer = TrainingOptions::Optimizer::Adam;
    m_options.verify = 1e-6;
    m_options.exportTo = file("o.onnx");
    QVERIFY2(run() == 0, m_err.str().c_str());
    QVERIFY2(m_err.str().empty(), m_err.str().c_str());
    const Json report = readJson(file("r.json"));
    const Json &training = report["training"];
    QCOMPARE(training["loss"], Json("cross-entropy"));
    QCOMPARE(training["optimizer"], Json(adam ? "adam" : "sgd"));
    QCOMPARE(training["batchnorm"], Json("batch"));
    QCOMPARE(training["forward_nodes"], Json(4)); // Gemm, Tanh, the loss and its scale
    QCOMPARE(training["update_nodes"], Json(2));
    QCOMPARE(training["weights"], Json(2));
    QCOMPARE(training["parameters"], Json(15));
    QVERIFY(training["backward_nodes"].get<int>() >= 4);
    QCOMPARE(report["verify"]["passed"], Json(true));
    QVERIFY(m_out.str().find("training") != std::string::npos);

    const auto again = importOnnx(file("o.onnx"));
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QVERIFY(again->warnings.empty());
    QCOMPARE(again->opset("graphloom.gradient"), std::int64_t(1));
    QCOMPARE(again->graph.tensor(again->graph.outputs()[0]).name, std::string("loss"));
    QVERIFY(tensorNamed(again->graph, "w.updated").valid());
}

void TrainingBatchTest::batchIsRebound()
{
    m_options.batchSize = 6;
    QVERIFY2(run() == 0, m_err.str().c_str());
    m_options.exportTo = file("o.onnx");
    QVERIFY2(run() == 0, m_err.str().c_str());
    const auto again = importOnnx(file("o.onnx"));
    QVERIFY(again);
    const TensorId labels = tensorNamed(again->graph, "labels");
    QCOMPARE(text(*again->graph.tensor(labels).shape), std::string("6"));
}

void TrainingBatchTest::modelWithoutWeightsIsRefused()
{
    write(classifier(false));
    QCOMPARE(run(), 2);
    QVERIFY2(m_err.str().find("no weights") != std::string::npos, m_err.str().c_str());
}

GRAPHLOOM_TESTS(TrainingBatchTest)

} // namespace graphloom::test::training_batch_test

#include "training_batch_test.moc"
