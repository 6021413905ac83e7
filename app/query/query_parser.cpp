// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query_parser.h"

#include "app/metrics/node_metric.h"
#include "app/query/query_tests.h"
#include "app/snapshot/node_figures.h"

#include <algorithm>

namespace graphloom {

namespace {

using Sign = QueryToken::Kind;

/// A colon asks for equality, too.
Relation relationIn(const QueryToken &token)
{
    return relationOf(token.relation.toStdString()).value_or(Relation::Equal);
}

} // namespace

QueryParser::QueryParser(const QString &text, OwnTablePointer own)
    : m_tokens(text), m_own(std::move(own))
{
}

std::optional<QueryProblem> QueryParser::problem() const
{
    return m_tokens.problem() ? m_tokens.problem() : m_problem;
}

void QueryParser::fail(const QString &message, qsizetype place, qsizetype length)
{
    if (!problem())
        m_problem = QueryProblem{message, place, length};
    m_tokens.stop();
}

void QueryParser::failAtValue(const QString &message, const QueryToken &token)
{
    fail(message, token.valuePlace, token.place + token.length - token.valuePlace);
}

std::shared_ptr<const Query::Term> QueryParser::parse()
{
    if (m_tokens.now().kind == Sign::End)
        return nullptr;
    auto term = std::make_shared<Term>(any());
    if (!problem() && m_tokens.now().kind == Sign::Close)
        fail(Query::tr("Unmatched closing parenthesis"), m_tokens.now().place, 1);
    return term;
}

Query::Term QueryParser::any()
{
    std::vector<Term> parts;
    parts.push_back(all());
    while (m_tokens.now().kind == Sign::Or) {
        m_tokens.advance();
        parts.push_back(all());
    }
    return Term::combined(Term::Kind::Any, std::move(parts));
}

Query::Term QueryParser::all()
{
    std::vector<Term> parts;
    const auto ends = [&] {
        const Sign kind = m_tokens.now().kind;
        return kind == Sign::End || kind == Sign::Or || kind == Sign::Close;
    };
    bool wanted = true; // a term has to follow
    while (!problem() && !ends() && !(wanted && m_tokens.now().kind == Sign::And)) {
        wanted = m_tokens.now().kind == Sign::And;
        if (wanted)
            m_tokens.advance();
        else
            parts.push_back(one());
    }
    if (wanted && !problem())
        fail(Query::tr("Expected a search term here"), m_tokens.now().place,
             std::max<qsizetype>(m_tokens.now().length, 1));
    return Term::combined(Term::Kind::All, std::move(parts));
}

Query::Term QueryParser::one()
{
    constexpr int deepest = 100; // so that recursion cannot overflow the stack
    if (m_depth == deepest) {
        fail(Query::tr("More than %1 nested parentheses and negations").arg(deepest),
             m_tokens.now().place, m_tokens.now().length);
        return {};
    }
    ++m_depth;
    Term term = negatedOrNested();
    --m_depth;
    return term;
}

Query::Term QueryParser::negatedOrNested()
{
    const QueryToken token = m_tokens.now();
    m_tokens.advance();
    if (token.kind == Sign::Not) {
        const Sign next = m_tokens.now().kind;
        if (next != Sign::Open && next != Sign::Word && next != Sign::Not) {
            fail(Query::tr("Expected a search term after “%1”").arg(token.value), token.place,
                 token.length);
            return {};
        }
        Term term = one();
        term.negated = !term.negated;
        return term;
    }
    if (token.kind == Sign::Open) {
        Term term = any();
        if (problem())
            return term;
        if (m_tokens.now().kind != Sign::Close) {
            fail(Query::tr("Missing closing parenthesis"), token.place, 1);
            return term;
        }
        m_tokens.advance();
        return term;
    }
    return made(token);
}

Query::Term QueryParser::made(const QueryToken &token)
{
    Term term;
    term.kind = Term::Kind::Test;
    if (token.key.isEmpty()) {
        term.test = queryWordTest(token.value, token.quoted);
        return term;
    }
    if (token.value.isEmpty()) {
        fail(Query::tr("Expected a value after “%1”").arg(token.key + token.relation), token.place,
             token.length);
        return term;
    }
    const QString key = token.key.toLower();
    if (const QString prefix = QStringLiteral("own."); key.startsWith(prefix))
        return own(token.key.mid(prefix.size()), token);
    const MetricPointer metric = m_own ? m_own->metric(key) : nullptr;
    const NodeFigure *figure = nodeFigure(key);
    if (!figure && !metric)
        return named(key, token);
    term.ofTensors = false;
    if (!figure) {
        if (const auto limit = limitOf(token))
            term.test = queryMetricTest(metric, relationIn(token), *limit);
        return term;
    }
    if (const auto limit = limitOf(token))
        term.test = queryFigureTest(*figure, relationIn(token), *limit);
    return term;
}

std::optional<double> QueryParser::limitOf(const QueryToken &token)
{
    const std::string value = token.value.toStdString();
    const auto limit = numberAtStart(value);
    if (limit && limit->length == value.size())
        return limit->value;
    failAtValue(Query::tr("“%1” is not a number; examples: 64, 1.5M, 2MB, 2MiB").arg(token.value),
                token);
    return std::nullopt;
}

Query::Term QueryParser::named(const QString &key, const QueryToken &token)
{
    Term term;
    term.kind = Term::Kind::Test;
    const auto keys = queryTextKeys();
    const auto known = std::ranges::find_if(
        keys, [&](const QueryTextKey &k) { return key == QLatin1String(k.key); });
    if (known == keys.end() && key == errorMetricKey) {
        fail(Query::tr("No errors are known yet: choose Kernels > Verify plan first"), token.place,
             token.key.size());
        return term;
    }
    if (known == keys.end()) {
        fail(Query::tr("Unknown key “%1”; put the text in quotes to search for it literally")
                 .arg(token.key),
             token.place, token.key.size());
        return term;
    }
    if (token.relation != u":" && token.relation != u"=" && token.relation != u"!=") {
        fail(Query::tr("“%1” is not a number: write “%1:%2”").arg(token.key, token.value),
             token.place, token.length);
        return term;
    }
    if (const QString wrong = wrongValue(key, token.value); !wrong.isEmpty()) {
        failAtValue(wrong, token);
        return term;
    }
    term.ofTensors = known->ofTensors;
    term.negated = token.relation == u"!=";
    if (token.quoted || !token.value.contains(',')) {
        term.test = queryTextTest(key, token.value, token.quoted);
        return term;
    }
    std::vector<Term> choices; // "op:Conv,Gemm"
    for (const QString &value : token.value.split(',', Qt::SkipEmptyParts)) {
        Term choice;
        choice.kind = Term::Kind::Test;
        choice.ofTensors = known->ofTensors;
        choice.test = queryTextTest(key, value, false);
        choices.push_back(std::move(choice));
    }
    Term several = Term::combined(Term::Kind::Any, std::move(choices));
    several.negated = term.negated;
    return several;
}

/// Parses a test of a column of loaded data: numbers are compared, words are matched.
Query::Term QueryParser::own(const QString &name, const QueryToken &token)
{
    Term term;
    term.kind = Term::Kind::Test;
    term.ofTensors = false;
    const OwnTable::Column *column = m_own ? m_own->column(name) : nullptr;
    if (!column) {
        QStringList names;
        if (m_own)
            for (const OwnTable::Column &known : m_own->columns())
                names << known.name;
        fail(names.isEmpty() ? Query::tr("No node data is loaded: choose View > Load node data")
                             : Query::tr("The node data has no column “%1”; its columns are: %2")
                                   .arg(name, names.join(QStringLiteral(", "))),
             token.place, token.key.size());
        return term;
    }
    const bool compares = token.relation != u":";
    if (column->numbers && compares) {
        if (const auto limit = limitOf(token))
            term.test = queryOwnTest(m_own, *column, relationIn(token), *limit);
        return term;
    }
    if (compares && token.relation != u"=" && token.relation != u"!=") {
        fail(Query::tr("“%1” contains text: write “%1:%2”").arg(token.key, token.value),
             token.place, token.length);
        return term;
    }
    term.test = queryOwnTest(m_own, *column, token.value, token.quoted);
    term.negated = token.relation == u"!=";
    return term;
}

QString QueryParser::wrongValue(const QString &key, const QString &value)
{
    if (key == u"opaque" && value.toLower() != u"yes" && value.toLower() != u"no")
        return Query::tr("Write opaque:yes or opaque:no");
    if (key == u"block" || key == u"subgraph")
        for (const QString &number : value.split(',', Qt::SkipEmptyParts)) {
            bool ok = false;
            number.toUInt(&ok);
            if (!ok)
                return Query::tr("“%1” is not a %2 number").arg(number, key);
        }
    return {};
}

} // namespace graphloom
