// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/pass_panel.h"

#include "app/common/format.h"
#include "app/rewrite/rule_list.h"
#include "app/runs/objective_form.h"
#include "app/runs/pass_form.h"
#include "app/style/icons.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWhatsThis>

#include <algorithm>

namespace graphloom {

namespace {

/// Asks for the room of the form that is shown, not for that of the widest one.
class Forms final : public QStackedWidget {
public:
    Forms() { connect(this, &QStackedWidget::currentChanged, this, &QWidget::updateGeometry); }
    QSize sizeHint() const override
    {
        return currentWidget() ? currentWidget()->sizeHint() : QStackedWidget::sizeHint();
    }
    QSize minimumSizeHint() const override
    {
        return currentWidget() ? currentWidget()->minimumSizeHint()
                               : QStackedWidget::minimumSizeHint();
    }
};

QLabel *textLabel()
{
    auto *label = new QLabel;
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

/// Returns a button for an action; `text` replaces a long text of the action.
QPushButton *buttonFor(QAction *action, const QString &text = {})
{
    auto *button = new QPushButton;
    const auto follow = [button, action, text] {
        button->setEnabled(action->isEnabled());
        button->setText(text.isEmpty() ? action->text() : text);
        button->setIcon(action->icon());
        button->setToolTip(action->toolTip());
    };
    follow();
    QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
    QObject::connect(action, &QAction::changed, button, follow);
    return button;
}

} // namespace

PassPanel::PassPanel(std::vector<PassPlugin> plugins, QAction *run, QAction *hold, QAction *cancel,
                     QAction *take, QWidget *parent)
    : HintedPanel(parent), m_plugins(std::move(plugins))
{
    QHBoxLayout *choice = makeChoice();
    m_progress = new QProgressBar;
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedHeight(8);
    m_progress->setAccessibleName(tr("Progress"));
    m_state = textLabel();
    m_loss = textLabel();
    m_loss->setObjectName(QStringLiteral("passLoss"));
    m_loss->setForegroundRole(QPalette::PlaceholderText);
    m_loss->hide();
    auto *content = new QWidget;
    auto *layout = new QVBoxLayout(content);
    layout->setContentsMargins(10, 10, 10, 10);
    layout->setSpacing(8);
    layout->addLayout(choice);
    layout->addWidget(makeForms(), 1);
    layout->addWidget(m_progress);
    layout->addWidget(m_state);
    layout->addWidget(m_loss);
    layout->addLayout(makeButtons(run, hold, cancel, take));
    setContent(content);

    connect(m_choice, &QComboBox::currentIndexChanged, this, &PassPanel::showPlugin);
    setHint(
        tr("No pass plugins were found. They belong in the plugins folder of the installation."),
        nullptr);
    setEmpty(m_plugins.empty());
    setRunning(false);
    setSummary(nullptr);
    choose({});
    showPlugin(m_choice->currentIndex());
}

/// Returns the line with the choice of the pass and the button that tells about it.
QHBoxLayout *PassPanel::makeChoice()
{
    m_choice = new QComboBox;
    m_choice->setAccessibleName(tr("Pass"));
    m_choice->setObjectName(QStringLiteral("passChoice"));
    for (const PassPlugin &plugin : m_plugins)
        m_choice->addItem(plugin.pass ? themedIcon(QStringLiteral("sliders"))
                                      : themedIcon(QStringLiteral("warning")),
                          plugin.pass ? fromUtf8(plugin.pass->name()) : fileNameOf(plugin.file));
    m_about = new QToolButton;
    m_about->setObjectName(QStringLiteral("aboutPass"));
    m_about->setIcon(themedIcon(QStringLiteral("info")));
    m_about->setAutoRaise(true);
    m_about->setAccessibleName(tr("About this pass"));
    connect(m_about, &QToolButton::clicked, this, &PassPanel::showAbout);
    auto *line = new QHBoxLayout;
    line->addWidget(m_choice, 1);
    line->addWidget(m_about);
    return line;
}

void PassPanel::showAbout()
{
    QWhatsThis::showText(m_about->mapToGlobal(QPoint(0, m_about->height())), m_about->toolTip(),
                         m_about);
}

/// Returns the scrolling middle of the panel: the form of the pass and the summary.
QWidget *PassPanel::makeForms()
{
    m_problem = textLabel();
    m_objective = new ObjectiveForm(this);
    m_objective->runFields().setParent(this);
    for (QWidget *fields : {static_cast<QWidget *>(m_objective), &m_objective->runFields()})
        fields->hide(); // until a form takes them in
    connect(m_objective, &ObjectiveForm::changed, this, &PassPanel::settingsChanged);
    m_pages = new Forms;
    for (std::size_t i = 0; i < m_plugins.size(); ++i) {
        if (m_plugins[i].pass) {
            auto *form = new PassForm(m_plugins[i].pass);
            connect(form, &PassForm::changed, this, &PassPanel::settingsChanged);
            connect(form, &PassForm::advancedToggled, this, &PassPanel::setAdvancedShown);
            m_forms.emplace(int(i), form);
            m_pages->addWidget(form);
        } else {
            m_pages->addWidget(new QWidget);
        }
    }
    m_summary = textLabel();
    m_summary->setObjectName(QStringLiteral("passSummary"));
    auto *column = new QWidget;
    auto *lines = new QVBoxLayout(column);
    lines->setContentsMargins(0, 0, 6, 0);
    lines->setSpacing(10);
    lines->addWidget(m_problem);
    lines->addWidget(m_pages);
    lines->addWidget(m_summary);
    lines->addStretch(1);
    auto *scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(column);
    return scroll;
}

QHBoxLayout *PassPanel::makeButtons(QAction *run, QAction *hold, QAction *cancel, QAction *take)
{
    m_run = buttonFor(run);
    m_run->setDefault(true);
    m_hold = buttonFor(hold);
    m_cancel = buttonFor(cancel);
    m_take = buttonFor(take, tr("Apply best"));
    m_reset = new QPushButton(themedIcon(QStringLiteral("reset")), tr("Reset"));
    m_reset->setToolTip(tr("Reset all parameters to their defaults"));
    connect(m_reset, &QPushButton::clicked, this, [this] {
        if (PassForm *current = form())
            current->reset();
        m_objective->reset();
        Q_EMIT wasReset();
    });
    // Hide them now, or together they would determine the minimum width of the panel.
    for (QPushButton *button : {m_hold, m_cancel, m_take})
        button->hide();
    auto *buttons = new QHBoxLayout;
    for (QPushButton *button : {m_run, m_hold, m_cancel, m_take})
        buttons->addWidget(button, 1);
    buttons->addWidget(m_reset);
    return buttons;
}

std::shared_ptr<const Pass> PassPanel::pass() const
{
    const int plugin = m_choice->currentIndex();
    return plugin < 0 ? nullptr : m_plugins[std::size_t(plugin)].pass;
}

std::filesystem::path PassPanel::library() const
{
    const int plugin = m_choice->currentIndex();
    return plugin < 0 ? std::filesystem::path() : m_plugins[std::size_t(plugin)].file;
}

RunRequest PassPanel::request() const
{
    RunRequest request;
    request.pass = pass();
    request.library = library();
    request.settings = form()->settings();
    if (request.pass->usesObjective())
        request.objective = m_objective->objective();
    request.seed = m_objective->seed();
    request.threads = m_objective->threads();
    return request;
}

PassForm *PassPanel::form() const
{
    const auto it = m_forms.find(m_choice->currentIndex());
    return it == m_forms.end() ? nullptr : it->second;
}

bool PassPanel::choose(std::string_view pass)
{
    for (std::size_t i = 0; i < m_plugins.size(); ++i)
        if (m_plugins[i].pass && (pass.empty() || m_plugins[i].pass->name() == pass)) {
            m_choice->setCurrentIndex(int(i));
            return true;
        }
    return false;
}

void PassPanel::setSeconds(const std::optional<double> &seconds)
{
    for (const auto &[plugin, form] : m_forms)
        for (const Parameter &parameter : form->pass().parameters())
            if (parameter.name == "seconds")
                form->setValue(parameter.name, seconds.value_or(parameter.initial));
}

void PassPanel::setFired(const std::map<std::string, std::size_t> &fired)
{
    for (const auto &[plugin, form] : m_forms)
        if (form->rules())
            form->rules()->model().setFired(fired);
}

void PassPanel::showPlugin(int plugin)
{
    if (plugin < 0)
        return;
    const PassPlugin &entry = m_plugins[std::size_t(plugin)];
    // The other pages, which may be longer, must not take space.
    for (int page = 0; page < m_pages->count(); ++page)
        m_pages->widget(page)->setSizePolicy(
            QSizePolicy::Preferred, page == plugin ? QSizePolicy::Preferred : QSizePolicy::Ignored);
    m_pages->setCurrentIndex(plugin);
    m_problem->setVisible(!entry.pass);
    m_problem->setText(tr("Cannot use this plugin: %1").arg(QString::fromStdString(entry.problem)));
    m_about->setEnabled(entry.pass != nullptr);
    m_about->setToolTip(entry.pass ? fromUtf8(entry.pass->help()) : QString());
    if (PassForm *current = form()) {
        current->adopt(*m_objective, m_objective->runFields());
        m_objective->setVisible(entry.pass->usesObjective());
    }
    m_reset->setEnabled(form() != nullptr);
    Q_EMIT passChanged();
}

void PassPanel::setLoss(const QString &text)
{
    m_loss->setText(text);
    m_loss->setVisible(!text.isEmpty() && !m_progress->isVisibleTo(this));
}

void PassPanel::setAdvancedShown(bool shown)
{
    m_advancedShown = shown;
    for (const auto &[plugin, form] : m_forms)
        form->setAdvancedShown(shown);
}

void PassPanel::setRunning(bool running)
{
    m_choice->setEnabled(!running);
    m_pages->setEnabled(!running);
    m_loss->setVisible(!running && !m_loss->text().isEmpty());
    m_progress->setVisible(running);
    m_state->setVisible(running);
    // Hide first, or buttons side by side would permanently widen the panel.
    for (QPushButton *button : {m_run, m_reset, m_hold, m_cancel, m_take})
        button->hide();
    if (running)
        for (QPushButton *button : {m_hold, m_cancel, m_take})
            button->show();
    else
        for (QPushButton *button : {m_run, m_reset})
            button->show();
    if (running) {
        setProgress(0, tr("starting"));
        setSummary(nullptr);
    }
}

void PassPanel::setProgress(double fraction, const QString &what)
{
    m_progress->setValue(int(fraction * 1000));
    m_state->setText(QStringLiteral("%1 % · %2").arg(int(fraction * 100)).arg(what));
}

void PassPanel::setSummary(const PassRecord *record)
{
    m_summary->setVisible(record);
    if (!record)
        return;
    QStringList lines{
        tr("%1: %2 s on this machine").arg(fromUtf8(record->pass), formatReal(record->seconds))};
    for (const SummaryEntry &entry : record->summary)
        lines << summaryText(entry);
    m_summary->setText(lines.join('\n'));
}

} // namespace graphloom
