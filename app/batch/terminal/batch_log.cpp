// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/terminal/batch_log.h"

#include "app/batch/terminal/terminal_text.h"

#include <nlohmann/json.hpp>

namespace graphloom {

void BatchLog::print(const std::string &line)
{
    m_progress.end();
    m_out << forTerminal(line) << '\n' << std::flush;
    m_progress.tell("result", {{"stage", m_stage}, {"text", line}});
    m_printed += line + '\n';
}

} // namespace graphloom
