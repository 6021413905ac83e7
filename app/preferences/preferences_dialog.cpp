// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences/preferences_dialog.h"

#include "app/style/icons.h"

#include <QApplication>
#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace graphloom {

namespace {

constexpr QSize preferencesSize(860, 600);
constexpr int pageListWidth = 160;

} // namespace

PreferencesDialog::PreferencesDialog(std::vector<PreferencePage *> pages, QWidget *parent)
    : QDialog(parent), m_pages(std::move(pages)), m_filter(new QLineEdit), m_list(new QListWidget),
      m_stack(new QStackedWidget), m_nothing(new QLabel(tr("No preference matches")))
{
    setObjectName(QStringLiteral("preferences"));
    setWindowTitle(tr("Preferences"));
    m_filter->setObjectName(QStringLiteral("preferenceFilter"));
    m_filter->setPlaceholderText(tr("Find a preference"));
    m_filter->setAccessibleName(tr("Find a preference"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_filter->installEventFilter(this);
    m_list->setObjectName(QStringLiteral("preferencePages"));
    m_list->setAccessibleName(tr("Pages"));
    m_list->setFixedWidth(pageListWidth);
    for (PreferencePage *page : m_pages) {
        auto *area = new QScrollArea;
        area->setWidgetResizable(true);
        area->setFrameShape(QFrame::NoFrame);
        area->setWidget(page);
        m_stack->addWidget(area);
        auto *item = new QListWidgetItem(page->icon(), page->title(), m_list);
        connect(page, &PreferencePage::contentChanged, this, [this, page, item] {
            item->setHidden(!page->filter(m_filter->text()));
            showCurrent();
        });
    }
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setForegroundRole(QPalette::PlaceholderText);
    m_stack->addWidget(m_nothing);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    m_reset = buttons->addButton(tr("&Reset to defaults"), QDialogButtonBox::ResetRole);
    m_reset->setObjectName(QStringLiteral("resetPage"));
    m_reset->setToolTip(tr("Restore the defaults of this page"));
    auto *middle = new QHBoxLayout;
    middle->addWidget(m_list);
    middle->addWidget(m_stack, 1);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_filter);
    layout->addLayout(middle, 1);
    layout->addWidget(buttons);
    for (QPushButton *button : findChildren<QPushButton *>())
        button->setAutoDefault(false); // Enter belongs to the fields
    connect(m_filter, &QLineEdit::textChanged, this, &PreferencesDialog::filter);
    connect(m_list, &QListWidget::currentRowChanged, this, &PreferencesDialog::showCurrent);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(m_reset, &QPushButton::clicked, this, [this] {
        if (const int row = m_list->currentRow(); row >= 0)
            m_pages[std::size_t(row)]->reset();
    });
    m_list->setCurrentRow(0);
    resize(preferencesSize.boundedTo(parent->size() - QSize(40, 60)));
}

void PreferencesDialog::open()
{
    for (PreferencePage *page : m_pages)
        page->refresh();
    show();
    raise();
    activateWindow();
    m_filter->setFocus();
    m_filter->selectAll();
}

void PreferencesDialog::choose(const PreferencePage &page)
{
    m_filter->clear();
    m_list->setCurrentRow(int(std::ranges::find(m_pages, &page) - m_pages.begin()));
}

const PreferencePage *PreferencesDialog::current() const
{
    const int row = m_list->currentRow();
    return row < 0 || m_list->item(row)->isHidden() ? nullptr : m_pages[std::size_t(row)];
}

/// Hides pages without matches, and shows the first one that is left.
void PreferencesDialog::filter(const QString &text)
{
    int first = -1;
    for (int row = 0; row < m_list->count(); ++row) {
        const bool matches = m_pages[std::size_t(row)]->filter(text);
        m_list->item(row)->setHidden(!matches);
        if (matches && first < 0)
            first = row;
    }
    if (!current() && first >= 0)
        m_list->setCurrentRow(first);
    showCurrent();
}

void PreferencesDialog::showCurrent()
{
    const PreferencePage *shown = current();
    m_reset->setEnabled(shown && shown->hasDefaults());
    if (shown)
        m_stack->setCurrentIndex(m_list->currentRow());
    else
        m_stack->setCurrentWidget(m_nothing);
}

/// Walks through the pages from the filter.
bool PreferencesDialog::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_filter && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Up || key == Qt::Key_Down) {
            QApplication::sendEvent(m_list, event);
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace graphloom
