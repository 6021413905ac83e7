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

/// Opens models and sessions, saves and exports them, and lets no work be lost.
class DocumentController final : public QObject {
    Q_OBJECT

public:
    explicit DocumentController(Workbench &bench);

    void open(const std::filesystem::path &path);
    void close();
    /// Writes the session into its file, or asks for one.
    void save();
    void saveTo(const std::filesystem::path &path, const SessionSaving &saving = {});
    /// No file was chosen: what waited for saving is not done.
    void forgetWaiting() { m_afterSaving = {}; }
    /// Opens the newest of what programs that did not end well left behind.
    void recover();
    /// Writes the plan by the extension: .onnx, .json, .dot.
    void exportTo(const std::filesystem::path &path);
    /// Writes on a thread; what came of it is a message. Not while something else is written. What
    /// is stopped leaves the place as it was.
    void write(const std::filesystem::path &path,
               std::function<Result<void>(std::stop_token)> write);
    bool isWriting() const { return m_writer.isRunning(); }

    /// Does `then` at once where nothing would be lost; else asks, and does it when the work is
    /// saved or may be lost.
    void whenNoWorkIsLost(const std::function<void()> &then);
    bool wouldLoseWork() const;
    /// Saves, and then asks again whether `then` may be done: work may have been done meanwhile.
    void saveBefore(const std::function<void()> &then);

    /// Of the window.
    QString title() const;
    /// What is drawn of the plan; null: nothing.
    std::function<DrawingPointer()> drawing = [] { return nullptr; };
    /// What the window adds to a session.
    std::function<std::map<std::string, std::string>()> viewState = [] {
        return std::map<std::string, std::string>();
    };
    /// Tells what programs left behind, and which parts of this one are missing.
    void tellWhatIsWrong();

Q_SIGNALS:
    void titleChanged();
    /// A file was opened or saved; or is not there any more.
    void used(const QString &path);
    void vanished(const QString &path);
    /// A place for the session is to be chosen, `embed`: with the model.
    void placeWanted(bool embed);
    /// Somebody is to say whether work may be lost before `then` is done.
    void decisionWanted(const std::function<void()> &then);
    /// A file was written.
    void exported();

private:
    Workbench &m_bench;
    std::filesystem::path m_requested;             // being opened
    std::vector<std::filesystem::path> m_leftWork; // journals, the newest first
    std::function<void()> m_afterSaving;           // what waited for it
    Worker m_writer;                               // last: see Session
};

} // namespace graphloom
