// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shapes/input_shapes_form.h"

#include "app/common/format.h"
#include "engine/onnx/import.h"

#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTextDocument>
#include <QVBoxLayout>

#include <climits>

namespace graphloom {

namespace {

constexpr int patience = 150; // milliseconds after the last key
constexpr int shapesFormWidth = 560, shapesFormHeight = 420;

QLabel *plainLabel(const QString &text)
{
    auto *label = new QLabel(text);
    label->setTextFormat(Qt::PlainText); // names of a file may look like HTML
    return label;
}

QLabel *paragraph(const QString &text = {})
{
    QLabel *label = plainLabel(text);
    label->setWordWrap(true);
    return label;
}

QLabel *headerLabel(const QString &text, const QString &meaning)
{
    auto *label = new QLabel(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setToolTip(meaning);
    return label;
}

QSpinBox *extentBox(const QString &none, std::int64_t value)
{
    auto *box = new QSpinBox;
    box->setRange(0, INT_MAX);
    box->setSpecialValueText(none);
    box->setValue(int(std::min<std::int64_t>(value, INT_MAX)));
    return box;
}

QString figuresText(const ShapeFigures &figures)
{
    QString text = InputShapesForm::tr("%1, %2 MACs")
                       .arg(formatNodes(figures.nodes), formatCount(figures.macs));
    if (figures.notCounted > 0)
        text += InputShapesForm::tr(" (%1 not counted)").arg(formatNodes(figures.notCounted));
    if (figures.largestBytes > 0)
        text += InputShapesForm::tr("; the largest tensor is %1, %2")
                    .arg(figures.largest, formatBytes(double(figures.largestBytes)));
    return text;
}

} // namespace

InputShapesForm::InputShapesForm(std::filesystem::path file, ImportOptions base, const Graph &now,
                                 JobList *jobs, QWidget *parent)
    : QDialog(parent), m_file(std::move(file)), m_jobs(jobs), m_base(std::move(base))
{
    setObjectName(QStringLiteral("inputShapesForm"));
    setWindowTitle(tr("Input shapes of %1").arg(fileNameOf(m_file)));
    m_base.inputShapes.clear();
    m_base.batchSize.reset();
    makeLayout();
    m_patience.setSingleShot(true);
    m_patience.setInterval(patience);
    connect(&m_patience, &QTimer::timeout, this, &InputShapesForm::infer);
    m_worker.announce(m_jobs, tr("Reading the inputs of %1").arg(fileNameOf(m_file)));
    m_worker.start(
        [file = m_file, options = m_base,
         now](std::stop_token stop) mutable -> Result<std::vector<ModelInput>> {
            options.stop = stop;
            GL_TRY_CONST(model, importOnnx(file, options));
            return modelInputsOf(model->graph, now);
        },
        [this](const Result<std::vector<ModelInput>> &inputs) {
            if (inputs)
                setInputs(*inputs);
            else
                showProblem(fromUtf8(inputs.error().text()));
        });
}

void InputShapesForm::makeLayout()
{
    auto *column = new QVBoxLayout(this);
    column->addWidget(
        paragraph(tr("Separate extents with commas. Symbolic extents of the file, such as batch, "
                     "stay dynamic unless you give them a value below. Applying the shapes starts "
                     "again from the original model; you can undo it.")));
    auto *fields = new QWidget;
    m_fields = new QVBoxLayout(fields);
    m_fields->setContentsMargins(0, 0, 6, 0);
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(fields);
    column->addWidget(scroll, 1);
    m_result = paragraph(tr("Reading the model…"));
    m_result->setObjectName(QStringLiteral("shapeResult"));
    m_result->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem = paragraph();
    m_problem->setObjectName(QStringLiteral("shapeProblem"));
    m_problem->setForegroundRole(QPalette::BrightText); // the theme's colour of errors
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem->hide();
    column->addWidget(m_result);
    column->addWidget(m_problem);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel | QDialogButtonBox::Reset);
    m_apply = buttons->addButton(tr("&Apply"), QDialogButtonBox::AcceptRole);
    m_apply->setObjectName(QStringLiteral("applyShapes"));
    m_apply->setEnabled(false);
    m_apply->setDefault(true);
    buttons->button(QDialogButtonBox::Reset)->setToolTip(tr("Restore the shapes of the file"));
    for (const auto button : {QDialogButtonBox::Cancel, QDialogButtonBox::Reset})
        buttons->button(button)->setAutoDefault(false);
    column->addWidget(buttons);
    connect(buttons->button(QDialogButtonBox::Reset), &QPushButton::clicked, this,
            &InputShapesForm::reset);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        accept();
        Q_EMIT wanted(m_wanted);
    });
    resize(shapesFormWidth, shapesFormHeight);
}

