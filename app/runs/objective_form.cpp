// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/objective_form.h"

#include "app/common/format.h"
#include "app/widgets/explain.h"
#include "engine/plan/memory_limit.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QSpinBox>
#include <QThread>

#include <climits>

namespace graphloom {

namespace {

constexpr double mostLatency = 100; // relative to the original

void explain(QWidget &widget, const QString &name, const QString &meaning)
{
    widget.setAccessibleName(name);
    widget.setToolTip(meaning);
    widget.setWhatsThis(meaning);
}

} // namespace

ObjectiveForm::ObjectiveForm(QWidget *parent) : QWidget(parent)
{
    auto *goal = new QFormLayout(this);
    goal->setContentsMargins(0, 0, 0, 0);
    m_mode = new QComboBox;
    m_mode->setObjectName(QStringLiteral("objectiveMode"));
    m_mode->addItem(tr("Lowest memory"), int(Objective::Mode::Memory));
    m_mode->addItem(tr("Lowest latency"), int(Objective::Mode::Latency));
    m_mode->addItem(tr("Pareto front"), int(Objective::Mode::Pareto));
    explain(*m_mode, tr("Goal"),
            tr("What the search minimizes within the limits: latency, peak memory, or both, which "
               "yields the Pareto front (MAGIS, section 6, Algorithm 3)\nOption: --objective"));
    explainTerm(*m_mode, "pareto-front");
    m_latency = new QDoubleSpinBox;
    m_latency->setObjectName(QStringLiteral("latencyLimit"));
    m_latency->setRange(0, mostLatency);
    m_latency->setSingleStep(0.05);
    m_latency->setPrefix(QStringLiteral("× "));
    explain(
        *m_latency, tr("Latency limit"),
        tr("Relative to the latency of the original: × 1.10 allows 10 % more, which is the usual "
           "limit unless latency is minimized or memory is limited\n"
           "Option: --latency-limit"));
    m_memory = new QLineEdit;
    m_memory->setObjectName(QStringLiteral("memoryLimit"));
    m_memory->setPlaceholderText(tr("no limit, or 60 %, 512 MiB"));
    m_memory->setClearButtonEnabled(true);
    explain(*m_memory, tr("Memory limit"),
            tr("Limit of the peak memory: a share of the original's, such as 60 %, or an amount, "
               "such as 512 MiB\nOption: --memory-limit"));
    explainTerm(*m_memory, "peak-memory");
    goal->addRow(tr("Goal"), m_mode);
    goal->addRow(tr("Latency limit"), m_latency);
    goal->addRow(tr("Memory limit"), m_memory);
    connect(this, &ObjectiveForm::changed, this, &ObjectiveForm::showUsualLimit);
    setObjective({});
    showUsualLimit();

    m_runFields = new QWidget;
    auto *run = new QFormLayout(m_runFields);
    run->setContentsMargins(0, 0, 0, 0);
    m_seed = new QSpinBox;
    m_seed->setObjectName(QStringLiteral("seed"));
    m_seed->setRange(0, INT_MAX);
    explain(*m_seed, tr("Seed"),
            tr("Seed of random choices: the same seed gives the same plan, unless the search is "
               "limited by time"));
    m_threads = new QSpinBox;
    m_threads->setObjectName(QStringLiteral("runThreads"));
    m_threads->setRange(0, 8 * std::max(1, QThread::idealThreadCount()));
    m_threads->setSpecialValueText(tr("one per core"));
    explain(*m_threads, tr("Threads"), tr("Threads of the search"));
    run->addRow(tr("Seed"), m_seed);
    run->addRow(tr("Threads"), m_threads);

    connect(m_mode, &QComboBox::currentIndexChanged, this, &ObjectiveForm::changed);
    connect(m_latency, &QDoubleSpinBox::valueChanged, this, &ObjectiveForm::changed);
    connect(m_memory, &QLineEdit::textChanged, this, &ObjectiveForm::readMemory);
    connect(m_seed, &QSpinBox::valueChanged, this, &ObjectiveForm::changed);
    connect(m_threads, &QSpinBox::valueChanged, this, &ObjectiveForm::changed);
}

/// Reads the amount. An invalid one sets no limit and is reported to screen readers too.
void ObjectiveForm::readMemory()
{
    m_memoryLimit.reset();
    m_problem.clear();
    if (const QString text = m_memory->text().trimmed(); !text.isEmpty()) {
        if (auto limit = readMemoryLimit(text.toStdString()))
            m_memoryLimit = *limit;
        else
            m_problem = fromUtf8(limit.error().message);
    }
    m_memory->setAccessibleDescription(m_problem);
    m_memory->setStatusTip(m_problem);
    showProblem();
    Q_EMIT changed();
}

/// Says which limit of latency applies where none is given.
void ObjectiveForm::showUsualLimit()
{
    Objective without = objective();
    without.latencyLimit.reset();
    m_latency->setSpecialValueText(without.hasUsualLimit()
                                       ? tr("× %1 (usual)").arg(Objective::usualLatency, 0, 'f', 2)
                                       : tr("no limit"));
}

/// Shows an invalid amount in the theme's colour of errors.
void ObjectiveForm::showProblem()
{
    QPalette colours;
    if (!m_problem.isEmpty())
        colours.setColor(QPalette::Text, QApplication::palette().color(QPalette::BrightText));
    m_memory->setPalette(colours);
}

void ObjectiveForm::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::ApplicationPaletteChange)
        showProblem();
    QWidget::changeEvent(event);
}

Objective ObjectiveForm::objective() const
{
    Objective objective;
    objective.mode = Objective::Mode(m_mode->currentData().toInt());
    if (m_latency->value() > 0)
        objective.latencyLimit = m_latency->value();
    objective.memoryLimit = m_memoryLimit;
    return objective;
}

void ObjectiveForm::setObjective(const Objective &objective)
{
    m_mode->setCurrentIndex(m_mode->findData(int(objective.mode)));
    m_latency->setValue(objective.latencyLimit.value_or(0));
    QString memory;
    if (const auto &limit = objective.memoryLimit) {
        if (const double *share = std::get_if<double>(&*limit))
            memory = QString::number(*share);
        else
            memory = QStringLiteral("%1KiB").arg(std::get<std::uint64_t>(*limit) / 1024);
    }
    m_memory->setText(memory);
}

std::uint64_t ObjectiveForm::seed() const
{
    return std::uint64_t(m_seed->value());
}

void ObjectiveForm::setSeed(std::uint64_t seed)
{
    m_seed->setValue(int(std::min<std::uint64_t>(seed, INT_MAX)));
}

unsigned ObjectiveForm::threads() const
{
    return unsigned(m_threads->value());
}

void ObjectiveForm::setThreads(unsigned threads)
{
    m_threads->setValue(int(std::min<unsigned>(threads, INT_MAX)));
}

void ObjectiveForm::reset()
{
    setObjective({});
    m_seed->setValue(0);
    m_threads->setValue(0);
}

} // namespace graphloom
