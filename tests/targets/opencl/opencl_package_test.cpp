// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/c_compiler.h"
#include "engine/package/staged_package.h"
#include "targets/opencl/opencl_target.h"
#include "tests/support/program_run.h"
#include "tests/support/scoped_variable.h"
#include "tests/support/small_network.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace graphloom::test::opencl_package_test {

namespace fs = std::filesystem;

class OpenclPackageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void outputsAreTheExpectedOnes();
    void binariesAreKeptBesideTheWeights();
    void unknownDevicesAreRefused();
    void interpretedBlocksAreRefused();

private:
    /// Runs the package's test.
    ProgramRun test() const
    {
        return runToEnd(m_runner, {"--weights", (m_package / "weights.bin").string(), "--inputs",
                                   (m_package / "test").string(), "--expected",
                                   (m_package / "test").string(), "--runs", "2", "--warmup", "1"});
    }
    PackageOptions options() const
    {
        PackageOptions options;
        options.device = "adreno650";
        options.model = "net";
        return options;
    }

    opencl::OpenclTarget m_target;
    QTemporaryDir m_folder;
    fs::path m_package, m_runner;
};

/// Packages need neither a driver nor the headers of OpenCL to be built.
void OpenclPackageTest::initTestCase()
{
    if (!findCCompiler())
        QSKIP("needs gcc or clang");
    m_package = fs::path(m_folder.path().toStdString()) / "net";
    auto made = StagedPackage::make(m_target, smallNetwork(), options(), m_package);
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    QVERIFY(made->place());
    m_runner = fs::path(m_folder.path().toStdString()) / "runner";
    std::vector<std::string> words = {"-std=gnu11",
                                      "-O1",
                                      "-Wall",
                                      "-Wextra",
                                      "-Werror",
                                      "-DPACKAGE_PLAN=net_plan",
                                      "-I" + (m_package / "include").string(),
                                      "-o",
                                      m_runner.string()};
    for (const auto &file : fs::directory_iterator(m_package / "src"))
        if (file.path().extension() == ".c")
            words.push_back(file.path().string());
    words.insert(words.end(), {"-ldl", "-lm", "-lpthread"});
    const ProgramRun compiled = runToEnd(findCCompiler()->program, words);
    QVERIFY2(compiled.code == 0, compiled.output.c_str());
}

void OpenclPackageTest::outputsAreTheExpectedOnes()
{
    if (!m_target.checkDevice("0"))
        QSKIP("needs a driver of OpenCL, such as pocl-opencl-icd");
    const ProgramRun tested = test();
    QVERIFY2(tested.code == 0, tested.output.c_str());
    QVERIFY(tested.output.find("milliseconds") != std::string::npos);
}

void OpenclPackageTest::binariesAreKeptBesideTheWeights()
{
    if (!m_target.checkDevice("0"))
        QSKIP("needs a driver of OpenCL, such as pocl-opencl-icd");
    QCOMPARE(test().code, 0);
    const auto files = fs::directory_iterator(m_package);
    QCOMPARE(std::count_if(
                 begin(files), end(files),
                 [](const fs::directory_entry &file) { return file.path().extension() == ".clb"; }),
             std::ptrdiff_t(1));
    QCOMPARE(test().code, 0); // with the binary
}

void OpenclPackageTest::unknownDevicesAreRefused()
{
    const ScopedVariable number("GRAPHLOOM_OPENCL_DEVICE", "99");
    const ProgramRun tested = test();
    QVERIFY(tested.code != 0);
    QVERIFY2(tested.output.find("no device of this number") != std::string::npos,
             tested.output.c_str());
}

void OpenclPackageTest::interpretedBlocksAreRefused()
{
    PackageOptions partial = options();
    partial.partial = true;
    const auto made = StagedPackage::make(m_target, smallNetwork(true), partial,
                                          fs::path(m_folder.path().toStdString()) / "det");
    QVERIFY(!made);
    QCOMPARE(int(made.error().kind), int(Error::Kind::Model));
    QVERIFY(made.error().message.find("Det") != std::string::npos);
}

GRAPHLOOM_TESTS(OpenclPackageTest)

} // namespace graphloom::test::opencl_package_test

#include "opencl_package_test.moc"