void InputShapesForm::setInputs(const std::vector<ModelInput> &inputs)
{
    addInputs(*m_fields, inputs);
    m_initial = symbolsOf(inputs);
    if (!m_initial.empty())
        addSymbols(*m_fields, m_initial);
    m_fields->addStretch();
    if (m_inputs.empty())
        m_result->setText(tr("The model has no inputs of known rank."));
    else
        infer();
}

void InputShapesForm::addInputs(QVBoxLayout &column, const std::vector<ModelInput> &inputs)
{
    auto *grid = new QGridLayout;
    grid->setColumnStretch(2, 1);
    grid->addWidget(headerLabel(tr("Input"), {}), 0, 0);
    grid->addWidget(headerLabel(tr("Type"), {}), 0, 1);
    grid->addWidget(headerLabel(tr("Shape"), tr("Extents, separated by commas")), 0, 2);
    for (const ModelInput &input : inputs) {
        const int row = grid->rowCount();
        const QString name = fromUtf8(input.name);
        QLabel *label = plainLabel(elided(name, 40));
        label->setToolTip(Qt::convertFromPlainText(name));
        auto *text = new QLineEdit(shapeText(input));
        text->setObjectName(QStringLiteral("shape:") + name);
        text->setAccessibleName(tr("Shape of %1").arg(name));
        text->setToolTip(Qt::convertFromPlainText(
            tr("In the file: %1").arg(fromUtf8(graphloom::text(input.stated)))));
        label->setBuddy(text);
        grid->addWidget(label, row, 0);
        grid->addWidget(plainLabel(input.type), row, 1);
        grid->addWidget(text, row, 2);
        connect(text, &QLineEdit::textChanged, this, &InputShapesForm::changed);
        m_inputs.push_back({input, text});
    }
    column.addLayout(grid);
}

void InputShapesForm::addSymbols(QVBoxLayout &column, const std::vector<SymbolValue> &symbols)
{
    auto *grid = new QGridLayout;
    grid->addWidget(headerLabel(tr("Dynamic extent"), {}), 0, 0);
    grid->addWidget(headerLabel(tr("Value"), tr("Fixes the extent to this value")), 0, 1);
    const QString range =
        tr("Also infers shapes at this end of the range, without fixing the extent");
    grid->addWidget(headerLabel(tr("From"), range), 0, 2);
    grid->addWidget(headerLabel(tr("To"), range), 0, 3);
    for (const SymbolValue &symbol : symbols) {
        const int row = grid->rowCount();
        const QString name = fromUtf8(symbol.symbol);
        SymbolRow fields{symbol.symbol, extentBox(tr("dynamic"), symbol.value),
                         extentBox(tr("none"), 0), extentBox(tr("none"), 0)};
        grid->addWidget(plainLabel(elided(name, 40)), row, 0);
        const auto add = [&](int at, QSpinBox *box, const QString &key, const QString &spoken) {
            box->setObjectName(key + name);
            box->setAccessibleName(spoken);
            grid->addWidget(box, row, at);
            connect(box, &QSpinBox::valueChanged, this, &InputShapesForm::changed);
        };
        add(1, fields.value, QStringLiteral("value:"), tr("Value of %1").arg(name));
        add(2, fields.from, QStringLiteral("from:"), tr("Beginning of the range of %1").arg(name));
        add(3, fields.to, QStringLiteral("to:"), tr("End of the range of %1").arg(name));
        m_symbols.push_back(fields);
    }
    column.addLayout(grid);
}

void InputShapesForm::changed()
{
    m_apply->setEnabled(false);
    m_patience.start();
}

