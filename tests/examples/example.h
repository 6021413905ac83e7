// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/test_program.h"

#include <QFile>
#include <QString>
#include <QTest>

namespace graphloom::test {

/// Is the example of a source file, which stands between "// [example]" and "// [/example]", in
/// CONTRIBUTING.md to the letter?
inline bool isInContributing(const char *source)
{
    const auto contentOf = [](const QString &path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    };
    const QString begin = QStringLiteral("// [example]\n"), end = QStringLiteral("// [/example]");
    const QString code = contentOf(QString::fromUtf8(source));
    const qsizetype from = code.indexOf(begin) + begin.size();
    const QString example = code.mid(from, code.indexOf(end) - from);
    return !example.isEmpty() &&
           contentOf(QStringLiteral(GRAPHLOOM_SOURCE "/CONTRIBUTING.md")).contains(example);
}

} // namespace graphloom::test
