// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/data_value.h"

namespace graphloom {

DataValue DataValue::sequence(std::vector<DataValue> elements)
{
    return {Kind::Sequence, std::make_shared<const std::vector<DataValue>>(std::move(elements))};
}

DataValue DataValue::optional(std::optional<DataValue> element)
{
    std::vector<DataValue> elements;
    if (element)
        elements.push_back(std::move(*element));
    return {Kind::Optional, std::make_shared<const std::vector<DataValue>>(std::move(elements))};
}

std::span<const DataValue> DataValue::elements() const
{
    const auto *elements = std::get_if<Elements>(&m_content);
    return elements ? std::span<const DataValue>(**elements) : std::span<const DataValue>();
}

std::uint64_t DataValue::bytes() const
{
    if (const TensorData *data = tensor())
        return data->type() == DataType::String
                   ? std::uint64_t(data->elements()) * sizeof(std::string)
                   : data->bytes().size();
    std::uint64_t sum = 0;
    for (const DataValue &element : elements())
        sum += element.bytes();
    return sum;
}

std::string_view nameOf(DataValue::Kind kind)
{
    switch (kind) {
    case DataValue::Kind::Tensor:
        return "tensor";
    case DataValue::Kind::Sequence:
        return "sequence";
    case DataValue::Kind::Optional:
        return "optional";
    }
    return "";
}

} // namespace graphloom
