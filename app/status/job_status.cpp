// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/status/job_status.h"

#include "app/style/icons.h"
#include "app/widgets/copy_rows.h"
#include "app/widgets/table.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace graphloom {

namespace {

constexpr int jobPatience = 250; // milliseconds before a task is shown
constexpr int barSteps = 1000, longestJobText = 60;
constexpr QSize popupSize(640, 210);

/// Draws a bar behind the percentage.
class FractionDelegate final : public QStyledItemDelegate {
public:
    FractionDelegate(const JobList &jobs, const TableFilter &sorted, QObject *parent)
        : QStyledItemDelegate(parent), m_jobs(jobs), m_sorted(sorted)
    {
    }
    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override
    {
        const auto row = std::size_t(m_sorted.mapToSource(index).row());
        if (const auto fraction = m_jobs.jobs()[row].fraction) {
            const int width = int(double(option.rect.width() - 8) * *fraction);
            painter->fillRect(option.rect.left() + 4, option.rect.bottom() - 3, width, 2,
                              option.palette.color(option.state & QStyle::State_Selected
                                                       ? QPalette::HighlightedText
                                                       : QPalette::Highlight));
        }
        QStyledItemDelegate::paint(painter, option, index);
    }

private:
    const JobList &m_jobs;
    const TableFilter &m_sorted;
};

} // namespace

JobPopup::JobPopup(JobList &jobs, QWidget *parent) : QFrame(parent), m_jobs(jobs), m_sorted(jobs)
{
    setObjectName(QStringLiteral("jobPopup"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Button);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    auto *bar = new QHBoxLayout;
    auto *title = new QLabel(tr("Background tasks"));
    QFont bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    m_stop = new QToolButton;
    m_stop->setText(tr("Stop"));
    m_stop->setIcon(themedIcon(QStringLiteral("cancel")));
    m_stop->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_stop->setToolTip(tr("Stop the selected task (Delete)"));
    m_stop->setObjectName(QStringLiteral("stopJob"));
    bar->addWidget(title);
    bar->addStretch();
    bar->addWidget(m_stop);
    layout->addLayout(bar);
    m_table = new QTableView;
    m_table->setModel(&m_sorted);
    setUpTable(*m_table);
    makeRowsCopyable(*m_table);
    m_table->setObjectName(QStringLiteral("jobTable"));
    m_table->setAccessibleName(tr("Background tasks"));
    m_table->sortByColumn(JobList::Time, Qt::DescendingOrder);
    m_table->setItemDelegateForColumn(JobList::Done, new FractionDelegate(jobs, m_sorted, m_table));
    new ColumnFit(*m_table);
    layout->addWidget(m_table);
    m_nothing = new QLabel(tr("No background tasks"));
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(m_nothing, 1);
    connect(m_stop, &QToolButton::clicked, this, [this] { m_jobs.cancel(currentRow()); });
    connect(&m_jobs, &JobList::changed, this, &JobPopup::refresh);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &JobPopup::refresh);
    hide();
}

int JobPopup::currentRow() const
{
    const QModelIndex current = m_table->currentIndex();
    return current.isValid() ? m_sorted.mapToSource(current).row() : -1;
}

void JobPopup::refresh()
{
    if (!isVisible())
        return;
    const bool empty = m_jobs.jobs().empty();
    if (empty && m_hadJobs) {
        dismiss();
        return;
    }
    m_hadJobs = !empty;
    m_table->setVisible(!empty);
    m_nothing->setVisible(empty);
    if (!empty && currentRow() < 0)
        m_table->selectRow(0);
    const int row = currentRow();
    const bool stoppable = row >= 0 && m_jobs.jobs()[std::size_t(row)].cancel;
    m_stop->setEnabled(stoppable);
    m_stop->setToolTip(row < 0 || stoppable ? tr("Stop the selected task (Delete)")
                                            : tr("This task cannot be stopped"));
}

void JobPopup::toggle(const QWidget &anchor)
{
    if (isVisible()) {
        dismiss();
        return;
    }
    m_before = QApplication::focusWidget();
    m_anchor = &anchor;
    m_hadJobs = false;
    place();
    setFocusPolicy(Qt::StrongFocus);
    show();
    raise();
    refresh();
    qApp->installEventFilter(this);
    (m_table->isVisible() ? static_cast<QWidget *>(m_table) : this)->setFocus(Qt::PopupFocusReason);
}

void JobPopup::place()
{
    if (!m_anchor)
        return;
    const QSize size = popupSize.boundedTo(parentWidget()->size() - QSize(20, 60));
    const QPoint corner = m_anchor->mapTo(parentWidget(), QPoint(m_anchor->width(), 0));
    setGeometry(QRect(corner - QPoint(size.width(), size.height()), size));
}

void JobPopup::dismiss()
{
    const QWidget *focus = QApplication::focusWidget();
    const bool returns = m_before && focus && (focus == this || isAncestorOf(focus));
    hide();
    if (returns)
        m_before->setFocus();
}

void JobPopup::hideEvent(QHideEvent *event)
{
    qApp->removeEventFilter(this);
    QFrame::hideEvent(event);
    if (!isHidden())
        dismiss(); // hidden with its tab, with which it would come back without its keys
}

/// Keeps clicks beside the table from reaching the parent, as clicks elsewhere.
void JobPopup::mousePressEvent(QMouseEvent *event)
{
    event->accept();
}

