// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"

#include <QSyntaxHighlighter>

namespace graphloom {

/// Highlights generated C: keywords, numbers, comments that end with their line, and directives.
class CHighlighter final : public QSyntaxHighlighter {
    Q_OBJECT

public:
    using QSyntaxHighlighter::QSyntaxHighlighter;
    void setTheme(const Theme &theme);

protected:
    void highlightBlock(const QString &line) override;

private:
    QColor m_word, m_number, m_comment, m_directive;
};

} // namespace graphloom
