// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rewrite_panel.h"

#include "app/common/format.h"
#include "app/drawing/graph_picture.h"
#include "app/graph/graph_canvas.h"
#include "app/widgets/panel_layout.h"

#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr int leastPicture = 150;
constexpr double readableScale = 0.5;

/// Shows the whole picture or, if that is unreadable, the surroundings of the first marked item.
void showMarks(GraphCanvas &canvas, const std::vector<Item> &marked)
{
    canvas.fit();
    if (!canvas.drawing() || canvas.scale() >= readableScale)
        return;
    canvas.zoomTo(readableScale);
    const auto rect = marked.empty() ? std::nullopt : canvas.drawing()->rectOf(marked.front());
    canvas.centreOn(rect ? rect->center() : canvas.drawing()->bounds.center());
}

} // namespace

RewritePanel::RewritePanel(QWidget *parent) : HintedPanel(parent)
{
    auto *content = new QWidget;
    QVBoxLayout *layout = makeColumn(*content);
    m_statistics = statisticsLabel();
    layout->addWidget(m_statistics);

    m_steps = new FilteredTable(m_model, {tr("Rewrite steps"), tr("Filter steps"),
                                          tr("Filter by rule, category or node"),
                                          QStringLiteral("stepTable")});
    m_rules = new FilteredTable(m_totals, {tr("Applied rules"), tr("Filter rules"),
                                           tr("Filter rules"), QStringLiteral("totalsTable")});
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_steps, tr("Steps"));
    m_tabs->addTab(m_rules, tr("By rule"));
    auto *split = new QSplitter;
    split->addWidget(m_tabs);
    split->addWidget(picture(m_before, m_selectedBefore, tr("Before (removed: red)"),
                             tr("Graph before the step")));
    split->addWidget(
        picture(m_after, m_selectedAfter, tr("After (added: green)"), tr("Graph after the step")));
    split->setChildrenCollapsible(false);
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 1);
    split->setStretchFactor(2, 1);
    layout->addWidget(split, 1);
    setContent(content);

    connect(m_steps->table().selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this] { Q_EMIT stepChosen(m_steps->currentRow()); });
    connect(&m_steps->table(), &QTableView::activated, this,
            [this] { Q_EMIT stepActivated(m_steps->currentRow()); });
    connect(&m_rules->table(), &QTableView::activated, this, [this](const QModelIndex &index) {
        m_steps->edit().setText(m_totals.ruleAt(m_rules->rowAt(index)));
        m_tabs->setCurrentWidget(m_steps);
    });
    setEmpty(true);
}

QWidget *RewritePanel::picture(GraphCanvas *&canvas, Selection &selection, const QString &title,
                               const QString &name)
{
    auto *page = new QWidget;
    QVBoxLayout *layout = makeColumn(*page);
    auto *label = new QLabel(title);
    label->setContentsMargins(8, 4, 8, 4);
    label->setForegroundRole(QPalette::PlaceholderText);
    canvas = new GraphCanvas(selection);
    canvas->setAccessibleName(name);
    canvas->setMinimumWidth(leastPicture);
    canvas->installEventFilter(this);
    layout->addWidget(label);
    layout->addWidget(canvas, 1);
    return page;
}

void RewritePanel::setLog(std::shared_ptr<const RewriteLog> log)
{
    if (log == m_model.log())
        return;
    m_totals.setLog(log.get());
    m_model.setLog(std::move(log));
    m_statistics->setText(statisticsText());
    setEmpty(!m_model.log());
    showPicture({});
    if (m_steps->filter().rowCount() > 0)
        m_steps->table().selectRow(0);
}

QString RewritePanel::statisticsText() const
{
    const auto &log = m_model.log();
    if (!log)
        return {};
    const double saved = log->flopsBefore > 0 ? 100 * (1 - log->flopsAfter / log->flopsBefore) : 0;
    return tr("<b>%1</b>: %2 steps by %3 rules · FLOPs %4 → %5 (%6 % less, computed from the "
              "shapes)")
        .arg(fromUtf8(log->strategy).toHtmlEscaped())
        .arg(log->steps.size())
        .arg(m_totals.rowCount())
        .arg(formatCount(log->flopsBefore), formatCount(log->flopsAfter),
             QString::number(saved, 'f', 2));
}

std::optional<ViewPicture> RewritePanel::picture() const
{
    const int row = m_steps->currentRow();
    if (row < 0 || !(m_picture.before || m_picture.after))
        return std::nullopt;
    const RewriteStep &step = m_model.log()->steps[std::size_t(row)];
    return rewritePicture(m_picture, tr("step %1 of %2, %3: %4; %5 FLOPs saved (computed from the "
                                        "shapes)")
                                         .arg(row + 1)
                                         .arg(m_model.rowCount())
                                         .arg(fromUtf8(step.rule), fromUtf8(step.where),
                                              formatCount(step.flopsSaved)));
}

void RewritePanel::showPicture(const StepPicture &picture)
{
    m_picture = picture;
    m_before->setDrawing(picture.before);
    m_before->setMatches(picture.removed, MatchMeaning::Removed);
    m_after->setDrawing(picture.after);
    m_after->setMatches(picture.added, MatchMeaning::Added);
    showMarks(*m_before, picture.removed);
    showMarks(*m_after, picture.added);
}

void RewritePanel::setTheme(std::shared_ptr<const Theme> theme)
{
    m_before->setAppearance(theme, NodeColours::OperatorClass);
    m_after->setAppearance(std::move(theme), NodeColours::OperatorClass);
}

bool RewritePanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
        QTimer::singleShot(0, this, [this] { // after the layout
            showMarks(*m_before, m_picture.removed);
            showMarks(*m_after, m_picture.added);
        });
    return HintedPanel::eventFilter(watched, event);
}

} // namespace graphloom
