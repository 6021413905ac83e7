// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/checkpoint_field.h"

#include "engine/system/json_text.h"

namespace graphloom::magis {

CheckpointField CheckpointField::operator[](const char *name) const
{
    if (!m_value.is_object())
        refuse("is not an object");
    const auto at = m_value.find(name);
    if (at == m_value.end())
        refuse(std::string("has no \"") + name + '"');
    return {*at, this, name, 0};
}

std::size_t CheckpointField::size() const
{
    if (!m_value.is_array())
        refuse("is not a list");
    return m_value.size();
}

CheckpointField CheckpointField::operator[](std::size_t index) const
{
    return {m_value[index], this, nullptr, index};
}

std::int64_t CheckpointField::integer(std::int64_t least, std::int64_t most) const
{
    if (!m_value.is_number_integer())
        refuse("is not a whole number");
    const bool tooLarge = m_value.is_number_unsigned() && m_value.get<std::uint64_t>() > INT64_MAX;
    const std::int64_t value = tooLarge ? 0 : m_value.get<std::int64_t>();
    if (tooLarge || value < least || value > most)
        refuse("is " + jsonText(m_value) +
               (least > most ? ", but no value is valid here"
                             : ", but can only be from " + std::to_string(least) + " to " +
                                   std::to_string(most)));
    return value;
}

bool CheckpointField::flag() const
{
    if (!m_value.is_boolean())
        refuse("is not true or false");
    return m_value.get<bool>();
}

const std::string &CheckpointField::text() const
{
    if (!m_value.is_string())
        refuse("is not a string");
    return m_value.get_ref<const std::string &>();
}

void CheckpointField::refuse(const std::string &reason) const
{
    throw Refusal{place() + ' ' + reason};
}

std::string CheckpointField::place() const
{
    if (!m_around)
        return "the file";
    const std::string own = m_name ? m_name : '[' + std::to_string(m_index) + ']';
    if (!m_around->m_around)
        return own;
    return m_around->place() + (m_name ? "." : "") + own;
}

} // namespace graphloom::magis
