// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/translation.h"
#include "app/shell/application.h"
#include "app/shell/main_window.h"
#include "tests/support/app/own_folders.h"
#include "tests/support/test_program.h"

#include <QLocale>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <functional>

namespace graphloom::test {

/// Milliseconds after which an event that has not happened is a failure, on slow machines, too.
inline constexpr int patience = 30'000;

/// Returns the path of a model that comes with the program: "mobilenet_v2_224.onnx".
inline std::filesystem::path sample(const std::string &name)
{
    return std::filesystem::path(GRAPHLOOM_SAMPLES) / name;
}

/// Returns a plan of a synthetic graph, without any pass.
inline std::shared_ptr<const Plan> planOf(std::shared_ptr<const Model> model)
{
    Plan plan;
    plan.graph = model->graph;
    plan.model = std::move(model);
    return std::make_shared<const Plan>(std::move(plan));
}

/// Returns a model as views see it, or null if it cannot be opened.
SnapshotPointer snapshotOfFile(const std::filesystem::path &path);
/// Returns a sample as views see it, or null if it cannot be opened.
SnapshotPointer snapshotOfSample(const std::string &name);

/// Returns MobileNetV2 as views see it. Ends the program if it cannot be opened.
SnapshotPointer mobileNet();

/// Returns the model of writeNestedModel() as views see it.
SnapshotPointer nestedSnapshot();
/// Returns the node with this name in the graph that is shown, or an invalid id if there is none.
NodeId nodeNamed(const Snapshot &snapshot, std::string_view name);
/// Returns the graph in an attribute of a node, as seen from the snapshot of the graph that the
/// node is in, or null if there is none.
SnapshotPointer inside(const SnapshotPointer &around, std::string_view node,
                       const QString &attribute);

/// Returns the model after the pass `ago` has partitioned it and fused nothing; null if that fails,
/// and for null.
SnapshotPointer partitioned(const SnapshotPointer &before);
SnapshotPointer partitionedSample(const std::string &name);
/// Returns the model as partitioned(), with blocks in the subgraphs, too.
SnapshotPointer fusedInSubgraphs(const SnapshotPointer &before);

/// Returns the pass plugins that were built with the tests.
const std::vector<PassPlugin> &builtPlugins();

/// Implements a pass whose run is a function of the test, with one parameter of each kind.
class ScriptedPass final : public Pass {
public:
    using Body = std::function<Result<Plan>(Plan, const Context &)>;

    explicit ScriptedPass(Body body) : m_body(std::move(body)) {}
    std::string_view name() const override { return "scripted"; }
    std::string_view help() const override { return "Does what a test says."; }
    std::span<const Parameter> parameters() const override;
    /// Returns "twice" and "thrice" (associative) and "swap" (commutative), which is not exact and
    /// off.
    std::span<const RuleFacts> rules() const override;
    Result<Plan> run(Plan plan, const Context &context) const override
    {
        return m_body(std::move(plan), context);
    }

private:
    Body m_body;
};

/// Implements the run of a pass: publishes partitions into two subgraphs, three, four… until every
/// node is alone, and then the last one repeatedly until it is stopped. Its progress is "25 %,
/// splitting".
Result<Plan> splitUntilStopped(Plan plan, const Context &context);

/// Keeps what the offscreen platform says it does not support out of the tests' output, where it
/// would hide what fails.
void silencePlatform();

/// Drives a window with settings of its own, on an offscreen platform.
class WindowDriver {
public:
    explicit WindowDriver(std::vector<PassPlugin> plugins = {},
                          ThemeChoice theme = ThemeChoice::Dark,
                          std::vector<TargetPlugin> targets = {});

    MainWindow &window() { return *m_window; }
    MainWindow *operator->() { return m_window.get(); }

    /// Opens a file, waits until it is painted or refused, and returns whether it is open.
    bool open(const std::filesystem::path &path);
    /// Shows a plan that was made by the test; otherwise as open().
    bool show(const SnapshotPointer &snapshot);
    /// Waits until everything is opened, laid out, run and painted. Returns false if that takes
    /// longer, in milliseconds.
    bool settle(int most = 60'000);
    /// Closes the window and opens another one with the same settings.
    void restart();
    /// Returns a message of the program; row 0 is the newest.
    QString message(int row = 0);
    /// Tells whether the window marks the run that is shown as that of another plan than the one
    /// that is shown.
    bool isRunStale();
    /// Returns a path in a folder that lives as long as the driver.
    std::filesystem::path scratch(const std::string &name) const;
    QString settingsFile() const { return m_folder.filePath(QStringLiteral("settings.ini")); }

private:
    void start();

    QTemporaryDir m_folder;
    std::vector<PassPlugin> m_plugins;
    std::vector<TargetPlugin> m_targets;
    ThemeChoice m_theme;
    std::unique_ptr<MainWindow> m_window;
};

/// Runs tests with the texts that users see, which have plurals where the program was built with
/// them.
template <class Tests> class WithTexts final : public Tests {
public:
    WithTexts() { installTranslation(QLocale(QLocale::English)); }
};

/// Implements main() of a test of views or windows.
template <class Tests> int runWindowTests(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const OwnFolders folders;
    return runTests<WithTexts<Tests>, Application>(argc, argv);
}

} // namespace graphloom::test

#define GRAPHLOOM_WINDOW_TESTS(Tests) GRAPHLOOM_TEST_ENTRY(Tests, graphloom::test::runWindowTests)
