// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/condition_words.h"
#include "app/metrics/own_table.h"
#include "app/query/query_pattern.h"
#include "app/query/query_term.h"

#include <span>

namespace graphloom {

/// A key whose values are words after a colon.
struct QueryTextKey {
    const char *key, *meaning, *example;
    bool ofTensors; // applies to graph inputs and outputs, too
};
std::span<const QueryTextKey> queryTextKeys();

/// Returns the test for a plain word in names, operators and tensors.
QueryTest queryWordTest(const QString &word, bool quoted);
/// Returns the test for a term such as "op:Conv". `key` is one of queryTextKeys(), `value` is a
/// single value.
QueryTest queryTextTest(QStringView key, const QString &value, bool quoted);
/// Returns the test for a comparison such as "cout>=128".
QueryTest queryFigureTest(const NodeFigure &figure, Relation relation, double limit);
/// Returns the test for a comparison such as "error>1e-3". A node without a value does not match.
QueryTest queryMetricTest(MetricPointer metric, Relation relation, double limit);
/// Returns the test for a comparison such as "own.latency>3". A node without a value does not
/// match.
QueryTest queryOwnTest(OwnTablePointer table, const OwnTable::Column &column, Relation relation,
                       double limit);
/// Returns the test for a term such as "own.kind:slow".
QueryTest queryOwnTest(OwnTablePointer table, const OwnTable::Column &column, const QString &value,
                       bool quoted);

} // namespace graphloom
