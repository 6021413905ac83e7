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

    void compareWith(const std::shared_ptr<const Plan> &before, const QString &name);
    void compareWithOriginal();
    void compareWithFile(const std::filesystem::path &path);
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
    void start(std::function<Result<ComparedPlan>(std::stop_token)> before);
    void show(const PlanDifferencePointer &difference);

    Workbench &m_bench;
    PlanComparer m_comparer;
    PlanDifferencePointer m_difference;
    std::function<void()> m_then; // called when the comparison is made
};

} // namespace graphloom
