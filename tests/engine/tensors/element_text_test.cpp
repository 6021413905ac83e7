// SPDX-License-Identifier: Apache-2.0
// Elements as text, and where they are.
#include "engine/tensors/element_text.h"

#include "engine/tensors/data_origin.h"
#include "tests/support/external_models.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <charconv>

namespace graphloom::test::element_text_test {

namespace {

template <class T> std::string text(DataType type, T value)
{
    return elementText(TensorData::fromValues<T>(type, {}, {&value, 1}), 0);
}

/// The tensor with this name, which the graph has.
const TensorData &constantOf(const Model &model, std::string_view name)
{
    for (std::uint32_t index = 0; index < model.graph.tensorBound(); ++index)
        if (const TensorId id{index};
            model.graph.contains(id) && model.graph.tensor(id).name == name)
            return *model.graph.tensor(id).constant;
    qFatal("no such tensor");
}

} // namespace

class ElementTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersAreInFull()
    {
        QCOMPARE(text(DataType::Float, 0.1F), std::string("0.1"));
        QCOMPARE(text(DataType::Double, 0.1), std::string("0.1"));
        QCOMPARE(text(DataType::Float, -3.0F), std::string("-3"));
        QCOMPARE(text(DataType::Float, 1e-20F), std::string("1e-20"));
        QCOMPARE(text(DataType::Float, std::nanf("")), std::string("NaN"));
        QCOMPARE(text(DataType::Float, -HUGE_VALF), std::string("-Inf"));
        QCOMPARE(text(DataType::Uint64, ~std::uint64_t{0}), std::string("18446744073709551615"));
        QCOMPARE(text(DataType::Int64, INT64_MIN), std::string("-9223372036854775808"));
        QCOMPARE(text(DataType::Bool, std::uint8_t(2)), std::string("true"));
        QCOMPARE(text(DataType::Complex64, std::array{1.5F, -2.0F}), std::string("1.5-2i"));
        QCOMPARE(text(DataType::Complex128, std::array{0.0, 2.5}), std::string("0+2.5i"));
        QCOMPARE(elementText(TensorData::fromStrings({2}, {"a", "b c"}), 1), std::string("b c"));
    }

    void floatsAreReadBackAsTheSame()
    {
        std::mt19937_64 random(3);
        for (int i = 0; i < 10'000; ++i) {
            const auto value = std::bit_cast<float>(std::uint32_t(random()));
            const std::string written = text(DataType::Float, value);
            float read = 0;
            const auto end =
                std::from_chars(written.data(), written.data() + written.size(), read).ptr;
            if (std::isfinite(value))
                QVERIFY(read == value && end == written.data() + written.size());
        }
    }

    void elementsOfAllTypesAreThoseOfTheirPosition()
    {
        std::mt19937_64 random(5);
        for (const DataType type : numberTypes) {
            const TensorData data = randomTensor(type, {9}, random, true);
            for (int i = 0; i < 9; ++i) {
                const std::string expected = type == DataType::Bool
                                                 ? data.integer(i) != 0 ? "true" : "false"
                                                 : std::to_string(data.integer(i));
                if (data.real(i) == double(data.integer(i)) && bitsOf(type) < 64)
                    QCOMPARE(elementText(data, i), expected);
            }
        }
    }

    void externalDataHasFileAndOffset()
    {
        const ModelFolder folder;
        const std::string content(4096 + 8, '\x3f');
        folder.save(content, "w.bin");
        auto tensor = externalTensor({{"location", "w.bin"}, {"offset", "8"}});
        tensor.set_dims(0, 1024); // smaller tensors are copied to memory
        auto proto = emptyModel();
        *proto.mutable_graph()->add_initializer() = tensor;
        addOpenOutput(*proto.mutable_graph(), "w");
        const auto model = importOnnx(folder.save(proto));
        QVERIFY2(model, model ? "" : model.error().text().c_str());
        const DataOrigin origin = originOf(constantOf(*model, "w"), *model);
        QCOMPARE(int(origin.place), int(DataOrigin::Place::ExternalFile));
        QCOMPARE(origin.file.filename().string(), std::string("w.bin"));
        QCOMPARE(origin.offset, 8U);
        QVERIFY(!origin.isTruncated && !origin.isUniform);
    }

    void aSmallConstantIsACopyOfTheModel()
    {
        auto proto = emptyModel();
        fillFloats(*proto.mutable_graph()->add_initializer(), "w", {2}, {1, 2});
        addOpenOutput(*proto.mutable_graph(), "w");
        const ModelFolder folder;
        const auto model = importOnnx(folder.save(proto));
        QVERIFY(model);
        const TensorData &data = constantOf(*model, "w");
        QCOMPARE(int(originOf(data, *model).place), int(DataOrigin::Place::ModelCopy));
        const auto other = TensorData::fromInt64s({7});
        QCOMPARE(int(originOf(other, *model).place), int(DataOrigin::Place::Computed));
        const auto splat =
            TensorData::splat(DataType::Uint8, {4000}, std::vector<std::byte>{std::byte(1)});
        QVERIFY(originOf(splat, *model).isUniform);
    }
};

GRAPHLOOM_TESTS(ElementTextTest)

} // namespace graphloom::test::element_text_test

#include "element_text_test.moc"