/// Handles a key in the popup's window, wherever the focus is. Returns true if nobody else gets it.
bool JobPopup::takeKey(const QWidget &to, QEvent &event)
{
    const int key = static_cast<QKeyEvent &>(event).key();
    const bool inside = &to == this || isAncestorOf(&to);
    if (to.window() != window() || (key != Qt::Key_Escape && !(key == Qt::Key_Delete && inside)))
        return false;
    if (event.type() == QEvent::ShortcutOverride)
        event.accept(); // commands of the window have the same keys
    else if (key == Qt::Key_Escape)
        dismiss();
    else
        m_jobs.cancel(currentRow());
    return true;
}

/// Sees the events of the whole program while the popup is open, as many widgets do not take the
/// focus when they are clicked.
bool JobPopup::eventFilter(QObject *watched, QEvent *event)
{
    const auto *widget = qobject_cast<const QWidget *>(watched);
    if (!widget)
        return false;
    switch (event->type()) {
    case QEvent::MouseButtonPress:
        if (widget != this && !isAncestorOf(widget) && widget != m_button)
            dismiss();
        return false;
    case QEvent::WindowDeactivate:
        if (widget == window())
            dismiss();
        return false;
    case QEvent::Resize:
        if (widget == parentWidget())
            QTimer::singleShot(0, this, &JobPopup::place); // after its layout
        return false;
    case QEvent::ShortcutOverride:
    case QEvent::KeyPress:
        return takeKey(*widget, *event);
    default:
        return false;
    }
}

JobStatus::JobStatus(JobList &jobs, QWidget &popupParent)
    : m_jobs(jobs), m_popup(new JobPopup(jobs, &popupParent))
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 0, 0, 0);
    layout->setSpacing(6);
    m_text = new QLabel;
    m_text->setObjectName(QStringLiteral("workStatus"));
    m_bar = new QProgressBar;
    m_bar->setTextVisible(false);
    m_bar->setFixedSize(120, 8);
    m_bar->setAccessibleName(tr("Progress"));
    m_bar->setObjectName(QStringLiteral("runProgress"));
    m_cancel = new QToolButton;
    m_cancel->setIcon(themedIcon(QStringLiteral("cancel")));
    m_cancel->setAutoRaise(true);
    m_cancel->setIconSize({14, 14});
    m_cancel->setObjectName(QStringLiteral("runCancel"));
    m_list = new QToolButton;
    m_list->setAutoRaise(true);
    m_list->setObjectName(QStringLiteral("jobButton"));
    m_list->setToolTip(tr("List all background tasks"));
    m_popup->setButton(m_list);
    layout->addWidget(m_text);
    layout->addWidget(m_bar);
    layout->addWidget(m_cancel);
    layout->addWidget(m_list);
    connect(m_cancel, &QToolButton::clicked, this, [this] {
        // Cancel the shown task, or the newest one if none is shown yet.
        for (int row = int(m_jobs.jobs().size()); row-- > 0;)
            if (const auto &job = m_jobs.jobs()[std::size_t(row)];
                job.cancel && (!shown() || &job == shown())) {
                m_jobs.cancel(row);
                return;
            }
    });
    connect(m_list, &QToolButton::clicked, this, &JobStatus::openList);
    connect(&m_jobs, &JobList::changed, this, &JobStatus::refresh);
    // Show long tasks after a delay.
    connect(&m_jobs, &QAbstractItemModel::rowsInserted, this,
            [this] { QTimer::singleShot(jobPatience, this, &JobStatus::refresh); });
    refresh();
}

void JobStatus::setIdleText(const QString &text)
{
    m_idle = text;
    refresh();
}

/// Returns the task to show: the one that is shown, as long as it runs, so that its progress does
/// not seem to go back, or else the newest long task. Null if there is none.
const JobList::Job *JobStatus::shown() const
{
    const auto &jobs = m_jobs.jobs();
    const auto kept = std::ranges::find(jobs, m_shown, &JobList::Job::number);
    if (kept != jobs.end())
        return &*kept;
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job)
        if (job->began.hasExpired(jobPatience - 1))
            return &*job;
    return nullptr;
}

void JobStatus::refresh()
{
    const JobList::Job *job = shown();
    m_shown = job ? job->number : 0;
    const auto shownText = [&] {
        return job->stopping || job->paused ? job->text()
               : job->doing.isEmpty()       ? tr("%1…").arg(job->what)
                                            : job->doing;
    };
    QString text = job ? shownText() : m_idle;
    m_text->setToolTip(job ? job->text() : QString());
    if (text.size() > longestJobText)
        text = text.left(longestJobText - 1) + QChar(0x2026);
    m_text->setText(text);
    m_bar->setVisible(job);
    m_cancel->setVisible(job && job->cancel);
    m_list->setVisible(job);
    if (!job)
        return;
    m_bar->setRange(0, job->fraction ? barSteps : 0);
    m_bar->setValue(job->fraction ? int(barSteps * *job->fraction) : -1);
    m_cancel->setToolTip(tr("Stop: %1").arg(job->what));
    m_cancel->setAccessibleName(m_cancel->toolTip());
    const auto count = m_jobs.jobs().size();
    m_list->setText((count == 1 ? tr("1 task") : tr("%n tasks", nullptr, int(count))) +
                    QStringLiteral(" ▸"));
}

void JobStatus::openList()
{
    m_popup->toggle(*this);
}

} // namespace graphloom
