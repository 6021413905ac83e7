// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "engine/tensors/slice.h"

#include <QObject>
#include <QTimer>

#include <map>
#include <memory>
#include <set>
#include <vector>

namespace graphloom {

/// Reads the elements of a slice as text, in blocks and on a thread: a weight may be in a file that
/// is slow to read.
class ElementTexts final : public QObject {
    Q_OBJECT

public:
    static constexpr std::int64_t blockRows = 64, blockColumns = 32;

    explicit ElementTexts(QObject *parent = nullptr);

    void setSlice(std::shared_ptr<const TensorData> data, const TensorSlice &slice);
    /// Returns the text of a cell of the slice, long ones elided; null if it is not read yet, which
    /// it will be then.
    const QString *text(std::int64_t row, std::int64_t column);
    /// Tells whether cells are still to be read.
    bool isBusy() const { return m_reader.isRunning() || !m_wanted.empty(); }

Q_SIGNALS:
    /// Emitted when the texts of a block are known, which begins at this cell.
    void read(qint64 row, qint64 column);

private:
    using Place = std::pair<std::int64_t, std::int64_t>; // of a block: row and column
    using Texts = std::vector<QString>;

    void readNext();

    std::shared_ptr<const TensorData> m_data;
    TensorSlice m_slice;
    std::map<Place, Texts> m_blocks;
    std::vector<Place> m_kept; // the oldest first
    std::set<Place> m_wanted, m_reading;
    QTimer m_turn; // gathers what is asked for in one event
    Worker m_reader;
};

/// Returns rows of texts with tabs between them, each ended by a newline; stops early when told to.
QString tabbedText(const TensorData &data, const TensorSlice &slice, std::int64_t row,
                   std::int64_t column, std::int64_t rows, std::int64_t columns,
                   const std::stop_token &stop = {});

} // namespace graphloom
