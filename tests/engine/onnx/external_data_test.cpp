// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/data_files.h"
#include "engine/onnx/files/mapped_file.h"
#include "tests/support/external_models.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::external_data_test {

/// Data beside the model: where it is in its file, and that it stays there.
class ExternalDataTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reads();
    void refusesOffsets();
    void refusesLengths();
    void needsALocation();
    void refusesDataInTwoPlaces();
    void sharesOneMapping();
    void survivesAFileThatShrinks();
};

void ExternalDataTest::reads()
{
    const ModelFolder folder;
    folder.save("skip" + sixteenBytes + "rest", "sub/deeper/weights.bin");
    const Entries entries{
        {"location", "sub/./deeper/weights.bin"}, {"offset", "4"}, {"length", "16"}};
    const auto model = open(folder, entries);
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    const auto constant = model->graph.tensor(model->graph.outputs()[0]).constant;
    QCOMPARE(constant->real(3), 4.0);
    // Without a length, as many bytes as the tensor needs.
    QVERIFY(open(folder, {{"location", "sub/deeper/weights.bin"}, {"offset", "4"}}));
    QVERIFY(open(folder, {{"location", "sub/deeper/weights.bin"}}));
}

void ExternalDataTest::refusesOffsets()
{
    const ModelFolder folder;
    folder.save(sixteenBytes, "w.bin");
    const auto at = [&](const std::string &offset) {
        return refusal(folder, {{"location", "w.bin"}, {"offset", offset}});
    };
    QCOMPARE(at("0"), std::string());
    for (const char *beyond : {"1", "16", "17", "9223372036854775807"})
        QVERIFY2(at(beyond).find("which has 16") != std::string::npos, beyond);
    for (const char *text :
         {"-1", "1e1", "", " 0", "0x0", "9223372036854775808", "99999999999999999999"})
        QVERIFY2(at(text).find("is not a size") != std::string::npos, text);
}

void ExternalDataTest::refusesLengths()
{
    const ModelFolder folder;
    folder.save(sixteenBytes + "more", "w.bin");
    folder.save(sixteenBytes.substr(1), "short.bin");
    const auto with = [&](const std::string &length, const std::string &offset = "0") {
        return refusal(folder, {{"location", "w.bin"}, {"length", length}, {"offset", offset}});
    };
    QCOMPARE(with("16"), std::string());
    for (const std::string other : {"0", "15", "17", "9223372036854775807"})
        QVERIFY2(with(other).find("has length " + other) != std::string::npos, other.c_str());
    QVERIFY(with("16", "5").find("which has 20") != std::string::npos);
    QVERIFY(with("16", "9223372036854775800").find("which has 20") != std::string::npos);
    QVERIFY(with("18446744073709551615").find("is not a size") != std::string::npos);
    QVERIFY(refusal(folder, {{"location", "short.bin"}}).find("which has 15") != std::string::npos);
}

void ExternalDataTest::needsALocation()
{
    const ModelFolder folder;
    QVERIFY(refusal(folder, {}).find("not a file name") != std::string::npos);
    QVERIFY(refusal(folder, {{"offset", "0"}}).find("not a file name") != std::string::npos);
}

void ExternalDataTest::refusesDataInTwoPlaces()
{
    const ModelFolder folder;
    folder.save(sixteenBytes, "w.bin");
    auto model = withExternal({{"location", "w.bin"}});
    model.mutable_graph()->mutable_initializer(0)->set_raw_data(sixteenBytes);
    const auto both = importOnnx(folder.save(model));
    QVERIFY(!both && both.error().text().find("two places") != std::string::npos);
}

void ExternalDataTest::sharesOneMapping()
{
    const ModelFolder folder;
    folder.save(std::string(8192, 'x'), "w.bin");
    DataFiles files(folder.path(), false);
    const auto one = files.find({"w.bin", 0, {}}, 4096),
               two = files.find({"w.bin", 4096, 4096}, 4096);
    QVERIFY(one && two);
    QCOMPARE(one->get(), two->get());
    QVERIFY((*one)->identity(0, 4096) != (*one)->identity(4096, 4096));
}

void ExternalDataTest::survivesAFileThatShrinks()
{
    const ModelFolder folder;
    const auto path = folder.save(std::string(1 << 16, 'x'), "w.bin");
    const auto file = MappedFile::open(path, 1 << 20);
    QVERIFY(file);
    const auto bytes = (*file)->bytes();
    QCOMPARE(std::to_integer<char>(bytes[60000]), 'x');
    QVERIFY(!(*file)->shrunk() && !shrunkFileOf(bytes));
    std::filesystem::resize_file(path, 4096);
    int zeros = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 512)
        zeros += bytes[i] == std::byte{0};
    QCOMPARE(zeros, (1 << 16) / 512 - 8); // all but the first page
    QVERIFY((*file)->shrunk());
    QCOMPARE(shrunkFileOf(bytes.subspan(100)).value_or(""), path);
}

GRAPHLOOM_TESTS(ExternalDataTest)

} // namespace graphloom::test::external_data_test

#include "external_data_test.moc"
