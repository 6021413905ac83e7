// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/html/html_exporter.h"

#include "app/html/html_report.h"
#include "engine/base/steps.h"
#include "engine/plan/report/report.h"
#include "engine/system/atomic_file.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace graphloom {

namespace {

/// Says next to figures that they are of another machine: the page's environment is this one.
void nameMachine(nlohmann::ordered_json &report, const PlanRun &run)
{
    if (!run.elsewhere)
        return;
    const std::string provenance = run.provenance().toStdString();
    for (const char *section : {"build", "latency", "memory"})
        report[section]["provenance"] = provenance;
    for (auto &kernel : report["kernels"])
        kernel["provenance"] = provenance;
}

Result<nlohmann::ordered_json> reportFor(const HtmlRequest &request)
{
    ReportContent content{.environment = hostEnvironment(0), .verification = {}, .testData = {}};
    if (request.verification)
        content.verification = request.verification->errors.verification;
    GL_TRY_RESULT(report, reportOf(*request.snapshot->plan, content));
    if (request.verification)
        (*report)["verify"]["run_on"] = request.verification->inputs;
    if (request.run) {
        addTargetSections(*report, request.run->outcome);
        nameMachine(*report, *request.run);
    }
    return report;
}

std::vector<Check> checksOf(const HtmlRequest &request)
{
    if (!request.verification)
        return {};
    const Verification &outcome = request.verification->errors.verification;
    return {{"verify", "original and result agree",
             !outcome.passed      ? Check::Outcome::Failed
             : outcome.comparable ? Check::Outcome::Passed
                                  : Check::Outcome::Skipped,
             outcome.message}};
}

std::vector<std::string> messagesOf(const HtmlRequest &request)
{
    std::vector<std::string> messages;
    if (request.verification)
        messages = request.verification->errors.verification.warnings;
    if (request.run && request.run->elsewhere)
        messages.push_back("the kernels were measured " +
                           (request.run->origin().isEmpty() ? "on " + request.run->at.machine
                                                            : request.run->origin().toStdString()) +
                           ", not on this machine");
    if (request.run)
        for (const QString &warning : request.run->warnings)
            messages.push_back(warning.toStdString());
    return messages;
}

/// Draws what any thread can draw, and writes the page.
Result<void> writePage(const HtmlRequest &request, std::vector<HtmlPicture> pictures,
                       const std::stop_token &stop)
{
    GL_TRY_CONST(report, reportFor(request));
    GL_TRY_CONST(painter, PagePainter::withThemes());
    for (const SectionPicture &picture : planDrawings(request.snapshot, stop)) {
        if (stop.stop_requested())
            return stoppedError();
        pictures.push_back(painter->painted(picture, pictures.size()));
    }
    if (stop.stop_requested())
        return stoppedError();
    HtmlContent content{*report,
                        request.snapshot->plan->model->path.string(),
                        GRAPHLOOM_VERSION,
                        std::chrono::system_clock::now(),
                        checksOf(request),
                        messagesOf(request),
                        std::move(pictures)};
    return writeFileAtomically(request.path, htmlOf(content));
}

PictureContent contentOf(const HtmlRequest &request)
{
    PictureContent content{*request.snapshot->plan};
    if (request.run) {
        content.outcome = &request.run->outcome;
        content.device = request.run->device;
        content.noDevice = request.run->noDevice;
    }
    return content;
}

} // namespace

HtmlExporter::HtmlExporter(QObject *parent) : QObject(parent)
{
    connect(&m_turn, &QTimer::timeout, this, &HtmlExporter::paintNext);
}

void HtmlExporter::start(HtmlRequest request)
{
    if (isRunning())
        return;
    m_request = std::move(request);
    m_charts = planCharts(contentOf(m_request), m_request.snapshot);
    m_painted.clear();
    m_turn.start(0);
}

void HtmlExporter::paintNext()
{
    // Without themes there is nothing to paint with; writing says so.
    const auto painter = PagePainter::withThemes();
    if (painter && m_painted.size() < m_charts.size()) {
        m_painted.push_back(painter->painted(m_charts[m_painted.size()], m_painted.size()));
        return;
    }
    m_turn.stop();
    m_charts.clear();
    const std::filesystem::path path = m_request.path; // before the request is moved
    Q_EMIT ready(path,
                 [request = std::exchange(m_request, {}), pictures = std::exchange(m_painted, {})](
                     const std::stop_token &stop) { return writePage(request, pictures, stop); });
}

} // namespace graphloom
