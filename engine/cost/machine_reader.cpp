// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/machine_keys.h"
#include "engine/cost/machine_text.h"
#include "engine/system/json_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

namespace graphloom {

using namespace machine_keys;

namespace {

using Json = nlohmann::ordered_json;

std::string inQuotes(std::string_view name)
{
    return "\"" + std::string(name) + "\"";
}

/// Reads the objects of one description. Messages name the place: `device "d", units, "big"`.
class Reader {
public:
    Result<Machine> machine(const Json &json);

private:
    Result<void> wrong(const std::string &what) const
    {
        return fail(Error::Kind::Usage, what, m_place);
    }
    template <class Read> Result<void> within(const std::string &inner, Read read)
    {
        const std::string outer = std::exchange(m_place, m_place + ", " + inner);
        GL_TRY(read());
        m_place = outer;
        return {};
    }
    Result<void> text(const Json &json, const char *key, std::string &to) const;
    Result<MachineFigure> figure(const Json &json, const char *key, double scale,
                                 Range range) const;
    template <class Part>
    Result<void> figures(const Json &json, std::span<const FigureKey<Part>> keys,
                         std::span<const PlainKey> plain, Part &part) const;
    Result<void> levels(const Json &json, std::vector<MemoryLevel> &to);
    Result<void> level(const Json &json, MemoryLevel &to);
    Result<void> unit(const Json &json, UnitKind &to);
    Result<void> extensions(const Json &json, UnitKind &to) const;
    Result<void> clocks(const Json &json, UnitKind &to) const;
    template <class Item, class Read>
    Result<void> list(const Json &json, const char *key, std::vector<Item> &to, Read read);
    template <class Part>
    Result<void> object(const Json &json, const char *key, std::span<const FigureKey<Part>> keys,
                        std::optional<Part> &to);

    std::string m_place = "device description";
    std::vector<std::string> m_levels; // names so far
};

Result<void> Reader::text(const Json &json, const char *key, std::string &to) const
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string() || found->get<std::string>().empty())
        return wrong(inQuotes(key) + " must be a text");
    to = found->get<std::string>();
    return {};
}

/// Reads {"value": 44, "published": "four channels of LPDDR5-5500"}.
Result<MachineFigure> Reader::figure(const Json &json, const char *key, double scale,
                                     Range range) const
{
    const auto refuse = [&](const std::string &what) -> Result<MachineFigure> {
        return fail(Error::Kind::Usage, inQuotes(key) + " " + what, m_place);
    };
    if (!json.is_object() || !json.contains("value"))
        return refuse("must be an object with \"value\" and one of \"published\", \"measured\" and "
                      "\"assumed\"");
    MachineFigure figure;
    const Json &value = json["value"];
    if (range == Range::Truth) {
        if (!value.is_boolean())
            return refuse("must be true or false");
        figure.value = value.get<bool>() ? 1 : 0;
    } else {
        const double number = value.is_number() ? value.get<double>() : 0;
        if (!(number > 0))
            return refuse("must be a number greater than 0");
        if (number * scale < leastFigure || number * scale > mostFigure)
            return refuse("is out of range");
        const bool isWhole = range == Range::Whole || range == Range::Count;
        if (isWhole && (number != std::floor(number) || number > mostWhole))
            return refuse("must be a whole number");
        if (range == Range::Count && number > mostCount)
            return refuse("must not be greater than 1000000");
        if (range == Range::Share && number > 1)
            return refuse("must not be greater than 1");
        figure.value = number * scale;
    }
    int sources = 0;
    for (const auto &[name, text] : json.items()) {
        if (name == "value")
            continue;
        const auto evidence =
            std::ranges::find(evidenceNames, name, &std::pair<Evidence, std::string_view>::second);
        if (evidence == std::end(evidenceNames))
            return refuse("has the unknown key " + inQuotes(name));
        if (!text.is_string() || text.get<std::string>().empty())
            return refuse("must say in " + inQuotes(name) + " where the value is from");
        figure.evidence = evidence->first;
        figure.source = text.get<std::string>();
        ++sources;
    }
    if (sources != 1)
        return refuse("must have one of \"published\", \"measured\" and \"assumed\"");
    return figure;
}

template <class Part>
Result<void> Reader::figures(const Json &json, std::span<const FigureKey<Part>> keys,
                             std::span<const PlainKey> plain, Part &part) const
{
    for (const auto &[name, value] : json.items())
        if (!std::ranges::count(keys, name, &FigureKey<Part>::name) &&
            !std::ranges::count(plain, name, &PlainKey::name))
            return wrong("unknown key " + inQuotes(name));
    for (const FigureKey<Part> &key : keys) {
        const auto found = json.find(key.name);
        if (found == json.end()) {
            if (key.field)
                return wrong(inQuotes(key.name) + " is missing");
            continue;
        }
        GL_TRY_CONST(read, figure(*found, key.name, key.scale, key.range));
        if (key.field)
            part.*key.field = *read;
        else
            part.*key.optional = *read;
    }
    return {};
}

