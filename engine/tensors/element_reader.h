// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Options of reading a tensor that may be larger than memory.
struct ReadOptions {
    std::stop_token stop = {};
    /// Receives the part that is read, 0 to 1; called on the thread that reads.
    std::function<void(double part)> progress = {};
};

/// Decodes the elements first, first + step, first + 2 step… as numbers: bool as 0 and 1, of
/// complex numbers the real part. Not for strings.
void readElements(const TensorData &data, std::int64_t first, std::int64_t step,
                  std::span<double> values);

/// Returns the value of each bit pattern of a type of at most 16 bits.
const std::vector<double> &valuesOfCodes(DataType type);

/// Accounts for what a long read has done. Pages of a mapped file go back to the system on the
/// way, so that reading a weight never takes more memory than a part of it.
class ReadMeter {
public:
    /// `elements` is the number of elements that will be read in total.
    ReadMeter(const TensorData &data, std::int64_t elements, const ReadOptions &options);
    ~ReadMeter() { m_data.release(); }
    ReadMeter(const ReadMeter &) = delete;
    ReadMeter &operator=(const ReadMeter &) = delete;

    /// Returns how many elements, `step` apart, to read before add() is called.
    std::int64_t atOnce(std::int64_t step = 1) const;
    /// Adds elements that were read, `step` apart, the first one `jump` from those added before.
    /// Returns false when reading is to stop.
    bool add(std::int64_t elements, std::int64_t step = 1, std::int64_t jump = 0);

private:
    std::int64_t bytesApart(std::int64_t step) const;

    const TensorData &m_data;
    const ReadOptions &m_options;
    const std::int64_t m_total;
    std::int64_t m_read = 0;
    std::int64_t m_touched = 0; // bytes mapped since the last release
};

} // namespace graphloom
