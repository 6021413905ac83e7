// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/key_list.h"

#include "app/style/icons.h"
#include "app/widgets/filtered_table.h"
#include "engine/system/atomic_file.h"

#include <QBuffer>
#include <QHeaderView>
#include <QLineEdit>
#include <QPdfWriter>
#include <QPushButton>
#include <QTableView>
#include <QTextDocument>
#include <QVBoxLayout>

namespace graphloom {

namespace {

constexpr QSize keyListSize(880, 620);

} // namespace

KeyList::KeyList(QWidget *parent) : QDialog(parent)
{
    setObjectName(QStringLiteral("keyList"));
    setWindowTitle(tr("Keyboard shortcuts"));
    resize(keyListSize);
    m_table = makeKeyTable(m_model, QStringLiteral("keyTable"));
    m_table->makeCopyable(QStringLiteral("copyKeys"));
    auto *print = new QPushButton(themedIcon(QStringLiteral("export")), tr("&PDF…"));
    print->setObjectName(QStringLiteral("printKeys"));
    print->setAutoDefault(false);
    print->setToolTip(tr("Save the shortcuts as a PDF document"));
    m_table->addBeforeFilter(print, 0);
    connect(print, &QPushButton::clicked, this, &KeyList::documentWanted);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    layout->addWidget(m_table);
}

void KeyList::open()
{
    show();
    raise();
    activateWindow();
    m_table->edit().setFocus();
    m_table->edit().selectAll();
}

FilteredTable *makeKeyTable(KeyModel &model, const QString &objectName)
{
    return new FilteredTable(model, {.table = KeyList::tr("Commands and their shortcuts"),
                                     .filter = KeyList::tr("Find a command or a shortcut"),
                                     .placeholder = KeyList::tr("Find: undo, F5, Memory…"),
                                     .objectName = objectName});
}

Result<void> printKeys(const std::vector<KeyRow> &rows, const std::filesystem::path &file)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setTitle(KeyList::tr("Graphloom keyboard shortcuts"));
    QTextDocument document;
    document.setMarkdown(QStringLiteral("# %1\n").arg(KeyList::tr("Graphloom keyboard shortcuts")) +
                         markdownOf(rows));
    document.print(&writer);
    buffer.close();
    return writeFileAtomically(
        file, std::string_view(buffer.data().data(), std::size_t(buffer.data().size())));
}

} // namespace graphloom
