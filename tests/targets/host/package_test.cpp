// SPDX-License-Identifier: Apache-2.0
#include "engine/package/staged_package.h"

#include "engine/codegen/build/c_compiler.h"
#include "targets/host/host_target.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/program_run.h"
#include "tests/support/small_network.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace graphloom::test::package_test {

namespace fs = std::filesystem;

namespace {

std::string contentOf(const fs::path &path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

class PackageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void outputsAreTheExpectedOnes_data();
    void outputsAreTheExpectedOnes();
    void otherOutputsAreNoticed();
    void weightsOfAnotherPackageAreRefused();
    void missingInputsAreNamed();
    void traceNamesTheSteps();
    void energyIsThatOfTheDevice();
    void instancesAreIndependent();
    void twoPackagesCanBeLinked();
    void namesAreIdentifiers_data();
    void namesAreIdentifiers();
    void interpretedBlocksAreNamed();
    void programsDefineWhatIsMissing();
    void aPackageIsReplaced();
    void otherFoldersAreLeftAlone();

private:
    /// Writes the package of a plan into a folder and returns the folder.
    fs::path packaged(const Plan &plan, const std::string &model, const std::string &folder,
                      bool partial = false)
    {
        const fs::path path = fs::path(m_folder.path().toStdString()) / folder;
        PackageOptions options;
        options.device = std::string(test::testedSet().name);
        options.model = model;
        options.threads = 2;
        options.partial = partial;
        auto made = StagedPackage::make(m_target, plan, options, path);
        if (!made)
            qFatal("%s", made.error().text().c_str());
        if (auto placed = made->place(); !placed)
            qFatal("%s", placed.error().text().c_str());
        return path;
    }

    /// Compiles files of C with the sources of packages, except for their runners, and returns the
    /// program.
    fs::path compiled(const std::vector<fs::path> &packages,
                      const std::vector<std::string> &arguments)
    {
        const fs::path program =
            fs::path(m_folder.path().toStdString()) / ("program" + std::to_string(++m_programs));
        std::vector<std::string> words = {"-std=gnu11", "-O1", "-w", "-o", program.string()};
        for (const char *flag : test::testedSet().flags)
            words.push_back(flag);
        words.insert(words.end(), arguments.begin(), arguments.end());
        for (const fs::path &package : packages) {
            words.push_back("-I" + (package / "include").string());
            for (const auto &file : fs::recursive_directory_iterator(package / "src")) {
                const std::string name = file.path().filename().string();
                const bool isShared = name == "graphloom_runtime.c" && package != packages.front();
                if (file.path().extension() == ".c" && name != "runner.c" && name != "npy.c" &&
                    name != "device.c" && !isShared)
                    words.push_back(file.path().string());
            }
        }
        words.insert(words.end(), {"-lm", "-lpthread"});
        const ProgramRun made = runToEnd(findCCompiler()->program, words);
        if (made.code != 0)
            qFatal("%s", made.output.c_str());
        return program;
    }

    fs::path runnerOf(const fs::path &package)
    {
        return compiled({package},
                        {"-DPACKAGE_PLAN=net_plan", (package / "src/runner.c").string(),
                         (package / "src/npy.c").string(), (package / "src/device.c").string()});
    }

    host::HostTarget m_target;
    QTemporaryDir m_folder;
    fs::path m_package, m_runner; // of the network
    int m_programs = 0;
};

void PackageTest::initTestCase()
{
    if (!findCCompiler())
        QSKIP("needs gcc or clang");
    if (const std::string reason = test::whyNotRun(); !reason.empty())
        QSKIP(reason.c_str());
    m_package = packaged(smallNetwork(), "net", "net");
    m_runner = runnerOf(m_package);
}

void PackageTest::outputsAreTheExpectedOnes_data()
{
    QTest::addColumn<QString>("threads");
    for (const char *threads : {"1", "2", "5"})
        QTest::newRow(threads) << threads;
}

void PackageTest::outputsAreTheExpectedOnes()
{
    QFETCH(QString, threads);
    const std::string test = (m_package / "test").string();
    const ProgramRun ran = runToEnd(m_runner, {"--weights", (m_package / "weights.bin").string(),
                                               "--inputs", test, "--expected", test, "--threads",
                                               threads.toStdString(), "--runs", "20"});
    QVERIFY2(ran.code == 0, ran.output.c_str());
    QVERIFY2(ran.output.find("relative difference") != std::string::npos, ran.output.c_str());
}

void PackageTest::otherOutputsAreNoticed()
{
    // Without inputs they are zeros.
    const ProgramRun ran = runToEnd(m_runner, {"--weights", (m_package / "weights.bin").string(),
                                               "--expected", (m_package / "test").string()});
    QVERIFY2(ran.code == 1, ran.output.c_str());
}

void PackageTest::weightsOfAnotherPackageAreRefused()
{
    const fs::path other = fs::path(m_folder.path().toStdString()) / "other.bin";
    fs::copy_file(m_package / "weights.bin", other);
    std::fstream(other, std::ios::in | std::ios::out | std::ios::binary).write("12345678", 8);
    const ProgramRun ran = runToEnd(m_runner, {"--weights", other.string()});
    QVERIFY2(ran.code == 1, ran.output.c_str());
    QVERIFY2(ran.output.find("belongs to another package") != std::string::npos,
             ran.output.c_str());
}

void PackageTest::missingInputsAreNamed()
{
    const ProgramRun ran = runToEnd(
        m_runner, {"--weights", (m_package / "weights.bin").string(), "--inputs", "/nonexistent"});
    QVERIFY2(ran.code == 1, ran.output.c_str());
    QVERIFY2(ran.output.find("/nonexistent/input_0.npy, \"x\": the file cannot be opened") !=
                 std::string::npos,
             ran.output.c_str());
}

void PackageTest::traceNamesTheSteps()
{
    const ProgramRun ran = runToEnd(
        m_runner, {"--weights", (m_package / "weights.bin").string(), "--runs", "2", "--trace"});
    QVERIFY2(ran.code == 0, ran.output.c_str());
    QVERIFY2(ran.output.find("Conv") != std::string::npos, ran.output.c_str());
}

void PackageTest::energyIsThatOfTheDevice()
{
    const fs::path sys = fs::path(m_folder.path().toStdString()) / "sys",
                   battery = sys / "class/power_supply/battery";
    fs::create_directories(battery);
    std::ofstream(battery / "type") << "Battery\n";
    std::ofstream(battery / "status") << "Discharging\n";
    std::ofstream(battery / "power_now") << "2000000\n";
    const std::vector<std::string> words = {"--weights", (m_package / "weights.bin").string(),
                                            "--sys", sys.string()};
    ProgramRun ran = runToEnd(m_runner, words);
    QVERIFY2(ran.code == 0, ran.output.c_str());
    QVERIFY2(ran.output.find("\"energy_of\": \"battery\"") != std::string::npos,
             ran.output.c_str());
    const auto at = ran.output.find("\"joules\": ");
    QVERIFY(at != std::string::npos);
    QVERIFY(std::stod(ran.output.substr(at + 10)) > 0);
    std::ofstream(battery / "status") << "Charging\n";
    ran = runToEnd(m_runner, words);
    QVERIFY2(ran.code == 0, ran.output.c_str());
    QVERIFY2(ran.output.find("joules") == std::string::npos, ran.output.c_str());
}

void PackageTest::instancesAreIndependent()
{
    const fs::path source = fs::path(m_folder.path().toStdString()) / "two.c";
    std::ofstream(source) << R"(
#include "net.h"
#include <stdio.h>
#include <string.h>
int main(int count, char **words)
{
    gl_model *a, *b;
    if (count < 2 || net_create(words[1], 2, &a) != GL_OK || net_create(words[1], 1, &b) != GL_OK)
        return 2;
    float *x = net_input(a, NET_INPUT_x), *z = net_input(b, NET_INPUT_x);
    for (int i = 0; i < 3 * 81; ++i) {
        x[i] = 1;
        z[i] = -1;
    }
    if (net_run(a) != GL_OK)
        return 3;
    float first[8 * 81];
    memcpy(first, net_output(a, 0), sizeof first);
    if (net_run(b) != GL_OK || memcmp(first, net_output(a, 0), sizeof first) != 0)
        return 4; /* the second one has changed the first one's output */
    if (memcmp(first, net_output(b, 0), sizeof first) == 0)
        return 5;
    net_destroy(b);
    if (net_run(a) != GL_OK || memcmp(first, net_output(a, 0), sizeof first) != 0)
        return 6;
    net_destroy(a);
    return net_create("/nonexistent", 1, &a) == GL_NO_WEIGHTS ? 0 : 7;
}
)";
    const fs::path program = compiled({m_package}, {source.string()});
    const ProgramRun ran = runToEnd(program, {(m_package / "weights.bin").string()});
    QCOMPARE(ran.code, 0);
}

