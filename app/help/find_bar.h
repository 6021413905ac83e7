// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include <vector>

class QLabel;
class QLineEdit;
class QTextBrowser;

namespace graphloom {

/// Finds a text in the page that a browser shows: Enter and F3 go to the next match, with Shift to
/// the previous one, Escape closes the bar. All matches are marked.
class FindBar final : public QFrame {
    Q_OBJECT

public:
    explicit FindBar(QTextBrowser &browser, QWidget *parent = nullptr);

    void open();
    /// Goes to another match; opens the bar if it is closed.
    void step(int by);
    /// Finds again, after the page has other content.
    void refresh();
    QLineEdit &edit() { return *m_edit; }
    /// Returns "2 of 5", or that there is none.
    QString state() const;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void find();
    void mark();
    void close();

    QTextBrowser &m_browser;
    QLineEdit *m_edit;
    QLabel *m_state;
    std::vector<int> m_matches; // where they begin
    int m_current = -1;
};

} // namespace graphloom
