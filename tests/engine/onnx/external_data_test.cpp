// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/confined_path.h"
#include "engine/onnx/data_files.h"
#include "engine/onnx/mapped_file.h"
#include "tests/support/onnx_builder.h"

#include <QTest>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace graphloom;
using namespace graphloom::test;

/// Data beside the model: read where it may be read, refused where the path leads elsewhere.
class ExternalDataTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reads();
    void refusesPaths_data();
    void refusesPaths();
    void refusesPathsOfAllTensors();
    void refusesDataOfKeptTensors();
    void refusesLinks();
    void refusesHardLinks();
    void refusesOtherKindsOfFiles();
    void refusesSizes();
    void sharesOneMapping();
    void survivesAFileThatShrinks();
};

namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// "w", 4 floats that are elsewhere.
onnx::TensorProto externalTensor(const Entries &entries)
{
    onnx::TensorProto tensor;
    tensor.set_name("w");
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(4);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto &[key, value] : entries)
        setEntry(*tensor.add_external_data(), key, value);
    return tensor;
}

/// A model whose constant "w" of 4 floats is in external data.
onnx::ModelProto withExternal(const Entries &entries)
{
    auto model = emptyModel();
    *model.mutable_graph()->add_initializer() = externalTensor(entries);
    addOpenOutput(*model.mutable_graph(), "w");
    return model;
}

const std::string sixteenBytes("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40", 16); // 1 2 3 4

Result<Model> open(const ModelFolder &folder, const Entries &entries, bool followLinks = false)
{
    ImportOptions options;
    options.followLinks = followLinks;
    return importOnnx(folder.save(withExternal(entries)), options);
}

std::string refusal(const ModelFolder &folder, const Entries &entries)
{
    const auto model = open(folder, entries);
    return model ? "" : model.error().text();
}

} // namespace

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

void ExternalDataTest::refusesPaths_data()
{
    QTest::addColumn<QByteArray>("location");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("missing") << QByteArray("nothing.bin") << QByteArray("cannot be opened");
    QTest::newRow("empty") << QByteArray("") << QByteArray("no file name");
    QTest::newRow("dot") << QByteArray(".") << QByteArray("no file name");
    QTest::newRow("absolute") << QByteArray("/etc/hostname") << QByteArray("absolute path");
    QTest::newRow("up") << QByteArray("../outside.bin") << QByteArray("out of the model's folder");
    QTest::newRow("down and up") << QByteArray("sub/../../outside.bin")
                                 << QByteArray("out of the model's folder");
    QTest::newRow("inner up") << QByteArray("sub/../inside.bin")
                              << QByteArray("out of the model's folder");
    QTest::newRow("zero byte") << QByteArray("inside.bin\0.png", 15) << QByteArray("no file name");
    QTest::newRow("file as folder") << QByteArray("inside.bin/x") << QByteArray("");
    QTest::newRow("folder") << QByteArray("sub") << QByteArray("not a regular file");
}

void ExternalDataTest::refusesPaths()
{
    QFETCH(QByteArray, location);
    QFETCH(QByteArray, reason);
    const ModelFolder folder;
    std::filesystem::create_directories(folder.path() / "sub");
    folder.save(sixteenBytes, "inside.bin");
    folder.save(sixteenBytes, "../outside.bin");
    const auto model = open(folder, {{"location", location.toStdString()}});
    std::filesystem::remove(folder.path().parent_path() / "outside.bin");
    QVERIFY(!model);
    QCOMPARE(model.error().kind, Error::Kind::Model);
    QVERIFY2(model.error().text().find(reason.toStdString()) != std::string::npos,
             model.error().text().c_str());
    // The same without the kernel's help.
    const auto walked = openConfined(folder.path(), location.toStdString(), {false, true});
    QVERIFY(!walked);
}

void ExternalDataTest::refusesPathsOfAllTensors()
{
    const ModelFolder folder;
    folder.save(sixteenBytes, "inside.bin");
    const auto withLocation = [](const std::string &location, auto &&place) {
        auto model = choiceModel();
        setBranches(*model.mutable_graph()->mutable_node(0), [](auto &body, const auto &branch) {
            addNode(body, "Relu", {"x"}, {branch});
            addOpenOutput(body, branch);
        });
        place(*model.mutable_graph()) = externalTensor({{"location", location}});
        return model;
    };
    const auto check = [&](const char *label, auto &&place) {
        const auto inside = importOnnx(folder.save(withLocation("inside.bin", place)));
        QVERIFY2(inside, inside ? "" : (label + (": " + inside.error().text())).c_str());
        const auto outside = importOnnx(folder.save(withLocation("../outside.bin", place)));
        QVERIFY2(!outside, label);
        QVERIFY2(outside.error().text().find("out of the model's folder") != std::string::npos,
                 outside.error().text().c_str());
    };
    using Graph = onnx::GraphProto;
    using Proto = onnx::AttributeProto;
    check(
        "nested graph", [](Graph & graph) -> auto & {
            return *graph.mutable_node(0)->mutable_attribute(0)->mutable_g()->add_initializer();
        });
    check(
        "constant", [](Graph & graph) -> auto & {
            return *addAttribute(addNode(graph, "Constant", {}, {"k"}), "value", Proto::TENSOR)
                        .mutable_t();
        });
    check(
        "attribute of an unknown operator", [](Graph & graph) -> auto & {
            return *addAttribute(addNode(graph, "Unheard", {}, {"k"}), "t", Proto::TENSOR)
                        .mutable_t();
        });
    check(
        "list of an unknown operator", [](Graph & graph) -> auto & {
            return *addAttribute(addNode(graph, "Unheard", {}, {"k"}), "t", Proto::TENSORS)
                        .add_tensors();
        });
    check(
        "sparse values", [](Graph & graph) -> auto & {
            auto &sparse = *graph.add_sparse_initializer();
            addInts(graph, "indices", {4}, {0, 1, 2, 3});
            *sparse.mutable_indices() = graph.initializer(0);
            sparse.add_dims(4);
            return *sparse.mutable_values();
        });
}

