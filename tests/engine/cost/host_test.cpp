// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/host.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <fstream>
#include <iterator>
#include <string>

namespace graphloom::test::host_test {

class HostTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void instructionSetsAreThoseTheSystemLists();
    void cachesGrowWithTheirLevel();
    void theProcessorHasANameAndCores();
};

void HostTest::instructionSetsAreThoseTheSystemLists()
{
    std::ifstream file("/proc/cpuinfo");
    const std::string all(std::istreambuf_iterator<char>(file), {});
    const auto begin = all.find("\nflags");
    if (begin == std::string::npos)
        QSKIP("needs an x86 processor and /proc/cpuinfo");
    const std::string flags = all.substr(begin, all.find('\n', begin + 1) - begin) + " ";
    const auto has = [&](const char *flag) {
        return flags.find(std::string(" ") + flag + " ") != std::string::npos;
    };
    const HostFacts &host = hostFacts();
    QCOMPARE(host.avx2, has("avx2"));
    QCOMPARE(host.fma, has("fma"));
    QCOMPARE(host.f16c, has("f16c"));
    QCOMPARE(host.avx512, has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq"));
    QVERIFY(!host.neon);
}

void HostTest::cachesGrowWithTheirLevel()
{
    const HostFacts &host = hostFacts();
    if (host.l1Bytes == 0)
        QSKIP("this system tells nothing of caches");
    QVERIFY(host.l1Bytes >= 4 << 10);
    if (host.l2Bytes)
        QVERIFY(host.l1Bytes < host.l2Bytes);
    if (host.l3Bytes)
        QVERIFY(host.l2Bytes < host.l3Bytes);
}

void HostTest::theProcessorHasANameAndCores()
{
    QVERIFY(!hostFacts().cpu.empty());
    QVERIFY(hostFacts().cores >= 1);
    QCOMPARE(&hostFacts(), &hostFacts());
}

GRAPHLOOM_TESTS(HostTest)

} // namespace graphloom::test::host_test

#include "host_test.moc"
