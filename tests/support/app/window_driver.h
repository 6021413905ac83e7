// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/shell/application.h"
#include "app/shell/main_window.h"
#include "tests/support/app/own_folders.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <functional>

namespace graphloom::test {

/// Milliseconds after which what has not happened is a failure, on slow machines, too.
inline constexpr int patience = 30'000;

/// A model that comes with the program: "mobilenet_v2_224.onnx".
inline std::filesystem::path sample(const std::string &name)
{
    return std::filesystem::path(GRAPHLOOM_SAMPLES) / name;
}

/// A plan of a synthetic graph, without any pass.
inline std::shared_ptr<const Plan> planOf(std::shared_ptr<const Model> model)
{
    Plan plan;
    plan.graph = model->graph;
    plan.model = std::move(model);
    return std::make_shared<const Plan>(std::move(plan));
}

/// A model as views see it; null when it cannot be opened.
SnapshotPointer snapshotOfFile(const std::filesystem::path &path);
/// The same of a sample.
SnapshotPointer snapshotOfSample(const std::string &name);

/// The model of writeNestedModel().
SnapshotPointer nestedSnapshot();
/// The node of this name in the graph that is shown; invalid when there is none.
NodeId nodeNamed(const Snapshot &snapshot, std::string_view name);
/// The graph that an attribute of a node holds, seen from the snapshot of the graph that the node
/// is in; null when there is none.
SnapshotPointer inside(const SnapshotPointer &around, std::string_view node,
                       const QString &attribute);

/// The model after the pass `ago` has partitioned it and fused nothing; null when that fails, and
/// for null.
SnapshotPointer partitioned(const SnapshotPointer &before);
SnapshotPointer partitionedSample(const std::string &name);
/// With blocks inside of the subgraphs, too.
SnapshotPointer fusedInSubgraphs(const SnapshotPointer &before);

/// The pass plugins that were built with the tests.
const std::vector<PassPlugin> &builtPlugins();

/// A pass whose run is a function of the test; its parameters have one of each kind.
class ScriptedPass final : public Pass {
public:
    using Body = std::function<Result<Plan>(Plan, const Context &)>;

    explicit ScriptedPass(Body body) : m_body(std::move(body)) {}
    std::string_view name() const override { return "scripted"; }
    std::string_view help() const override { return "Does what a test says."; }
    std::span<const Parameter> parameters() const override;
    /// "twice" and "thrice" (associative) and "swap" (commutative), which is not exact and off.
    std::span<const RuleFacts> rules() const override;
    Result<Plan> run(Plan plan, const Context &context) const override
    {
        return m_body(std::move(plan), context);
    }

private:
    Body m_body;
};

/// A body of a pass: publishes partitions into two subgraphs, three, four… until every node is
/// alone, and that one again and again until it is stopped. Its progress is "25 %, splitting".
Result<Plan> splitUntilStopped(Plan plan, const Context &context);

/// A window with settings of its own, on the screen that there is not.
class WindowDriver {
public:
    explicit WindowDriver(std::vector<PassPlugin> plugins = {},
                          ThemeChoice theme = ThemeChoice::Dark,
                          std::vector<TargetPlugin> targets = {});

    MainWindow &window() { return *m_window; }
    MainWindow *operator->() { return m_window.get(); }

    /// Opens a file and waits until it is painted or refused. Whether it is open.
    bool open(const std::filesystem::path &path);
    /// The same with a plan that was made by the test.
    bool show(const SnapshotPointer &snapshot);
    /// Waits until everything is opened, laid out, run and painted; false after 60 s.
    bool settle();
    /// Ends the window and starts another one with the same settings.
    void restart();
    /// What the program told, from the newest on.
    QString message(int row = 0);
    /// Whether the run that is shown is said to be of another plan than the one that is.
    bool isRunStale();
    /// A path in a folder that lives as long as the driver.
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

/// main() of a test of views or windows.
template <class Tests> int runWindowTests(int argc, char **argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    const OwnFolders folders;
    return runTests<Tests, Application>(argc, argv);
}

} // namespace graphloom::test

#define GRAPHLOOM_WINDOW_TESTS(Tests) GRAPHLOOM_TEST_ENTRY(Tests, graphloom::test::runWindowTests)
