// SPDX-License-Identifier: Apache-2.0
#include "engine/machine_code/compiled_code.h"

#include "engine/codegen/emit/block_kernel.h"
#include "engine/machine_code/llvm_tools.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

namespace graphloom::test::compiled_code_test {

/// A function whose loop adds products: the line with the loop's body is the 8th.
constexpr const char *source = R"(#include "graphloom_kernels.h"
// sum_of_products is called with as many elements as it says.
void sum_of_products(const float *restrict a, const float *restrict b, float *restrict c, long n)
{
    for (long i = 0; i < n; i += 8) {
        typedef float Lanes __attribute__((vector_size(32)));
        Lanes *to = (Lanes *)(c + i);
        *to += *(const Lanes *)(a + i) * *(const Lanes *)(b + i);
    }
}
)";

class CompiledCodeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void spillsAreRecognized_data();
    void spillsAreRecognized();
    void multiplyAddsAreRecognized_data();
    void multiplyAddsAreRecognized();
    void innermostLoopsAreFound();
    void jumpsElsewhereAreNoLoops();
    void aFunctionIsCompiled();
    void linesAreThoseOfTheSource();
    void whatNoFileDefinesIsNamed();
    void headersAreWrittenToItsOwnFolder();
    void errorsOfTheCompilerAreTold();
    void multiplyAddsAloneReachThePeak();

private:
    static const Architecture &x86() { return *findArchitecture("x86_64-linux-gnu"); }
    static CodeRequest request()
    {
        CodeRequest request;
        static const std::vector<SourceFile> files = {{"graphloom_kernels.h", "#pragma once\n"},
                                                      {"block.c", source}};
        request.files = files;
        request.symbol = "sum_of_products";
        if (const auto compiler = findCCompiler())
            request.compiler = *compiler;
        request.flags = {"-O3", "-march=x86-64-v3", "-fno-unroll-loops"};
        request.processor = "haswell";
        return request;
    }
    static bool canRun()
    {
        return request().compiler.triple.starts_with("x86_64") && llvmTools({}).has_value();
    }
};

void CompiledCodeTest::spillsAreRecognized_data()
{
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<bool>("spills");
    QTest::newRow("to the stack") << "vmovaps\tymmword ptr [rsp + 0x20], ymm1" << true;
    QTest::newRow("from the frame") << "vmovups\tzmm3, zmmword ptr [rbp - 0x70]" << true;
    QTest::newRow("an address") << "mov\trax, qword ptr [rsp + 0x10]" << false;
    QTest::newRow("an operand") << "vmovups\tzmm3, zmmword ptr [rax]" << false;
    QTest::newRow("by a pointer") << "vmovups\tzmm3, zmmword ptr [rbp + 0x40]" << false;
}

void CompiledCodeTest::spillsAreRecognized()
{
    QFETCH(QString, instruction);
    QFETCH(bool, spills);
    QCOMPARE(x86().isSpill(instruction.toStdString()), spills);
}

void CompiledCodeTest::multiplyAddsAreRecognized_data()
{
    QTest::addColumn<QString>("triple");
    QTest::addColumn<QString>("instruction");
    QTest::addColumn<bool>("is");
    QTest::newRow("AVX") << "x86_64"
                         << "vfmadd231ps\tymm1, ymm2, ymmword ptr [rax]" << true;
    QTest::newRow("subtracting") << "x86_64"
                                 << "vfnmadd213ps\tzmm1, zmm2, zmm3" << true;
    QTest::newRow("one element") << "x86_64"
                                 << "vfmadd231ss\txmm1, xmm2, xmm3" << false;
    QTest::newRow("NEON") << "aarch64"
                          << "fmla\tv0.4s, v1.4s, v2.s[0]" << true;
    QTest::newRow("a scalar of ARM") << "aarch64"
                                     << "fmadd\ts0, s1, s2, s3" << false;
}

void CompiledCodeTest::multiplyAddsAreRecognized()
{
    QFETCH(QString, triple);
    QFETCH(QString, instruction);
    QFETCH(bool, is);
    QCOMPARE(findArchitecture(triple.toStdString())->isMultiplyAdd(instruction.toStdString()), is);
}

