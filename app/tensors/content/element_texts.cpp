// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tensors/content/element_texts.h"

#include "app/common/format.h"
#include "engine/tensors/element_text.h"

#include <algorithm>
#include <utility>

namespace graphloom {

namespace {

constexpr std::size_t mostBlocks = 256;
constexpr int mostShown = 1000; // characters of a cell: a string may be a whole file

QString textOf(const TensorData &data, const TensorSlice &slice, std::int64_t row,
               std::int64_t column)
{
    const auto position = slice.position(row, column);
    return position ? fromUtf8(elementText(data, *position)) : QString();
}

} // namespace

ElementTexts::ElementTexts(QObject *parent) : QObject(parent)
{
    m_turn.setSingleShot(true);
    m_turn.setInterval(0);
    connect(&m_turn, &QTimer::timeout, this, &ElementTexts::readNext);
}

void ElementTexts::setSlice(std::shared_ptr<const TensorData> data, const TensorSlice &slice)
{
    m_reader.abandon();
    m_data = std::move(data);
    m_slice = slice;
    m_blocks.clear();
    m_kept.clear();
    m_wanted.clear();
    m_reading.clear();
}

const QString *ElementTexts::text(std::int64_t row, std::int64_t column)
{
    const Place place{row / blockRows, column / blockColumns};
    const auto block = m_blocks.find(place);
    if (block == m_blocks.end()) {
        if (!m_reading.contains(place))
            m_wanted.insert(place);
        if (!m_reader.isRunning())
            m_turn.start();
        return nullptr;
    }
    const std::int64_t at = row % blockRows * blockColumns + column % blockColumns;
    return &block->second[std::size_t(at)];
}

void ElementTexts::readNext()
{
    if (m_wanted.empty() || !m_data)
        return;
    const std::vector<Place> places(m_wanted.begin(), m_wanted.end());
    m_reading = std::exchange(m_wanted, {});
    auto work = [data = m_data, slice = m_slice, places](const std::stop_token &stop) {
        std::vector<Texts> all;
        for (const auto &[y, x] : places) {
            Texts texts(std::size_t(blockRows * blockColumns));
            const std::int64_t rows = std::min(blockRows, slice.rows() - y * blockRows),
                               columns = std::min(blockColumns, slice.columns() - x * blockColumns);
            for (std::int64_t row = 0; row < rows && !stop.stop_requested(); ++row)
                for (std::int64_t column = 0; column < columns; ++column)
                    texts[std::size_t(row * blockColumns + column)] =
                        elided(textOf(*data, slice, y * blockRows + row, x * blockColumns + column),
                               mostShown);
            all.push_back(std::move(texts));
        }
        return all;
    };
    m_reader.start(std::move(work), [this, places](std::vector<Texts> all) {
        m_reading.clear();
        for (std::size_t i = 0; i < all.size(); ++i) { // none if reading has failed
            m_blocks[places[i]] = std::move(all[i]);
            m_kept.push_back(places[i]);
        }
        for (; m_kept.size() > mostBlocks; m_kept.erase(m_kept.begin()))
            m_blocks.erase(m_kept.front());
        for (std::size_t i = 0; i < all.size(); ++i)
            Q_EMIT read(places[i].first * blockRows, places[i].second * blockColumns);
        readNext();
    });
}

QString tabbedText(const TensorData &data, const TensorSlice &slice, std::int64_t row,
                   std::int64_t column, std::int64_t rows, std::int64_t columns,
                   const std::stop_token &stop)
{
    QString text;
    for (std::int64_t y = row; y < row + rows && !stop.stop_requested(); ++y)
        for (std::int64_t x = column; x < column + columns; ++x)
            text += textOf(data, slice, y, x) + (x + 1 < column + columns ? '\t' : '\n');
    return text;
}

} // namespace graphloom
