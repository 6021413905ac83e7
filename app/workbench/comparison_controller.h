// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/compare/plan_comparer.h"

#include <QObject>

#include <functional>

namespace graphloom {

class Workbench;

/// Compares the plan with others: with the model as it was opened, with the plan before, with what
/// a run has found, or with one of a file.
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

    /// Null: nothing is compared.
    const PlanDifferencePointer &difference() const { return m_difference; }
    /// The plan that is shown is the one that was compared, and so is its own graph.
    bool isOfShown() const;
    /// Does `then` in the comparison with the model as it was opened, which is made where there is
    /// none.
    void inOriginal(const std::function<void()> &then);
    /// Shows a node of the model as it was opened.
    void showOriginal(NodeId id);
    void updateActions();

Q_SIGNALS:
    /// Another comparison is to be shown, or none.
    void changed();
    void originalWanted(graphloom::NodeId id);

private:
    void start(std::function<Result<ComparedPlan>(std::stop_token)> before);
    void show(const PlanDifferencePointer &difference);

    Workbench &m_bench;
    PlanComparer m_comparer;
    PlanDifferencePointer m_difference;
    std::function<void()> m_then; // what waits for a comparison
};

} // namespace graphloom
