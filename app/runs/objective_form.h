// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/objective.h"

#include <QWidget>

#include <cstdint>

class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;

namespace graphloom {

/// What a search works towards and within which limits, its seed and its threads: what every run
/// has beside the parameters of its pass.
class ObjectiveForm final : public QWidget {
    Q_OBJECT

public:
    explicit ObjectiveForm(QWidget *parent = nullptr);

    /// Seed and threads alone are for passes that know no objective.
    void setObjectiveShown(bool shown);
    Objective objective() const;
    void setObjective(const Objective &objective);
    std::uint64_t seed() const;
    void setSeed(std::uint64_t seed);
    unsigned threads() const; // 0: one per core
    void reset();
    /// Why the memory limit cannot be read; empty when it can.
    QString problem() const { return m_problem; }

Q_SIGNALS:
    void changed();

protected:
    void changeEvent(QEvent *event) override;

private:
    void readMemory();
    void showProblem();

    QWidget *m_goal;
    QComboBox *m_mode;
    QDoubleSpinBox *m_latency;
    QLineEdit *m_memory;
    QSpinBox *m_seed, *m_threads;
    std::optional<MemoryLimit> m_memoryLimit;
    QString m_problem;
};

} // namespace graphloom
