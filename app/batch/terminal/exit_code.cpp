// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/terminal/exit_code.h"

#include "app/batch/terminal/terminal_text.h"

namespace graphloom {

int exitCodeOf(Error::Kind kind)
{
    switch (kind) {
    case Error::Kind::Usage:
        return 2;
    case Error::Kind::Model:
        return 3;
    case Error::Kind::Missing:
        return 4;
    case Error::Kind::Fault:
        return 5;
    case Error::Kind::Stopped:
        break;
    }
    return exitCancelled;
}

std::string textForUser(const Error &error)
{
    std::string text = "graphloom: " + forTerminal(error.text());
    const std::string place = raisedAt(error);
    if (error.kind == Error::Kind::Fault && !place.empty())
        text += " (internal error at " + place + ")";
    return text;
}

} // namespace graphloom
