// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/html/plan_pictures.h"
#include "app/results/plan_run.h"
#include "app/results/plan_verification.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <functional>

namespace graphloom {

/// Says what an HTML report of the window is about.
struct HtmlRequest {
    std::filesystem::path path;
    SnapshotPointer snapshot;                   // of the model's own graph
    PlanRunPointer run = nullptr;               // of the plan; null: not measured
    VerificationPointer verification = nullptr; // of the plan; null: not verified
};

/// Prepares HTML reports of plans, one at a time: paints the charts, which only the GUI thread can,
/// one in each turn of the event loop, and leaves the rest to a worker.
class HtmlExporter final : public QObject {
    Q_OBJECT

public:
    using Write = std::function<Result<void>(std::stop_token)>;

    explicit HtmlExporter(QObject *parent = nullptr);

    /// Starts a report; not while another one is prepared.
    void start(HtmlRequest request);
    bool isRunning() const { return m_turn.isActive(); }

Q_SIGNALS:
    /// Emitted when the charts are painted. `write` does the rest, for any thread.
    void ready(const std::filesystem::path &path, const graphloom::HtmlExporter::Write &write);

private:
    void paintNext();

    HtmlRequest m_request;
    std::vector<SectionPicture> m_charts;
    std::vector<HtmlPicture> m_painted;
    QTimer m_turn;
};

} // namespace graphloom
