// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/plugins.h"

#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

namespace graphloom::test::plugins_test {

namespace fs = std::filesystem;

namespace {

/// A folder with links to odd plugins (tests/engine/plan/fixtures), by kind and file name.
class PluginFolder {
public:
    void add(const std::string &kind, const std::string &name) const
    {
        fs::create_symlink(fs::path(GRAPHLOOM_ODD_PLUGINS) / ("odd_" + kind + ".so"),
                           path() / name);
    }
    fs::path path() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
};

/// The problem of the only plugin in the folder.
QString problemOf(const std::string &kind)
{
    const PluginFolder folder;
    folder.add(kind, "only.so");
    const auto plugins = loadPassPlugins(folder.path());
    if (plugins.size() != 1)
        return "not one plugin";
    return plugins[0].pass ? "none" : QString::fromStdString(plugins[0].problem);
}

} // namespace

class PluginsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loadsThePluginsOfTheBuild();
    void goodPluginsLoad();
    void brokenPluginsSayWhy_data();
    void brokenPluginsSayWhy();
    void hangingPluginsAreGivenUp();
    void filesThatAreNoLibraries();
    void sameNamesAreRefused();
    void whatEveryUserMayChangeIsNotLoaded();
    void missingFolderIsEmpty();
    void defaultFolderIsThatOfTheBuild();
};

void PluginsTest::loadsThePluginsOfTheBuild()
{
    const auto plugins = loadPassPlugins(GRAPHLOOM_PLUGINS);
    QVERIFY(!plugins.empty());
    bool ago = false;
    for (const PassPlugin &plugin : plugins) {
        QVERIFY2(plugin.pass, plugin.problem.c_str());
        QVERIFY(plugin.problem.empty());
        QVERIFY(!plugin.pass->help().empty());
        ago = ago || plugin.pass->name() == "ago";
        for (const Parameter &parameter : plugin.pass->parameters()) {
            QVERIFY(!parameter.help.empty());
            Settings settings(plugin.pass->parameters()); // the initial value is an allowed one
            QVERIFY(settings.set(parameter.name, parameter.initial));
        }
    }
    QVERIFY(ago);
}

void PluginsTest::goodPluginsLoad()
{
    QCOMPARE(problemOf("fine"), "none");
}

void PluginsTest::brokenPluginsSayWhy_data()
{
    QTest::addColumn<QString>("reason");
    QTest::newRow("crash") << "crashes while loading";
    QTest::newRow("exit") << "exits the process while loading";
    QTest::newRow("old_abi") << "was built for version";
    QTest::newRow("throw") << "no licence today";
    QTest::newRow("no_pass") << "provides no pass";
    QTest::newRow("no_entry") << "has no entry";
#ifdef __SANITIZE_ADDRESS__
    QTest::newRow("wild_entry") << "exits the process while loading"; // the sanitizer ends it
#else
    QTest::newRow("wild_entry") << "crashes while loading";
#endif
    QTest::newRow("wild_make") << "has an invalid entry";
    QTest::newRow("no_symbol") << "has no function graphloom_pass";
}

void PluginsTest::brokenPluginsSayWhy()
{
    QFETCH(QString, reason);
    const QString problem = problemOf(QTest::currentDataTag());
    QVERIFY2(problem.contains(reason), qPrintable(problem));
}

void PluginsTest::hangingPluginsAreGivenUp()
{
    QElapsedTimer timer;
    timer.start();
    const QString problem = problemOf("hang");
    QVERIFY2(problem.contains("does not finish loading"), qPrintable(problem));
    QVERIFY(timer.elapsed() < 60'000);
}

void PluginsTest::filesThatAreNoLibraries()
{
    const PluginFolder folder;
    std::ofstream(folder.path() / "a.so") << "no library";
    fs::create_symlink("nowhere", folder.path() / "b.so");
    std::ofstream(folder.path() / "readme.txt") << "not looked at";
    folder.add("fine", "c.so");
    const auto plugins = loadPassPlugins(folder.path());
    QCOMPARE(plugins.size(), std::size_t(3));
    QVERIFY(plugins[0].problem.find("cannot be loaded") == 0);
    QVERIFY(plugins[1].problem.find("cannot be loaded") == 0);
    QVERIFY(plugins[2].pass);
    QCOMPARE(plugins[2].file.filename().string(), std::string("c.so"));
}

void PluginsTest::sameNamesAreRefused()
{
    const PluginFolder folder;
    folder.add("fine", "first.so");
    folder.add("fine", "second.so");
    const auto plugins = loadPassPlugins(folder.path());
    QCOMPARE(plugins.size(), std::size_t(2));
    QVERIFY(plugins[0].pass);
    QVERIFY(!plugins[1].pass);
    QVERIFY2(plugins[1].problem.find("first.so") != std::string::npos, plugins[1].problem.c_str());
}

void PluginsTest::whatEveryUserMayChangeIsNotLoaded()
{
    const PluginFolder folder;
    folder.add("fine", "only.so");
    fs::permissions(folder.path(), fs::perms::others_write, fs::perm_options::add);
    const auto plugins = loadPassPlugins(folder.path());
    QCOMPARE(plugins.size(), std::size_t(1));
    QVERIFY(!plugins[0].pass);
    QVERIFY2(plugins[0].problem.find("every user") != std::string::npos,
             plugins[0].problem.c_str());
}

void PluginsTest::missingFolderIsEmpty()
{
    QVERIFY(loadPassPlugins("/nonexistent/plugins").empty());
}

void PluginsTest::defaultFolderIsThatOfTheBuild()
{
    QCOMPARE(fs::weakly_canonical(defaultPluginFolder()), fs::weakly_canonical(GRAPHLOOM_PLUGINS));
}

GRAPHLOOM_TESTS(PluginsTest)

} // namespace graphloom::test::plugins_test

#include "plugins_test.moc"
