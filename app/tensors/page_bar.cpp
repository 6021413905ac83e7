// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/page_bar.h"

#include "app/widgets/panel_layout.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace graphloom {

PageBar::PageBar(const QString &text, std::int64_t page, QWidget *parent)
    : QWidget(parent), m_text(text), m_page(page), m_label(new QLabel)
{
    QHBoxLayout *row = makeToolRow(*this);
    row->addWidget(m_label);
    m_previous = addTool(*row, "previousPart", tr("Previous"), tr("Show the previous part"));
    m_next = addTool(*row, "nextPart", tr("Next"), tr("Show the next part"));
    row->addStretch(1);
    connect(m_previous, &QToolButton::clicked, this,
            [this] { Q_EMIT wanted(std::max<qint64>(0, m_first - m_page)); });
    connect(m_next, &QToolButton::clicked, this, [this] { Q_EMIT wanted(m_first + m_page); });
    hide();
}

void PageBar::setPlace(std::int64_t first, std::int64_t all)
{
    m_first = first;
    const std::int64_t end = std::min(all, first + m_page);
    m_label->setText(m_text.arg(first).arg(end - 1).arg(all));
    m_previous->setEnabled(first > 0);
    m_next->setEnabled(end < all);
    setVisible(all > m_page);
}

} // namespace graphloom
