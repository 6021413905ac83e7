// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/training_form.h"

#include "app/common/format.h"
#include "app/widgets/explain.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include <cmath>

namespace graphloom {

namespace {

constexpr int mostBatch = 1 << 20, leastFormWidth = 420;

template <std::size_t count>
QComboBox *choice(const std::array<std::string_view, count> &names, const char *objectName)
{
    auto *box = new QComboBox;
    for (const std::string_view name : names)
        box->addItem(fromUtf8(name));
    box->setObjectName(QLatin1String(objectName));
    return box;
}

} // namespace

TrainingForm::TrainingForm(QWidget *parent) : QDialog(parent)
{
    setObjectName(QStringLiteral("trainingForm"));
    setWindowTitle(tr("Training graph"));
    setMinimumWidth(leastFormWidth);
    m_loss = choice(lossNames, "trainingLoss");
    m_optimizer = choice(optimizerNames, "trainingOptimizer");
    m_batchNorm = choice(batchNormNames, "trainingBatchNorm");
    m_learningRate = new QLineEdit;
    m_learningRate->setObjectName(QStringLiteral("learningRate"));
    m_batch = new QSpinBox;
    m_batch->setObjectName(QStringLiteral("trainingBatch"));
    m_batch->setRange(0, mostBatch);
    m_batch->setSpecialValueText(tr("as in the model"));

    auto *layout = new QVBoxLayout(this);
    auto *intro = new QLabel(
        tr("Creates a training step from this model: the forward pass, a loss, the gradients of "
           "all weights, and the updated weights. It opens in a new tab."));
    intro->setWordWrap(true);
    explainTerm(*intro, "training-graph");
    layout->addWidget(intro);
    auto *form = new QFormLayout;
    const auto add = [&](const QString &name, QWidget &field, const QString &meaning) {
        field.setToolTip(meaning);
        field.setWhatsThis(meaning);
        field.setAccessibleName(name);
        form->addRow(name, &field);
    };
    add(tr("Loss"), *m_loss,
        tr("Loss of the first output. Automatic: cross entropy for classes, squared error "
           "otherwise"));
    add(tr("Optimizer"), *m_optimizer,
        tr("How the weights are updated; adam keeps two moments of each weight"));
    add(tr("Batch normalization"), *m_batchNorm,
        tr("Use the statistics of the batch, which update the stored ones, or freeze the stored "
           "ones"));
    add(tr("Learning rate"), *m_learningRate, tr("A number greater than 0, such as 0.001"));
    add(tr("Batch"), *m_batch,
        tr("First extent of the model's inputs; replaces the one in the file"));
    layout->addLayout(form);
    layout->addStretch();
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    m_make = buttons->addButton(tr("&Create"), QDialogButtonBox::AcceptRole);
    m_make->setObjectName(QStringLiteral("makeTraining"));
    layout->addWidget(buttons);
    buttons->button(QDialogButtonBox::Cancel)->setAutoDefault(false);
    m_make->setDefault(true);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        accept();
        Q_EMIT wanted();
    });
    connect(m_learningRate, &QLineEdit::textChanged, this, &TrainingForm::check);
    setOptions({});
}

TrainingOptions TrainingForm::options() const
{
    TrainingOptions options;
    options.loss = TrainingOptions::Loss(m_loss->currentIndex());
    options.optimizer = TrainingOptions::Optimizer(m_optimizer->currentIndex());
    options.batchNorm = TrainingOptions::BatchNorm(m_batchNorm->currentIndex());
    options.learningRate = m_learningRate->text().toDouble();
    return options;
}

void TrainingForm::setOptions(const TrainingOptions &options)
{
    m_loss->setCurrentIndex(int(options.loss));
    m_optimizer->setCurrentIndex(int(options.optimizer));
    m_batchNorm->setCurrentIndex(int(options.batchNorm));
    m_learningRate->setText(QString::number(options.learningRate));
}

std::optional<std::int64_t> TrainingForm::batchSize() const
{
    return m_batch->value() > 0 ? std::optional<std::int64_t>(m_batch->value()) : std::nullopt;
}

/// Disables the button while the rate is invalid.
void TrainingForm::check()
{
    bool ok = false;
    const double rate = m_learningRate->text().toDouble(&ok);
    m_make->setEnabled(ok && std::isfinite(rate) && rate > 0);
    m_make->setToolTip(
        m_make->isEnabled() ? QString() : tr("The learning rate must be a number greater than 0"));
}

} // namespace graphloom