/// Nobody would look at the path of a tensor that is written back as it was.
void ExternalDataTest::refusesDataOfKeptTensors()
{
    auto model = reluModel();
    auto &node = addNode(*model.mutable_graph(), "Unheard", {}, {"k"});
    auto &sparse =
        *addAttribute(node, "t", onnx::AttributeProto::SPARSE_TENSORS).add_sparse_tensors();
    fillFloats(*sparse.mutable_values(), "", {1}, {1});
    ACCEPTED(model);
    *sparse.mutable_values() = externalTensor({{"location", "../../.ssh/id"}});
    REFUSED(model, "refers to external data");
    sparse.mutable_values()->clear_data_location();
    REFUSED(model, "refers to external data");
}

void ExternalDataTest::refusesLinks()
{
    const ModelFolder folder, elsewhere;
    elsewhere.save(sixteenBytes, "weights.bin");
    folder.save(sixteenBytes, "inside.bin");
    std::filesystem::create_symlink(elsewhere.path() / "weights.bin", folder.path() / "out.bin");
    std::filesystem::create_symlink("inside.bin", folder.path() / "in.bin");
    std::filesystem::create_directory_symlink(elsewhere.path(), folder.path() / "linked");
    for (const std::string location : {"out.bin", "in.bin", "linked/weights.bin"}) {
        QVERIFY(refusal(folder, {{"location", location}}).find("link") != std::string::npos);
        const auto walked = openConfined(folder.path(), location, {false, true});
        QVERIFY2(!walked, location.c_str());
        QVERIFY(walked.error().message.find("link") != std::string::npos);
        QVERIFY2(open(folder, {{"location", location}}, true), location.c_str());
    }
    QVERIFY(!open(folder,
                  {{"location", "../" + elsewhere.path().filename().string() + "/weights.bin"}},
                  true));
    // A model may itself be opened through a link; its data is looked for beside the link.
    const auto path = elsewhere.save(withExternal({{"location", "inside.bin"}}), "real.onnx");
    std::filesystem::create_symlink(path, folder.path() / "link.onnx");
    QVERIFY(importOnnx(folder.path() / "link.onnx"));
}

void ExternalDataTest::refusesHardLinks()
{
    const ModelFolder folder;
    folder.save(sixteenBytes, "one.bin");
    QVERIFY(open(folder, {{"location", "one.bin"}}));
    std::filesystem::create_hard_link(folder.path() / "one.bin", folder.path() / "two.bin");
    QVERIFY(refusal(folder, {{"location", "two.bin"}}).find("hard links") != std::string::npos);
    QVERIFY(open(folder, {{"location", "two.bin"}}, true));
}

void ExternalDataTest::refusesOtherKindsOfFiles()
{
    const ModelFolder folder;
    // Opening a pipe must not wait for somebody to write into it.
    QCOMPARE(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    QVERIFY(refusal(folder, {{"location", "pipe"}}).find("not a regular file") !=
            std::string::npos);
    QVERIFY(!importOnnx(folder.path() / "pipe"));
    QVERIFY(!importOnnx("/dev/null"));
}

void ExternalDataTest::refusesSizes()
{
    const ModelFolder folder;
    folder.save(sixteenBytes, "w.bin");
    const auto with = [&](const char *key, const std::string &value) {
        return refusal(folder, {{"location", "w.bin"}, {key, value}});
    };
    QCOMPARE(with("offset", "0"), std::string());
    QVERIFY(with("offset", "1").find("which has 16") != std::string::npos);
    QVERIFY(with("offset", "9223372036854775807").find("which has 16") != std::string::npos);
    for (const char *text :
         {"-1", "1e1", "", " 0", "0x0", "9223372036854775808", "99999999999999999999"})
        QVERIFY2(with("offset", text).find("is no size") != std::string::npos, text);
    QVERIFY(with("length", "15").find("has length 15") != std::string::npos);
    QVERIFY(with("length", "18446744073709551615").find("is no size") != std::string::npos);
    QVERIFY(refusal(folder, {}).find("no file name") != std::string::npos);
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

QTEST_GUILESS_MAIN(ExternalDataTest)
#include "external_data_test.moc"
