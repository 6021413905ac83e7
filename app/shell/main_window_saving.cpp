// SPDX-License-Identifier: GPL-3.0-or-later
// How the window saves sessions, opens them as they were, and lets no work be lost.
#include "app/shell/main_window.h"

#include "app/common/format.h"
#include "app/graph/canvas_page.h"
#include "app/session/recent_files.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMessageBox>

namespace graphloom {

namespace {

constexpr const char *viewKey = "view"; // of what the window adds to a session
const QString extension = QStringLiteral("gloom"), unsavedBox = QStringLiteral("unsavedBox");

QJsonArray jsonOf(const GraphPath &path)
{
    QJsonArray steps;
    for (const GraphStep &step : path)
        steps << QJsonArray{qint64(step.node.index), qint64(step.index)};
    return steps;
}

GraphPath pathOf(const QJsonArray &steps)
{
    GraphPath path;
    for (const QJsonValue &step : steps)
        path.push_back(
            {NodeId{std::uint32_t(step[0].toInteger())}, std::uint32_t(step[1].toInteger())});
    return path;
}

} // namespace

void MainWindow::connectSaving()
{
    const Actions &a = *m_actions;
    connect(a.save, &QAction::triggered, this, &MainWindow::saveDocument);
    connect(a.saveAs, &QAction::triggered, this, [this] { chooseSaving(false); });
    connect(a.saveEmbedded, &QAction::triggered, this, [this] { chooseSaving(true); });
    connect(a.newWindow, &QAction::triggered, this, &MainWindow::openWindow);
    connect(a.recover, &QAction::triggered, this, &MainWindow::recoverWork);
    connect(&m_session.undoStack(), &QUndoStack::cleanChanged, this, &MainWindow::updateTitle);
    connect(&m_session, &Session::saved, this, [this](bool succeeded) {
        updateTitle();
        const auto then = std::exchange(m_afterSaving, {});
        if (succeeded) {
            m_recent->add(
                QString::fromStdString(std::filesystem::absolute(m_session.file()).string()));
            if (then)
                then();
        }
    });
    connect(&m_session, &Session::openingFinished, this, [this](bool succeeded) {
        if (succeeded)
            restoreView(m_session.savedView());
        updateTitle();
    });
    std::vector<std::shared_ptr<const Pass>> passes;
    for (const PassPlugin &plugin : m_options.plugins)
        if (plugin.pass)
            passes.push_back(plugin.pass);
    m_session.setPasses(std::move(passes));
    if (!m_options.journals.empty())
        m_session.keepJournal(m_options.journals);
    lookForLeftWork();
    tellMissingParts();
}

void MainWindow::lookForLeftWork()
{
    if (!m_options.journals.empty())
        m_leftWork = SessionJournal::leftBehind(m_options.journals);
    m_actions->recover->setEnabled(!m_leftWork.empty());
    if (m_leftWork.empty())
        return;
    QStringList times;
    for (const auto &journal : m_leftWork)
        times << tr("From %1").arg(
            QFileInfo(QString::fromStdString(journal.string())).lastModified().toString());
    m_session.messages().add(MessageModel::Severity::Warning,
                             tr("A program that did not end well left unsaved work behind: File, "
                                "Recover unsaved work opens it"),
                             times.join('\n'));
}

void MainWindow::tellMissingParts()
{
    for (const MissingPart &part : m_options.missing)
        m_session.messages().add(MessageModel::Severity::Error,
                                 tr("%1 %2").arg(fileNameOf(part.file), fromUtf8(part.problem)),
                                 fromUtf8(part.file.string()));
}

void MainWindow::recoverWork()
{
    if (m_leftWork.empty())
        return;
    const auto journal = m_leftWork.front();
    m_leftWork.erase(m_leftWork.begin());
    m_actions->recover->setEnabled(!m_leftWork.empty());
    m_session.recover(journal);
}

void MainWindow::updateTitle()
{
    if (!m_session.snapshot()) {
        setWindowTitle(QStringLiteral("Graphloom"));
        return;
    }
    const QString name = fileNameOf(m_session.file().empty() ? m_session.path() : m_session.file());
    setWindowTitle(tr("%1%2 — Graphloom")
                       .arg(name, m_session.isModified() ? QStringLiteral(" •") : QString()));
}

void MainWindow::saveDocument()
{
    if (m_session.file().empty())
        chooseSaving(false);
    else
        saveDocumentTo(m_session.file());
}

void MainWindow::saveDocumentTo(const std::filesystem::path &path, const SessionSaving &saving)
{
    m_session.save(path, viewState(), saving);
}

void MainWindow::chooseSaving(bool embed)
{
    auto *dialog = new QFileDialog(this, tr("Save the session"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Sessions (*.gloom)")});
    dialog->setDefaultSuffix(extension);
    const auto &path = m_session.file().empty() ? m_session.path() : m_session.file();
    dialog->selectFile(QFileInfo(fileNameOf(path)).completeBaseName() + '.' + extension);
    connect(dialog, &QFileDialog::fileSelected, this, [this, embed](const QString &file) {
        saveDocumentTo(file.toStdString(), {.embedsModel = embed});
    });
    connect(dialog, &QFileDialog::rejected, this, [this] { m_afterSaving = {}; });
    dialog->show();
}

MainWindow *MainWindow::openWindow()
{
    saveSettings(); // which it begins with
    auto *other = new MainWindow(m_options);
    other->setAttribute(Qt::WA_DeleteOnClose);
    other->showOnScreen();
    return other;
}

bool MainWindow::wouldLoseWork() const
{
    return m_session.isModified() && !m_options.journals.empty();
}

void MainWindow::whenNoWorkIsLost(const std::function<void()> &then)
{
    if (!wouldLoseWork()) {
        then();
        return;
    }
    if (findChild<QMessageBox *>(unsavedBox))
        return; // asked already
    const int active = m_session.runs().activeCount();
    auto *box = new QMessageBox(
        QMessageBox::Question, tr("Unsaved plans"),
        tr("The plans of %1 are not saved.").arg(fileNameOf(m_session.path())) +
            (active > 0 ? ' ' + tr("%n run(s) are still at work.", nullptr, active) : QString()),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setObjectName(unsavedBox);
    connect(box, &QMessageBox::buttonClicked, this, [this, box, then](QAbstractButton *button) {
        switch (box->standardButton(button)) {
        case QMessageBox::Save:
            // What was done while it was saved may be lost no more than the rest.
            m_afterSaving = [this, then] { whenNoWorkIsLost(then); };
            saveDocument();
            break;
        case QMessageBox::Discard:
            then();
            break;
        default:
            break;
        }
    });
    box->open();
}

std::map<std::string, std::string> MainWindow::viewState() const
{
    const ViewOptions &options = m_drawings.options();
    const GraphCanvas::View view = m_page->canvas().view();
    QJsonObject state{{"grouping", int(options.grouping)},
                      {"columns", options.columns},
                      {"scale", view.scale},
                      {"x", view.centre.x()},
                      {"y", view.centre.y()}};
    if (const SnapshotPointer &shown = m_navigator.shown()) {
        state["path"] = jsonOf(shown->path);
        if (const Item &item = m_selection.item())
            state["selected"] = QJsonArray{int(item.kind), qint64(item.index)};
    }
    return {{viewKey, QJsonDocument(state).toJson(QJsonDocument::Compact).toStdString()}};
}

void MainWindow::restoreView(const std::map<std::string, std::string> &saved)
{
    const auto found = saved.find(viewKey);
    if (found == saved.end() || !m_session.snapshot())
        return;
    const QJsonObject state =
        QJsonDocument::fromJson(QByteArray::fromStdString(found->second)).object();
    const int last = int(Grouping::Fissions);
    chooseGrouping(Grouping(std::clamp(state["grouping"].toInt(), 0, last)));
    m_actions->columns->setChecked(state["columns"].toBool(true));
    const GraphPath path = pathOf(state["path"].toArray());
    m_views[path] = {std::clamp(state["scale"].toDouble(1), 0.004, 4.0),
                     QPointF(state["x"].toDouble(), state["y"].toDouble())};
    Item item;
    if (const QJsonArray selected = state["selected"].toArray(); selected.size() == 2)
        item = {Item::Kind(selected[0].toInt()), std::uint32_t(selected[1].toInteger())};
    if (path.empty()) {
        if (m_session.snapshot()->contains(item))
            m_selection.select(item);
    } else {
        m_navigator.go({path, item});
    }
}

} // namespace graphloom
