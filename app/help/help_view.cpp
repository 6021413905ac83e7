// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/help_view.h"

#include "app/common/format.h"
#include "app/common/glossary.h"
#include "app/help/operator_reference.h"
#include "app/style/icons.h"
#include "app/widgets/panel_layout.h"

#include <QAction>
#include <QFileInfo>
#include <QImage>
#include <QKeyEvent>
#include <QTextBrowser>
#include <QToolBar>
#include <QVBoxLayout>

#include <map>

namespace graphloom {

namespace {

QString cell(QString text)
{
    return text.replace('|', QStringLiteral("\\|")).replace('\n', ' ');
}

QString rangeOf(const Parameter &parameter)
{
    switch (parameter.kind) {
    case Parameter::Kind::Toggle:
        return QStringLiteral("true, false");
    case Parameter::Kind::Choice: {
        QStringList choices;
        for (const std::string_view choice : parameter.choices)
            choices << fromUtf8(choice);
        return choices.join(QStringLiteral(", "));
    }
    default:
        return formatReal(parameter.least) + QStringLiteral(" … ") + formatReal(parameter.most);
    }
}

QString initialOf(const Parameter &parameter)
{
    switch (parameter.kind) {
    case Parameter::Kind::Toggle:
        return parameter.initial != 0 ? QStringLiteral("true") : QStringLiteral("false");
    case Parameter::Kind::Choice:
        return fromUtf8(parameter.choices[std::size_t(parameter.initial)]);
    default:
        return formatReal(parameter.initial);
    }
}

} // namespace

QString passReference(const std::vector<PassPlugin> &plugins)
{
    QString text =
        QStringLiteral("# Passes\n\n[Contents](index.md)\n\n"
                       "Every parameter can be set in the pass panel and, by the same name, with "
                       "`--set pass.parameter=value` in `--batch`.\n\n");
    for (const PassPlugin &plugin : plugins) {
        if (!plugin.pass) {
            text += QStringLiteral("## %1\n\nCannot be used: %2\n\n")
                        .arg(fileNameOf(plugin.file), QString::fromStdString(plugin.problem));
            continue;
        }
        text += QStringLiteral("## %1\n\n%2\n\n")
                    .arg(fromUtf8(plugin.pass->name()), fromUtf8(plugin.pass->help()));
        if (plugin.pass->parameters().empty())
            continue;
        text += QStringLiteral(
            "| parameter | range | default | meaning |\n| --- | --- | --- | --- |\n");
        for (const Parameter &parameter : plugin.pass->parameters())
            text += QStringLiteral("| `%1` | %2 | %3 | %4 |\n")
                        .arg(fromUtf8(parameter.name), cell(rangeOf(parameter)),
                             cell(initialOf(parameter)), cell(fromUtf8(parameter.help)));
        text += '\n';
    }
    if (plugins.empty())
        text += QStringLiteral("No pass plugin was found next to the executable.\n");
    return text;
}

/// Adds pages to those of the resources, generated from tables of the program.
class HelpView::Browser final : public QTextBrowser {
public:
    explicit Browser(const std::vector<PassPlugin> &plugins) : m_plugins(plugins) {}

    std::map<QString, std::function<QString()>> pages; // by name

protected:
    bool event(QEvent *event) override
    {
        // Its own keys for back and forward take precedence over those of the window.
        if (event->type() == QEvent::ShortcutOverride) {
            const auto *key = static_cast<QKeyEvent *>(event);
            if (key->modifiers() == Qt::AltModifier &&
                (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right)) {
                event->accept();
                return true;
            }
        }
        return QTextBrowser::event(event);
    }
    /// Returns the picture for the current theme, scaled to the available width.
    QImage pictureOf(const QString &name) const
    {
        constexpr int margins = 30, least = 200;
        const bool dark = palette().color(QPalette::Base).lightness() < 128;
        const QImage image(QStringLiteral(":/help/pictures/%1-%2.png")
                               .arg(name, dark ? QStringLiteral("dark") : QStringLiteral("light")));
        const int room = std::max(least, viewport()->width() - margins);
        return image.width() > room ? image.scaledToWidth(room, Qt::SmoothTransformation) : image;
    }
    QVariant loadResource(int type, const QUrl &name) override
    {
        if (type == QTextDocument::ImageResource)
            return pictureOf(QFileInfo(name.fileName()).completeBaseName());
        if (name.fileName() == QLatin1String("passes.md"))
            return passReference(m_plugins);
        if (const auto page = pages.find(QFileInfo(name.fileName()).completeBaseName());
            page != pages.end())
            return page->second();
        if (name.fileName() == QLatin1String("glossary.md"))
            return glossaryPage();
        if (const QString page = operatorPage(QFileInfo(name.fileName()).completeBaseName());
            !page.isEmpty())
            return page;
        return QTextBrowser::loadResource(type, name);
    }

private:
    std::vector<PassPlugin> m_plugins;
};

HelpView::HelpView(const std::vector<PassPlugin> &plugins, QWidget *parent) : QWidget(parent)
{
    QVBoxLayout *layout = makeColumn(*this);
    m_browser = new Browser(plugins);
    m_browser->setFrameShape(QFrame::NoFrame);
    m_browser->setOpenExternalLinks(true);
    m_browser->setAccessibleName(tr("Help"));
    m_browser->document()->setDocumentMargin(16);
    auto *bar = new QToolBar;
    auto *back = bar->addAction(themedIcon(QStringLiteral("undo")), tr("Back"));
    auto *home = bar->addAction(themedIcon(QStringLiteral("list")), tr("Contents"));
    back->setEnabled(false);
    connect(m_browser, &QTextBrowser::backwardAvailable, back, &QAction::setEnabled);
    connect(back, &QAction::triggered, m_browser, &QTextBrowser::backward);
    connect(home, &QAction::triggered, this, [this] { showPage(QStringLiteral("index")); });
    layout->addWidget(bar);
    layout->addWidget(m_browser, 1);
}

void HelpView::addPage(const QString &name, std::function<QString()> markdown)
{
    m_browser->pages[name] = std::move(markdown);
}

QTextBrowser &HelpView::browser()
{
    return *m_browser;
}

void HelpView::showPage(const QString &page)
{
    m_browser->setSource(QUrl(QStringLiteral("qrc:/help/%1.md").arg(page)),
                         QTextDocument::MarkdownResource);
}

} // namespace graphloom
