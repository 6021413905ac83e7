// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/config_file.h"

#include "app/batch/arguments/raw_arguments.h"
#include "engine/system/json_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the key of an option: "model" for MODEL, "batch-size" for --batch-size.
std::string configKeyOf(const CLI::Option &option)
{
    const std::string name = option.get_name();
    return name.starts_with("--") ? name.substr(2) : "model";
}

const CLI::Option *optionOf(const CLI::App &app, const std::string &key)
{
    for (const CLI::Option *option : app.get_options())
        if (isConfigurable(*option) && configKeyOf(*option) == key)
            return option;
    return nullptr;
}

bool isFlag(const CLI::Option &option)
{
    return option.get_items_expected_max() == 0;
}

bool isRepeated(const CLI::Option &option)
{
    return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
}

/// The last entry of a name takes effect, so the lists of the file and the command line are joined.
bool hasNamedEntries(const std::string &key)
{
    return key == "set" || key == "tolerance";
}

/// Returns the command-line words for one entry, or an error if the option does not accept it.
Result<std::vector<std::string>> wordsOf(const ConfigEntry &entry, const CLI::Option &option,
                                         const std::string &where)
{
    const auto refuse = [&](const std::string &why) {
        return fail(Error::Kind::Usage, "\"" + entry.key + "\" " + why, where);
    };
    const bool isSwitch =
        entry.values.empty() || (entry.values.size() == 1 && entry.values[0].empty());
    if (isFlag(option) && !isSwitch)
        return refuse("must be true or false");
    if (entry.entries && entry.key != "input" && !hasNamedEntries(entry.key))
        return refuse("does not take NAME=VALUE");
    if (entry.values.size() > 1 && !isRepeated(option))
        return refuse("takes only one value");
    std::vector<std::string> words;
    for (std::string value : entry.values) {
        if (isSwitch && (isFlag(option) || option.get_items_expected_min() == 0)) {
            // With "=": otherwise CLI11 would take a following word as the optional value.
            words.push_back(isFlag(option) ? option.get_name()
                                           : option.get_name() + "=" + std::string("1e-4"));
            continue;
        }
        if (entry.entries && entry.key == "input")
            value[value.find('=')] = ':';
        words.push_back(option.get_positional() ? value : option.get_name() + "=" + value);
    }
    return words;
}

/// Returns a number if it prints as the same text, and a string otherwise.
Json valueOf(const std::string &text)
{
    const Json value = orderedJsonOf(text);
    return value.is_number() && jsonText(value) == text ? value : Json(text);
}

} // namespace

Result<std::vector<std::string>> withConfig(const CLI::App &given,
                                            const std::vector<std::string> &arguments,
                                            const std::filesystem::path &file)
{
    GL_TRY_CONST(entries, readConfig(file));
    std::vector<std::string> all;
    for (const ConfigEntry &entry : *entries) {
        const std::string where = file.string() + ", line " + std::to_string(entry.line);
        const CLI::Option *option = optionOf(given, entry.key);
        if (!option)
            return fail(Error::Kind::Usage,
                        "unknown option \"" + entry.key +
                            "\" in a configuration; see graphloom --help",
                        where);
        GL_TRY_RESULT(words, wordsOf(entry, *option, where));
        if (option->count() == 0 || hasNamedEntries(entry.key))
            all.insert(option->get_positional() ? all.begin() : all.end(), words->begin(),
                       words->end());
    }
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
}

std::string configOf(const CLI::App &given)
{
    Json config = Json::object();
    for (const CLI::Option *option : given.get_options()) {
        if (option->count() == 0 || !isConfigurable(*option))
            continue;
        Json &value = config[configKeyOf(*option)];
        const std::vector<std::string> &results = option->results();
        if (isFlag(*option)) {
            value = option->as<bool>();
        } else if (isRepeated(*option)) {
            value = Json::array();
            for (const std::string &result : results)
                value.push_back(valueOf(result));
        } else if (results.empty() || results[0].empty()) {
            value = true;
        } else {
            value = valueOf(results[0]);
        }
    }
    return jsonText(config, 2) + "\n";
}

} // namespace graphloom
