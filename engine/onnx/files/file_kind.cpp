// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/files/file_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace graphloom {

namespace {

using namespace std::string_view_literals;

struct Signature {
    std::size_t offset;
    std::string_view bytes, reason;
};

constexpr std::array signatures{
    Signature{0, "version https://git-lfs.github.com/spec/"sv,
              "is a Git LFS pointer, not the model itself; fetch it with \"git lfs pull\""sv},
    Signature{0, "PK\x03\x04"sv,
              "is a zip archive (such as a PyTorch or Keras model); unpack the ONNX model in it, "
              "if there is one"sv},
    Signature{0, "\x1f\x8b"sv, "is compressed with gzip; unpack it first"sv},
    Signature{0, "\xfd\x37zXZ\0"sv, "is compressed with xz; unpack it first"sv},
    Signature{0, "\x28\xb5\x2f\xfd"sv, "is compressed with zstd; unpack it first"sv},
    Signature{257, "ustar"sv, "is a tar archive; unpack it first"sv},
    Signature{0, "\x89HDF\r\n"sv, "is an HDF5 file (a Keras model?), not ONNX"sv},
    Signature{4, "TFL3"sv, "is a TensorFlow Lite model, not ONNX"sv},
    Signature{4, "ORTM"sv, "is an ONNX Runtime (.ort) model, not ONNX; export it as .onnx"sv},
    Signature{0, "GGUF"sv, "is a GGUF file, not ONNX"sv},
    Signature{0,
              "\x7f"
              "ELF"sv,
              "is an executable, not an ONNX model"sv},
    Signature{0, "\x80\x02"sv, "is a Python pickle (a PyTorch checkpoint?), not ONNX"sv},
    Signature{0, "\x89PNG"sv, "is an image, not an ONNX model"sv},
    Signature{0, "%PDF"sv, "is a PDF document, not an ONNX model"sv},
    Signature{8, "{\""sv, "is a safetensors file: weights without a graph, not ONNX"sv},
};

bool isTextCharacter(std::byte byte)
{
    const auto c = std::to_integer<unsigned char>(byte);
    return c >= 0x20 ? c != 0x7f : c == '\t' || c == '\n' || c == '\r';
}

} // namespace

std::optional<std::string> whyNotOnnx(std::span<const std::byte> head)
{
    if (head.empty())
        return "is empty";
    const std::string_view text(reinterpret_cast<const char *>(head.data()), head.size());
    for (const Signature &signature : signatures)
        if (text.size() >= signature.offset &&
            text.substr(signature.offset).starts_with(signature.bytes))
            return std::string(signature.reason);
    // A model begins with the tag of a field, and its IR version and lengths are control
    // characters: a file without any is text.
    if (!std::ranges::all_of(head, isTextCharacter))
        return std::nullopt;
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return "contains only white space";
    if (text[first] == '{' || text[first] == '[')
        return "is JSON text, not a binary ONNX model";
    if (text[first] == '<')
        return "is an HTML or XML document (a failed download?), not an ONNX model";
    return "is text, not a binary ONNX model";
}

} // namespace graphloom
