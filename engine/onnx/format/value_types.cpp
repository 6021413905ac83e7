// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/format/value_types.h"

#include <cctype>
#include <charconv>
#include <optional>

namespace graphloom {

namespace {

bool belongsToName(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) || c == '_' || c == '.' || byte >= 0x80;
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Returns the name that Dim::text() quoted.
std::string unquoted(std::string_view text)
{
    std::string name;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        name += text[i];
        i += text[i] == '"'; // doubled
    }
    return name;
}

/// Parses a sum of products; fails on any other text.
class SumReader {
public:
    explicit SumReader(std::string_view text) : m_text(text) {}

    std::optional<Dim> read()
    {
        Dim sum;
        skipSpace();
        bool negative = take('-');
        do {
            const auto product = readProduct();
            if (!product)
                return std::nullopt;
            sum = negative ? sum - *product : sum + *product;
            skipSpace();
            negative = m_at < m_text.size() && m_text[m_at] == '-';
        } while (take('+') || take('-'));
        return m_at == m_text.size() && !sum.isOverflow() ? std::optional(sum) : std::nullopt;
    }

private:
    void skipSpace()
    {
        while (m_at < m_text.size() && m_text[m_at] == ' ')
            ++m_at;
    }
    bool take(char c)
    {
        if (m_at == m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }
    std::optional<Dim> readProduct()
    {
        Dim product(1);
        do {
            skipSpace();
            const std::size_t begin = m_at;
            if (m_at < m_text.size() && m_text[m_at] == '"') {
                do
                    m_at = m_text.find('"', m_at + 1);
                while (m_at != m_text.npos && m_text.substr(m_at + 1).starts_with('"') && ++m_at);
                if (m_at == m_text.npos)
                    return std::nullopt;
                ++m_at;
                product *= Dim::symbol(unquoted(m_text.substr(begin, m_at - begin)));
                skipSpace();
                continue;
            }
            while (m_at < m_text.size() && belongsToName(m_text[m_at]))
                ++m_at;
            const std::string_view word = m_text.substr(begin, m_at - begin);
            if (word.empty())
                return std::nullopt;
            if (isDigit(word.front())) {
                std::int64_t value = 0;
                const auto [end, error] =
                    std::from_chars(word.data(), word.data() + word.size(), value);
                if (error != std::errc() || end != word.data() + word.size())
                    return std::nullopt;
                product *= Dim(value);
            } else {
                product *= Dim::symbol(std::string(word));
            }
            skipSpace();
        } while (take('*'));
        return product;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

Result<Shape> readShape(const std::string &name, const onnx::TensorShapeProto &proto)
{
    if (std::size_t(proto.dim_size()) > highestRank)
        return fail(Error::Kind::Model, "has " + std::to_string(proto.dim_size()) +
                                            " dimensions; at most " + std::to_string(highestRank) +
                                            " are supported");
    Shape shape;
    for (int i = 0; i < proto.dim_size(); ++i) {
        const auto &dim = proto.dim(i);
        const std::string open = name + ".dim" + std::to_string(i);
        if (dim.has_dim_value()) {
            if (dim.dim_value() < 0)
                return fail(Error::Kind::Model, "has the negative extent " +
                                                    std::to_string(dim.dim_value()) +
                                                    " in dimension " + std::to_string(i));
            shape.push_back(dim.dim_value());
        } else {
            shape.push_back(dim.dim_param().empty() ? Dim::symbol(open)
                                                    : dimFromText(dim.dim_param()));
        }
    }
    if (isStatic(shape) && !staticElements(shape))
        return fail(Error::Kind::Model, "has more elements than 64 bits can count");
    return shape;
}

Result<DataType> readElementType(int number)
{
    const auto type = dataTypeFromOnnx(number);
    if (!type)
        return fail(Error::Kind::Model, "has the unknown element type " + std::to_string(number));
    return *type;
}

/// Checks the element types and extents of tensors inside a type like those of plain tensors.
Result<void> checkInnerTypes(const std::string &name, const onnx::TypeProto &type)
{
    const auto checkTensor = [&](const auto &tensor) -> Result<void> {
        GL_TRY(readElementType(tensor.elem_type()));
        const auto shape = readShape(name, tensor.shape());
        return shape ? Result<void>() : tl::unexpected(shape.error());
    };
    for (const onnx::TypeProto *inner = &type;;) {
        switch (inner->value_case()) {
        case onnx::TypeProto::kTensorType:
            return checkTensor(inner->tensor_type());
        case onnx::TypeProto::kSparseTensorType:
            return checkTensor(inner->sparse_tensor_type());
        case onnx::TypeProto::kSequenceType:
            inner = &inner->sequence_type().elem_type();
            break;
        case onnx::TypeProto::kOptionalType:
            inner = &inner->optional_type().elem_type();
            break;
        case onnx::TypeProto::kMapType:
            inner = &inner->map_type().value_type();
            break;
        default:
            return {};
        }
    }
}

} // namespace

Dim dimFromText(std::string_view text)
{
    constexpr std::size_t longest = 256; // products of many sums take long
    if (text.size() <= longest)
        if (const auto sum = SumReader(text).read())
            return *sum;
    return Dim::symbol(std::string(text));
}

std::string textForDim(const Dim &dim)
{
    const std::string text = dim.text();
    if (!dim.isSymbol() || text.front() != '"')
        return text;
    const std::string name = unquoted(text);
    return dimFromText(name) == dim ? name : text;
}

Result<Tensor> declaredTensor(const std::string &name, const onnx::TypeProto &type)
{
    Tensor tensor;
    tensor.name = name;
    switch (type.value_case()) {
    case onnx::TypeProto::VALUE_NOT_SET:
        break;
    case onnx::TypeProto::kTensorType: {
        GL_TRY_CONST(element, readElementType(type.tensor_type().elem_type()));
        tensor.type = *element;
        if (type.tensor_type().has_shape()) {
            GL_TRY_RESULT(shape, readShape(name, type.tensor_type().shape()));
            tensor.shape = std::move(*shape);
        }
        break;
    }
    default:
        GL_TRY(checkInnerTypes(name, type));
        type.SerializeToString(&tensor.otherType);
    }
    return tensor;
}

bool compatible(const Tensor &a, const Tensor &b)
{
    if (a.otherType.empty() != b.otherType.empty())
        return false;
    if (a.type != b.type && a.type != DataType::Undefined && b.type != DataType::Undefined)
        return false;
    if (!a.shape || !b.shape)
        return true;
    if (a.shape->size() != b.shape->size())
        return false;
    for (std::size_t i = 0; i < a.shape->size(); ++i) {
        const Dim difference = (*a.shape)[i] - (*b.shape)[i];
        if (difference.isConstant() && difference.value() != 0)
            return false;
    }
    return true;
}

void writeValueInfo(const std::string &name, const Tensor &tensor, onnx::ValueInfoProto &info)
{
    info.set_name(name);
    if (!tensor.otherType.empty()) {
        info.mutable_type()->ParseFromString(tensor.otherType);
        return;
    }
    if (tensor.type == DataType::Undefined)
        return;
    auto &type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(int(tensor.type));
    if (!tensor.shape)
        return;
    auto &shape = *type.mutable_shape();
    for (const Dim &dim : *tensor.shape) {
        auto &written = *shape.add_dim();
        if (dim.isConstant())
            written.set_dim_value(dim.value());
        else
            written.set_dim_param(textForDim(dim));
    }
}

} // namespace graphloom
