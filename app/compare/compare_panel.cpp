// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/compare_panel.h"

#include "app/common/format.h"
#include "app/drawing/graph_picture.h"
#include "app/graph/graph_canvas.h"
#include "app/widgets/panel_layout.h"

#include <QAction>
#include <QBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace graphloom {

namespace {

constexpr std::array markedKinds = {Difference::Added, Difference::Removed, Difference::Changed};

MatchMeaning meaningOf(Difference kind)
{
    return kind == Difference::Added     ? MatchMeaning::Added
           : kind == Difference::Removed ? MatchMeaning::Removed
                                         : MatchMeaning::Changed;
}

} // namespace

/// Returns the meaning of frames and signs in the drawing.
class DifferenceLegend final : public QWidget {
public:
    explicit DifferenceLegend(QWidget *parent = nullptr) : QWidget(parent)
    {
        setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
        setAccessibleName(ComparePanel::tr("Legend"));
        setAccessibleDescription(ComparePanel::tr(
            "+ added, \u2212 removed, ~ changed; nodes without a sign are the same in both plans"));
        setToolTip(accessibleDescription());
    }
    void setTheme(std::shared_ptr<const Theme> theme)
    {
        m_theme = std::move(theme);
        update();
    }
    /// Returns the room for the signs and their meanings.
    QSize sizeHint() const override
    {
        int width = margin;
        for (const Difference kind : markedKinds)
            width += widthOf(kind);
        return {width, 24};
    }
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        if (!m_theme)
            return;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        int x = margin;
        const std::array colours = {m_theme->success, m_theme->error, m_theme->warning};
        for (std::size_t i = 0; i < markedKinds.size(); ++i) {
            painter.setPen(QPen(colours[i], 2, lineOf(meaningOf(markedKinds[i]))));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(x + 1, 5, 20, 14), 3, 3);
            painter.setPen(palette().color(QPalette::WindowText));
            painter.drawText(QRect(x, 5, 22, 14), Qt::AlignCenter,
                             fromUtf8(signOf(markedKinds[i])));
            const QString text = fromUtf8(nameOf(markedKinds[i]));
            painter.drawText(QRect(x + textPlace, 0, 200, height()), Qt::AlignVCenter, text);
            x += widthOf(markedKinds[i]);
        }
        painter.setPen(palette().color(QPalette::PlaceholderText));
        const QRect rest(x, 0, width() - x - margin, height());
        // If there is no room for the text, only the tooltip shows it.
        const QString same = ComparePanel::tr("no sign: unchanged");
        if (painter.fontMetrics().horizontalAdvance(same) <= rest.width())
            painter.drawText(rest, Qt::AlignVCenter, same);
    }

private:
    static constexpr int margin = 8, textPlace = 28, gap = 18;

    int widthOf(Difference kind) const
    {
        return textPlace + fontMetrics().horizontalAdvance(fromUtf8(nameOf(kind))) + gap;
    }

    std::shared_ptr<const Theme> m_theme;
};

ComparePanel::ComparePanel(QWidget *parent) : HintedPanel(parent)
{
    auto *content = new QWidget;
    QVBoxLayout *layout = makeColumn(*content);
    m_bar = makeBar();
    layout->addLayout(m_bar);
    auto *split = new QSplitter;
    split->addWidget(makeDrawing());
    split->addWidget(makeTables());
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    split->setSizes({400, 600});
    split->setChildrenCollapsible(false);
    m_legend = new DifferenceLegend;
    layout->addWidget(split, 1);
    layout->addWidget(m_legend);
    setContent(content);
    setEmpty(true);

    connect(m_onlyDifferent, &QToolButton::toggled, this, &ComparePanel::showDrawing);
    connect(&m_selection, &Selection::changed, this, [this](const Item &item) {
        m_canvas->reveal(item);
        if (const Item now = selectedNow())
            Q_EMIT chosen(now);
    });
    const auto zoom = [this](const Item &item) { m_canvas->zoomToItem(item); };
    connect(m_differenceTable, &FilteredTable::activated, this, zoom);
    connect(m_canvas, &GraphCanvas::activated, this, zoom);
    const auto askForMenu = [this](const Item &, const QPoint &place) {
        Q_EMIT menuRequested(place);
    };
    connect(m_canvas, &GraphCanvas::menuRequested, this, askForMenu);
    connect(m_differenceTable, &FilteredTable::menuRequested, this, askForMenu);
    connect(m_originTable->table().selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this] {
                if (const int row = m_originTable->currentRow(); row >= 0)
                    Q_EMIT originalChosen(m_origins.itemAt(row).node());
            });
}

