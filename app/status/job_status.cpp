// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/status/job_status.h"

#include "app/style/icons.h"
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
    m_table->setObjectName(QStringLiteral("jobTable"));
    m_table->setAccessibleName(tr("Background tasks"));
    m_table->sortByColumn(JobList::Time, Qt::DescendingOrder);
    m_table->setItemDelegateForColumn(JobList::Done, new FractionDelegate(jobs, m_sorted, m_table));
    constexpr int widths[] = {230, 200, 70};
    for (int column = 0; column < int(std::size(widths)); ++column)
        m_table->setColumnWidth(column, widths[column]);
    m_table->installEventFilter(this);
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
    m_table->setVisible(!empty);
    m_nothing->setVisible(empty);
    if (!empty && currentRow() < 0)
        m_table->selectRow(0);
    const int row = currentRow();
    const bool stoppable = row >= 0 && m_jobs.jobs()[std::size_t(row)].cancel;
    m_stop->setEnabled(stoppable);
    m_stop->setToolTip(row < 0 || stoppable ? tr("Stop the selected task (Delete)")
                                            : tr("This task cannot be stopped"));
    if (empty && (m_table->hasFocus() || m_stop->hasFocus()))
        setFocus();
}

void JobPopup::open(const QPoint &corner)
{
    if (!isVisible())
        m_before = QApplication::focusWidget();
    const QSize size = popupSize.boundedTo(parentWidget()->size() - QSize(20, 60));
    setGeometry(QRect(corner - QPoint(size.width(), size.height()), size));
    setFocusPolicy(Qt::StrongFocus);
    show();
    raise();
    refresh();
    installEventFilter(this);
    (m_table->isVisible() ? static_cast<QWidget *>(m_table) : this)->setFocus(Qt::PopupFocusReason);
}

void JobPopup::dismiss()
{
    hide();
    if (m_before)
        m_before->setFocus();
}

bool JobPopup::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::FocusOut && isVisible() &&
        static_cast<QFocusEvent *>(event)->reason() == Qt::MouseFocusReason) {
        const QWidget *now = QApplication::focusWidget();
        if (!now || !isAncestorOf(now))
            hide();
        return false;
    }
    if (event->type() == QEvent::KeyPress)
        switch (static_cast<QKeyEvent *>(event)->key()) {
        case Qt::Key_Escape:
            dismiss();
            return true;
        case Qt::Key_Delete:
            m_jobs.cancel(currentRow());
            return true;
        default:
            break;
        }
    return QFrame::eventFilter(watched, event);
}

JobStatus::JobStatus(JobList &jobs, QWidget &popupParent)
    : m_jobs(jobs), m_popupParent(popupParent), m_popup(new JobPopup(jobs, &popupParent))
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

/// Returns the newest long task; null if there is none.
const JobList::Job *JobStatus::shown() const
{
    const auto &jobs = m_jobs.jobs();
    for (auto job = jobs.rbegin(); job != jobs.rend(); ++job)
        if (job->began.hasExpired(jobPatience - 1))
            return &*job;
    return nullptr;
}

void JobStatus::refresh()
{
    const JobList::Job *job = shown();
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
    const QPoint corner = mapTo(&m_popupParent, QPoint(width(), 0));
    m_popup->open(corner);
}

} // namespace graphloom
