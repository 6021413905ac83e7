// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/query.h"

#include "app/models/format.h"
#include "app/models/module_tree.h"
#include "app/models/node_figures.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace graphloom {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Query", text);
}

/// A value with * and ?, as a whole; else a part of the text, or the whole where `whole`. Case does
/// not count.
class Pattern {
public:
    Pattern(const QString &value, bool whole, bool quoted) : m_text(value.toLower()), m_whole(whole)
    {
        if (!quoted && (value.contains('*') || value.contains('?'))) {
            m_expression.setPattern(QRegularExpression::anchoredPattern(
                QRegularExpression::escape(m_text)
                    .replace(QStringLiteral("\\*"), QStringLiteral(".*"))
                    .replace(QStringLiteral("\\?"), QStringLiteral("."))));
            m_expression.setPatternOptions(QRegularExpression::CaseInsensitiveOption);
            m_expression.optimize();
            m_wild = true;
        }
    }
    bool matches(const QString &text) const
    {
        if (m_wild)
            return m_expression.match(text).hasMatch();
        return m_whole ? text.compare(m_text, Qt::CaseInsensitive) == 0
                       : text.contains(m_text, Qt::CaseInsensitive);
    }

private:
    QString m_text;
    bool m_whole, m_wild = false;
    QRegularExpression m_expression;
};

/// What a term needs to know of a node or of a tensor.
struct Subject {
    const QueryContext *context = nullptr; // null: a tensor
    NodeId node;
    const Tensor *tensor = nullptr;
    const NodeFacts &facts() const { return context->facts.of(node); }
    const Node &of() const { return context->graph.node(node); }
};

using Test = std::function<bool(const Subject &)>;

bool anyTensor(const Subject &subject, bool outputsOnly,
               const std::function<bool(const Tensor &)> &test)
{
    if (subject.tensor)
        return test(*subject.tensor);
    const Node &node = subject.of();
    const auto any = [&](const std::vector<TensorId> &ids) {
        return std::ranges::any_of(ids, [&](TensorId id) {
            return id.valid() && test(subject.context->graph.tensor(id));
        });
    };
    return any(node.outputs) || (!outputsOnly && (any(node.inputs) || any(node.captures)));
}

/// "1x64x*" against the extents; "…" or ".." at the end for whatever follows.
bool matchesShape(const QStringList &wanted, const Tensor &tensor)
{
    if (!tensor.shape)
        return false;
    const Shape &shape = *tensor.shape;
    const bool open = !wanted.isEmpty() && (wanted.back() == u".." || wanted.back() == u"…");
    const qsizetype count = wanted.size() - (open ? 1 : 0);
    if (open ? qsizetype(shape.size()) < count : qsizetype(shape.size()) != count)
        return false;
    for (qsizetype d = 0; d < count; ++d)
        if (wanted[d] != u"*" && wanted[d] != u"?" &&
            fromUtf8(shape[std::size_t(d)].text()).compare(wanted[d], Qt::CaseInsensitive) != 0)
            return false;
    return true;
}

bool isInModule(const Subject &subject, const Pattern &pattern)
{
    const QueryContext &context = *subject.context;
    if (context.groups && context.groups->modules)
        for (Item group = context.groups->groupOf(subject.node, Grouping::Modules); group;
             group = context.groups->parentOf(group)) {
            const auto &of = context.groups->modules->groups[group.index];
            if (pattern.matches(of.name) || pattern.matches(of.title))
                return true;
        }
    // Modules of one node are no groups.
    return pattern.matches(modulesOf(subject.of().name).join('/'));
}