template <class Item, class Read>
Result<void> Reader::list(const Json &json, const char *key, std::vector<Item> &to, Read read)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array() || found->empty())
        return wrong(inQuotes(key) + " must be a list with at least one entry");
    for (std::size_t i = 0; i < found->size(); ++i) {
        const Json &item = (*found)[i];
        const bool isNamed = item.is_object() && item.contains("name") && item["name"].is_string();
        GL_TRY(within(
            std::string(key) + ", " +
                (isNamed ? inQuotes(item["name"].get<std::string>()) : std::to_string(i + 1)),
            [&]() -> Result<void> {
                if (!item.is_object())
                    return wrong("must be an object");
                return read(item, to.emplace_back());
            }));
    }
    return {};
}

template <class Part>
Result<void> Reader::object(const Json &json, const char *key,
                            std::span<const FigureKey<Part>> keys, std::optional<Part> &to)
{
    const auto found = json.find(key);
    if (found == json.end())
        return {};
    return within(key, [&]() -> Result<void> {
        if (!found->is_object())
            return wrong("must be an object");
        return figures<Part>(*found, keys, {}, to.emplace());
    });
}

Result<void> Reader::level(const Json &json, MemoryLevel &to)
{
    GL_TRY(text(json, "name", to.name));
    if (std::ranges::count(m_levels, to.name))
        return wrong("two levels that a unit can reach have the same name");
    m_levels.push_back(to.name);
    return figures<MemoryLevel>(json, levelKeys, levelPlain, to);
}

Result<void> Reader::levels(const Json &json, std::vector<MemoryLevel> &to)
{
    return list(json, "memory", to,
                [this](const Json &item, MemoryLevel &read) { return level(item, read); });
}

Result<void> Reader::clocks(const Json &json, UnitKind &to) const
{
    const auto found = json.find("clocks_ghz");
    if (found == json.end())
        return {};
    const bool isList =
        found->is_array() && std::ranges::all_of(*found, [](const Json &clock) {
            return clock.is_number() && clock.get<double>() > 0 && clock.get<double>() < 1e3;
        });
    if (!isList)
        return wrong("\"clocks_ghz\" must be a list of numbers greater than 0");
    for (const Json &clock : *found)
        to.clocks.push_back(clock.get<double>() * giga);
    return {};
}

Result<void> Reader::extensions(const Json &json, UnitKind &to) const
{
    const auto found = json.find("extensions");
    if (found == json.end())
        return {};
    const bool isList = found->is_array() && std::ranges::all_of(*found, [](const Json &name) {
                            return name.is_string() && !name.get_ref<const std::string &>().empty();
                        });
    if (!isList)
        return wrong("\"extensions\" must be a list of texts");
    for (const Json &name : *found)
        to.extensions.push_back(name.get<std::string>());
    return {};
}

Result<void> Reader::unit(const Json &json, UnitKind &to)
{
    GL_TRY(text(json, "name", to.name));
    GL_TRY(figures<UnitKind>(json, unitKeys, unitPlain, to));
    if (json.contains("instruction_set"))
        GL_TRY(text(json, "instruction_set", to.instructionSet));
    if (json.contains("processor"))
        GL_TRY(text(json, "processor", to.processor));
    GL_TRY(extensions(json, to));
    GL_TRY(clocks(json, to));
    const std::vector<std::string> shared = m_levels; // kinds may have levels of the same name
    if (json.contains("memory"))
        GL_TRY(levels(json, to.memory));
    m_levels = shared;
    return {};
}

Result<Machine> Reader::machine(const Json &json)
{
    if (!json.is_object())
        return fail(Error::Kind::Usage, "a device description must be a JSON object");
    if (json.contains("name") && json["name"].is_string())
        m_place = "device " + inQuotes(json["name"].get<std::string>());
    Machine machine;
    GL_TRY(text(json, "name", machine.name));
    GL_TRY(text(json, "title", machine.title));
    GL_TRY(figures<Machine>(json, machineKeys, machinePlain, machine));
    GL_TRY(levels(json, machine.memory));
    if (!machine.memory.back().line)
        return fail(Error::Kind::Usage, "\"line_bytes\" of the last level of \"memory\" is missing",
                    m_place);
    GL_TRY(list(json, "units", machine.units,
                [this](const Json &item, UnitKind &read) { return unit(item, read); }));
    GL_TRY(text(json, "scratch", machine.scratch));
    if (!(bandwidthOf(machine, machine.scratch) > 0))
        return fail(Error::Kind::Usage,
                    "\"scratch\" must be the name of a level: there is no " +
                        inQuotes(machine.scratch),
                    m_place);
    GL_TRY(object<Tiles>(json, "tiles", tileKeys, machine.tiles));
    GL_TRY(object<HostLink>(json, "host_link", linkKeys, machine.hostLink));
    GL_TRY(object<KernelRates>(json, "rates", rateKeys, machine.rates));
    return machine;
}

} // namespace

Result<Machine> parseMachine(std::string_view json)
{
    return Reader().machine(orderedJsonOf(json));
}

} // namespace graphloom
