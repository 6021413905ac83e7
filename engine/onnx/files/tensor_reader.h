// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/tensor_data.h"
#include "engine/onnx/files/data_files.h"
#include "engine/onnx/files/prescan.h"

#include <onnx/onnx_pb.h>

#include <memory>
#include <span>
#include <vector>

namespace graphloom {

/// Reads the tensors of one model file. Large raw data and external data stay in mapped files;
/// small and typed data is copied. Errors (Model) have no place: the caller knows which tensor it
/// is.
class TensorReader {
public:
    TensorReader(std::shared_ptr<const MappedFile> file, std::vector<ByteRange> payloads,
                 const ImportOptions &options)
        : m_file(std::move(file)), m_payloads(std::move(payloads)),
          m_dataFiles(m_file->path().parent_path(), options.followLinks),
          m_expandable(options.maxExpandedBytes)
    {
    }

    /// Reads a tensor; checks its type and extents, and that the data exists once and has their
    /// size.
    Result<TensorData> read(const onnx::TensorProto &tensor);
    /// Reads a sparse tensor and makes it dense; all of them together must stay within
    /// ImportOptions::maxExpandedBytes.
    Result<TensorData> readSparse(const onnx::SparseTensorProto &tensor);

    /// Puts raw data that stayed in the file back into a tensor that is kept as it is. Fails
    /// (Model) if the tensor refers to external data.
    Result<void> restore(onnx::TensorProto &tensor) const;

private:
    TensorData share(DataType type, TensorData::Extents extents, std::span<const std::byte> bytes,
                     const std::shared_ptr<const MappedFile> &file, std::uint64_t offset);
    Result<TensorData> fromRaw(DataType type, TensorData::Extents extents,
                               const std::string &rawData);
    Result<TensorData> fromFile(DataType type, TensorData::Extents extents,
                                const onnx::TensorProto &tensor, std::uint64_t bytes);

    std::shared_ptr<const MappedFile> m_file;
    std::vector<ByteRange> m_payloads;
    DataFiles m_dataFiles;
    std::uint64_t m_expandable;
    /// Bytes that may still be read just to hash them by content. Large models are not paged in for
    /// that: data beyond this limit is hashed by its position in the file.
    std::uint64_t m_hashable = std::uint64_t{1} << 26;
};

} // namespace graphloom