void PackageTest::twoPackagesCanBeLinked()
{
    const fs::path other = packaged(smallNetwork(), "Other-Net", "other_net");
    const fs::path source = fs::path(m_folder.path().toStdString()) / "both.c";
    std::ofstream(source) << "#include \"net.h\"\n#include \"other_net.h\"\n"
                             "int main(void) { return net_plan.step_count != "
                             "other_net_plan.step_count; }\n";
    QCOMPARE(runToEnd(compiled({m_package, other}, {source.string()}), {}).code, 0);
}

void PackageTest::namesAreIdentifiers_data()
{
    QTest::addColumn<QString>("model");
    QTest::newRow("no letters of identifiers") << "9 */ \"$(ls)\" \\\n;";
    QTest::newRow("a file of the runtime") << "Graphloom_Runtime";
}

void PackageTest::namesAreIdentifiers()
{
    QFETCH(QString, model);
    const fs::path package = packaged(smallNetwork(), model.toStdString(), "odd");
    std::string header;
    for (const auto &file : fs::directory_iterator(package / "include"))
        if (file.path().filename() != "graphloom_runtime.h")
            header = file.path().filename().string();
    const std::string name = header.substr(0, header.find('.'));
    QVERIFY2(std::ranges::all_of(name, [](char c) { return std::isalnum(c) || c == '_'; }) &&
                 !std::isdigit(name.front()),
             name.c_str());
    const fs::path source = fs::path(m_folder.path().toStdString()) / "odd.c";
    std::ofstream(source) << "#include \"" << header << "\"\nint main(void) { return " << name
                          << "_plan.input_count != 2; }\n";
    QCOMPARE(runToEnd(compiled({package}, {source.string()}), {}).code, 0);
}

