// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/pass/plugins.h"

#include <QWidget>

#include <functional>

class QTextBrowser;

namespace graphloom {

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
    QTextBrowser &browser();

private:
    class Browser;
    Browser *m_browser;
};

/// Returns the reference of all passes as Markdown.
QString passReference(const std::vector<PassPlugin> &plugins);

} // namespace graphloom
