// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace graphloom {

/// Tells whether a spreadsheet would evaluate a text cell that begins with this character as a
/// formula. Such texts, unless they are numbers, get an apostrophe in front in CSV files, as OWASP
/// advises.
inline bool startsFormula(char first)
{
    return first == '=' || first == '+' || first == '-' || first == '@' || first == '\t' ||
           first == '\r' || first == '\n';
}

} // namespace graphloom
