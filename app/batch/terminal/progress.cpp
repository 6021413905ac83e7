// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/terminal/progress.h"

#include "app/batch/terminal/terminal_text.h"
#include "engine/onnx/format/utf8.h"
#include "engine/system/json_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace graphloom {

Progress::Progress(ProgressStyle style, std::ostream &stream, bool terminal)
    : m_style(style), m_stream(stream), m_terminal(terminal)
{
}

Progress::~Progress()
{
    end();
}

void Progress::begin(std::string_view stage)
{
    const std::lock_guard lock(m_mutex);
    m_stage = stage;
    m_last = Clock::now();
    write("stage", 0, {});
}

void Progress::update(double fraction, std::string_view text)
{
    const std::unique_lock lock(m_mutex, std::try_to_lock);
    const auto now = Clock::now();
    if (!lock || now - m_last < std::chrono::milliseconds(100) ||
        (m_style == ProgressStyle::Bar && !m_terminal))
        return;
    m_last = now;
    write("progress", fraction, text);
}

void Progress::end()
{
    const std::lock_guard lock(m_mutex);
    clear();
}

void Progress::say(const std::string &line, std::string_view level)
{
    const std::lock_guard lock(m_mutex);
    if (m_style == ProgressStyle::Json)
        return writeEvent("warning", {{"level", level}, {"text", line}});
    clear();
    m_stream << forTerminal(line) << '\n' << std::flush;
}

void Progress::tell(std::string_view event, const nlohmann::ordered_json &fields)
{
    const std::lock_guard lock(m_mutex);
    if (m_style == ProgressStyle::Json)
        writeEvent(event, fields);
}

double Progress::seconds() const
{
    return std::chrono::duration<double>(Clock::now() - m_start).count();
}

void Progress::writeEvent(std::string_view event, const nlohmann::ordered_json &fields)
{
    nlohmann::ordered_json line = {{"event", event}, {"time", seconds()}};
    line.update(fields);
    // Names in models may contain any bytes.
    m_stream << jsonText(line) << '\n' << std::flush;
}

void Progress::write(std::string_view event, double fraction, std::string_view text)
{
    if (m_style == ProgressStyle::None)
        return;
    fraction = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0;
    if (m_style == ProgressStyle::Json)
        return writeEvent(event, {{"stage", m_stage}, {"fraction", fraction}, {"text", text}});
    if (!m_terminal) {
        m_stream << "graphloom: " << forTerminal(m_stage) << '\n' << std::flush;
        return;
    }
    constexpr int width = 24;
    const int done = int(fraction * width);
    m_stream << "\r\033[K[" << std::string(std::size_t(done), '#')
             << std::string(std::size_t(width - done), ' ') << "] " << int(fraction * 100) << " % "
             << forTerminal(m_stage);
    if (!text.empty())
        m_stream << ": " << forTerminal(beginningOf(text, 40));
    m_stream << std::flush;
    m_drawn = true;
}

void Progress::clear()
{
    if (m_drawn)
        m_stream << "\r\033[K" << std::flush;
    m_drawn = false;
}

} // namespace graphloom
