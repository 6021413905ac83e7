// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/verification_panel.h"

#include "app/common/format.h"
#include "app/widgets/hinted_panel.h"
#include "app/widgets/panel_layout.h"

#include <QAction>
#include <QComboBox>
#include <QDoubleValidator>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>
#include <limits>

namespace graphloom {

namespace {

constexpr int mostSeedWidth = 120;
const QString beginningLink = QStringLiteral("beginning"); // target of a link

bool isTolerance(double value)
{
    return std::isfinite(value) && value >= 0;
}

} // namespace

VerificationPanel::VerificationPanel(Selection &selection, const Buttons &buttons, QWidget *parent)
    : QWidget(parent)
{
    QVBoxLayout *layout = makeColumn(*this);
    layout->addWidget(makeForm(buttons));
    m_list = new FilteredTable(m_model, {tr("Tensor errors"), tr("Filter tensors"),
                                         tr("Filter by tensor, node or result"),
                                         QStringLiteral("tensorErrorTable")});
    m_list->linkTo(selection);
    m_list->makeCopyable(QStringLiteral("copyTensorErrors"));
    table().sortByColumn(TensorErrorModel::Relative, Qt::DescendingOrder);
    m_body = new HintedPanel;
    m_body->setContent(m_list);
    m_body->setEmpty(true);
    layout->addWidget(m_body, 1);
    connect(m_list, &FilteredTable::activated, this, &VerificationPanel::activated);
    connect(m_list, &FilteredTable::menuRequested, this, &VerificationPanel::menuRequested);
}

QWidget *VerificationPanel::makeForm(const Buttons &buttons)
{
    auto *form = new QWidget;
    auto *rows = new QVBoxLayout(form);
    rows->setContentsMargins(0, 4, 0, 0);
    rows->setSpacing(0);
    auto *bar = new FlowLayout;
    bar->setContentsMargins(6, 0, 6, 0);
    rows->addLayout(bar);

    const QString tolerance =
        tr("Largest relative error of an output that passes: absolute error divided by the largest "
           "magnitude of the original");
    m_tolerance = new QComboBox;
    m_tolerance->setEditable(true);
    for (const char *value : {"1e-06", "1e-05", "0.0001", "0.001", "0.01"})
        m_tolerance->addItem(QLatin1String(value));
    auto *numbers = new QDoubleValidator(0, std::numeric_limits<double>::max(), 12, m_tolerance);
    numbers->setLocale(QLocale::c());
    m_tolerance->setValidator(numbers);
    m_tolerance->setInsertPolicy(QComboBox::NoInsert);
    m_tolerance->setAccessibleName(tr("Tolerance"));
    m_tolerance->setToolTip(tolerance);
    m_tolerance->setWhatsThis(tolerance);
    m_tolerance->setObjectName(QStringLiteral("tolerance"));
    auto *label = new QLabel(tr("&Tolerance:"));
    label->setBuddy(m_tolerance);

    const QString seed = tr("Seed of random inputs, and of weights that the model has no data for");
    m_seed = new QSpinBox;
    m_seed->setRange(0, std::numeric_limits<int>::max());
    m_seed->setMaximumWidth(mostSeedWidth); // its longest number would ask for much more
    m_seed->setPrefix(tr("seed "));
    m_seed->setAccessibleName(tr("Seed"));
    m_seed->setToolTip(seed);
    m_seed->setWhatsThis(seed);
    m_seed->setObjectName(QStringLiteral("verifySeed"));
    setChoices({});
    m_statistics = statisticsLabel();
    m_statistics->setMinimumWidth(1);
    m_statistics->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_statistics->hide();
    connect(m_statistics, &QLabel::linkActivated, this, &VerificationPanel::showBeginning);
    for (QWidget *widget : std::initializer_list<QWidget *>{
             actionButton(buttons.verify), label, m_tolerance, m_seed, actionButton(buttons.colour),
             actionButton(buttons.cancel)})
        bar->addWidget(widget);
    rows->addWidget(m_statistics);
    return form;
}

void VerificationPanel::setVerification(const VerificationPointer &verification, State state,
                                        bool linked)
{
    m_state = state;
    m_list->change([&] { m_model.setVerification(verification, linked); });
    m_statistics->setText(statisticsText());
    m_statistics->setVisible(verification != nullptr);
    m_body->setEmpty(!verification);
}

VerifyChoices VerificationPanel::choices() const
{
    VerifyChoices choices;
    bool isNumber = false;
    if (const double value = m_tolerance->currentText().toDouble(&isNumber);
        isNumber && isTolerance(value))
        choices.tolerance = value;
    choices.seed = std::uint64_t(m_seed->value());
    return choices;
}

void VerificationPanel::setChoices(const VerifyChoices &choices)
{
    if (isTolerance(choices.tolerance)) // settings may hold anything
        m_tolerance->setCurrentText(formatReal(choices.tolerance));
    m_seed->setValue(int(choices.seed));
}

void VerificationPanel::setHint(const QString &hint, QAction *action)
{
    m_body->setHint(hint, action);
}

bool VerificationPanel::isEmpty() const
{
    return m_body->isEmpty();
}

void VerificationPanel::showBeginning()
{
    if (const auto &verification = m_model.verification())
        Q_EMIT beginningWanted(verification->errors.begins);
}

QString VerificationPanel::statisticsText() const
{
    const VerificationPointer &verification = m_model.verification();
    if (!verification)
        return {};
    const TensorErrors &errors = verification->errors;
    const Verification &outcome = errors.verification;
    QString text;
    if (m_state == State::Stale)
        text = tr("<b>These errors belong to another plan: verify again.</b> ");
    text += !outcome.passed      ? tr("<b>✗ Failed</b>")
            : outcome.comparable ? tr("<b>✓ Passed</b>")
                                 : tr("<b>Not comparable</b>");
    text += tr(": largest error of the outputs %1, relative %2, tolerance %3")
                .arg(formatError(outcome.maxAbsError), formatError(outcome.maxRelError),
                     formatError(outcome.tolerance));
    if (errors.begins.valid()) {
        const QString node =
            nodeText(verification->plan->graph.node(errors.begins)).toHtmlEscaped();
        text += m_state == State::Current
                    ? tr(" · begins at <a href=\"%1\">%2</a>").arg(beginningLink, node)
                    : tr(" · begins at %1").arg(node);
    }
    text +=
        tr(" · %1 of %2 tensors compared").arg(verification->compared).arg(errors.tensors.size());
    if (verification->alone > 0)
        text += tr(", %1 without counterpart").arg(verification->alone);
    text += QStringLiteral(" · ") + verification->inputsText().toHtmlEscaped();
    if (outcome.filledWeights > 0)
        text += tr(" · %n weight(s) filled with random elements, as the model has none", nullptr,
                   int(outcome.filledWeights));
    if (errors.spilledBytes > 0)
        text +=
            tr(" · %1 buffered in a temporary file").arg(formatBytes(double(errors.spilledBytes)));
    if (!outcome.message.empty())
        text += QStringLiteral("<br>") + fromUtf8(outcome.message).toHtmlEscaped();
    for (const std::string &warning : outcome.warnings)
        text += QStringLiteral("<br>⚠ ") + fromUtf8(warning).toHtmlEscaped();
    return text;
}

} // namespace graphloom
