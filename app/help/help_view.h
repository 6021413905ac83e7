// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/pass/plugins.h"

#include <QWidget>

#include <functional>

class QTextBrowser;

namespace graphloom {

/// The help pages of resources/help, and those made of the parameters of the passes and of the
/// operator table.
class HelpView final : public QWidget {
    Q_OBJECT

public:
    explicit HelpView(const std::vector<PassPlugin> &plugins, QWidget *parent = nullptr);

    /// A page that is made of what the program is when it is looked at.
    void addPage(const QString &name, std::function<QString()> markdown);
    /// "index", "canvas", "passes"…
    void showPage(const QString &page);
    QTextBrowser &browser();

private:
    class Browser;
    Browser *m_browser;
};

/// The reference of all passes as Markdown.
QString passReference(const std::vector<PassPlugin> &plugins);

} // namespace graphloom
