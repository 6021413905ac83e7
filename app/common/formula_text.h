// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace graphloom {

/// Does a spreadsheet calculate a cell of text that begins so? In CSV files such texts, where they
/// are no numbers, get an apostrophe in front, as OWASP advises.
inline bool startsFormula(char first)
{
    return first == '=' || first == '+' || first == '-' || first == '@' || first == '\t' ||
           first == '\r' || first == '\n';
}

} // namespace graphloom
