// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/junit.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace graphloom {

namespace {

/// Text for an attribute or element. Names in models may hold any bytes; invalid UTF-8 would
/// make the whole file unreadable.
std::string escaped(const std::string &text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x80) {
            const std::size_t length = c >= 0xf0 && c < 0xf5   ? 4
                                       : c >= 0xe0 && c < 0xf0 ? 3
                                       : c >= 0xc2 && c < 0xe0 ? 2
                                                               : 0;
            bool valid = length > 0 && i + length <= text.size();
            for (std::size_t k = 1; valid && k < length; ++k)
                valid = (static_cast<unsigned char>(text[i + k]) & 0xc0) == 0x80;
            if (valid) {
                result.append(text, i, length);
                i += length - 1;
            } else {
                result += '?';
            }
        } else if (c == '&') {
            result += "&amp;";
        } else if (c == '<') {
            result += "&lt;";
        } else if (c == '>') {
            result += "&gt;";
        } else if (c == '"') {
            result += "&quot;";
        } else if (c == '\n') {
            result += "&#10;";
        } else {
            result += c < 0x20 && c != '\t' ? '?' : char(c);
        }
    }
    return result;
}

std::string secondsText(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", seconds);
    return text;
}

} // namespace

std::string junitOf(const std::string &suite, const std::vector<Check> &checks)
{
    const auto count = [&](Check::Outcome outcome) {
        return std::ranges::count(checks, outcome, &Check::outcome);
    };
    double seconds = 0;
    for (const Check &check : checks)
        seconds += check.seconds;
    std::ostringstream out;
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\""
        << escaped(suite) << "\" tests=\"" << checks.size() << "\" failures=\""
        << count(Check::Outcome::Failed) << "\" errors=\"" << count(Check::Outcome::Error)
        << "\" time=\"" << secondsText(seconds) << "\">\n";
    for (const Check &check : checks) {
        out << "  <testcase classname=\"graphloom." << escaped(check.group) << "\" name=\""
            << escaped(check.name) << "\" time=\"" << secondsText(check.seconds) << "\"";
        if (check.outcome == Check::Outcome::Passed) {
            out << "/>\n";
            continue;
        }
        const char *element = check.outcome == Check::Outcome::Failed ? "failure" : "error";
        out << ">\n    <" << element << " message=\"" << escaped(check.message) << "\"/>\n"
            << "  </testcase>\n";
    }
    out << "</testsuite>\n</testsuites>\n";
    return out.str();
}

} // namespace graphloom
