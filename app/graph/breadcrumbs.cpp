// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/graph/breadcrumbs.h"

#include "app/common/format.h"
#include "app/snapshot/nested_snapshot.h"
#include "app/style/icons.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

namespace graphloom {

namespace {

constexpr int longestCrumb = 36, longestOfMany = 20;
constexpr qsizetype mostCrumbs = 5;     // in addition to the first
constexpr std::size_t mostEntries = 40; // of the menu, which has to fit on the screen
const QString crumbName = QStringLiteral("crumb");

void setUpCrumb(QWidget &crumb, const QString &title, const QString &accessibleName)
{
    crumb.setObjectName(crumbName);
    crumb.setToolTip(title);
    crumb.setAccessibleName(accessibleName);
}

} // namespace

Breadcrumbs::Breadcrumbs(QAction *up, QWidget *parent) : QFrame(parent)
{
    setFrameShape(QFrame::NoFrame);
    setAutoFillBackground(true);
    setAccessibleName(tr("Path to the displayed graph"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 3, 8, 3);
    layout->setSpacing(4);
    auto *upButton = new QToolButton;
    upButton->setDefaultAction(up);
    upButton->setAutoRaise(true);
    upButton->setFocusPolicy(Qt::TabFocus);
    layout->addWidget(upButton);
    auto *way = new QWidget;
    way->setSizePolicy(QSizePolicy::Ignored,
                       QSizePolicy::Preferred); // long names do not widen the window
    m_crumbs = new QHBoxLayout(way);
    m_crumbs->setContentsMargins(0, 0, 0, 0);
    m_crumbs->setSpacing(2);
    m_crumbs->setAlignment(Qt::AlignLeft);
    layout->addWidget(way, 1);
    m_menu = new QMenu(this);
    connect(m_menu, &QMenu::aboutToShow, this, &Breadcrumbs::fillMenu);
    m_nested = new QToolButton;
    m_nested->setObjectName(QStringLiteral("nestedGraphs"));
    m_nested->setIcon(themedIcon(QStringLiteral("next")));
    m_nested->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_nested->setAutoRaise(true);
    // Not with setMenu(), as the style draws its mark over the text.
    connect(m_nested, &QToolButton::clicked, m_menu,
            [this] { m_menu->popup(m_nested->mapToGlobal(QPoint(0, m_nested->height()))); });
    m_nested->setFocusPolicy(Qt::TabFocus);
    m_nested->setToolTip(tr("Nested graphs of this graph, such as the body of a loop"));
    layout->addWidget(m_nested);
    hide();
}

void Breadcrumbs::setSnapshot(SnapshotPointer snapshot, const QString &document)
{
    m_snapshot = std::move(snapshot);
    while (QLayoutItem *item = m_crumbs->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater(); // it may have been clicked
        delete item;
    }
    setVisible(m_snapshot && !ownGraph(m_snapshot)->facts->nested.empty());
    if (!m_snapshot)
        return;
    const GraphPath &path = m_snapshot->path;
    const QStringList titles = titlesOf(*m_snapshot);
    // The selection there is the node that contains this graph.
    const auto placeAt = [&path](qsizetype depth) {
        return depth < qsizetype(path.size()) ? Place{{path.begin(), path.begin() + depth},
                                                      Item::of(path[std::size_t(depth)].node)}
                                              : Place{path, {}};
    };
    addCrumb(document, placeAt(0), path.empty());
    const qsizetype first = std::max(qsizetype(0), titles.size() - mostCrumbs);
    if (first > 0)
        addCrumb(QStringLiteral("…"), placeAt(first), false);
    for (qsizetype i = first; i < titles.size(); ++i)
        addCrumb(titles[i], placeAt(i + 1), i + 1 == titles.size());
    const std::size_t nested = m_snapshot->facts->nested.size();
    m_nested->setText(nested == 1 ? tr("1 nested graph")
                                  : tr("%n nested graphs", nullptr, int(nested)));
    m_nested->setVisible(nested > 0);
}

void Breadcrumbs::addCrumb(const QString &title, const Place &place, bool shown)
{
    const auto add = [this](QWidget *widget) {
        m_crumbs->addWidget(widget);
        widget->show(); // immediately, not with the next layout
    };
    if (m_crumbs->count() > 0)
        add(new QLabel(QStringLiteral("›")));
    const int longest = m_snapshot->path.size() > 2 ? longestOfMany : longestCrumb;
    const QString text = elided(title, longest);
    if (shown) {
        auto *crumb = new QLabel(QStringLiteral("<b>%1</b>").arg(text.toHtmlEscaped()));
        crumb->setContentsMargins(4, 0, 4, 0);
        setUpCrumb(*crumb, title, tr("%1, shown").arg(title));
        add(crumb);
        return;
    }
    auto *crumb = new QToolButton;
    crumb->setText(QString(text).replace('&', QStringLiteral("&&")));
    crumb->setAutoRaise(true);
    crumb->setFocusPolicy(Qt::TabFocus);
    setUpCrumb(*crumb, title, tr("Go to %1").arg(title));
    connect(crumb, &QToolButton::clicked, this, [this, place] { Q_EMIT chosen(place); });
    add(crumb);
}

QStringList Breadcrumbs::titles() const
{
    QStringList titles;
    for (int i = 0; i < m_crumbs->count(); ++i)
        if (const QWidget *crumb = m_crumbs->itemAt(i)->widget(); crumb->objectName() == crumbName)
            titles << crumb->toolTip();
    return titles;
}

void Breadcrumbs::fillMenu()
{
    m_menu->clear();
    std::size_t left = mostEntries;
    for (const NodeId id : m_snapshot->graph().order())
        for (const NestedGraph &nested : m_snapshot->facts->nestedIn(id)) {
            if (left-- == 0) {
                m_menu->addAction(tr("Find more by name"), this, &Breadcrumbs::findWanted);
                return;
            }
            const SnapshotPointer inside = insideOf(m_snapshot, nested.step);
            const QString text =
                tr("%1: %2").arg(titlesOf(*inside).back(), formatNodes(nested.graph->nodeCount()));
            m_menu->addAction(elided(text, 2 * longestCrumb).replace('&', QStringLiteral("&&")),
                              this,
                              [this, place = Place{inside->path, {}}] { Q_EMIT chosen(place); });
        }
}

} // namespace graphloom
