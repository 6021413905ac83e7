// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "engine/pass/plugins.h"

#include <QTimer>
#include <QWidget>

#include <functional>
#include <memory>

class QLineEdit;
class QTextBrowser;

namespace graphloom {

class FindBar;
struct HelpPage;

/// Shows the help pages of resources/help, and the pages that are generated from the parameters of
/// the passes and from the operator table.
class HelpView final : public QWidget {
    Q_OBJECT

public:
    explicit HelpView(const std::vector<PassPlugin> &plugins, QWidget *parent = nullptr);

    /// Adds a page that is generated each time it is shown.
    void addPage(const QString &name, std::function<QString()> markdown);
    /// Shows a page: "index", "canvas", "passes"…
    void showPage(const QString &page);
    /// Sets the page that is shown when the view appears before any page was asked for; "index" if
    /// there is no such page.
    void setFirstPage(const QString &page) { m_first = page; }
    /// Returns the name of the page that is shown, or would be.
    QString page() const;
    QTextBrowser &browser();
    QLineEdit &searchEdit() { return *m_search; }
    FindBar &findBar() { return *m_find; }
    bool isSearching() const { return m_searchPatience.isActive() || m_worker.isRunning(); }

protected:
    void showEvent(QShowEvent *event) override;

private:
    QWidget *makeSearch();
    void search();

    class Browser;
    Browser *m_browser;
    QString m_first;
    QLineEdit *m_search;
    FindBar *m_find;
    QTimer m_searchPatience;
    std::shared_ptr<const std::vector<HelpPage>> m_pages; // null until the first search
    Worker m_worker;                                      // last: see Session
};

/// Returns the reference of all passes as Markdown.
QString passReference(const std::vector<PassPlugin> &plugins);

} // namespace graphloom
