// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/report/junit.h"

#include "app/common/markup.h"
#include "app/common/utc_time.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace graphloom {

namespace {

std::string junitSeconds(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", seconds);
    return text;
}

/// Writes the element of a check that did not pass; parsers group by its type.
void writeProblem(std::ostream &out, const Check &check)
{
    const std::string message = escapedMarkup(check.message);
    if (check.outcome == Check::Outcome::Skipped) {
        out << "      <skipped message=\"" << message << "\"/>\n";
        return;
    }
    const char *element = check.outcome == Check::Outcome::Failed ? "failure" : "error";
    out << "      <" << element << " message=\"" << message << "\" type=\"graphloom."
        << escapedMarkup(check.group) << "\">" << message << "</" << element << ">\n";
}

void writeCase(std::ostream &out, const Check &check)
{
    out << "    <testcase classname=\"graphloom." << escapedMarkup(check.group) << "\" name=\""
        << escapedMarkup(check.name) << "\" time=\"" << junitSeconds(check.seconds) << '"';
    if (check.outcome == Check::Outcome::Passed && check.output.empty()) {
        out << "/>\n";
        return;
    }
    out << ">\n";
    if (check.outcome != Check::Outcome::Passed)
        writeProblem(out, check);
    if (!check.output.empty())
        out << "      <system-out>" << escapedMarkup(check.output) << "</system-out>\n";
    out << "    </testcase>\n";
}

} // namespace

std::string junitOf(const JunitSuite &suite, const std::vector<Check> &checks)
{
    const auto count = [&](Check::Outcome outcome) {
        return std::ranges::count(checks, outcome, &Check::outcome);
    };
    double seconds = suite.seconds;
    if (seconds <= 0)
        for (const Check &check : checks)
            seconds += check.seconds;
    std::ostringstream counts;
    counts << " tests=\"" << checks.size() << "\" failures=\"" << count(Check::Outcome::Failed)
           << "\" errors=\"" << count(Check::Outcome::Error) << "\" skipped=\""
           << count(Check::Outcome::Skipped) << "\" time=\"" << junitSeconds(seconds) << '"';
    std::ostringstream out;
    out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"graphloom\""
        << counts.str() << ">\n  <testsuite name=\"" << escapedMarkup(suite.name) << '"'
        << counts.str() << " timestamp=\"" << utcTime(suite.start) << "\">\n    <properties>\n";
    for (const auto &[name, value] : suite.properties)
        out << "      <property name=\"" << escapedMarkup(name) << "\" value=\""
            << escapedMarkup(value) << "\"/>\n";
    out << "    </properties>\n";
    for (const Check &check : checks)
        writeCase(out, check);
    out << "    <system-out>" << escapedMarkup(suite.output)
        << "</system-out>\n  </testsuite>\n</testsuites>\n";
    return out.str();
}

} // namespace graphloom
