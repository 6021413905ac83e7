// SPDX-License-Identifier: Apache-2.0
#include "engine/target/target_plugins.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

namespace graphloom::test::target_plugins_test {

namespace fs = std::filesystem;

/// What all kinds of plugins have in common is tested in plan/plugins_test.cpp.
class TargetPluginsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loadsTheTargetsOfTheBuild();
    void passesAreNoTargets();
    void defaultFolderIsThatOfTheBuild();
};

void TargetPluginsTest::loadsTheTargetsOfTheBuild()
{
    const auto plugins = loadTargetPlugins(GRAPHLOOM_TARGETS);
    bool host = false;
    for (const TargetPlugin &plugin : plugins) {
        QVERIFY2(plugin.target, plugin.problem.c_str());
        QVERIFY(!plugin.target->help().empty());
        QVERIFY(!plugin.target->devices().empty());
        host = host || plugin.target->name() == "host";
    }
    QVERIFY(host);
}

void TargetPluginsTest::passesAreNoTargets()
{
    const QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    fs::create_symlink(fs::path(GRAPHLOOM_PLUGINS) / "ago.so", path / "ago.so");
    const auto plugins = loadTargetPlugins(path);
    QCOMPARE(plugins.size(), std::size_t(1));
    QVERIFY(!plugins[0].target);
    QVERIFY2(plugins[0].problem.find("no function graphloom_target") != std::string::npos,
             plugins[0].problem.c_str());
}

void TargetPluginsTest::defaultFolderIsThatOfTheBuild()
{
    QCOMPARE(fs::weakly_canonical(defaultTargetFolder()), fs::weakly_canonical(GRAPHLOOM_TARGETS));
}

GRAPHLOOM_TESTS(TargetPluginsTest)

} // namespace graphloom::test::target_plugins_test

#include "target_plugins_test.moc"
