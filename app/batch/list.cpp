// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/list.h"

#include "app/batch/batch.h"
#include "app/batch/terminal/terminal_text.h"
#include "engine/cost/device.h"
#include "engine/cost/machine_text.h"
#include "engine/fusion/facts/mapping_table.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/reference/reference.h"
#include "engine/pass/plugins.h"
#include "engine/pass/program_parts.h"
#include "engine/system/json_text.h"
#include "engine/target/target_plugins.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

std::string_view nameOf(Parameter::Kind kind)
{
    switch (kind) {
    case Parameter::Kind::Real:
        return "real";
    case Parameter::Kind::Integer:
        return "integer";
    case Parameter::Kind::Toggle:
        return "toggle";
    case Parameter::Kind::Choice:
        break;
    }
    return "choice";
}

Json valueOf(const Parameter &parameter, double value)
{
    switch (parameter.kind) {
    case Parameter::Kind::Real:
        return value;
    case Parameter::Kind::Integer:
        return std::int64_t(value);
    case Parameter::Kind::Toggle:
        return value != 0;
    case Parameter::Kind::Choice:
        break;
    }
    return parameter.choices[std::size_t(value)];
}

Json describe(const Parameter &parameter)
{
    Json json = {{"name", parameter.name}, {"kind", nameOf(parameter.kind)}};
    json["initial"] = valueOf(parameter, parameter.initial);
    if (parameter.kind == Parameter::Kind::Choice) {
        json["choices"] = Json::array();
        for (const std::string_view choice : parameter.choices)
            json["choices"].push_back(choice);
    } else if (parameter.kind != Parameter::Kind::Toggle) {
        json["least"] = valueOf(parameter, parameter.least);
        json["most"] = valueOf(parameter, parameter.most);
    }
    for (const auto &[key, text] : {std::pair("label", parameter.label),
                                    {"unit", parameter.unit},
                                    {"zero", parameter.zero},
                                    {"group", parameter.group}})
        if (!text.empty())
            json[key] = text;
    json["help"] = parameter.help;
    return json;
}

Json listPasses()
{
    Json list = Json::array();
    for (const PassPlugin &plugin : ownPassPlugins()) {
        Json row;
        row["file"] = plugin.file.filename().string();
        if (plugin.pass) {
            row["name"] = plugin.pass->name();
            row["help"] = plugin.pass->help();
            row["parameters"] = Json::array();
            for (const Parameter &parameter : plugin.pass->parameters())
                row["parameters"].push_back(describe(parameter));
        } else {
            row["problem"] = plugin.problem;
        }
        list.push_back(std::move(row));
    }
    return list;
}

Json listOperators()
{
    const auto most = [](int count) { return count < 0 ? Json(nullptr) : Json(count); };
    Json list = Json::array();
    for (const OperatorFacts &facts : operatorFacts()) {
        const Operator &entry = *facts.entry;
        list.push_back({{"domain", entry.domain},
                        {"name", entry.name},
                        {"since", entry.since},
                        {"opsets", operatorSetsOf(facts)},
                        {"least_inputs", entry.leastInputs},
                        {"most_inputs", most(entry.mostInputs)},
                        {"most_outputs", most(entry.outputs)},
                        {"mapping", nameOf(facts.mapping)},
                        {"class", nameOf(facts.operatorClass)},
                        {"stages", facts.formulas},
                        {"opaque", facts.isOpaque() ? Json(facts.opaque) : Json(nullptr)},
                        {"gradient", facts.hasGradient},
                        {"kernels", facts.hasKernel}});
    }
    return list;
}

Json listRules()
{
    Json list = Json::array();
    for (const PassPlugin &plugin : ownPassPlugins()) {
        if (!plugin.pass)
            continue;
        for (const RuleFacts &rule : plugin.pass->rules())
            list.push_back({{"pass", plugin.pass->name()},
                            {"name", rule.name},
                            {"category", rule.category},
                            {"formula", rule.formula},
                            {"domain", rule.domain},
                            {"flops", rule.flops},
                            {"exact", rule.exact},
                            {"initial", rule.initial},
                            {"fired", rule.fired ? Json(*rule.fired) : Json(nullptr)}});
    }
    return list;
}

