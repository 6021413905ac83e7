// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/preferences/preference_page.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace graphloom {

/// Shows pages of preferences, with a filter for all of them at the top. The dialog is not modal,
/// and what is changed applies at once.
class PreferencesDialog final : public QDialog {
    Q_OBJECT

public:
    PreferencesDialog(std::vector<PreferencePage *> pages, QWidget *parent);

    /// Shows the dialog with the focus in the filter, and the current values.
    void open() override;
    /// Shows a page.
    void choose(const PreferencePage &page);
    template <class Page> Page &page() { return *findChild<Page *>(); }
    const PreferencePage *current() const;
    QLineEdit &filterEdit() { return *m_filter; }
    QListWidget &list() { return *m_list; }
    QPushButton &resetButton() { return *m_reset; }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void filter(const QString &text);
    void showCurrent();

    std::vector<PreferencePage *> m_pages;
    QLineEdit *m_filter;
    QListWidget *m_list;
    QStackedWidget *m_stack;
    QLabel *m_nothing;
    QPushButton *m_reset;
};

} // namespace graphloom
