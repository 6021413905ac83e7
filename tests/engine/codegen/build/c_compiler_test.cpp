// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/c_compiler.h"

#include "engine/codegen/emit/block_kernel.h"
#include "engine/cost/instruction_set.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <thread>

namespace graphloom::test::c_compiler_test {

namespace fs = std::filesystem;

class CCompilerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = fs::path(m_folder->path().toStdString());
    }
    void foundCompilersSayWhatTheyAre();
    void thePreferredCompilerComesFirst();
    void otherProgramsAreNoCompilers();
    void silentProgramsAreGivenUp();
    void compiledFunctionsRun();
    void everyCompilerTakesWhatKernelsNeed();
    void theSourceStaysBeside();
    void brokenSourceGivesTheFirstErrors();
    void missingCompilersAreMissing();
    void unwritableFoldersAreMissing();
    void slowCompilersAreEnded();
    void stoppingEndsTheCompiler();
    void nothingIsStartedAfterTheStop();

private:
    /// A script that passes for a compiler.
    std::string script(const std::string &body)
    {
        const fs::path file = m_path / "cc.sh";
        std::ofstream(file) << "#!/bin/sh\n" << body << "\n";
        fs::permissions(file, fs::perms::owner_all);
        return file.string();
    }
    CCompiler compiler()
    {
        const auto found = findCCompilers(nullptr);
        return found.empty() ? CCompiler{} : found.front();
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

#define NEEDS_A_COMPILER                                                                           \
    if (findCCompilers(nullptr).empty())                                                           \
    QSKIP("needs gcc or clang")

void CCompilerTest::foundCompilersSayWhatTheyAre()
{
    NEEDS_A_COMPILER;
    const auto compilers = findCCompilers(nullptr);
    QVERIFY(!compilers.empty());
    for (const CCompiler &found : compilers) {
        const bool clang = found.version.find("clang") != std::string::npos;
        QCOMPARE(found.kind, clang ? CCompiler::Kind::Clang : CCompiler::Kind::Gcc);
        QVERIFY2(found.triple.find('-') != std::string::npos, found.triple.c_str());
    }
}

void CCompilerTest::thePreferredCompilerComesFirst()
{
    NEEDS_A_COMPILER;
    const auto plain = findCCompilers(nullptr);
    const std::string last = plain.back().program.string();
    const auto found = findCCompilers((last + " -g").c_str());
    QCOMPARE(found.size(), plain.size() + 1);
    QCOMPARE(found.front().program.string(), last);
    QCOMPARE(found.front().arguments, std::vector<std::string>{"-g"});
    QCOMPARE(findCCompilers(last.c_str()).size(), plain.size()); // not twice
}

void CCompilerTest::otherProgramsAreNoCompilers()
{
    const auto plain = findCCompilers(nullptr).size();
    QCOMPARE(findCCompilers("").size(), plain);
    QCOMPARE(findCCompilers("/nonexistent/cc").size(), plain);
    QCOMPARE(findCCompilers("echo").size(), plain);
    QCOMPARE(findCCompilers("false").size(), plain);
}

void CCompilerTest::silentProgramsAreGivenUp()
{
    const auto plain = findCCompilers(nullptr).size();
    QCOMPARE(findCCompilers(script("exec sleep 1000").c_str()).size(), plain);
}

void CCompilerTest::compiledFunctionsRun()
{
    NEEDS_A_COMPILER;
    const fs::path library = m_path / "twice.so";
    const auto done = compileShared(compiler(), "int apply(int x) { return FACTOR * x; }",
                                    {"-O2", "-DFACTOR=2"}, library, {}, 60);
    QVERIFY2(done, done ? "" : done.error().text().c_str());
    void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    QVERIFY(handle);
    const auto apply = reinterpret_cast<int (*)(int)>(::dlsym(handle, "apply"));
    QVERIFY(apply);
    QCOMPARE(apply(21), 42);
    ::dlclose(handle);
}

/// Flags and prelude, for all instruction sets.
void CCompilerTest::everyCompilerTakesWhatKernelsNeed()
{
    NEEDS_A_COMPILER;
    for (const CCompiler &found : findCCompilers(nullptr))
        for (const InstructionSet &set : instructionSets()) {
            const auto done = compileShared(found, translationUnit({}, set.lanes).text,
                                            kernelFlags(set.lanes), m_path / "nothing.so", {}, 60);
            QVERIFY2(done, done ? "" : (found.version + ": " + done.error().text()).c_str());
        }
}

void CCompilerTest::theSourceStaysBeside()
{
    NEEDS_A_COMPILER;
    const std::string source = "int one(void) { return 1; }\n";
    QVERIFY(compileShared(compiler(), source, {}, m_path / "one.so", {}, 60));
    std::ostringstream kept;
    kept << std::ifstream(m_path / "one.c").rdbuf();
    QCOMPARE(kept.str(), source);
}

void CCompilerTest::brokenSourceGivesTheFirstErrors()
{
    NEEDS_A_COMPILER;
    const auto done =
        compileShared(compiler(), "int f(void) { return nowhere; }", {}, m_path / "f.so", {}, 60);
    QVERIFY(!done);
    QCOMPARE(done.error().kind, Error::Kind::Fault);
    QVERIFY2(done.error().message.find("nowhere") != std::string::npos,
             done.error().message.c_str());
    QVERIFY(done.error().message.find("f.c:1") != std::string::npos);
    QVERIFY(!fs::exists(m_path / "f.so"));
}

void CCompilerTest::missingCompilersAreMissing()
{
    CCompiler gone;
    gone.program = "/nonexistent/cc";
    const auto done = compileShared(gone, "", {}, m_path / "f.so", {}, 60);
    QVERIFY(!done);
    QCOMPARE(done.error().kind, Error::Kind::Missing);
    QCOMPARE(done.error().where, std::string("/nonexistent/cc"));
}

void CCompilerTest::unwritableFoldersAreMissing()
{
    const auto done = compileShared(compiler(), "", {}, "/nonexistent/f.so", {}, 60);
    QVERIFY(!done);
    QCOMPARE(done.error().kind, Error::Kind::Missing);
    QCOMPARE(done.error().where, std::string("/nonexistent/f.c"));
}

void CCompilerTest::slowCompilersAreEnded()
{
    CCompiler slow;
    slow.program = script("sleep 1000");
    const auto done = compileShared(slow, "", {}, m_path / "f.so", {}, 0.05);
    QVERIFY(!done);
    QVERIFY2(done.error().message.find("took more than 0.05 s") == 0, done.error().message.c_str());
}

void CCompilerTest::stoppingEndsTheCompiler()
{
    CCompiler slow;
    slow.program = script("sleep 1000");
    std::stop_source stop;
    std::jthread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop.request_stop();
    });
    const auto done = compileShared(slow, "", {}, m_path / "f.so", stop.get_token(), 1000);
    QVERIFY(!done);
    QVERIFY2(done.error().message.find("cancelled") == 0, done.error().message.c_str());
}

void CCompilerTest::nothingIsStartedAfterTheStop()
{
    CCompiler traced;
    traced.program = script("touch " + (m_path / "started").string());
    QVERIFY(compileShared(traced, "", {}, m_path / "f.so", {}, 60));
    QVERIFY(fs::remove(m_path / "started"));
    std::stop_source stop;
    stop.request_stop();
    QVERIFY(!compileShared(traced, "", {}, m_path / "f.so", stop.get_token(), 60));
    QVERIFY(!fs::exists(m_path / "started"));
}

GRAPHLOOM_TESTS(CCompilerTest)

} // namespace graphloom::test::c_compiler_test

#include "c_compiler_test.moc"