/// Lists the cells of DNNFusion's Table 3, without opaque operators, which nothing is fused with.
Json listFusions()
{
    constexpr MappingType types[] = {MappingType::OneToOne, MappingType::OneToMany,
                                     MappingType::ManyToMany, MappingType::Reorganize,
                                     MappingType::Shuffle};
    Json list = Json::array();
    for (const MappingType first : types)
        for (const MappingType second : types) {
            const FusionCell cell = fusionCell(first, second);
            list.push_back({{"first", nameOf(first)},
                            {"second", nameOf(second)},
                            {"mapping", nameOf(cell.mapping)},
                            {"verdict", nameOf(cell.verdict)}});
        }
    return list;
}

Json describe(const Device &device)
{
    Json sources = Json::object();
    for (const auto &[key, source] : device.sources)
        sources[key] = source;
    Json row = {{"name", device.name},
                {"title", device.title},
                {"units", device.units},
                {"lanes", device.lanes},
                {"peak_gflops", device.peakFlops / 1e9},
                {"bandwidth_gb_per_s", device.bandwidth / 1e9},
                {"cache_gb_per_s", device.cacheBandwidth / 1e9},
                {"launch_us", std::round(device.launchSeconds * 1e9) / 1e3},
                {"sources", std::move(sources)}};
    if (device.machine)
        row["description"] = jsonOf(*device.machine);
    return row;
}

/// Lists the devices that are only described, then those of the targets.
Json listDevices()
{
    Json list = Json::array();
    for (const Device &device : devices())
        list.push_back(describe(device));
    for (const TargetPlugin &plugin : ownTargetPlugins()) {
        if (!plugin.target)
            continue;
        for (const std::string &name : plugin.target->devices()) {
            const auto device = plugin.target->describe(name, {});
            Json row = device ? describe(*device) : Json{{"problem", device.error().text()}};
            row["name"] = std::string(plugin.target->name()) + ":" + name;
            list.push_back(std::move(row));
        }
    }
    return list;
}

Json listTargets()
{
    Json list = Json::array();
    for (const TargetPlugin &plugin : ownTargetPlugins()) {
        Json row;
        row["file"] = plugin.file.filename().string();
        if (!plugin.target) {
            row["problem"] = plugin.problem;
            list.push_back(std::move(row));
            continue;
        }
        row["name"] = plugin.target->name();
        row["help"] = plugin.target->help();
        row["devices"] = plugin.target->devices();
        row["probe"] = Json::array();
        for (const Finding &finding : plugin.target->probe())
            row["probe"].push_back(
                {{"what", finding.what}, {"found", finding.found}, {"detail", finding.detail}});
        list.push_back(std::move(row));
    }
    return list;
}

std::string plain(const Json &value)
{
    return value.is_string() ? value.get<std::string>() : jsonText(value);
}

/// Returns the allowed values of a parameter: "0.5 to 20", "paper, neighbours", "true, false".
std::string rangeOf(const Json &parameter)
{
    if (parameter.contains("least"))
        return plain(parameter["least"]) + " to " + plain(parameter["most"]);
    if (!parameter.contains("choices"))
        return "true, false";
    std::string text;
    for (const Json &choice : parameter["choices"])
        text += (text.empty() ? "" : ", ") + plain(choice);
    return text;
}

/// Returns a paragraph for each plugin: what it is, or why it cannot be used, and what `details`
/// writes of it.
std::string textOfPlugins(const Json &list,
                          const std::function<void(std::ostream &, const Json &row)> &details)
{
    std::ostringstream text;
    for (const Json &row : list) {
        if (row.contains("problem")) {
            text << plain(row["file"]) << "  cannot be used: " << plain(row["problem"]) << "\n\n";
            continue;
        }
        text << plain(row["name"]) << "  " << plain(row["help"]) << '\n';
        details(text, row);
        text << '\n';
    }
    return text.str();
}

std::string textOfPasses(const Json &list)
{
    return textOfPlugins(list, [](std::ostream &text, const Json &row) {
        for (const Json &parameter : row["parameters"])
            text << "  --set " << plain(row["name"]) << '.' << plain(parameter["name"]) << '='
                 << plain(parameter["initial"]) << "  (" << rangeOf(parameter) << ")\n      "
                 << plain(parameter["help"]) << '\n';
    });
}

std::string textOfTargets(const Json &list)
{
    return textOfPlugins(list, [](std::ostream &text, const Json &row) {
        for (const Json &device : row["devices"])
            text << "  --target " << plain(row["name"]) << ':' << plain(device) << '\n';
        for (const Json &finding : row["probe"])
            text << "  " << plain(finding["what"]) << (finding["found"] == true ? "" : " MISSING")
                 << ": " << plain(finding["detail"]) << '\n';
    });
}

