// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/confined_path.h"
#include "tests/support/external_models.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <sys/stat.h>

namespace graphloom::test::confined_path_test {

/// External data is refused where its path leads out of the model's folder.
class ConfinedPathTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refusesPaths_data();
    void refusesPaths();
    void refusesPathsOfAllTensors();
    void refusesDataOfKeptTensors();
    void refusesLinks();
    void refusesHardLinks();
    void refusesOtherKindsOfFiles();
};

void ConfinedPathTest::refusesPaths_data()
{
    QTest::addColumn<QByteArray>("location");
    QTest::addColumn<QByteArray>("reason");
    QTest::newRow("missing") << QByteArray("nothing.bin") << QByteArray("cannot be opened");
    QTest::newRow("empty") << QByteArray("") << QByteArray("not a file name");
    QTest::newRow("dot") << QByteArray(".") << QByteArray("not a file name");
    QTest::newRow("absolute") << QByteArray("/etc/hostname") << QByteArray("absolute path");
    QTest::newRow("up") << QByteArray("../outside.bin") << QByteArray("outside the model's folder");
    QTest::newRow("down and up") << QByteArray("sub/../../outside.bin")
                                 << QByteArray("outside the model's folder");
    QTest::newRow("inner up") << QByteArray("sub/../inside.bin")
                              << QByteArray("outside the model's folder");
    QTest::newRow("zero byte") << QByteArray("inside.bin\0.png", 15)
                               << QByteArray("not a file name");
    QTest::newRow("file as folder") << QByteArray("inside.bin/x") << QByteArray("");
    QTest::newRow("folder") << QByteArray("sub") << QByteArray("not a regular file");
}

void ConfinedPathTest::refusesPaths()
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

void ConfinedPathTest::refusesPathsOfAllTensors()
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
        QVERIFY2(outside.error().text().find("outside the model's folder") != std::string::npos,
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
void ConfinedPathTest::refusesDataOfKeptTensors()
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

void ConfinedPathTest::refusesLinks()
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

void ConfinedPathTest::refusesHardLinks()
{
    const ModelFolder folder;
    folder.save(sixteenBytes, "one.bin");
    QVERIFY(open(folder, {{"location", "one.bin"}}));
    std::filesystem::create_hard_link(folder.path() / "one.bin", folder.path() / "two.bin");
    QVERIFY(refusal(folder, {{"location", "two.bin"}}).find("hard links") != std::string::npos);
    QVERIFY(open(folder, {{"location", "two.bin"}}, true));
}

void ConfinedPathTest::refusesOtherKindsOfFiles()
{
    const ModelFolder folder;
    // Opening a pipe must not wait for somebody to write into it.
    QCOMPARE(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
    QVERIFY(refusal(folder, {{"location", "pipe"}}).find("not a regular file") !=
            std::string::npos);
    QVERIFY(!importOnnx(folder.path() / "pipe"));
    QVERIFY(!importOnnx("/dev/null"));
}

GRAPHLOOM_TESTS(ConfinedPathTest)

} // namespace graphloom::test::confined_path_test

#include "confined_path_test.moc"
