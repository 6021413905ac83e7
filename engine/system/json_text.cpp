// SPDX-License-Identifier: Apache-2.0
#include "engine/system/json_text.h"

#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using Json = nlohmann::json;

/// Counts the nesting depth only, and stops parsing if it is too deep.
class DepthHandler final : public nlohmann::json_sax<Json> {
public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t &) override { return true; }
    bool string(string_t &) override { return true; }
    bool binary(binary_t &) override { return true; }
    bool key(string_t &) override { return true; }
    bool start_object(std::size_t) override { return enter(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &) override
    {
        return false;
    }
    bool isTooDeep() const { return m_depth > deepestJson; }

private:
    bool enter()
    {
        ++m_depth;
        return !isTooDeep();
    }
    bool leave()
    {
        --m_depth;
        return true;
    }

    int m_depth = 0;
};

template <class Value> Value valueOf(std::string_view json)
{
    return nestsTooDeep(json) ? Value(Value::value_t::discarded)
                              : Value::parse(json, nullptr, false);
}

} // namespace

bool nestsTooDeep(std::string_view json, bool withComments)
{
    DepthHandler handler;
    Json::sax_parse(json, &handler, nlohmann::detail::input_format_t::json, true, withComments);
    return handler.isTooDeep();
}

nlohmann::ordered_json orderedJsonOf(std::string_view json)
{
    return valueOf<nlohmann::ordered_json>(json);
}

nlohmann::json jsonOf(std::string_view json)
{
    return valueOf<nlohmann::json>(json);
}

std::string jsonText(const nlohmann::ordered_json &value, int indentation)
{
    return value.dump(indentation, ' ', false, Json::error_handler_t::replace);
}

std::string jsonText(const nlohmann::json &value, int indentation)
{
    return value.dump(indentation, ' ', false, Json::error_handler_t::replace);
}

} // namespace graphloom
