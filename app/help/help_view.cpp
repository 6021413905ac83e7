// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/help_view.h"

#include "app/common/format.h"
#include "app/common/glossary.h"
#include "app/help/device_reference.h"
#include "app/help/find_bar.h"
#include "app/help/help_search.h"
#include "app/help/operator_reference.h"
#include "app/style/icons.h"
#include "app/widgets/panel_layout.h"

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QKeyEvent>
#include <QLineEdit>
#include <QScrollBar>
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

const QString resultsPage = QStringLiteral("search-results");
constexpr int searchPatience = 200; // milliseconds after the last letter

/// Returns a page that is made of a table of the program, or an empty string for other names.
QString generated(const QString &page, const std::vector<PassPlugin> &plugins)
{
    if (page == QLatin1String("passes"))
        return passReference(plugins);
    if (page == QLatin1String("glossary"))
        return glossaryPage();
    if (page == QLatin1String("devices"))
        return devicePage();
    return operatorPage(page);
}

/// Returns the names of all pages but those that a window adds.
QStringList pageNames()
{
    QStringList names;
    for (const QFileInfo &file : QDir(QStringLiteral(":/help")).entryInfoList({"*.md"}))
        names << file.completeBaseName();
    return names << QStringLiteral("passes") << QStringLiteral("glossary")
                 << QStringLiteral("devices") << operatorPages();
}

QUrl urlOf(const QString &page)
{
    return QUrl(QStringLiteral("qrc:/help/%1.md").arg(page));
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
    std::function<void()> find;                        // in this page
    std::function<void(int)> step;                     // to the next match
    std::function<void()> reloaded;
    QString results; // of a search

    void reload() override
    {
        QTextBrowser::reload();
        reloaded();
    }

protected:
    bool event(QEvent *event) override
    {
        // Its own keys for back and forward take precedence over those of the window.
        if (event->type() == QEvent::ShortcutOverride) {
            const auto *key = static_cast<QKeyEvent *>(event);
            const bool goes = key->modifiers() == Qt::AltModifier &&
                              (key->key() == Qt::Key_Left || key->key() == Qt::Key_Right);
            if (goes || isFinding(*key)) {
                event->accept();
                return true;
            }
        }
        return QTextBrowser::event(event);
    }
    /// Rich text keeps the colours of links from when it was loaded, and pictures are of a theme.
    void changeEvent(QEvent *event) override
    {
        QTextBrowser::changeEvent(event);
        if (event->type() != QEvent::PaletteChange || source().isEmpty())
            return;
        const int place = verticalScrollBar()->value();
        reload();
        verticalScrollBar()->setValue(place);
    }
    static bool isFinding(const QKeyEvent &key)
    {
        return key.matches(QKeySequence::Find) || key.key() == Qt::Key_F3;
    }
    void keyPressEvent(QKeyEvent *event) override
    {
        if (!isFinding(*event))
            QTextBrowser::keyPressEvent(event);
        else if (event->key() == Qt::Key_F3)
            step((event->modifiers() & Qt::ShiftModifier) != 0 ? -1 : 1);
        else
            find();
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
        const QString page = QFileInfo(name.fileName()).completeBaseName();
        if (page == resultsPage)
            return results;
        if (const auto own = pages.find(page); own != pages.end())
            return own->second();
        if (const QString made = generated(page, m_plugins); !made.isEmpty())
            return made;
        return QTextBrowser::loadResource(type, name);
    }

public:
    const std::vector<PassPlugin> &plugins() const { return m_plugins; }

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
    bar->addWidget(makeSearch());
    layout->addWidget(bar);
    layout->addWidget(m_browser, 1);
    m_find = new FindBar(*m_browser);
    layout->addWidget(m_find);
    m_browser->find = [this] { m_find->open(); };
    m_browser->step = [this](int by) { m_find->step(by); };
    m_browser->reloaded = [this] { m_find->refresh(); };
}

/// Returns the field that searches all pages.
QWidget *HelpView::makeSearch()
{
    m_search = new QLineEdit;
    m_search->setObjectName(QStringLiteral("helpSearch"));
    m_search->setPlaceholderText(tr("Search all pages"));
    m_search->setAccessibleName(tr("Search all pages of the help"));
    m_search->setToolTip(
        tr("Search all pages; %1 finds in this page")
            .arg(QKeySequence(QKeySequence::Find).toString(QKeySequence::NativeText)));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_searchPatience.setSingleShot(true);
    m_searchPatience.setInterval(searchPatience);
    connect(m_search, &QLineEdit::textChanged, &m_searchPatience, qOverload<>(&QTimer::start));
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        m_searchPatience.stop();
        search();
        m_browser->setFocus();
    });
    connect(&m_searchPatience, &QTimer::timeout, this, &HelpView::search);
    return m_search;
}

/// Reads the pages of the tables on a thread; pages of the window belong to this one.
void HelpView::search()
{
    const QString query = m_search->text().trimmed();
    if (query.isEmpty()) {
        m_worker.abandon(); // results of what is no longer asked would replace the page
        return;
    }
    std::vector<HelpPage> own;
    for (const auto &[name, page] : m_browser->pages)
        own.push_back({name, page()});
    m_worker.start(
        [query, own = std::move(own), known = m_pages,
         plugins = m_browser->plugins()](std::stop_token) mutable {
            if (!known) {
                auto pages = std::make_shared<std::vector<HelpPage>>();
                for (const QString &name : pageNames())
                    if (const QString made = generated(name, plugins); !made.isEmpty())
                        pages->push_back({name, made});
                    else if (QFile file(QStringLiteral(":/help/%1.md").arg(name));
                             file.open(QIODevice::ReadOnly))
                        pages->push_back({name, QString::fromUtf8(file.readAll())});
                known = pages;
            }
            own.insert(own.end(), known->begin(), known->end());
            return std::pair(known, HelpSearch(own).pageOf(query));
        },
        [this](std::pair<std::shared_ptr<const std::vector<HelpPage>>, QString> found) {
            m_pages = std::move(found.first);
            m_browser->results = std::move(found.second);
            if (page() == resultsPage)
                m_browser->reload();
            else
                showPage(resultsPage);
        });
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
    m_browser->setSource(urlOf(page), QTextDocument::MarkdownResource);
}

QString HelpView::page() const
{
    const QUrl shown = m_browser->source();
    return shown.isEmpty() ? m_first : QFileInfo(shown.fileName()).completeBaseName();
}

/// The panel may be open when the window starts.
void HelpView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (!m_browser->source().isEmpty())
        return;
    const bool known =
        !m_first.isEmpty() && m_first != resultsPage &&
        !browser().loadResource(QTextDocument::MarkdownResource, urlOf(m_first)).isNull();
    showPage(known ? m_first : QStringLiteral("index"));
}

} // namespace graphloom