std::optional<double> numberOf(const QString &text)
{
    static const QRegularExpression form(
        QStringLiteral("^(\\d+\\.?\\d*|\\.\\d+)(e[+-]?\\d+)?([kmgt]?)(i?)b?$"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = form.match(text);
    if (!match.hasMatch() || (match.captured(3).isEmpty() && !match.captured(4).isEmpty()))
        return std::nullopt;
    const double number = (match.captured(1) + match.captured(2)).toDouble();
    const auto power = match.captured(3).isEmpty()
                           ? 0
                           : 1 + QStringLiteral("kmgt").indexOf(match.captured(3).toLower());
    return number * std::pow(match.captured(4).isEmpty() ? 1000.0 : 1024.0, double(power));
}

enum class Relation { Equal, Different, Less, AtMost, More, AtLeast };

bool holds(double value, Relation relation, double limit)
{
    switch (relation) {
    case Relation::Equal:
        return value == limit;
    case Relation::Different:
        return value != limit;
    case Relation::Less:
        return value < limit;
    case Relation::AtMost:
        return value <= limit;
    case Relation::More:
        return value > limit;
    case Relation::AtLeast:
        return value >= limit;
    }
    return false;
}

/// Words that stand behind a colon.
struct TextKey {
    const char *key, *meaning, *example;
    bool ofTensors; // graph inputs and outputs have it, too
};
constexpr TextKey textKeys[] = {
    {"op", QT_TRANSLATE_NOOP("Query", "the operator, as a whole"), "op:Conv", false},
    {"name", QT_TRANSLATE_NOOP("Query", "a part of the node's name"), "name:layer1", true},
    {"tensor", QT_TRANSLATE_NOOP("Query", "a part of the name of a tensor it reads or writes"),
     "tensor:weight", true},
    {"module", QT_TRANSLATE_NOOP("Query", "a part of the name of a module it is in"),
     "module:encoder/layer.3", false},
    {"block", QT_TRANSLATE_NOOP("Query", "the number of its fusion block"), "block:7", false},
    {"subgraph", QT_TRANSLATE_NOOP("Query", "the number of its subgraph"), "subgraph:3", false},
    {"type", QT_TRANSLATE_NOOP("Query", "the element type of an output"), "type:float16", true},
    {"shape", QT_TRANSLATE_NOOP("Query", "the shape of an output; * is any extent"), "shape:1x64x*",
     true},
    {"class", QT_TRANSLATE_NOOP("Query", "its class in the legend"), "class:contraction", false},
    {"mapping", QT_TRANSLATE_NOOP("Query", "its mapping type"), "mapping:many-to-many", false},
    {"opaque", QT_TRANSLATE_NOOP("Query", "whether passes cannot look into it"), "opaque:yes",
     false},
};

Test textTest(QStringView key, const QString &value, bool quoted)
{
    const auto number = [&] {
        bool ok = false;
        const std::uint32_t index = value.toUInt(&ok);
        return ok ? index : Partition::none;
    };
    if (key == u"op")
        return [pattern = Pattern(value, true, quoted)](const Subject &s) {
            return pattern.matches(s.facts().op) || pattern.matches(fromUtf8(s.of().op));
        };
    if (key == u"name")
        return [pattern = Pattern(value, false, quoted)](const Subject &s) {
            return pattern.matches(s.tensor ? fromUtf8(s.tensor->name) : s.facts().name);
        };
    if (key == u"tensor")
        return [pattern = Pattern(value, false, quoted)](const Subject &s) {
            return anyTensor(s, false, [&](const Tensor &tensor) {
                return pattern.matches(fromUtf8(tensor.name));
            });
        };
    if (key == u"module")
        return [pattern = Pattern(value, false, quoted)](const Subject &s) {
            return isInModule(s, pattern);
        };
    if (key == u"block" || key == u"subgraph")
        return
            [index = number(), grouping = key == u"block" ? Grouping::Blocks
                                                          : Grouping::Subgraphs](const Subject &s) {
                const Item group =
                    s.context->groups ? s.context->groups->groupOf(s.node, grouping) : Item();
                return group && group.index == index;
            };
    if (key == u"type") // other tools' names for two of them
        return [pattern = Pattern(value.toLower() == u"float32"   ? QStringLiteral("float")
                                  : value.toLower() == u"float64" ? QStringLiteral("double")
                                                                  : value,
                                  true, quoted)](const Subject &s) {
            return anyTensor(s, true, [&](const Tensor &tensor) {
                return pattern.matches(fromUtf8(nameOf(tensor.type)));
            });
        };
    if (key == u"shape")
        return [wanted = value.toLower() == u"scalar" ? QStringList() : value.toLower().split('x')](
                   const Subject &s) {
            return anyTensor(s, true,
                             [&](const Tensor &tensor) { return matchesShape(wanted, tensor); });
        };
    if (key == u"class")
        return [pattern = Pattern(value, false, quoted)](const Subject &s) {
            return pattern.matches(fromUtf8(nameOf(s.facts().operatorClass)));
        };
    if (key == u"mapping")
        return [pattern = Pattern(value, true, quoted)](const Subject &s) {
            return pattern.matches(fromUtf8(nameOf(s.facts().mapping)));
        };
    return [yes = value.toLower() == u"yes"](const Subject &s) {
        return s.facts().opaque.isEmpty() != yes;
    };
}

} // namespace

struct Query::Term {
    enum class Kind { All, Any, Test } kind = Kind::All;
    bool negated = false;
    bool ofTensors = true; // can be asked of a graph's input or output
    bool plain = false;    // a word
    Test test;
    std::vector<Term> parts;

    bool holds(const Subject &subject) const
    {
        bool result = false;
        switch (kind) {
        case Kind::All:
            result = std::ranges::all_of(parts, [&](const Term &t) { return t.holds(subject); });
            break;
        case Kind::Any:
            result = std::ranges::any_of(parts, [&](const Term &t) { return t.holds(subject); });
            break;
        case Kind::Test:
            result = test(subject);
            break;
        }
        return result != negated;
    }
};

namespace {

using Term = Query::Term;

struct Token {
    enum class Kind { Open, Close, Or, Not, Word, End } kind = Kind::End;
    qsizetype place = 0, length = 0;
    QString key, relation, value; // of a term; a word has only the value
    bool quoted = false;
    qsizetype valuePlace = 0;
};

class Parser {
public:
    explicit Parser(const QString &text) : m_text(text) { advance(); }

    std::shared_ptr<const Term> parse()
    {
        if (m_token.kind == Token::Kind::End)
            return nullptr;
        auto term = std::make_shared<Term>(any());
        if (!problem && m_token.kind == Token::Kind::Close)
            fail(tr("Nothing was opened that is closed here"), m_token.place, 1);
        return term;
    }

    std::optional<QueryProblem> problem;

private:
    void fail(const QString &message, qsizetype place, qsizetype length)
    {
        if (!problem)
            problem = QueryProblem{message, place, length};
        m_token = {};
    }

    static Term combined(Term::Kind kind, std::vector<Term> parts)
    {
        if (parts.size() == 1)
            return std::move(parts.front());
        Term term;
        term.kind = kind;
        term.ofTensors = std::ranges::all_of(parts, &Term::ofTensors);
        term.plain = kind == Term::Kind::All && std::ranges::all_of(parts, &Term::plain);
        term.parts = std::move(parts);
        return term;
    }

    Term any()
    {
        std::vector<Term> parts;
        parts.push_back(all());
        while (m_token.kind == Token::Kind::Or) {
            advance();
            parts.push_back(all());
        }
        return combined(Term::Kind::Any, std::move(parts));
    }

    Term all()
    {
        std::vector<Term> parts;
        while (!problem && m_token.kind != Token::Kind::End && m_token.kind != Token::Kind::Or &&
               m_token.kind != Token::Kind::Close)
            parts.push_back(one());
        if (parts.empty() && !problem)
            fail(tr("Something to look for is missing here"), m_token.place,
                 std::max<qsizetype>(m_token.length, 1));
        return combined(Term::Kind::All, std::move(parts));
    }

    Term one()
    {
        if (m_token.kind == Token::Kind::Not) {
            const Token sign = m_token;
            advance();
            if (m_token.kind != Token::Kind::Open && m_token.kind != Token::Kind::Word) {
                fail(tr("What is not to be there is missing behind this sign"), sign.place, 1);
                return {};
            }
            Term term = one();
            term.negated = !term.negated;
            term.plain = false;
            return term;
        }
        if (m_token.kind == Token::Kind::Open) {
            const qsizetype place = m_token.place;
            advance();
            Term term = any();
            if (problem)
                return term;
            if (m_token.kind != Token::Kind::Close) {
                fail(tr("This parenthesis is not closed"), place, 1);
                return term;
            }
            advance();
            term.plain = false;
            return term;
        }
        const Token token = m_token;
        advance();
        return made(token);
    }

    Term made(const Token &token)
    {
        Term term;
        term.kind = Term::Kind::Test;
        if (token.key.isEmpty()) {
            term.plain = true;
            if (!token.quoted && (token.value.contains('*') || token.value.contains('?'))) {
                const Pattern pattern('*' + token.value + '*', true, false);
                term.test = [pattern](const Subject &s) {
                    return s.tensor ? pattern.matches(fromUtf8(s.tensor->name))
                                    : std::ranges::any_of(s.facts().searchText.split('\n'),
                                                          [&](const QString &line) {
                                                              return pattern.matches(line);
                                                          });
                };
                return term;
            }
            term.test = [lower = token.value.toLower()](const Subject &s) {
                return s.tensor ? fromUtf8(s.tensor->name).contains(lower, Qt::CaseInsensitive)
                                : s.facts().searchText.contains(lower);
            };
            return term;
        }
        if (token.value.isEmpty()) {
            fail(tr("A value is missing behind “%1”").arg(token.key + token.relation), token.place,
                 token.length);
            return term;
        }
        const QString key = token.key.toLower();
        if (const NodeFigure *figure = nodeFigure(key))
            return compared(*figure, token);
        const auto known = std::ranges::find_if(
            textKeys, [&](const TextKey &k) { return key == QLatin1String(k.key); });
        if (known == std::end(textKeys)) {
            fail(tr("There is no key “%1”; put the text in quotes to look for it as it is")
                     .arg(token.key),
                 token.place, token.key.size());
            return term;
        }
        if (token.relation != u":" && token.relation != u"=" && token.relation != u"!=") {
            fail(tr("“%1” is no number: write “%1:%2”").arg(token.key, token.value), token.place,
                 token.length);
            return term;
        }
        if (const QString wrong = wrongValue(key, token.value); !wrong.isEmpty()) {
            fail(wrong, token.valuePlace, token.place + token.length - token.valuePlace);
            return term;
        }
        term.ofTensors = known->ofTensors;
        term.negated = token.relation == u"!=";
        if (token.quoted || !token.value.contains(',')) {
            term.test = textTest(key, token.value, token.quoted);
            return term;
        }
        std::vector<Term> choices; // "op:Conv,Gemm"
        for (const QString &value : token.value.split(',', Qt::SkipEmptyParts)) {
            Term choice;
            choice.kind = Term::Kind::Test;
            choice.ofTensors = known->ofTensors;
            choice.test = textTest(key, value, false);
            choices.push_back(std::move(choice));
        }
        Term several = combined(Term::Kind::Any, std::move(choices));
        several.negated = term.negated;
        return several;
    }

    static QString wrongValue(const QString &key, const QString &value)
    {
        if (key == u"opaque" && value.toLower() != u"yes" && value.toLower() != u"no")
            return tr("Write opaque:yes or opaque:no");
        if (key == u"block" || key == u"subgraph")
            for (const QString &number : value.split(',', Qt::SkipEmptyParts)) {
                bool ok = false;
                number.toUInt(&ok);
                if (!ok)
                    return tr("“%1” is not the number of a %2").arg(number, key);
            }
        return {};
    }

    Term compared(const NodeFigure &figure, const Token &token)
    {
        Term term;
        term.kind = Term::Kind::Test;
        term.ofTensors = false;
        const auto limit = numberOf(token.value);
        if (!limit) {
            fail(tr("“%1” is no number; examples: 64, 1.5M, 2MB, 2MiB").arg(token.value),
                 token.valuePlace, token.place + token.length - token.valuePlace);
            return term;
        }
        const Relation relation = token.relation == u">"    ? Relation::More
                                  : token.relation == u">=" ? Relation::AtLeast
                                  : token.relation == u"<"  ? Relation::Less
                                  : token.relation == u"<=" ? Relation::AtMost
                                  : token.relation == u"!=" ? Relation::Different
                                                            : Relation::Equal;
        term.test = [&figure, relation, limit = *limit](const Subject &s) {
            const auto value = figure.of(s.context->graph, s.context->facts, s.node);
            return value && holds(*value, relation, limit);
        };
        return term;
    }

    void advance()
    {
        const auto size = m_text.size();
        while (m_at < size && m_text[m_at].isSpace())
            ++m_at;
        m_token = {};
        m_token.place = m_at;
        if (m_at >= size)
            return;
        const QChar c = m_text[m_at];
        if (c == '(' || c == ')') {
            m_token.kind = c == '(' ? Token::Kind::Open : Token::Kind::Close;
            m_token.length = 1;
            ++m_at;
            return;
        }
        const bool ends = m_at + 1 >= size || m_text[m_at + 1].isSpace();
        if (c == '-' && !ends) {
            m_token.kind = Token::Kind::Not;
            m_token.length = 1;
            ++m_at;
            return;
        }
        m_token.kind = Token::Kind::Word;
        if (c == '"') {
            m_token.value = quoted();
            m_token.quoted = true;
        } else {
            word();
        }
        m_token.length = m_at - m_token.place;
        if (!m_token.quoted && m_token.key.isEmpty() &&
            m_token.value.compare(QLatin1String("or"), Qt::CaseInsensitive) == 0)
            m_token.kind = Token::Kind::Or;
    }

    QString quoted()
    {
        const qsizetype begin = m_at + 1, end = m_text.indexOf('"', begin);
        if (end < 0) {
            const QString rest = m_text.mid(begin);
            problem =
                problem ? problem
                        : QueryProblem{tr("This quote is not closed"), m_at, m_text.size() - m_at};
            m_at = m_text.size();
            return rest;
        }
        m_at = end + 1;
        return m_text.mid(begin, end - begin);
    }

    /// A key is of letters; "onnx::MatMul_7" is a word, as is "a/b:0".
    void word()
    {
        qsizetype at = m_at;
        const auto size = m_text.size();
        while (at < size && (m_text[at].isLetter() || m_text[at] == '_'))
            ++at;
        if (at > m_at && at < size &&
            (QStringLiteral("<>=:").contains(m_text[at]) ||
             (m_text[at] == '!' && at + 1 < size && m_text[at + 1] == '=')) &&
            m_text.mid(at, 2) != u"::") {
            m_token.key = m_text.mid(m_at, at - m_at);
            const qsizetype signs =
                at + 1 < size && m_text[at] != ':' && m_text[at + 1] == '=' ? 2 : 1;
            m_token.relation = m_text.mid(at, signs);
            m_at = at + signs;
            m_token.valuePlace = m_at;
            if (m_at < size && m_text[m_at] == '"') {
                m_token.value = quoted();
                m_token.quoted = true;
                return;
            }
        }
        const qsizetype begin = m_at;
        while (m_at < size && !m_text[m_at].isSpace() && m_text[m_at] != '(' && m_text[m_at] != ')')
            ++m_at;
        m_token.value = m_text.mid(begin, m_at - begin);
    }

    const QString m_text;
    qsizetype m_at = 0;
    Token m_token;
};

} // namespace

Query::Query(const QString &text)
{
    Parser parser(text);
    m_root = parser.parse();
    m_problem = parser.problem;
}

bool Query::matches(const QueryContext &context, NodeId id) const
{
    return m_root && !m_problem && m_root->holds({&context, id, nullptr});
}

bool Query::matches(const Tensor &tensor) const
{
    return m_root && !m_problem && m_root->ofTensors && m_root->holds({nullptr, {}, &tensor});
}

bool Query::isPlain() const
{
    return m_root && m_root->plain;
}

std::vector<Query::Key> Query::keys()
{
    std::vector<Key> keys;
    for (const TextKey &key : textKeys)
        keys.push_back(
            {QLatin1String(key.key), tr(key.meaning), QLatin1String(key.example), false});
    for (const NodeFigure &figure : nodeFigures()) {
        const QString key = QLatin1String(figure.key);
        keys.push_back({key, figure.translatedMeaning(),
                        key + (figure.unit == NodeFigure::Unit::Bytes    ? QStringLiteral(">1MB")
                               : key == u"macs" || key == u"flops"       ? QStringLiteral(">1G")
                               : key == u"params"                        ? QStringLiteral(">1M")
                               : key == u"rank"                          ? QStringLiteral("=4")
                               : key == u"fanout" || key == u"intensity" ? QStringLiteral(">8")
                               : key == u"inputs" || key == u"outputs"   ? QStringLiteral(">2")
                                                                         : QStringLiteral(">=64")),
                        true});
    }
    return keys;
}

QStringList Query::valuesOf(const QString &key, const Snapshot &snapshot)
{
    std::set<QString> values;
    const Graph &graph = snapshot.graph();
    for (const NodeId id : graph.order()) {
        const NodeFacts &facts = snapshot.facts->of(id);
        if (key == u"op")
            values.insert(facts.op);
        else if (key == u"class")
            values.insert(fromUtf8(nameOf(facts.operatorClass)));
        else if (key == u"mapping")
            values.insert(fromUtf8(nameOf(facts.mapping)));
        else if (key == u"shape")
            values.insert(facts.shape);
        else if (key == u"type")
            for (const TensorId output : graph.node(id).outputs)
                if (output.valid())
                    values.insert(fromUtf8(nameOf(graph.tensor(output).type)));
    }
    if (key == u"opaque")
        values = {QStringLiteral("no"), QStringLiteral("yes")};
    if (key == u"module" && snapshot.modules)
        for (const GroupForest::Group &group : snapshot.modules->groups)
            values.insert(group.name.section('#', 0, 0));
    return {values.begin(), values.end()};
}

QString Query::help()
{
    QString text = tr("<p>Words are looked for in names, operators and tensors; all must be there. "
                      "<b>-</b> in front: it must not be there. <b>or</b> between two: one is "
                      "enough. <b>\"…\"</b>: as it stands. <b>*</b> and <b>?</b>: any text, any "
                      "letter. <b>( )</b> group. Numbers have units: 64, 1.5M, 2MB, 2MiB; "
                      "&gt; &gt;= &lt; &lt;= = != compare.</p><table>");
    for (const Key &key : keys())
        text += QStringLiteral("<tr><td><code>%1</code>&nbsp;&nbsp;</td><td>%2</td></tr>")
                    .arg(key.example.toHtmlEscaped(), key.meaning.toHtmlEscaped());
    return text + QStringLiteral("</table>");
}

} // namespace graphloom
