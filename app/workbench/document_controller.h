// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/drawing/drawing.h"
#include "app/session/session.h"

#include <QObject>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace graphloom {

class Workbench;

/// Opens models and sessions, saves and exports them, and protects unsaved work.
class DocumentController final : public QObject {
    Q_OBJECT

public:
    explicit DocumentController(Workbench &bench);

    void open(const std::filesystem::path &path);
    void close();
    /// Writes the session into its file, or asks for one if it has none.
    void save();
    void saveTo(const std::filesystem::path &path, const SessionSaving &saving = {});
    /// Forgets the action that was waiting for the session to be saved, because no file was chosen.
    void forgetWaiting() { m_afterSaving = {}; }
    /// Opens the newest journal that crashed programs left.
    void recover();
    /// Writes the plan in the format of the file extension: .onnx, .json, .dot.
    void exportTo(const std::filesystem::path &path);
    /// Calls `write` on a thread and reports the result as a message; not while something else is
    /// written. If stopped, the file stays as it was.
    void write(const std::filesystem::path &path,
               std::function<Result<void>(std::stop_token)> write);
    bool isWriting() const { return m_writer.isRunning(); }

    /// Calls `then` at once if no work would be lost. Otherwise asks, and calls it when the work is
    /// saved or may be lost.
    void whenNoWorkIsLost(const std::function<void()> &then);
    bool wouldLoseWork() const;
    /// Saves, and then asks again whether `then` may be called, since work may have been done
    /// meanwhile.
    void saveBefore(const std::function<void()> &then);

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
    /// Emitted when a file for the session has to be chosen; `embed` if the model is embedded.
    void placeWanted(bool embed);
    /// Emitted when the user has to decide whether work may be lost before `then` is called.
    void decisionWanted(const std::function<void()> &then);
    /// Emitted when a file was written.
    void exported();

private:
    Workbench &m_bench;
    std::filesystem::path m_requested;             // being opened
    std::vector<std::filesystem::path> m_leftWork; // journals, the newest first
    std::function<void()> m_afterSaving;           // called after saving
    Worker m_writer;                               // last: see Session
};

} // namespace graphloom
