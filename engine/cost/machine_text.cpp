// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/machine_text.h"

#include "engine/cost/machine_keys.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

namespace graphloom {

using namespace machine_keys;

namespace {

using Json = nlohmann::ordered_json;

/// Rounds away what the scale of a unit has added.
double rounded(double value)
{
    constexpr double digits = 1e12;
    const double scale = digits / std::pow(10, std::ceil(std::log10(value)));
    return std::round(value * scale) / scale;
}

template <class Part>
void addFigures(Json &json, std::span<const FigureKey<Part>> keys, const Part &part)
{
    for (const FigureKey<Part> &key : keys) {
        const MachineFigure *figure = key.field            ? &(part.*key.field)
                                      : part.*key.optional ? &*(part.*key.optional)
                                                           : nullptr;
        if (!figure)
            continue;
        Json value = key.range == Range::Truth ? Json(figure->value != 0)
                                               : Json(rounded(figure->value / key.scale));
        if (key.range == Range::Whole || key.range == Range::Count)
            value = std::int64_t(std::llround(figure->value));
        json[key.name] = {{"value", std::move(value)},
                          {std::string(nameOf(figure->evidence)), figure->source}};
    }
}

Json jsonOf(const std::vector<MemoryLevel> &levels)
{
    Json list = Json::array();
    for (const MemoryLevel &level : levels) {
        Json row = {{"name", level.name}};
        addFigures<MemoryLevel>(row, levelKeys, level);
        list.push_back(std::move(row));
    }
    return list;
}

Json jsonOf(const UnitKind &unit)
{
    Json row = {{"name", unit.name}};
    addFigures<UnitKind>(row, unitKeys, unit);
    if (!unit.instructionSet.empty())
        row["instruction_set"] = unit.instructionSet;
    if (!unit.processor.empty())
        row["processor"] = unit.processor;
    for (const std::string &extension : unit.extensions)
        row["extensions"].push_back(extension);
    for (const double clock : unit.clocks)
        row["clocks_ghz"].push_back(rounded(clock / giga));
    if (!unit.memory.empty())
        row["memory"] = jsonOf(unit.memory);
    return row;
}

const char *textOf(Range range)
{
    switch (range) {
    case Range::Positive:
        return "number greater than 0";
    case Range::Whole:
    case Range::Count:
        return "whole number greater than 0";
    case Range::Share:
        return "number up to 1";
    case Range::Truth:
        break;
    }
    return "true or false";
}

template <class Part>
std::string tableOf(const char *title, std::span<const PlainKey> plain,
                    std::span<const FigureKey<Part>> keys)
{
    std::string text =
        "\n### " + std::string(title) + "\n\n| Key | Value | Meaning |\n|---|---|---|\n";
    const auto add = [&](const char *name, const std::string &value, const char *meaning) {
        text += "| `" + std::string(name) + "` | " + value + " | " + meaning + " |\n";
    };
    for (const PlainKey &key : plain)
        add(key.name, key.value, key.meaning);
    for (const FigureKey<Part> &key : keys)
        add(key.name,
            std::string(textOf(key.range)) + ", with its source" + (key.field ? "" : "; optional"),
            key.meaning);
    return text;
}

} // namespace

nlohmann::ordered_json jsonOf(const Machine &machine)
{
    Json json = {{"name", machine.name}, {"title", machine.title}, {"units", Json::array()}};
    for (const UnitKind &unit : machine.units)
        json["units"].push_back(jsonOf(unit));
    json["memory"] = jsonOf(machine.memory);
    json["scratch"] = machine.scratch;
    addFigures<Machine>(json, machineKeys, machine);
    if (machine.tiles)
        addFigures<Tiles>(json["tiles"], tileKeys, *machine.tiles);
    if (machine.hostLink)
        addFigures<HostLink>(json["host_link"], linkKeys, *machine.hostLink);
    if (machine.rates)
        addFigures<KernelRates>(json["rates"], rateKeys, *machine.rates);
    return json;
}

std::string textOf(const Machine &machine)
{
    return jsonOf(machine).dump();
}

std::string machineSchema()
{
    return tableOf<Machine>("Device", machinePlain, machineKeys) +
           tableOf<UnitKind>("Units", unitPlain, unitKeys) +
           tableOf<MemoryLevel>("Memory levels", levelPlain, levelKeys) +
           tableOf<Tiles>("Tiles", {}, tileKeys) + tableOf<HostLink>("Host link", {}, linkKeys) +
           tableOf<KernelRates>("Rates of kernels", {}, rateKeys);
}

} // namespace graphloom