void PackageTest::interpretedBlocksAreNamed()
{
    PackageOptions options;
    options.model = "net";
    const fs::path folder = fs::path(m_folder.path().toStdString()) / "refused";
    const auto made = StagedPackage::make(m_target, smallNetwork(true), options, folder);
    QVERIFY(!made);
    QCOMPARE(int(made.error().kind), int(Error::Kind::Model));
    QVERIFY2(made.error().text().find("Det") != std::string::npos, made.error().text().c_str());
    QVERIFY(!fs::exists(folder));
}

void PackageTest::programsDefineWhatIsMissing()
{
    const fs::path package = packaged(smallNetwork(true), "part", "part", true);
    const std::string header = contentOf(package / "include/part.h");
    QVERIFY2(header.find("float32, 1 x 8 x 9 x 9") != std::string::npos, header.c_str());
    const std::string weights = (package / "weights.bin").string();
    const auto programWith = [&](const std::string &definition) {
        const fs::path source = fs::path(m_folder.path().toStdString()) / "part.c";
        std::ofstream(source) << "#include \"part.h\"\n"
                              << definition << R"(
int main(int count, char **words)
{
    gl_model *model;
    if (count < 2 || part_create(words[1], 2, &model) != GL_OK)
        return 1;
    const gl_status status = part_run(model);
    if (status == GL_MISSING)
        return 2;
    const float *result = part_output(model, 2);
    for (int i = 0; i < 8; ++i)
        if (result[i] != i + 1)
            return 3;
    part_destroy(model);
    return status != GL_OK;
}
)";
        return compiled({package}, {source.string()});
    };
    QCOMPARE(runToEnd(programWith(""), {weights}).code, 2);
    // Not the determinant, but what the program says.
    const char *definition = R"(
int part_missing_0(const void *const *inputs, void *const *outputs)
{
    for (int i = 0; i < 8; ++i)
        ((float *)outputs[0])[i] = i + 1;
    return inputs[0] == 0;
}
)";
    QCOMPARE(runToEnd(programWith(definition), {weights}).code, 0);
}

void PackageTest::aPackageIsReplaced()
{
    const fs::path package = packaged(smallNetwork(), "alpha", "replaced");
    QVERIFY(fs::exists(package / "include/alpha.h"));
    packaged(smallNetwork(), "beta", "replaced");
    QVERIFY(!fs::exists(package / "include/alpha.h"));
    QVERIFY(fs::exists(package / "include/beta.h"));
}

void PackageTest::otherFoldersAreLeftAlone()
{
    const fs::path folder = fs::path(m_folder.path().toStdString()) / "mine";
    fs::create_directories(folder);
    std::ofstream(folder / "letter.txt") << "kept";
    PackageOptions options;
    options.model = "net";
    const auto made = StagedPackage::make(m_target, smallNetwork(), options, folder);
    QVERIFY(!made);
    QCOMPARE(int(made.error().kind), int(Error::Kind::Usage));
    QCOMPARE(contentOf(folder / "letter.txt"), std::string("kept"));
}

GRAPHLOOM_TESTS(PackageTest)

} // namespace graphloom::test::package_test

#include "package_test.moc"
