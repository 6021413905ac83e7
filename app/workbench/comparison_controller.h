// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/compare/plan_comparer.h"

#include <QObject>

#include <functional>

namespace graphloom {

class Workbench;

/// Compares the plan with another one: the model as it was opened, the plan before, the result of a
/// run, or the plan of a file.
class ComparisonController final : public QObject {
    Q_OBJECT

public:
    explicit ComparisonController(Workbench &bench);

    /// Names the plan that the current one is compared with.
    struct Source {
        enum class Kind { Original, Previous, Run, File };
        Kind kind = Kind::Original;
        int run = 0; // number of the run
        std::filesystem::path file;
    };
    /// Compares with what a source names. Does nothing if there is no such plan.
    void compareWith(const Source &source);
    void compareWithOriginal() { compareWith(Source()); }
    void compareWithFile(const std::filesystem::path &path);
    /// Compares with the plan of another open model. A session keeps its file as the source.
    void compareWithOpen(const std::shared_ptr<const Plan> &plan, const QString &name,
                         const std::filesystem::path &path);
    /// Returns the source of the comparison that is shown.
    const Source &source() const { return m_source; }
    /// Shows the compared plan beside the current one, or no longer. Compares with the original
    /// model if nothing is compared.
    void setSideBySide(bool shown);
    /// Compares with what a source names and shows both side by side. Returns false if there is no
    /// such plan.
    bool showBeside(const Source &source);
    /// Returns the name of the current plan: "current plan (dnnfusion)".
    QString nameNow() const;
    void end();
    void cancel() { m_comparer.cancel(); }
    bool isRunning() const { return m_comparer.isRunning(); }
    PlanComparer &comparer() { return m_comparer; }

    /// Returns the comparison, or null if nothing is compared.
    const PlanDifferencePointer &difference() const { return m_difference; }
    /// Tells whether the plan that is shown is the one that was compared, and the graph that is
    /// shown is its own.
    bool isOfShown() const;
    /// Calls `then` in the comparison with the model as it was opened, which is made if there is
    /// none.
    void inOriginal(const std::function<void()> &then);
    /// Shows a node of the model as it was opened.
    void showOriginal(NodeId id);
    void updateActions();

Q_SIGNALS:
    /// Emitted when another comparison, or none, is to be shown.
    void changed();
    void originalWanted(graphloom::NodeId id);

private:
    void compareWithPlan(const std::shared_ptr<const Plan> &before, const QString &name);
    void start(std::function<Result<ComparedPlan>(std::stop_token)> before);
    void show(const PlanDifferencePointer &difference);
    void showSides();
    void setNow(const SnapshotPointer &now);

    Workbench &m_bench;
    PlanComparer m_comparer;
    PlanDifferencePointer m_difference;
    Source m_source, m_nextSource; // of what is shown, and of what is being compared
    std::function<void()> m_then;  // called when the comparison is made
};

} // namespace graphloom
