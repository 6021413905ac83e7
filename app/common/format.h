// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/ir/graph.h"

#include <QString>
#include <QVariant>

#include <filesystem>

namespace graphloom {

// Numbers and names as views print them: short, with a decimal point in every language, since
// they stand beside shapes and ONNX names.

QString fromUtf8(std::string_view text);
/// The last part of a path.
QString fileNameOf(const std::filesystem::path &path);

/// "0", "640", "12.3 K", "1.23 M", "4.56 G".
QString formatCount(double value);
/// "1 node", "12 nodes".
QString formatNodes(std::size_t count);
/// "1 operator", "12 operators".
QString formatOperators(std::size_t count);
/// "640 B", "12.0 KiB", "1.50 MiB".
QString formatBytes(double bytes);
/// As formatCount; the expression itself when it depends on symbols: "128*batch".
/// "?" for what overflowed or depends on an extent that is not known.
QString formatDim(const Dim &value);
/// The number; where it depends on symbols the expression as text, not valid where it is not known.
QVariant valueOf(const Dim &value);
/// Is `a` the smaller count? What depends on symbols comes after all numbers.
bool isFewer(const Dim &a, const Dim &b);
QString formatDimBytes(const Dim &bytes);
/// Four significant digits, without an exponent below a million.
QString formatReal(double value);
/// The name of a tensor; "#12" for one without.
QString nameOrNumber(const Tensor &tensor, TensorId id);
/// "float 1x3x224x224", "int64 scalar", "float ?" while the rank is unknown.
QString formatType(const Tensor &tensor);
/// "1x3x224x224", "scalar", "?"; extents that are long expressions as "…".
QString formatShape(const Tensor &tensor);
/// Bytes of all elements; none when the shape is not static.
std::optional<std::uint64_t> bytesOf(const Tensor &tensor);
/// A value of an attribute on one line, cut when long.
QString formatAttribute(const AttributeValue &value);
/// The text, its middle replaced by an ellipsis when it is longer than `most` characters.
QString elided(const QString &text, int most);

} // namespace graphloom
