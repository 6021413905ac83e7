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

/// Asks for the options of a training graph, the same as those of --training. The dialog is not
/// modal.
class TrainingForm final : public QDialog {
    Q_OBJECT

public:
    explicit TrainingForm(QWidget *parent = nullptr);

    TrainingOptions options() const;
    void setOptions(const TrainingOptions &options);
    /// Returns the batch size of all inputs in place of the model's own, or nothing to keep that.
    std::optional<std::int64_t> batchSize() const;

Q_SIGNALS:
    /// Emitted when the user asks for the training graph.
    void wanted();

private:
    void check();

    QComboBox *m_loss, *m_optimizer, *m_batchNorm;
    QLineEdit *m_learningRate;
    QSpinBox *m_batch;
    QPushButton *m_make;
};

} // namespace graphloom
