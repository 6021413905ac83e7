// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/tensors/element_reader.h"
#include "engine/tensors/slice.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace graphloom {

/// The type of elements in a file of NumPy (.npy).
struct NpyType {
    DataType type = DataType::Undefined; // as ONNX calls it
    std::string_view descr;              // "<f4"; for strings without their length
};

/// Returns the type that elements have in a file. NumPy has neither bfloat16, float8, float4,
/// which become float, nor types of 4 bits, which become types of 8; no value changes by that.
NpyType npyTypeOf(DataType type);

/// Returns the beginning of a file, in row-major order: version 1.0, or 2.0 if the description is
/// longer than 65,535 bytes. The elements begin at a multiple of 64 bytes.
std::string npyHeader(std::string_view descr, const TensorData::Extents &extents);

/// Writes a tensor in the file format of NumPy, or the slice as an array of two axes. The file is
/// replaced when it is complete. Fails (Missing) if it cannot be written, and (Model) if a file
/// that the tensor is mapped from was truncated; stoppedError() if stopped.
Result<void> writeNpy(const TensorData &data, const std::filesystem::path &path,
                      const ReadOptions &options = {});
Result<void> writeNpy(const TensorData &data, const TensorSlice &slice,
                      const std::filesystem::path &path, const ReadOptions &options = {});

/// Reads a file of NumPy; numbers stay in the mapped file (mapped_file.h says what becomes of them
/// if it is truncated). Fails (Model) with file and reason if it is damaged, in Fortran's order
/// with more than one axis, big-endian, or has a type that ONNX lacks.
Result<TensorData> readNpy(const std::filesystem::path &path);

} // namespace graphloom
