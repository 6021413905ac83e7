// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/metrics/own_table.h"
#include "app/query/query_pattern.h"
#include "app/query/query_term.h"

#include <span>

namespace graphloom {

/// Words that stand behind a colon.
struct QueryTextKey {
    const char *key, *meaning, *example;
    bool ofTensors; // graph inputs and outputs have it, too
};
std::span<const QueryTextKey> queryTextKeys();

/// A word: in names, operators and tensors.
QueryTest queryWordTest(const QString &word, bool quoted);
/// "op:Conv": `key` is one of queryTextKeys(), `value` a single one.
QueryTest queryTextTest(QStringView key, const QString &value, bool quoted);
/// "cout>=128".
QueryTest queryFigureTest(const NodeFigure &figure, QueryRelation relation, double limit);
/// "own.latency>3"; what has no value does not match.
QueryTest queryOwnTest(OwnTablePointer table, const OwnTable::Column &column,
                       QueryRelation relation, double limit);
/// "own.kind:slow".
QueryTest queryOwnTest(OwnTablePointer table, const OwnTable::Column &column, const QString &value,
                       bool quoted);

} // namespace graphloom
