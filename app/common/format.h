// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/ir/graph.h"

#include <QString>
#include <QVariant>

#include <filesystem>

namespace graphloom {

// These functions write numbers and names as views print them: short, with a decimal point in every
// language, since they stand beside shapes and ONNX names.

QString fromUtf8(std::string_view text);
/// Returns the last part of a path.
QString fileNameOf(const std::filesystem::path &path);
/// Returns a path from the root on, or the path itself if it is empty or the current folder does
/// not exist any more.
QString absolutePath(const std::filesystem::path &path);

/// Returns a count in short form: "0", "640", "12.3 K", "1.23 M", "4.56 G".
QString formatCount(double value);
/// Returns a number of nodes in words: "1 node", "12 nodes".
QString formatNodes(std::size_t count);
/// Returns a number of operators in words: "1 operator", "12 operators".
QString formatOperators(std::size_t count);
/// Returns a size with its unit: "640 B", "12.0 KiB", "1.50 MiB".
QString formatBytes(double bytes);
/// Returns the value like formatCount(), or the expression itself when it depends on symbols:
/// "128*batch". Returns "?" when the value overflowed or depends on an unknown extent.
QString formatDim(const Dim &value);
/// Returns the number, or the expression as text when it depends on symbols. Returns an invalid
/// variant when the value is unknown.
QVariant valueOf(const Dim &value);
/// Tells whether `a` is the smaller count. Values that depend on symbols come after all numbers.
bool isFewer(const Dim &a, const Dim &b);
QString formatDimBytes(const Dim &bytes);
/// Returns the value with four significant digits, without an exponent below a million.
QString formatReal(double value);
/// Describes a unit of time, and how many seconds it has.
struct TimeUnit {
    QString name;
    double seconds = 1;
};
/// Returns the largest unit of which a time has at least one; nanoseconds for shorter times.
TimeUnit timeUnitOf(double seconds);
/// Returns a time with its unit: "420 ns", "1.23 µs", "45.6 ms", "12.0 s".
QString formatTime(double seconds);
/// Returns a share of 1 in percent: "12.3 %".
QString formatPercent(double share);
/// Returns the name of a tensor, or "#12" for a tensor without a name.
QString nameOrNumber(const Tensor &tensor, TensorId id);
/// Returns the element type and the shape: "float 1x3x224x224", "int64 scalar", or "float ?" while
/// the rank is unknown.
QString formatType(const Tensor &tensor);
/// Returns the shape: "1x3x224x224", "scalar" or "?". An extent that is a long expression is
/// written as "…".
QString formatShape(const Tensor &tensor);
/// Returns the bytes of all elements, or nothing when the shape is not static.
std::optional<std::uint64_t> bytesOf(const Tensor &tensor);
/// Returns the value of an attribute on one line, cut when it is long.
QString formatAttribute(const AttributeValue &value);
/// Returns the text, with an ellipsis in place of its middle when it is longer than `most`
/// characters.
QString elided(const QString &text, int most);

} // namespace graphloom
