// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QTest>
#include <QFloat16> // QCOMPARE() of JSON values asks whether they convert to it

/// Runs the tests of one folder as one program, one test at a time: `tests_engine_ir
/// engine.ir.graph [QtTest's options]`. So a test is a process of its own, but the common code of
/// its folder is compiled and linked once.
namespace graphloom::test {

using TestMain = int (*)(int argc, char **argv);

/// Registers a test that main() can start; `file` is the source file of the test.
class TestEntry {
public:
    TestEntry(const char *file, TestMain run);
};

/// Implements main() of a test that needs an application of this class.
template <class Tests, class App = QCoreApplication> int runTests(int argc, char **argv)
{
    App application(argc, argv);
    Tests tests;
    return QTest::qExec(&tests, argc, argv);
}

} // namespace graphloom::test

/// Registers the tests of a class, run by `main`.
#define GRAPHLOOM_TEST_ENTRY(Tests, main)                                                          \
    static const graphloom::test::TestEntry entryOf##Tests(__FILE__, main<Tests>);
/// Registers the tests of a class; the last line but one of a test, before the output of moc is
/// included.
#define GRAPHLOOM_TESTS(Tests) GRAPHLOOM_TEST_ENTRY(Tests, graphloom::test::runTests)
