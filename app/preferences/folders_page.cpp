// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preferences/folders_page.h"

#include "app/common/format.h"
#include "app/common/show_folder.h"
#include "app/style/icons.h"
#include "app/workbench/workbench.h"
#include "engine/codegen/build/kernel_folder.h"
#include "engine/pass/plugins.h"
#include "engine/profile/user_profile.h"
#include "engine/target/target_plugins.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QTextDocument>
#include <QToolButton>

namespace graphloom {

namespace {

QString nativePath(const std::filesystem::path &path)
{
    return QDir::toNativeSeparators(QString::fromStdString(path.string()));
}

QToolButton *toolButton(const char *icon, const QString &text)
{
    auto *button = new QToolButton;
    button->setText(text);
    button->setIcon(themedIcon(QLatin1String(icon)));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    return button;
}

/// Shows a path with an ellipsis in place of its middle where there is no room for all of it.
class PathLabel final : public QLabel {
public:
    explicit PathLabel(const QString &path) : m_path(path)
    {
        setObjectName(QStringLiteral("folderPath"));
        setAccessibleName(path);
        setTextFormat(Qt::PlainText); // names of folders may look like HTML
        setToolTip(Qt::convertFromPlainText(path));
        setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        elide();
    }
    QSize sizeHint() const override
    {
        return {fontMetrics().horizontalAdvance(m_path) + slack, QLabel::sizeHint().height()};
    }
    QSize minimumSizeHint() const override
    {
        return {fontMetrics().averageCharWidth() * leastCharacters,
                QLabel::minimumSizeHint().height()};
    }

protected:
    void resizeEvent(QResizeEvent *event) override
    {
        QLabel::resizeEvent(event);
        elide();
    }
    void changeEvent(QEvent *event) override
    {
        QLabel::changeEvent(event);
        if (event->type() == QEvent::FontChange)
            elide();
    }

private:
    static constexpr int slack = 4, leastCharacters = 12;

    void elide() { setText(fontMetrics().elidedText(m_path, Qt::ElideMiddle, width())); }

    const QString m_path;
};

QString useText(const KernelFolderUse &use)
{
    return (use.kernels == 1 ? FoldersPage::tr("%1 in %2 kernel")
                             : FoldersPage::tr("%1 in %2 kernels"))
        .arg(formatBytes(double(use.bytes)))
        .arg(use.kernels);
}

} // namespace

FoldersPage::FoldersPage(Workbench &bench)
    : PreferencePage(tr("Folders"), themedIcon(QStringLiteral("open"))), m_bench(bench),
      m_use(new QLabel), m_clear(toolButton("clear", tr("Clear")))
{
    addHeading(tr("Plugins"));
    addFolder(tr("Passes:"), defaultPluginFolder(),
              tr("Pass plugins are loaded from this folder at startup"));
    addFolder(tr("Targets:"), defaultTargetFolder(),
              tr("Target plugins are loaded from this folder at startup"));
    addCache();
    addHeading(tr("Work"));
    if (const auto database = profileFile(bench.options.profile))
        addFolder(tr("Profile database:"), database->parent_path(),
                  tr("Measured latencies are kept in a database in this folder"));
    if (!bench.options.journals.empty())
        addFolder(tr("Unsaved work:"), bench.options.journals,
                  tr("Journals in this folder protect unsaved work against crashes"));
    addFolder(tr("Settings:"), QFileInfo(bench.settings->fileName()).absolutePath().toStdString(),
              tr("Preferences are stored in this folder"));
    endRows();
}

void FoldersPage::addFolder(const QString &label, const std::filesystem::path &folder,
                            const QString &meaning)
{
    auto *field = new QWidget;
    auto *line = new QHBoxLayout(field);
    line->setContentsMargins(0, 0, 0, 0);
    auto *path = new PathLabel(nativePath(folder));
    auto *open = toolButton("open", tr("Open"));
    open->setToolTip(tr("Show the folder in the file manager"));
    open->setAccessibleName(tr("Open the folder %1").arg(nativePath(folder)));
    const QString name = nativePath(folder);
    connect(open, &QToolButton::clicked, this, [this, name] {
        if (const QString problem = showFolder(name); !problem.isEmpty())
            m_bench.warn(problem);
    });
    line->addWidget(open);
    line->addWidget(path);
    addRow(label, field, meaning + u'\n' + name);
}

void FoldersPage::addCache()
{
    addHeading(tr("Kernel cache"));
    const auto folder = defaultKernelFolder(qEnvironmentVariable("XDG_CACHE_HOME").toStdString(),
                                            qEnvironmentVariable("HOME").toStdString());
    if (folder) {
        m_cache = *folder;
        addFolder(
            tr("Compiled kernels:"), *folder,
            tr("Kernels compiled for this machine, kept so that they are compiled only once"));
    }
    auto *field = new QWidget;
    auto *line = new QHBoxLayout(field);
    line->setContentsMargins(0, 0, 0, 0);
    m_clear->setObjectName(QStringLiteral("clearKernels"));
    m_clear->setToolTip(tr("Remove all compiled kernels; they are compiled again when needed"));
    m_clear->setEnabled(false);
    m_use->setObjectName(QStringLiteral("kernelUse"));
    if (!folder)
        m_use->setText(fromUtf8(folder.error().text()));
    line->addWidget(m_clear);
    line->addWidget(m_use);
    addRow(tr("Size:"), field, {});
    connect(m_clear, &QToolButton::clicked, this, &FoldersPage::clear);
}

void FoldersPage::refresh()
{
    if (m_cache && !m_cleaner.isRunning()) // it measures what it leaves
        measure();
}

void FoldersPage::measure()
{
    m_use->setText(tr("Measuring…"));
    m_clear->setEnabled(false);
    m_meter.start([folder = *m_cache](std::stop_token) { return useOf(folder); },
                  [this](const KernelFolderUse &use) {
                      m_use->setText(useText(use));
                      m_clear->setEnabled(use.bytes > 0);
                  });
}

void FoldersPage::clear()
{
    m_clear->setEnabled(false);
    m_cleaner.announceUnstoppable(&m_bench.jobs, tr("Clearing the kernel cache"));
    m_cleaner.start(
        [folder = *m_cache](std::stop_token) { return clearKernels(folder); },
        [this](const Result<KernelFolderUse> &removed) {
            if (removed)
                m_bench.inform(tr("Cleared the kernel cache: %1").arg(useText(*removed)));
            else
                m_bench.tell(
                    MessageModel::Severity::Error,
                    tr("Cannot clear the kernel cache: %1").arg(fromUtf8(removed.error().text())));
            measure();
        });
}

} // namespace graphloom
