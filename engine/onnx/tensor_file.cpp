// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/tensor_file.h"

#include "engine/onnx/mapped_file.h"
#include "engine/onnx/tensor_reader.h"

#include <google/protobuf/io/coded_stream.h>

namespace graphloom {

Result<TensorData> readTensorFile(const std::filesystem::path &path)
{
    const ImportOptions limits;
    const auto file = MappedFile::open(path, limits.maxFileBytes);
    if (!file)
        return tl::unexpected(file.error());
    onnx::TensorProto tensor;
    const auto bytes = (*file)->bytes();
    google::protobuf::io::CodedInputStream stream(
        reinterpret_cast<const std::uint8_t *>(bytes.data()), int(bytes.size()));
    stream.SetTotalBytesLimit(int(bytes.size()));
    if (!tensor.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
        return fail(Error::Kind::Model, "is not a serialized TensorProto", path.string());
    auto data = TensorReader(*file, {}, limits).read(tensor);
    if (!data)
        return fail(data.error().kind, data.error().message, path.string());
    return data;
}

} // namespace graphloom
