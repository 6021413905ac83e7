// SPDX-License-Identifier: Apache-2.0
// Our shape inference against libonnx's, on trusted models: the bundled samples, and with
// GRAPHLOOM_MODELS set to a folder all models below it.
#include "engine/onnx/import.h"
#include "tests/support/test_program.h"

#include <QDirIterator>
#include <QTest>
#include <fstream>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

namespace graphloom::test::shape_crosscheck_test {

class ShapeCrosscheckTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sameShapes_data();
    void sameShapes();
};

void ShapeCrosscheckTest::sameShapes_data()
{
    QTest::addColumn<QString>("path");
    for (const QString &folder :
         {QString(GRAPHLOOM_SAMPLES), qEnvironmentVariable("GRAPHLOOM_MODELS")}) {
        if (folder.isEmpty())
            continue;
        QDirIterator files(folder, {"*.onnx"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            QTest::newRow(qPrintable(QFileInfo(path).completeBaseName())) << path;
        }
    }
}

/// Wherever libonnx knows a dimension as a number, ours is the same number.
void ShapeCrosscheckTest::sameShapes()
{
    QFETCH(QString, path);
    const auto model = importOnnx(path.toStdString());
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    onnx::ModelProto proto;
    std::ifstream file(path.toStdString(), std::ios::binary);
    QVERIFY(proto.ParseFromIstream(&file));
    onnx::shape_inference::InferShapes(proto);

    std::map<std::string, const Tensor *> ours;
    for (std::uint32_t i = 0; i < model->graph.tensorBound(); ++i)
        if (model->graph.contains(TensorId{i}))
            ours[model->graph.tensor(TensorId{i}).name] = &model->graph.tensor(TensorId{i});
    int compared = 0;
    for (const auto &info : proto.graph().value_info()) {
        const auto known = ours.find(info.name());
        if (known == ours.end() || !info.type().tensor_type().has_shape())
            continue;
        const auto &theirs = info.type().tensor_type().shape();
        const Tensor &tensor = *known->second;
        QVERIFY2(tensor.shape, qPrintable(QString("no shape for ") + info.name().c_str()));
        QVERIFY2(
            int(tensor.shape->size()) == theirs.dim_size(),
            qPrintable(
                QString("rank of %1 is %2").arg(info.name().c_str(), text(*tensor.shape).c_str())));
        QVERIFY2(int(tensor.type) == info.type().tensor_type().elem_type(), info.name().c_str());
        for (int d = 0; d < theirs.dim_size(); ++d)
            if (theirs.dim(d).has_dim_value())
                QVERIFY2((*tensor.shape)[std::size_t(d)] == Dim(theirs.dim(d).dim_value()),
                         qPrintable(QString("%1 is %2, libonnx has %3 for dimension %4")
                                        .arg(info.name().c_str(), text(*tensor.shape).c_str())
                                        .arg(theirs.dim(d).dim_value())
                                        .arg(d)));
        ++compared;
    }
    QVERIFY2(compared > 10, "hardly any tensor was compared");
}

GRAPHLOOM_TESTS(ShapeCrosscheckTest)

} // namespace graphloom::test::shape_crosscheck_test

#include "shape_crosscheck_test.moc"
