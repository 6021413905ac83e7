// SPDX-License-Identifier: Apache-2.0
// Training graphs of the models that come with the program.
#include "engine/autodiff/training.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"
#include "tests/support/test_program.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>
#include <QTest>

namespace graphloom::test::samples_test {

class SamplesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void step_data()
    {
        QTest::addColumn<QString>("file");
        QDirIterator files(GRAPHLOOM_SAMPLES, {"*.onnx"}, QDir::Files);
        while (files.hasNext()) {
            const QString file = files.next();
            QTest::newRow(qPrintable(QFileInfo(file).fileName())) << file;
        }
    }
    /// Every shape is known; every weight that the loss depends on is renewed, once.
    void step()
    {
        QFETCH(QString, file);
        auto model = importOnnx(file.toStdString());
        QVERIFY2(model, model ? "" : model.error().text().c_str());
        for (const auto optimizer :
             {TrainingOptions::Optimizer::Sgd, TrainingOptions::Optimizer::Adam}) {
            const auto training = trainingModel(*model, {.optimizer = optimizer});
            QVERIFY2(training, training ? "" : training.error().text().c_str());
            const Graph &graph = training->model.graph;
            for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
                if (graph.contains(TensorId{i}))
                    QVERIFY2(graph.tensor(TensorId{i}).shape &&
                                 isStatic(*graph.tensor(TensorId{i}).shape),
                             graph.tensor(TensorId{i}).name.c_str());
            const TrainingRecord &record = training->record;
            QVERIFY(record.weights > 0 && record.updateNodes == record.weights);
            QCOMPARE(record.forwardNodes + record.backwardNodes + record.updateNodes,
                     graph.nodeCount());
            for (const NodeId id : graph.order())
                QVERIFY(training->model.opset(graph.node(id).domain) > 0);
        }
    }
    /// As their authors count them, so that no weight is missed and no table taken for one.
    void parameters_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<qulonglong>("parameters");
        QTest::newRow("MobileNet-V2") << "mobilenet_v2_224.onnx" << 3504872ULL;
        QTest::newRow("MobileViT-S") << "mobilevit_s_256.onnx" << 5578632ULL;
    }
    void parameters()
    {
        QFETCH(QString, file);
        QFETCH(qulonglong, parameters);
        const auto model = importOnnx(GRAPHLOOM_SAMPLES "/" + file.toStdString());
        QVERIFY(model);
        const auto training = trainingModel(*model, {});
        QVERIFY(training);
        QCOMPARE(qulonglong(training->record.parameters), parameters);
    }
};

GRAPHLOOM_TESTS(SamplesTest)

} // namespace graphloom::test::samples_test

#include "samples_test.moc"