std::string textOfOperators(const Json &list)
{
    std::ostringstream text;
    const auto line = [&](std::string_view name, std::string_view opsets, std::string_view mapping,
                          std::string_view stages, std::string_view gradient,
                          std::string_view kernels, std::string_view remark) {
        text << std::left << std::setw(46) << name << std::setw(10) << opsets << std::setw(14)
             << mapping << std::setw(8) << stages << std::setw(10) << gradient
             << std::setw(remark.empty() ? 0 : 9) << kernels << remark << '\n';
    };
    const auto yesOrNo = [](const Json &value) { return value == true ? "yes" : "no"; };
    line("operator", "opsets", "mapping type", "stages", "gradient", "kernels", "");
    for (const Json &row : list) {
        const std::string domain = plain(row["domain"]);
        const bool isOpaque = !row["opaque"].is_null();
        line((domain.empty() ? "" : domain + ".") + plain(row["name"]), plain(row["opsets"]),
             plain(row["mapping"]), isOpaque ? "opaque" : std::to_string(row["stages"].size()),
             yesOrNo(row["gradient"]), yesOrNo(row["kernels"]),
             isOpaque ? plain(row["opaque"]) : "");
    }
    return text.str();
}

std::string textOfRules(const Json &list)
{
    std::ostringstream text;
    std::map<std::string, int> counts;
    for (const Json &row : list) {
        ++counts[plain(row["category"])];
        text << std::left << std::setw(14) << plain(row["category"]) << std::setw(44)
             << plain(row["name"]) << plain(row["formula"]);
        if (row["domain"] != "all")
            text << "   where " << plain(row["domain"]);
        if (!plain(row["flops"]).empty())
            text << "   FLOPs " << plain(row["flops"]);
        if (row["exact"] == false)
            text << "   approximate";
        text << (row["initial"] == true ? "\n" : "   off\n");
    }
    for (const auto &[category, count] : counts)
        text << count << ' ' << category << '\n';
    return text.str();
}

std::string textOfFusions(const Json &list)
{
    std::ostringstream text;
    const auto line = [&](const std::string &first, const std::string &second,
                          const std::string &mapping, const std::string &verdict) {
        text << std::left << std::setw(14) << first << std::setw(14) << second << std::setw(14)
             << mapping << verdict << '\n';
    };
    line("first", "second", "fused", "verdict");
    for (const Json &row : list)
        line(plain(row["first"]), plain(row["second"]), plain(row["mapping"]),
             plain(row["verdict"]));
    text << "green: fused; yellow: costs decide; red: not fused\n";
    return text.str();
}

std::string textOfDevices(const Json &list)
{
    std::ostringstream text;
    for (const Json &row : list) {
        text << std::left << std::setw(18) << plain(row["name"]) << ' ';
        if (row.contains("problem")) {
            text << "description failed: " << plain(row["problem"]) << '\n';
            continue;
        }
        text << plain(row["title"]) << '\n';
        for (const auto &[key, value] : row.items()) {
            if (!value.is_number())
                continue;
            text << "  " << std::setw(20) << key << std::setw(10) << std::setprecision(4)
                 << value.get<double>();
            if (row["sources"].contains(key))
                text << plain(row["sources"][key]);
            text << '\n';
        }
    }
    return text.str();
}

} // namespace

void tellMissingParts(std::ostream &err)
{
    for (const MissingPart &part : missingParts())
        err << "graphloom: " << part.file.string() << ' ' << part.problem << '\n';
}

int runList(const ListOptions &options, std::ostream &out, std::ostream &err)
{
    struct Kind {
        std::string_view name;
        Json (*list)();
        std::string (*text)(const Json &);
    };
    static constexpr Kind kinds[] = {
        {"passes", listPasses, textOfPasses},    {"ops", listOperators, textOfOperators},
        {"rules", listRules, textOfRules},       {"fusions", listFusions, textOfFusions},
        {"devices", listDevices, textOfDevices}, {"targets", listTargets, textOfTargets}};
    const auto kind = std::ranges::find(kinds, options.what, &Kind::name);
    assert(kind != std::end(kinds)); // checked by the command line
    const Json list = kind->list();
    if (list.empty())
        err << "graphloom: the plugin folder contains no " << options.what << '\n';
    if (options.json)
        out << jsonText(list, 2) << '\n';
    else
        out << forTerminal(kind->text(list));
    tellMissingParts(err);
    return missingParts().empty() ? exitDone : exitCodeOf(Error::Kind::Missing);
}

} // namespace graphloom
