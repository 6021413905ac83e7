// SPDX-License-Identifier: Apache-2.0
#include "tests/support/conformance.h"
#include "tests/support/exported.h"
#include "tests/support/mutations.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>

namespace graphloom::test::mutations_test {

/// Damaged files are read or refused, in short time and without harm, whatever the damage is.
/// GRAPHLOOM_MUTATIONS sets how many, GRAPHLOOM_MUTATION_SEED where they begin.
class MutationsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void damagedSamples();
    void damagedConformanceModels();

private:
    void damage(const std::vector<std::filesystem::path> &files, std::uint64_t count);

    std::uint64_t m_firstSeed = 1, m_count = 300;
};

void MutationsTest::initTestCase()
{
    if (const auto count = qEnvironmentVariableIntValue("GRAPHLOOM_MUTATIONS"); count > 0)
        m_count = std::uint64_t(count);
    if (const auto seed = qEnvironmentVariableIntValue("GRAPHLOOM_MUTATION_SEED"); seed > 0)
        m_firstSeed = std::uint64_t(seed);
}

void MutationsTest::damage(const std::vector<std::filesystem::path> &files, std::uint64_t count)
{
    const auto contentOf = [](const std::filesystem::path &path) {
        std::ifstream stream(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    const ModelFolder folder;
    int read = 0, refused = 0;
    for (std::uint64_t seed = m_firstSeed; seed < m_firstSeed + count; ++seed) {
        Random random(seed);
        const auto &file = files[below(random, files.size())];
        const auto &donor = files[below(random, files.size())];
        const auto path = folder.save(Mutator(seed).mutate(contentOf(file), contentOf(donor)));
        const std::string label = "seed " + std::to_string(seed) + ", " + file.string() + ": ";
        QElapsedTimer timer;
        timer.start();
        const auto model = importOnnx(path);
        QVERIFY2(timer.elapsed() < 20'000, (label + "takes too long").c_str());
        if (!model) {
            ++refused;
            QVERIFY2(model.error().kind == Error::Kind::Model,
                     (label + model.error().text()).c_str());
            QVERIFY2(model.error().where.starts_with(path.string()),
                     (label + model.error().text()).c_str());
            continue;
        }
        ++read;
        // What was read is a whole graph: it can be written and read again.
        const auto exported = exportOnnx(planAsRead(model), folder.path() / "out.onnx");
        QVERIFY2(exported || exported.error().kind == Error::Kind::Fault,
                 (label + (exported ? "" : exported.error().text())).c_str());
        if (exported) {
            const auto back = importOnnx(folder.path() / "out.onnx");
            QVERIFY2(back, (label + (back ? "" : back.error().text())).c_str());
        }
    }
    qInfo("%d read, %d refused", read, refused);
    QVERIFY(refused > 0 && read > 0); // else the damage is too great or too small to tell anything
}

void MutationsTest::damagedSamples()
{
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(GRAPHLOOM_SAMPLES))
        if (entry.path().extension() == ".onnx")
            files.push_back(entry.path());
    std::ranges::sort(files);
    QVERIFY(!files.empty());
    damage(files, m_count / 3);
}

void MutationsTest::damagedConformanceModels()
{
    const auto root = conformanceRoot();
    if (!std::filesystem::exists(root))
        QSKIP("libonnx-testdata is not installed");
    std::vector<std::filesystem::path> files;
    for (const std::string &test : conformanceTests(root))
        files.push_back(root / test / "model.onnx");
    damage(files, m_count);
}

GRAPHLOOM_TESTS(MutationsTest)

} // namespace graphloom::test::mutations_test

#include "mutations_test.moc"
