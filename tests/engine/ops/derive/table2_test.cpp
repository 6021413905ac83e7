// SPDX-License-Identifier: Apache-2.0
// The mapping types that are derived from index maps, against DNNFusion's Table 2.
#include "engine/ops/describe/stage.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::table2_test {

using graphloom::test::Given;
using graphloom::test::OperatorCase;

class Table2Test : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void derivedMappingType_data();
    void derivedMappingType();
};

namespace {

const Shape image{2, 8, 6, 10};

struct Row {
    const char *label;
    MappingType expected;
    std::string op;
    std::vector<Given> inputs;
    std::vector<Attribute> attributes = {};
    int outputs = 1;
};
Given bools()
{
    return Given(image, DataType::Bool);
}
Given channels()
{
    return Given::weights({8});
}

std::vector<Row> rows()
{
    using enum MappingType;
    return {
        {"Add", OneToOne, "Add", {image, image}},
        {"Asin", OneToOne, "Asin", {image}},
        {"BatchNormalization",
         OneToOne,
         "BatchNormalization",
         {image, channels(), channels(), channels(), channels()}},
        {"Cast", OneToOne, "Cast", {image}, {integer("to", 7)}},
        {"Ceil", OneToOne, "Ceil", {image}},
        {"Clip", OneToOne, "Clip", {image, Given::weights({}), Given::weights({})}},
        {"Concat", OneToOne, "Concat", {image, image}, {integer("axis", 1)}},
        {"Cos", OneToOne, "Cos", {image}},
        {"Erf", OneToOne, "Erf", {image}},
        {"Exp", OneToOne, "Exp", {image}},
        {"Greater", OneToOne, "Greater", {image, image}},
        {"LeakyRelu", OneToOne, "LeakyRelu", {image}},
        {"Log", OneToOne, "Log", {image}},
        {"Not", OneToOne, "Not", {bools()}},
        {"PRelu", OneToOne, "PRelu", {image, Given::weights({8, 1, 1})}},
        {"Reciprocal", OneToOne, "Reciprocal", {image}},
        {"Relu", OneToOne, "Relu", {image}},
        {"Round", OneToOne, "Round", {image}},
        {"Sigmoid", OneToOne, "Sigmoid", {image}},
        {"Sin", OneToOne, "Sin", {image}},
        {"Slice",
         OneToOne,
         "Slice",
         {image, Given::integers({1}), Given::integers({5}), Given::integers({3})}},
        {"Split", OneToOne, "Split", {image}, {integer("axis", 1)}, 2},
        {"Sqrt", OneToOne, "Sqrt", {image}},
        {"Tanh", OneToOne, "Tanh", {image}},
        {"Where", OneToOne, "Where", {bools(), image, image}},
        {"elementwise with broadcast", OneToMany, "Add", {image, Shape{8, 1, 1}}},
        {"Expand", OneToMany, "Expand", {Shape{8, 1, 1}, Given::integers({2, 8, 6, 10})}},
        {"Gather",
         OneToMany,
         "Gather",
         {image, Given(Shape{3}, DataType::Int64)},
         {integer("axis", 1)}},
        {"Resize",
         OneToMany,
         "Resize",
         {image, Given::weights({0}),
          Given(
              TensorData::fromValues<float>(DataType::Float, {4}, std::vector<float>{1, 1, 2, 2}))},
         {{"mode", std::string("nearest")},
          {"coordinate_transformation_mode", std::string("asymmetric")},
          {"nearest_mode", std::string("floor")}}},
        {"AveragePool", ManyToMany, "AveragePool", {image}, {ints("kernel_shape", {2, 2})}},
        {"Conv", ManyToMany, "Conv", {image, Given::weights({4, 8, 3, 3})}},
        {"ConvTranspose", ManyToMany, "ConvTranspose", {image, Given::weights({8, 4, 3, 3})}},
        {"CumSum", ManyToMany, "CumSum", {image, Given(TensorData::scalar(1))}},
        {"Einsum",
         ManyToMany,
         "Einsum",
         {Shape{4, 5}, Shape{5, 6}},
         {{"equation", std::string("ij,jk->ik")}}},
        {"Gemm", ManyToMany, "Gemm", {Shape{4, 5}, Given::weights({5, 6})}},
        {"InstanceNormalization",
         ManyToMany,
         "InstanceNormalization",
         {image, channels(), channels()}},
        {"MaxPool", ManyToMany, "MaxPool", {image}, {ints("kernel_shape", {3, 3})}},
        {"ReduceProd", ManyToMany, "ReduceProd", {image}, {ints("axes", {1})}},
        {"ReduceMean", ManyToMany, "ReduceMean", {image}, {ints("axes", {2, 3})}},
        {"Softmax", ManyToMany, "Softmax", {image}},
        {"Flatten", Reorganize, "Flatten", {image}},
        {"Reshape", Reorganize, "Reshape", {image, Given::integers({2, 48, 10})}},
        {"Squeeze", Reorganize, "Squeeze", {Shape{1, 5, 7}, Given::integers({0})}},
        {"Unsqueeze", Reorganize, "Unsqueeze", {image, Given::integers({0})}},
        {"DepthToSpace", Shuffle, "DepthToSpace", {image}, {integer("blocksize", 2)}},
        {"SpaceToDepth", Shuffle, "SpaceToDepth", {image}, {integer("blocksize", 2)}},
        {"Transpose", Shuffle, "Transpose", {image}, {ints("perm", {0, 2, 3, 1})}},
    };
}

} // namespace

void Table2Test::derivedMappingType_data()
{
    QTest::addColumn<int>("row");
    const auto all = rows();
    for (int i = 0; i < int(all.size()); ++i)
        QTest::newRow(all[std::size_t(i)].label) << i;
}

void Table2Test::derivedMappingType()
{
    QFETCH(int, row);
    const Row given = rows()[std::size_t(row)];
    const OperatorCase call(given.op, given.inputs, given.attributes, given.outputs);
    const auto description = call.describe();
    QVERIFY2(description, description ? "" : description.error().text().c_str());
    QVERIFY2(!description->isOpaque(), description->opaque.c_str());
    QCOMPARE(QString::fromStdString(std::string(nameOf(call.mapping()))),
             QString::fromStdString(std::string(nameOf(given.expected))));
}

GRAPHLOOM_TESTS(Table2Test)

} // namespace graphloom::test::table2_test

#include "table2_test.moc"
