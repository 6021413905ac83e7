// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/ir/training_options.h"

#include <QDialog>

#include <cstdint>
#include <optional>

class QComboBox;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace graphloom {

/// Asks how a training graph is to be made; not modal. The choices are those of --training.
class TrainingForm final : public QDialog {
    Q_OBJECT

public:
    explicit TrainingForm(QWidget *parent = nullptr);

    TrainingOptions options() const;
    void setOptions(const TrainingOptions &options);
    /// Of all inputs in place of the model's own; none: as it is.
    std::optional<std::int64_t> batchSize() const;

Q_SIGNALS:
    /// Somebody wants the graph.
    void wanted();

private:
    void check();

    QComboBox *m_loss, *m_optimizer, *m_batchNorm;
    QLineEdit *m_learningRate;
    QSpinBox *m_batch;
    QPushButton *m_make;
};

} // namespace graphloom
