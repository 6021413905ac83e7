// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/copy_rows.h"

#include "app/common/csv_text.h"
#include "app/style/icons.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDeadlineTimer>
#include <QItemSelection>
#include <QMimeData>
#include <QRegularExpression>
#include <QTableView>
#include <QTimer>
#include <QTreeView>

#include <chrono>
#include <optional>
#include <vector>

namespace graphloom {

namespace {

bool isHidden(const QAbstractItemView &view, int column)
{
    if (const auto *table = qobject_cast<const QTableView *>(&view))
        return table->isColumnHidden(column);
    if (const auto *tree = qobject_cast<const QTreeView *>(&view))
        return tree->isColumnHidden(column);
    return false;
}

constexpr std::chrono::milliseconds copyTurn{8}; // of copying, so that the window stays usable
constexpr int leastRows = 200;                   // of a turn
constexpr int mostRestarts = 2;                  // of tables that change all the time

/// Writes rows in the formats that programs take. Text and HTML are pasted into spreadsheets, too,
/// so that cells are guarded in all of them.
class RowWriter {
public:
    void add(const QStringList &row, bool isTitle)
    {
        static const QRegularExpression separators(QStringLiteral("[\t\r\n]+"));
        const QString html =
            isTitle ? QStringLiteral("<th>%1</th>") : QStringLiteral("<td>%1</td>");
        m_html += QStringLiteral("<tr>");
        for (qsizetype i = 0; i < row.size(); ++i) {
            const bool isLast = i + 1 == row.size();
            const QString guarded = guardedCell(row[i]);
            m_plain += QString(guarded).replace(separators, QStringLiteral(" ")) +
                       (isLast ? u'\n' : u'\t');
            m_csv += csvCell(row[i]).toUtf8() + (isLast ? "\r\n" : ",");
            m_html += html.arg(guarded.toHtmlEscaped());
        }
        m_html += QStringLiteral("</tr>");
    }

    QMimeData *data() const
    {
        auto *data = new QMimeData;
        data->setText(m_plain);
        data->setData(QStringLiteral("text/csv"), m_csv);
        data->setHtml(QStringLiteral("<table>%1</table>").arg(m_html));
        return data;
    }

private:
    QString m_plain, m_html;
    QByteArray m_csv;
};

/// Walks through the rows of a view, those inside of others after these, and writes the wanted
/// ones.
class RowWalk {
public:
    RowWalk(const QAbstractItemView &view, CopiedRows wanted) : m_view(view), m_wanted(wanted)
    {
        for (int column = 0; column < model().columnCount(); ++column)
            if (!isHidden(view, column))
                m_columns.push_back(column);
        QStringList titles;
        for (const int column : m_columns)
            titles << model().headerData(column, Qt::Horizontal).toString();
        if (m_columns.size() > 1) // a list has no titles
            m_writer.add(titles, true);
        if (wanted == CopiedRows::Selected) // now: the user may select other rows meanwhile
            m_selected = view.selectionModel()->selection();
        m_places.push_back({{}, 0});
    }

    /// Goes to the next row, and returns false after the last one.
    bool step()
    {
        while (!m_places.empty() && m_places.back().row >= model().rowCount(m_places.back().parent))
            m_places.pop_back();
        if (m_places.empty())
            return false;
        Place &place = m_places.back();
        const QModelIndex first = model().index(place.row++, 0, place.parent);
        if (m_wanted == CopiedRows::All || m_selected.contains(first)) {
            QStringList cells;
            for (const int column : m_columns)
                cells << first.siblingAtColumn(column).data().toString();
            m_writer.add(cells, false);
        }
        m_places.push_back({first, 0});
        return true;
    }
    QMimeData *data() const { return m_writer.data(); }

private:
    struct Place {
        QModelIndex parent;
        int row;
    };
    const QAbstractItemModel &model() const { return *m_view.model(); }

    const QAbstractItemView &m_view;
    const CopiedRows m_wanted;
    QItemSelection m_selected;
    std::vector<int> m_columns;
    std::vector<Place> m_places; // from the outermost rows to the innermost
    RowWriter m_writer;
};

/// Copies rows in turns, from the beginning when they have changed. Few rows need one turn only.
class RowCopy final : public QObject {
public:
    RowCopy(QAbstractItemView &view, CopiedRows wanted)
        : QObject(&view), m_view(view), m_wanted(wanted), m_walk(std::in_place, view, wanted)
    {
        setObjectName(copyName);
        const QAbstractItemModel *model = view.model();
        const auto restart = [this] {
            ++m_restarts;
            m_walk.emplace(m_view, m_wanted);
        };
        connect(model, &QAbstractItemModel::modelReset, this, restart);
        connect(model, &QAbstractItemModel::layoutChanged, this, restart);
        connect(model, &QAbstractItemModel::rowsInserted, this, restart);
        connect(model, &QAbstractItemModel::rowsRemoved, this, restart);
        connect(model, &QAbstractItemModel::rowsMoved, this, restart);
        connect(&m_turns, &QTimer::timeout, this, &RowCopy::go);
        m_turns.start(0);
        go();
    }

    static inline const QString copyName = QStringLiteral("rowCopy");

private:
    void go()
    {
        const QDeadlineTimer end = m_restarts > mostRestarts
                                       ? QDeadlineTimer(QDeadlineTimer::Forever)
                                       : QDeadlineTimer(copyTurn);
        for (int row = 0; m_walk->step(); ++row)
            if (row >= leastRows && end.hasExpired())
                return;
        m_turns.stop();
        QApplication::clipboard()->setMimeData(m_walk->data());
        deleteLater();
    }

    QAbstractItemView &m_view;
    const CopiedRows m_wanted;
    std::optional<RowWalk> m_walk;
    QTimer m_turns;
    int m_restarts = 0;
};

} // namespace

QMimeData *copiedRows(const QAbstractItemView &view, CopiedRows wanted)
{
    RowWalk walk(view, wanted);
    while (walk.step()) {
    }
    return walk.data();
}

void copyRows(QAbstractItemView &view, CopiedRows wanted)
{
    // The newer copy is the one that the user wants.
    delete view.findChild<QObject *>(RowCopy::copyName, Qt::FindDirectChildrenOnly);
    new RowCopy(view, wanted);
}

void makeRowsCopyable(QAbstractItemView &view)
{
    auto *copy =
        new QAction(themedIcon(QStringLiteral("copy")), QAbstractItemView::tr("Copy"), &view);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    copy->setToolTip(QAbstractItemView::tr("Copy the selected rows as text, CSV and HTML"));
    view.addAction(copy);
    QObject::connect(copy, &QAction::triggered, &view, [&view] {
        if (view.selectionModel() && view.selectionModel()->hasSelection())
            copyRows(view, CopiedRows::Selected);
    });
}

} // namespace graphloom
