// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/drawing/drawing.h"
#include "app/html/html_exporter.h"
#include "app/session/session.h"
#include "engine/onnx_export/export.h"

#include <QObject>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace graphloom {

class DocumentHost;
class Workbench;

/// Opens models and sessions, saves and exports them, and protects unsaved work.
class DocumentController final : public QObject {
    Q_OBJECT

public:
    explicit DocumentController(Workbench &bench);

    /// Opens files that the user chose: in the host, or else the first one in place of what is
    /// open.
    void openFiles(const std::vector<std::filesystem::path> &files);
    /// Opens a file in place of what is open.
    void open(const std::filesystem::path &path);
    void close();
    /// Returns the file that is open, or being opened: of the session, if it has one.
    std::filesystem::path file() const;
    /// Tells whether the program has made what is open from file(), such as a training graph, so
    /// that the file does not show it again.
    bool isMade() const;
    /// Writes the session into its file, or asks for one if it has none.
    void save();
    void saveTo(const std::filesystem::path &path, const SessionSaving &saving = {});
    /// Forgets the action that was waiting for the session to be saved, because no file was chosen.
    void forgetWaiting() { m_afterSaving = {}; }
    /// Opens the newest journal that crashed programs left.
    void recover();
    /// Takes over what can be recovered from another controller.
    void takeLeftWork(DocumentController &other);
    /// Starts again from the model's file with these options, as an entry of the undo stack.
    void setInputShapes(ImportOptions options);
    /// Writes the plan in the format of the file extension: .onnx, .json, .dot, .html. Of the
    /// options, `stop` is not used.
    void exportTo(const std::filesystem::path &path, const ExportOptions &options = {});
    /// Calls `write` on a thread and reports the result as a message; not while something else is
    /// written. If stopped, the file stays as it was.
    void write(const std::filesystem::path &path,
               std::function<Result<void>(std::stop_token)> write);
    bool isWriting() const { return m_writer.isRunning() || m_html.isRunning(); }

    /// Calls `then` at once if no work would be lost. Otherwise asks, and calls it when the work is
    /// saved or may be lost.
    void whenNoWorkIsLost(const std::function<void()> &then);
    bool wouldLoseWork() const;
    /// Saves, and then asks again whether `then` may be called, since work may have been done
    /// meanwhile.
    void saveBefore(const std::function<void()> &then);

    /// Holds this workbench besides others; null if it is alone.
    DocumentHost *host = nullptr;
    /// Returns the title of the window.
    QString title() const;
    /// Returns the drawing of the plan, or null if nothing is drawn.
    std::function<DrawingPointer()> drawing = [] { return nullptr; };
    /// Returns the window's part of a session.
    std::function<std::map<std::string, std::string>()> viewState = [] {
        return std::map<std::string, std::string>();
    };
    /// Reports the journals that crashed programs left, and the parts of this program that are
    /// missing.
    void tellWhatIsWrong();

Q_SIGNALS:
    void titleChanged();
    /// Emitted when a file was opened or saved (used()), or does not exist any more (vanished()).
    void used(const QString &path);
    void vanished(const QString &path);
    /// Emitted when work that a crashed program left is open again.
    void recovered();
    /// Emitted when a file for the session has to be chosen; `embed` if the model is embedded.
    void placeWanted(bool embed);
    /// Emitted when the user has to decide whether work may be lost before `then` is called.
    void decisionWanted(const std::function<void()> &then);
    /// Emitted when a file was written.
    void exported();

private:
    void copyPath();
    void showInFolder();
    void exportHtml(const std::filesystem::path &path);

    Workbench &m_bench;
    std::filesystem::path m_requested;             // being opened
    std::filesystem::path m_savesTo;               // file that the session was saved to last
    std::vector<std::filesystem::path> m_leftWork; // journals, the newest first
    std::function<void()> m_afterSaving;           // called after saving
    HtmlExporter m_html;
    bool m_savesElsewhere = false; // to another file than before
    bool m_recovers = false;       // what is being opened is a journal
    Worker m_writer;               // last: see Session
};

} // namespace graphloom
