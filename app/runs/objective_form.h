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

/// Edits the settings that every run has besides the parameters of its pass: the objective of the
/// search with its limits, and, in a widget of their own, the seed and the number of threads.
class ObjectiveForm final : public QWidget {
    Q_OBJECT

public:
    explicit ObjectiveForm(QWidget *parent = nullptr);

    /// Returns the fields of the seed and the threads, which passes without an objective have, too.
    /// They have no parent until a layout takes them in.
    QWidget &runFields() { return *m_runFields; }
    Objective objective() const;
    void setObjective(const Objective &objective);
    std::uint64_t seed() const;
    void setSeed(std::uint64_t seed);
    unsigned threads() const; // 0: one per core
    void setThreads(unsigned threads);
    void reset();
    /// Returns the reason why the memory limit cannot be read, or an empty string if it can.
    QString problem() const { return m_problem; }

Q_SIGNALS:
    void changed();

protected:
    void changeEvent(QEvent *event) override;

private:
    void readMemory();
    void showProblem();
    void showUsualLimit();

    QWidget *m_runFields;
    QComboBox *m_mode;
    QDoubleSpinBox *m_latency;
    QLineEdit *m_memory;
    QSpinBox *m_seed, *m_threads;
    std::optional<MemoryLimit> m_memoryLimit;
    QString m_problem;
};

} // namespace graphloom