void InputShapesForm::reset()
{
    for (const InputRow &row : m_inputs) {
        ModelInput original = row.input;
        original.now = original.stated;
        row.text->setText(shapeText(original));
    }
    for (const SymbolRow &row : m_symbols)
        for (QSpinBox *box : {row.value, row.from, row.to})
            box->setValue(0);
}

Result<std::vector<std::vector<std::int64_t>>> InputShapesForm::read() const
{
    std::vector<std::vector<std::int64_t>> all;
    for (const InputRow &row : m_inputs) {
        GL_TRY_RESULT(extents, readShape(row.input, row.text->text()));
        all.push_back(*std::move(extents));
    }
    return all;
}

/// Returns the options with the values, or with one end of the ranges where there is one.
ImportOptions InputShapesForm::optionsWith(const std::vector<std::vector<std::int64_t>> &read,
                                           QSpinBox *SymbolRow::*end) const
{
    std::vector<SymbolValue> symbols;
    for (const SymbolRow &row : m_symbols) {
        const int at = (row.*end)->value();
        symbols.push_back({row.symbol, at > 0 ? at : row.value->value()});
    }
    std::vector<ModelInput> inputs;
    for (const InputRow &row : m_inputs)
        inputs.push_back(row.input);
    ImportOptions options = m_base;
    options.inputShapes = requestedShapes(inputs, read, symbols);
    return options;
}

/// Returns the extents of one end of the ranges: "batch 1, sequence 8".
QString InputShapesForm::endText(QSpinBox *SymbolRow::*end) const
{
    QStringList texts;
    for (const SymbolRow &row : m_symbols)
        if (const int at = (row.*end)->value(); at > 0)
            texts << QStringLiteral("%1 %2").arg(fromUtf8(row.symbol)).arg(at);
    return texts.join(QStringLiteral(", "));
}

std::vector<InputShapesForm::Trial>
InputShapesForm::trials(const std::vector<std::vector<std::int64_t>> &read) const
{
    std::vector<Trial> trials{{QString(), optionsWith(read, &SymbolRow::value)}};
    for (const auto end : {&SymbolRow::from, &SymbolRow::to})
        if (const QString text = endText(end); !text.isEmpty())
            trials.push_back({text, optionsWith(read, end)});
    return trials;
}

void InputShapesForm::infer()
{
    m_patience.stop();
    const auto extents = read();
    if (!extents) {
        m_worker.abandon();
        showProblem(fromUtf8(extents.error().text()));
        Q_EMIT inferred();
        return;
    }
    showProblem({});
    m_result->setText(tr("Inferring…"));
    m_worker.announce(m_jobs, tr("Inferring the shapes of %1").arg(fileNameOf(m_file)));
    m_worker.start(
        [file = m_file,
         trials = trials(*extents)](std::stop_token stop) -> Result<std::vector<Outcome>> {
            std::vector<Outcome> outcomes;
            for (const Trial &trial : trials)
                outcomes.push_back({trial.title, shapeFiguresOf(file, trial.options, stop)});
            return outcomes;
        },
        [this, wanted = optionsWith(*extents, &SymbolRow::value)](
            const Result<std::vector<Outcome>> &outcomes) {
            m_wanted = wanted;
            if (outcomes)
                showFigures(*outcomes);
            else
                showProblem(fromUtf8(outcomes.error().text()));
            Q_EMIT inferred();
        });
}

void InputShapesForm::showFigures(const std::vector<Outcome> &outcomes)
{
    QStringList lines, problems;
    for (const auto &[title, figures] : outcomes) {
        const QString prefix = title.isEmpty() ? title : tr("With %1: ").arg(title);
        if (!figures) {
            problems << prefix + fromUtf8(figures.error().text());
            continue;
        }
        lines << prefix + figuresText(*figures);
        if (title.isEmpty())
            lines << figures->outputs;
    }
    showProblem(problems.join('\n'));
    m_result->setText(lines.join('\n'));
    m_apply->setEnabled(outcomes.front().figures.has_value());
}

void InputShapesForm::showProblem(const QString &text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
    if (!text.isEmpty())
        m_result->clear();
    m_apply->setEnabled(false);
}

} // namespace graphloom