void CompiledCodeTest::innermostLoopsAreFound()
{
    const std::vector<KernelCode::Instruction> code = {{0x10, "xor\teax, eax"},
                                                       {0x12, "xor\tecx, ecx"}, // outer loop
                                                       {0x14, "vfmadd231ps\tymm0, ymm1, ymm2"},
                                                       {0x19, "vmovaps\tymmword ptr [rsp], ymm0"},
                                                       {0x1e, "jne\t0x14 <f+0x4>"},
                                                       {0x20, "jmp\t0x12 <f+0x2>"},
                                                       {0x22, "ret"}};
    const auto loops = innermostLoops(x86(), code);
    QCOMPARE(loops.size(), 1U);
    QCOMPARE(loops[0].first, 2U);
    QCOMPARE(loops[0].last, 4U);
    QCOMPARE(loops[0].multiplyAdds, 1);
    QCOMPARE(loops[0].spills, 1);
}

void CompiledCodeTest::jumpsElsewhereAreNoLoops()
{
    const std::vector<KernelCode::Instruction> code = {
        {0x10, "jne\t0x18 <f+0x8>"}, {0x12, "jmp\t0x4 <g>"}, {0x18, "ret"}};
    QVERIFY(innermostLoops(x86(), code).empty());
}

void CompiledCodeTest::aFunctionIsCompiled()
{
    if (!canRun())
        QSKIP("needs a compiler for x86-64 and llvm-19");
    const auto code = compiledCode(request());
    QVERIFY2(code, code ? "" : code.error().text().c_str());
    QCOMPARE(code->file, std::string("block.c"));
    QVERIFY2(code->problem.empty(), code->problem.c_str());
    QCOMPARE(code->loops.size(), 1U);
    const KernelCode::Loop &loop = code->loops.front();
    QCOMPARE(loop.multiplyAdds, 1);
    QVERIFY(loop.cycles >= 1);
    QVERIFY(loop.peakShare > 0 && loop.peakShare < 1); // loads bound it
    QVERIFY(!loop.limit.empty());
}

void CompiledCodeTest::linesAreThoseOfTheSource()
{
    if (!canRun())
        QSKIP("needs a compiler for x86-64 and llvm-19");
    const auto code = compiledCode(request());
    QVERIFY(code);
    for (const auto &instruction : code->instructions)
        if (x86().isMultiplyAdd(instruction.text))
            QCOMPARE(instruction.line, 8U);
}

void CompiledCodeTest::whatNoFileDefinesIsNamed()
{
    CodeRequest of = request();
    of.compiler.triple = "x86_64-linux-gnu";
    of.symbol = "product";
    const auto code = compiledCode(of);
    QVERIFY(!code);
    QCOMPARE(int(code.error().kind), int(Error::Kind::Usage));
    QVERIFY(code.error().text().find("product") != std::string::npos);
}

void CompiledCodeTest::headersAreWrittenToItsOwnFolder()
{
    if (!canRun())
        QSKIP("needs a compiler for x86-64 and llvm-19");
    const QTemporaryDir elsewhere;
    const std::filesystem::path header = elsewhere.filePath("evil.h").toStdString();
    CodeRequest of = request();
    std::vector<SourceFile> files(of.files.begin(), of.files.end());
    files.push_back({header.string(), "int evil;\n"});
    of.files = files;
    QVERIFY(compiledCode(of));
    QVERIFY(!std::filesystem::exists(header));
}

void CompiledCodeTest::errorsOfTheCompilerAreTold()
{
    if (!canRun())
        QSKIP("needs a compiler for x86-64 and llvm-19");
    CodeRequest of = request();
    of.flags = {"-fno-such-flag"};
    const auto code = compiledCode(of);
    QVERIFY(!code);
    QVERIFY(code.error().text().find("no-such-flag") != std::string::npos);
}

void CompiledCodeTest::multiplyAddsAloneReachThePeak()
{
    const auto tools = llvmTools({});
    if (!tools)
        QSKIP("needs llvm-19");
    // Two pipes of 256 bits.
    const auto many = x86().independent("vfmadd231ps\tymm1, ymm2, ymm3");
    const auto uses = pipelineUse(*tools, x86(), "haswell", {many}, {});
    QVERIFY2(uses, uses ? "" : uses.error().text().c_str());
    QVERIFY(uses->front().cycles < 0.55 * double(many.size()));
    QVERIFY2(uses->front().limit.starts_with("the pipes"), uses->front().limit.c_str());
}

GRAPHLOOM_TESTS(CompiledCodeTest)

} // namespace graphloom::test::compiled_code_test

#include "compiled_code_test.moc"
