// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>
#include <array>

/// Operators on text. They are opaque, because stage bodies only compute with numbers.
namespace graphloom::entries {

namespace {

constexpr std::string_view computesWithText = "it processes text";

Result<void> checkStrings(const Call &call)
{
    for (std::size_t i = 0; i < call.inputCount(); ++i)
        if (call.has(i) && call.type(i) != DataType::String)
            return call.refuse("its inputs must be strings, not " +
                               std::string(nameOf(call.type(i))));
    return {};
}

/// Removes stop words from a list, or a batch of one list; an empty result becomes one empty word.
Result<Description> stringNormalizer(const Call &call)
{
    GL_TRY(checkStrings(call));
    const std::size_t rank = call.rank(0);
    if ((rank != 1 && rank != 2) || (rank == 2 && call.shape(0)[0].constant().value_or(1) != 1))
        return call.refuse("its input must be a list or a batch of one list, but has shape " +
                           text(call.shape(0)));
    const std::string change = call.attributes().text("case_change_action", "NONE");
    if (change != "NONE" && change != "LOWER" && change != "UPPER")
        return call.refuse("case_change_action \"" + change + "\" is not NONE, LOWER or UPPER");
    Shape shape(rank, Dim(1));
    shape.back() = build::unknownExtent();
    return build::opaque(std::string(computesWithText), {{DataType::String, std::move(shape), {}}});
}

Result<Description> stringConcat(const Call &call)
{
    GL_TRY(checkStrings(call));
    GL_TRY_CONST(shape, build::broadcastShape(call, {&call.shape(0), &call.shape(1)}));
    return build::opaque(std::string(computesWithText), {{DataType::String, *shape, {}}});
}

/// Returns the parts of each string along a new dimension, and their numbers.
Result<Description> stringSplit(const Call &call)
{
    GL_TRY(checkStrings(call));
    Shape parts = call.shape(0);
    parts.push_back(build::unknownExtent());
    return build::opaque(std::string(computesWithText), {{DataType::String, std::move(parts), {}},
                                                         {DataType::Int64, call.shape(0), {}}});
}

/// Counts the n-grams of each output element in a list, or in each list of a batch.
Result<Description> tfIdfVectorizer(const Call &call)
{
    const std::size_t rank = call.rank(0);
    if (rank != 1 && rank != 2)
        return call.refuse("its input must be a list or a batch of lists, but has shape " +
                           text(call.shape(0)));
    const std::string mode = call.attributes().text("mode", "");
    if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
        return call.refuse("mode \"" + mode + "\" is not TF, IDF or TFIDF");
    const bool words = call.attributes().contains("pool_strings");
    if (words == call.attributes().contains("pool_int64s") ||
        words != (call.type(0) == DataType::String))
        return call.refuse("needs either pool_strings and strings or pool_int64s and integers");
    const auto places = call.attributes().integers("ngram_indexes");
    if (places.empty() || std::ranges::min(places) < 0)
        return call.refuse("ngram_indexes must be positions in the output");
    Shape shape = call.shape(0);
    shape.back() = Dim(std::ranges::max(places)) + 1;
    return build::opaque("it counts n-grams", {{DataType::Float, std::move(shape), {}}});
}

constexpr std::array textEntries{
    Operator{"", "StringConcat", 20, 2, 2, 1, stringConcat, kernels::concatStrings}.like(
        "string[8] string[8]"),
    Operator{"", "StringNormalizer", 10, 1, 1, 1, stringNormalizer, kernels::normalizeStrings}.like(
        "string[8]"),
    Operator{"", "StringSplit", 20, 1, 1, 2, stringSplit, kernels::splitStrings}.like(
        "string[8] ->2"),
    Operator{"", "TfIdfVectorizer", 9, 1, 1, 1, tfIdfVectorizer, kernels::countGrams}.like(
        "int64[8] max_gram_length=1 max_skip_count=0 min_gram_length=1 mode=TF ngram_counts=0, "
        "ngram_indexes=0,1 pool_int64s=3,5"),
};

} // namespace

std::span<const Operator> text()
{
    return textEntries;
}

} // namespace graphloom::entries
