// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/input_form.h"

#include "app/common/format.h"
#include "app/verification/input_row.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace graphloom {

namespace {

constexpr int inputFormWidth = 640, inputFormHeight = 420;

QLabel *textLabel(const QString &text = {})
{
    auto *label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

} // namespace

InputForm::InputForm(const Graph &model, const InputChoices &choices, QWidget *parent)
    : QDialog(parent)
{
    setObjectName(QStringLiteral("inputForm"));
    setWindowTitle(tr("Run on inputs"));
    auto *column = new QVBoxLayout(this);
    column->addWidget(
        textLabel(tr("A run keeps the values of all tensors for the Tensor panel. Each input is a "
                     "NumPy file (.npy), an ONNX tensor (.pb), an image, or random values.")));
    auto *fields = new QWidget;
    auto *rows = new QVBoxLayout(fields);
    rows->setContentsMargins(0, 0, 6, 0);
    for (std::size_t i = 0; i < model.inputs().size(); ++i) {
        auto *row = new InputRow(model.tensor(model.inputs()[i]));
        if (i < choices.sources.size())
            row->setFile(QString::fromStdString(choices.sources[i].file.string()));
        rows->addWidget(row);
        m_rows.push_back(row);
        connect(row, &InputRow::changed, this, &InputForm::refresh);
    }
    rows->addStretch();
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(fields);
    column->addWidget(scroll, 1);

    m_image = new ImageFields;
    if (!choices.sources.empty())
        m_image->setOptions(choices.sources.front().image);
    column->addWidget(m_image);
    m_seed = new QSpinBox;
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_seed->setValue(int(choices.seed));
    m_seed->setObjectName(QStringLiteral("inputSeed"));
    m_seed->setAccessibleName(tr("Seed of random values"));
    auto *seed = new QLabel(tr("&Seed of random values:"));
    seed->setBuddy(m_seed);
    auto *line = new QHBoxLayout;
    line->addWidget(seed);
    line->addWidget(m_seed);
    line->addStretch();
    column->addLayout(line);
    m_problem = textLabel();
    m_problem->setObjectName(QStringLiteral("inputProblem"));
    m_problem->setForegroundRole(QPalette::BrightText); // the theme's colour of errors
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem->hide();
    column->addWidget(m_problem);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_run = buttons->addButton(tr("&Run"), QDialogButtonBox::ActionRole);
    m_run->setObjectName(QStringLiteral("runOnInputs"));
    m_run->setDefault(true);
    m_verify = buttons->addButton(tr("&Verify"), QDialogButtonBox::ActionRole);
    m_verify->setObjectName(QStringLiteral("verifyOnInputs"));
    m_verify->setToolTip(tr("Verify the plan with these inputs"));
    for (QPushButton *other : {m_verify, buttons->button(QDialogButtonBox::Close)})
        other->setAutoDefault(false);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (const auto wanted = this->choices())
            Q_EMIT runWanted(*wanted);
    });
    connect(m_verify, &QPushButton::clicked, this, [this] {
        if (const auto wanted = this->choices())
            Q_EMIT verificationWanted(*wanted);
    });
    connect(m_image, &ImageFields::changed, this, [this] { showProblem({}); });
    refresh();
    resize(inputFormWidth, inputFormHeight);
}

std::optional<InputChoices> InputForm::choices()
{
    const auto image = m_image->options();
    if (!image && !m_image->isHidden()) {
        showProblem(fromUtf8(image.error().message));
        return std::nullopt;
    }
    InputChoices choices;
    choices.seed = std::uint64_t(m_seed->value());
    for (const InputRow *row : m_rows)
        choices.sources.push_back({row->file(), image ? *image : ImageOptions()});
    showProblem({});
    return choices;
}

void InputForm::refresh()
{
    m_image->setVisible(
        std::ranges::any_of(m_rows, [](const InputRow *row) { return isImageFile(row->file()); }));
    showProblem({});
}

void InputForm::showProblem(const QString &text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
}

void InputForm::setBusy(bool busy)
{
    m_run->setEnabled(!busy);
    m_verify->setEnabled(!busy);
}

} // namespace graphloom