QBoxLayout *ComparePanel::makeBar()
{
    m_summary = statisticsLabel();
    m_summary->setObjectName(QStringLiteral("differenceLine"));
    m_onlyDifferent = new QToolButton;
    m_onlyDifferent->setText(tr("Only differences"));
    m_onlyDifferent->setCheckable(true);
    m_onlyDifferent->setAutoRaise(true);
    m_onlyDifferent->setObjectName(QStringLiteral("onlyDifferent"));
    m_onlyDifferent->setToolTip(tr("Show only differences and their neighbours"));
    m_buttons = new QWidget;
    auto *buttons = new FlowLayout;
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(0);
    buttons->addWidget(m_onlyDifferent);
    m_buttons->setLayout(buttons);
    auto *bar = new QBoxLayout(QBoxLayout::LeftToRight);
    bar->setContentsMargins(4, 0, 4, 0);
    bar->setSpacing(0);
    bar->addWidget(m_summary, 1);
    bar->addWidget(m_buttons);
    return bar;
}

void ComparePanel::setSummary()
{
    m_summary->setText(summary());
    m_summary->setToolTip(m_summary->text());
    fitBar();
}

/// Puts the buttons below the summary where both have no room beside each other.
void ComparePanel::fitBar()
{
    QTextDocument line;
    line.setDefaultFont(m_summary->font());
    line.setHtml(m_summary->text());
    const QMargins margins = m_summary->contentsMargins();
    const int needed =
        int(line.idealWidth()) + margins.left() + margins.right() + m_buttons->sizeHint().width();
    m_bar->setDirection(needed <= width() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void ComparePanel::resizeEvent(QResizeEvent *event)
{
    HintedPanel::resizeEvent(event);
    fitBar();
}

QWidget *ComparePanel::makeDrawing()
{
    m_canvas = new GraphCanvas(m_selection);
    m_canvas->setAccessibleName(tr("Both graphs"));
    m_canvas->setObjectName(QStringLiteral("unionCanvas"));
    m_canvas->setMinimumWidth(160);
    return m_canvas;
}

QWidget *ComparePanel::makeTables()
{
    const auto table = [](TableModel &model, const FilteredTable::Texts &texts,
                          const QString &copy) {
        auto *made = new FilteredTable(model, texts);
        made->makeCopyable(copy);
        return made;
    };
    m_differenceTable = table(m_differences,
                              {tr("Differences"), tr("Filter differences"),
                               tr("Filter by difference, operator, name or changed property"),
                               QStringLiteral("differenceTable")},
                              QStringLiteral("copyDifferences"));
    m_differenceTable->linkTo(m_selection);
    m_metricTable = table(m_metrics,
                          {tr("Figures of both plans"), tr("Filter figures"), tr("Filter figures"),
                           QStringLiteral("metricTable")},
                          QStringLiteral("copyMetrics"));
    m_originTable =
        table(m_origins,
              {tr("Original nodes"), tr("Filter original nodes"),
               tr("Filter by name, operator, result or reason"), QStringLiteral("originTable")},
              QStringLiteral("copyOrigins"));
    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->setObjectName(QStringLiteral("compareTabs"));
    m_tabs->addTab(m_differenceTable, tr("Differences"));
    m_tabs->addTab(m_metricTable, tr("Figures"));
    m_tabs->addTab(m_originTable, tr("Original nodes"));
    m_tabs->setTabToolTip(1, tr("Latency, memory, kernels and more of both plans"));
    m_tabs->setTabToolTip(2, tr("Outcome of each node of the original model"));
    return m_tabs;
}

void ComparePanel::setActions(const std::vector<QAction *> &actions)
{
    for (QAction *action : actions) {
        auto *button = new QToolButton;
        button->setDefaultAction(action);
        button->setAutoRaise(true);
        button->setObjectName(action->objectName());
        m_buttons->layout()->addWidget(button);
    }
}

void ComparePanel::setDifference(PlanDifferencePointer difference)
{
    m_selection.clear();
    m_difference = std::move(difference);
    m_stale = false;
    m_differenceTable->change([this] { m_differences.setDifference(m_difference); });
    m_metrics.setDifference(m_difference);
    m_origins.setDifference(m_difference);
    setSummary();
    const bool differs = m_difference && m_difference->differing;
    const bool large = m_difference && m_difference->all->graph.nodes.size() > mostDrawn;
    m_onlyDifferent->setEnabled(differs);
    {
        const QSignalBlocker quiet(m_onlyDifferent);
        m_onlyDifferent->setChecked(differs && large);
    }
    m_tabs->setTabText(0, m_difference ? tr("Differences (%1)").arg(m_differences.rowCount())
                                       : tr("Differences"));
    m_tabs->setMinimumWidth(m_tabs->tabBar()->sizeHint().width()); // all tabs without scrolling
    showDrawing();
    setEmpty(!m_difference);
}

void ComparePanel::setStale(bool stale)
{
    m_stale = stale;
    setSummary();
}

QString ComparePanel::summary() const
{
    if (!m_difference)
        return {};
    const GraphComparison &graphs = m_difference->graphs();
    QString text =
        tr("<b>%1</b> \u2192 <b>%2</b>: ")
            .arg(m_difference->nameBefore.toHtmlEscaped(), m_difference->nameNow.toHtmlEscaped());
    const QString stale =
        m_stale ? tr(" \u00b7 <i>the plan has changed since: compare again</i>") : QString();
    if (graphs.isSame())
        return text + tr("both graphs are the same (%1)").arg(formatNodes(graphs.nodes.size())) +
               stale;
    return text +
           tr("%1 unchanged, %2 changed (~), %3 added (+), %4 removed (\u2212)")
               .arg(formatNodes(graphs.count(Difference::Same)))
               .arg(graphs.count(Difference::Changed))
               .arg(graphs.count(Difference::Added))
               .arg(graphs.count(Difference::Removed)) +
           stale;
}

std::vector<Marks> ComparePanel::marksOfDrawing() const
{
    std::vector<Marks> marks;
    if (m_difference)
        for (const Difference kind : markedKinds)
            marks.push_back({meaningOf(kind), m_difference->itemsOf(kind), {}});
    return marks;
}

std::optional<ViewPicture> ComparePanel::picture() const
{
    const DrawingPointer &drawing = m_canvas->drawing();
    if (!m_difference || !drawing)
        return std::nullopt;
    ViewPicture picture = graphPicture(drawing, NodeColours::OperatorClass, marksOfDrawing());
    picture.title = tr("Comparison of two plans");
    picture.notes = {QTextDocumentFragment::fromHtml(summary()).toPlainText()};
    return picture;
}

void ComparePanel::showDrawing()
{
    const bool only = m_onlyDifferent->isChecked() && m_difference && m_difference->differing;
    m_canvas->setDrawing(!m_difference ? nullptr
                         : only        ? m_difference->differing
                                       : m_difference->all);
    m_canvas->setMarks(marksOfDrawing());
    m_canvas->fitReadable();
    m_canvas->reveal(m_selection.item());
}

void ComparePanel::setTheme(std::shared_ptr<const Theme> theme)
{
    m_legend->setTheme(theme);
    m_canvas->setAppearance(std::move(theme), NodeColours::OperatorClass);
}

void ComparePanel::step(int by)
{
    constexpr double readable = 0.6;
    const int rows = m_differenceTable->filter().rowCount();
    if (rows == 0)
        return;
    const QModelIndex current = m_differenceTable->table().currentIndex();
    const bool isChosen = current.isValid() && !m_selection.items().empty();
    int row = isChosen ? current.row() : by > 0 ? -1 : rows;
    for (int tried = 0; tried < rows; ++tried) {
        row = (row + by + rows) % rows;
        const int source = m_differenceTable->rowAt(m_differenceTable->filter().index(row, 0));
        if (!m_differences.itemAt(source))
            continue; // constants are not drawn
        m_differenceTable->choose(source);
        if (m_canvas->scale() < readable) { // so that the signs are legible
            m_canvas->zoomTo(readable);
            if (const auto rect = m_canvas->drawing()
                                      ? m_canvas->drawing()->rectOf(m_selection.item())
                                      : std::nullopt)
                m_canvas->centreOn(rect->center());
        }
        return;
    }
}

void ComparePanel::selectItems(const std::vector<Item> &items)
{
    if (items.empty())
        return;
    const auto isDrawn = [this](const Item &item) {
        return m_canvas->drawing() && m_canvas->drawing()->rectOf(item);
    };
    if (!std::ranges::any_of(items, isDrawn))
        m_onlyDifferent->setChecked(false);
    m_selection.select(items);
    m_canvas->zoomToItem(items.back());
}

void ComparePanel::showOriginal(NodeId id)
{
    if (!m_difference)
        return;
    if (const int row = m_origins.rowOf(Item::original(id)); row >= 0)
        m_originTable->choose(row);
    showTab(Tab::Origins);
    const GraphComparison &graphs = m_difference->graphs();
    std::vector<Item> items;
    if (m_difference->comparison.sameModel)
        for (const NodeDifference &difference : graphs.nodes)
            if (difference.before.valid() &&
                std::ranges::binary_search(graphs.before.node(difference.before).origins, id))
                items.push_back(m_difference->itemOf(difference));
    selectItems(items);
}

Item ComparePanel::selectedNow() const
{
    const Item &item = m_selection.item();
    if (!m_difference || item.kind != Item::Kind::Node)
        return {};
    const NodeDifference &difference = m_difference->differenceOf(item);
    return difference.now.valid() ? Item::of(difference.now) : Item();
}

void ComparePanel::showTab(Tab tab)
{
    m_tabs->setCurrentIndex(int(tab));
}

} // namespace graphloom
