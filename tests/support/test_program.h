// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtTest>

/// Tests of one folder are one program, which has one of them to do at a time:
/// `tests_engine_ir engine.ir.graph [QtTest's options]`. So a test is a process of its own, but
/// what its folder has in common is compiled and linked once.
namespace graphloom::test {

using TestMain = int (*)(int argc, char **argv);

/// Has a test that main() can start; `file` is the source file that says so.
class TestEntry {
public:
    TestEntry(const char *file, TestMain run);
};

/// main() of a test that needs an application of this class.
template <class Tests, class App = QCoreApplication> int runTests(int argc, char **argv)
{
    App application(argc, argv);
    Tests tests;
    return QTest::qExec(&tests, argc, argv);
}

} // namespace graphloom::test

/// Lists the tests of a class, run by `main`.
#define GRAPHLOOM_TEST_ENTRY(Tests, main)                                                          \
    static const graphloom::test::TestEntry entryOf##Tests(__FILE__, main<Tests>);
/// The last line but one of a test, before it includes what moc made of it.
#define GRAPHLOOM_TESTS(Tests) GRAPHLOOM_TEST_ENTRY(Tests, graphloom::test::runTests)
