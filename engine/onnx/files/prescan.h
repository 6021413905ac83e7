// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/onnx/files/import_options.h"

#include <google/protobuf/io/zero_copy_stream.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Describes a part of the model file.
struct ByteRange {
    std::uint64_t begin = 0, size = 0;
};

/// Holds what a walk over the wire format of a model file found, before protobuf allocates anything
/// for it. Raw data of large tensors stays in the mapped file: `splices` turn the file into the
/// same message with a placeholder in the place of each of these `payloads`.
struct Prescan {
    /// Replaces [begin, end) of the file by the placeholder of payload `value`, or by `value` as
    /// the new length of a message that contains a placeholder.
    struct Splice {
        std::uint64_t begin, end, value;
        bool payload;
    };
    std::vector<Splice> splices; // ascending
    std::vector<ByteRange> payloads;
    std::uint64_t nodes = 0, tensors = 0, graphNodes = 0; // graphNodes: of the main graph
};

/// Least number of bytes of raw data that becomes a payload.
inline constexpr std::uint64_t leastPayload = 4096;

/// Checks that the bytes are a protobuf message of ONNX's structure within the limits of the
/// options: nodes, tensors, nesting, and the memory that protobuf will take for its messages,
/// without their content. Takes one pass with a stack of bounded depth. Fails (Model) with the
/// byte.
Result<Prescan> prescan(std::span<const std::byte> file, const ImportOptions &options,
                        const std::string &path);

/// Returns the payload that raw data of the spliced message stands for; nothing if it is plain
/// data. Plain data that looks like a placeholder was made a payload, too, so this is unambiguous.
std::optional<std::size_t> payloadOf(std::string_view rawData);

/// Provides the file with its splices applied as input for protobuf, without copying.
class SplicedStream final : public google::protobuf::io::ZeroCopyInputStream {
public:
    SplicedStream(std::span<const std::byte> file, const std::vector<Prescan::Splice> &splices)
        : m_file(file), m_splices(splices)
    {
    }

    bool Next(const void **data, int *size) override;
    void BackUp(int count) override;
    bool Skip(int count) override;
    std::int64_t ByteCount() const override { return m_given - m_backedUp; }

private:
    std::span<const std::byte> m_file;
    const std::vector<Prescan::Splice> &m_splices;
    std::uint64_t m_at = 0; // in the file
    std::size_t m_nextSplice = 0;
    std::string m_replacement; // of the last splice that was returned
    const char *m_chunkEnd = nullptr;
    std::int64_t m_given = 0;
    int m_backedUp = 0;
};

} // namespace graphloom
