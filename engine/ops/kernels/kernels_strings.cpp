// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/describe/assembler.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>
#include <clocale>
#include <cwchar>
#include <cwctype>
#include <locale.h>
#include <map>

namespace graphloom::kernels {

namespace {

/// Changes the case of letters one by one as Unicode maps them, for any language; bytes that are
/// not UTF-8 are unchanged.
class CaseChange {
public:
    CaseChange() : m_locale(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {}
    CaseChange(const CaseChange &) = delete;
    ~CaseChange()
    {
        if (m_locale)
            freelocale(m_locale);
    }

    bool isUsable() const { return m_locale != nullptr; }

    std::string apply(const std::string &text, bool upper) const
    {
        const locale_t before = uselocale(m_locale);
        std::string changed;
        std::mbstate_t reading{}, writing{};
        for (std::size_t at = 0; at < text.size();) {
            wchar_t letter = 0;
            const std::size_t length =
                std::mbrtowc(&letter, text.data() + at, text.size() - at, &reading);
            if (length == 0 || length > text.size() - at) { // a null or not UTF-8
                reading = {};
                changed += text[at++];
                continue;
            }
            char bytes[MB_LEN_MAX];
            const auto mapped = upper ? towupper_l(std::wint_t(letter), m_locale)
                                      : towlower_l(std::wint_t(letter), m_locale);
            changed.append(bytes, std::wcrtomb(bytes, wchar_t(mapped), &writing));
            at += length;
        }
        uselocale(before);
        return changed;
    }

private:
    locale_t m_locale;
};

/// The n-grams of a TfIdfVectorizer by their elements as text, with their number.
using Pool = std::map<std::vector<std::string>, std::size_t>;

std::string elementOf(const TensorData &data, std::int64_t i)
{
    return data.type() == DataType::String ? data.strings()[std::size_t(i)]
                                           : std::to_string(data.integer(i));
}

/// Reads the pool; `begins` holds the positions in the list where the n-grams of each n begin.
Result<Pool> poolOf(const Call &call, const std::vector<std::int64_t> &begins)
{
    std::vector<std::string> elements;
    if (const auto *words = call.attributes().find("pool_strings"))
        elements = std::get<std::vector<std::string>>(*words);
    for (const std::int64_t integer : call.attributes().integers("pool_int64s"))
        elements.push_back(std::to_string(integer));
    Pool pool;
    std::size_t number = 0;
    for (std::size_t n = 1; n <= begins.size(); ++n) {
        const std::int64_t begin = begins[n - 1];
        const std::int64_t end = n < begins.size() ? begins[n] : std::int64_t(elements.size());
        if (begin < 0 || begin > end || end > std::int64_t(elements.size()) ||
            std::size_t(end - begin) % n != 0)
            return call.refuse("ngram_counts does not match its pool of " +
                               std::to_string(elements.size()) + " elements");
        for (auto at = elements.begin() + begin; at != elements.begin() + end;
             at += std::ptrdiff_t(n))
            pool.emplace(std::vector(at, at + std::ptrdiff_t(n)), number++);
    }
    return pool;
}

/// Splits a text at each delimiter or, without one, at runs of white space, which are trimmed at
/// the ends; at most `most` times unless that is negative.
std::vector<std::string> partsOf(std::string_view text, const std::string &delimiter,
                                 std::int64_t most)
{
    constexpr std::string_view white = " \t\n\r\f\v";
    const auto skipWhite = [&] {
        if (delimiter.empty())
            text.remove_prefix(std::min(text.find_first_not_of(white), text.size()));
    };
    std::vector<std::string> parts;
    skipWhite();
    if (delimiter.empty() && text.empty())
        return parts;
    while (true) {
        const std::size_t cut = most == std::int64_t(parts.size()) ? text.npos
                                : delimiter.empty()                ? text.find_first_of(white)
                                                                   : text.find(delimiter);
        parts.emplace_back(text.substr(0, cut));
        if (cut == text.npos)
            return parts;
        text.remove_prefix(cut + std::max<std::size_t>(delimiter.size(), 1));
        skipWhite();
        if (delimiter.empty() && text.empty())
            return parts;
    }
}

} // namespace

Result<Tensors> normalizeStrings(const Call &call, Inputs inputs)
{
    const std::string change = call.attributes().text("case_change_action", "NONE");
    const bool exact = call.attributes().integer("is_case_sensitive", 0) != 0;
    const CaseChange cases;
    if (!cases.isUsable())
        return call.refuse("needs the C.UTF-8 locale, which is missing on this system");
    const auto compared = [&](const std::string &word) {
        return exact ? word : cases.apply(word, false);
    };
    std::vector<std::string> stopWords;
    if (const auto *given = call.attributes().find("stopwords"))
        for (const std::string &word : std::get<std::vector<std::string>>(*given))
            stopWords.push_back(compared(word));
    std::vector<std::string> words;
    for (const std::string &word : inputs[0]->strings()) {
        if (std::ranges::find(stopWords, compared(word)) == stopWords.end())
            words.push_back(change == "NONE" ? word : cases.apply(word, change == "UPPER"));
        if (call.stopped(stopWords.size() + word.size()))
            return stoppedError();
    }
    if (words.empty())
        words.emplace_back();
    TensorData::Extents extents(inputs[0]->extents().size(), 1);
    extents.back() = std::int64_t(words.size());
    return Tensors{TensorData::fromStrings(std::move(extents), std::move(words))};
}

Result<Tensors> concatStrings(const Call &call, Inputs inputs)
{
    const TensorData &a = *inputs[0], &b = *inputs[1];
    const Shape shapes[2] = {{a.extents().begin(), a.extents().end()},
                             {b.extents().begin(), b.extents().end()}};
    GL_TRY_CONST(shape, build::broadcastShape(call, {&shapes[0], &shapes[1]}));
    TensorData::Extents extents;
    for (const Dim &dim : *shape)
        extents.push_back(dim.value());
    GL_TRY_RESULT(sized, Assembler::make(call, DataType::String, extents));
    // Returns the source of an element of the result: dimensions of extent 1 are broadcast.
    const auto from = [&](const TensorData &data, std::int64_t position) {
        std::int64_t index = 0, stride = 1;
        for (std::size_t d = extents.size(), own = data.extents().size(); d-- > 0;) {
            const std::int64_t at = position % extents[d];
            position /= extents[d];
            if (own == 0)
                continue;
            const std::int64_t extent = data.extents()[--own];
            index += extent == 1 ? 0 : at * stride;
            stride *= extent;
        }
        return std::size_t(index);
    };
    std::vector<std::string> texts;
    for (std::int64_t i = 0; i < sized->elements(); ++i) {
        texts.push_back(a.strings()[from(a, i)] + b.strings()[from(b, i)]);
        if (call.stopped(1))
            return stoppedError();
    }
    return Tensors{TensorData::fromStrings(std::move(extents), std::move(texts))};
}

Result<Tensors> splitStrings(const Call &call, Inputs inputs)
{
    const std::string delimiter = call.attributes().text("delimiter", "");
    const std::int64_t most = call.attributes().integer("maxsplit", -1);
    std::vector<std::vector<std::string>> rows;
    std::vector<std::int64_t> counts;
    for (const std::string &text : inputs[0]->strings()) {
        rows.push_back(partsOf(text, delimiter, most));
        counts.push_back(std::int64_t(rows.back().size()));
        if (call.stopped(text.size()))
            return stoppedError();
    }
    TensorData::Extents extents = inputs[0]->extents();
    extents.push_back(counts.empty() ? 0 : std::ranges::max(counts));
    auto sized =
        Assembler::make(call, DataType::String, extents); // refuses a result that is too large
    if (!sized)
        return tl::unexpected(sized.error());
    std::vector<std::string> parts(std::size_t(sized->elements()));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        std::ranges::move(rows[row],
                          parts.begin() + std::ptrdiff_t(row) * std::ptrdiff_t(extents.back()));
        if (call.stopped(rows[row].size()))
            return stoppedError();
    }
    return Tensors{
        TensorData::fromStrings(std::move(extents), std::move(parts)),
        TensorData::fromValues<std::int64_t>(DataType::Int64, inputs[0]->extents(), counts)};
}

Result<Tensors> countGrams(const Call &call, Inputs inputs)
{
    const Attributes &attributes = call.attributes();
    const TensorData &x = *inputs[0];
    GL_TRY_CONST(pool, poolOf(call, attributes.integers("ngram_counts")));
    const auto places = attributes.integers("ngram_indexes");
    auto weights = attributes.reals("weights");
    if (weights.empty())
        weights.assign(places.size(), 1);
    const std::string mode = attributes.text("mode", "");
    const std::int64_t length = x.extents().back(), width = std::ranges::max(places) + 1;
    const std::int64_t least = attributes.integer("min_gram_length", 1),
                       most = attributes.integer("max_gram_length", 1),
                       skips = attributes.integer("max_skip_count", 0);
    if (least < 1 || most < least || skips < 0 || weights.size() != places.size() ||
        pool->size() > places.size())
        return call.refuse("its n-gram lengths, skips, indexes and weights do not match");
    TensorData::Extents extents = x.extents();
    extents.back() = width;
    GL_TRY_RESULT(result, Assembler::make(call, DataType::Float, extents));
    for (std::int64_t row = 0; row < (x.extents().size() == 2 ? x.extents()[0] : 1); ++row) {
        std::vector<double> counts(places.size(), 0);
        // An n-gram may skip the same number of elements between any two of its own.
        for (std::int64_t n = least; n <= std::min(most, length); ++n)
            for (std::int64_t step = 1;
                 step <= (n == 1 ? 1 : std::min(skips, length) + 1) && (n - 1) * step < length;
                 ++step)
                for (std::int64_t begin = 0; begin + (n - 1) * step < length; ++begin) {
                    std::vector<std::string> gram;
                    for (std::int64_t k = 0; k < n; ++k)
                        gram.push_back(elementOf(x, row * length + begin + k * step));
                    if (const auto found = pool->find(gram); found != pool->end())
                        ++counts[found->second];
                    if (call.stopped(std::uint64_t(n)))
                        return stoppedError();
                }
        for (std::size_t g = 0; g < counts.size(); ++g)
            if (counts[g] > 0)
                result->setReal(row * width + places[g], mode == "TF"    ? counts[g]
                                                         : mode == "IDF" ? weights[g]
                                                                         : counts[g] * weights[g]);
    }
    return Tensors{std::move(*result).finish()};
}

} // namespace graphloom::kernels
