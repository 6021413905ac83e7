// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/element_edit.h"

#include "engine/tensors/slice.h"

#include <QRegularExpression>

namespace graphloom {

namespace {

constexpr int leastEditWidth = 60, mostEditWidth = 120;

} // namespace

ElementEdit::ElementEdit(QWidget *parent) : QLineEdit(parent)
{
    setObjectName(QStringLiteral("goToElement"));
    setAccessibleName(tr("Indices of the element to go to"));
    setMinimumWidth(leastEditWidth);
    setMaximumWidth(mostEditWidth);
    connect(this, &QLineEdit::returnPressed, this, &ElementEdit::goTo);
    connect(this, &QLineEdit::textEdited, this, [this] { setPalette({}); });
}

void ElementEdit::setExtents(const TensorData::Extents &extents)
{
    if (extents == m_extents && !placeholderText().isEmpty())
        return;
    m_extents = extents;
    QStringList example;
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
        example << QStringLiteral("0");
    const QString indices = example.join(QStringLiteral(", "));
    setPlaceholderText(tr("Go to %1").arg(indices));
    setToolTip(tr("Type the indices of an element and press Enter: %1").arg(indices));
    setPalette({});
    clear();
    setVisible(!extents.empty());
}

void ElementEdit::goTo()
{
    static const QRegularExpression separator(QStringLiteral("[^0-9]+"));
    std::vector<std::int64_t> indices;
    bool areNumbers = true; // that are not too long
    for (const QString &index : text().split(separator, Qt::SkipEmptyParts)) {
        bool isNumber = false;
        indices.push_back(index.toLongLong(&isNumber));
        areNumbers = areNumbers && isNumber;
    }
    if (const auto position = areNumbers ? positionOf(m_extents, indices) : std::nullopt) {
        Q_EMIT wanted(*position);
        return;
    }
    QPalette marked = palette(); // there is no such element
    marked.setColor(QPalette::Text, marked.color(QPalette::BrightText));
    setPalette(marked);
}

} // namespace graphloom
