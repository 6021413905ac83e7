// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/arguments/config_file.h"

#include "engine/system/read_file.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using ConfigSax = nlohmann::json_sax<nlohmann::json>;

/// Iterates over a text and counts its lines.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char *;
    using reference = const char &;

    CountingIterator(const char *at, int *line) : m_at(at), m_line(line) {}
    reference operator*() const { return *m_at; }
    CountingIterator &operator++()
    {
        *m_line += *m_at == '\n';
        ++m_at;
        return *this;
    }
    CountingIterator operator++(int)
    {
        const CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator &other) const { return m_at == other.m_at; }

private:
    const char *m_at;
    int *m_line;
};

/// Collects the entries during parsing, the only time at which their lines are known.
class ConfigHandler final : public ConfigSax {
public:
    explicit ConfigHandler(const int &line) : m_line(line) {}

    bool null() override { return stop("a value cannot be null"); }
    bool boolean(bool value) override
    {
        if (m_depth == 1 && m_entries.size() > 0) // a flag, or an option with a value to choose
            m_entries.back().values.assign(value ? 1 : 0, "");
        else
            return take(value ? "true" : "false");
        return true;
    }
    bool number_integer(number_integer_t value) override { return take(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override { return take(std::to_string(value)); }
    bool number_float(number_float_t, const string_t &text) override { return take(text); }
    bool string(string_t &value) override { return take(value); }
    bool binary(binary_t &) override { return stop("a value cannot be binary"); }
    bool start_object(std::size_t) override
    {
        if (m_depth == 0)
            return deeper();
        if (m_depth > 1)
            return stop("the value is too deeply nested");
        m_entries.back().entries = true;
        return deeper();
    }
    bool start_array(std::size_t) override
    {
        if (m_depth == 0)
            return stop("expected an object, such as {\"passes\": [\"ago\"]}");
        if (m_depth > 1)
            return stop("the value is too deeply nested");
        return deeper();
    }
    bool end_object() override { return --m_depth >= 0; }
    bool end_array() override { return --m_depth >= 0; }
    bool key(string_t &name) override
    {
        if (m_depth == 2) {
            m_name = name;
            return true;
        }
        for (const ConfigEntry &entry : m_entries)
            if (entry.key == name)
                return stop("duplicate \"" + name + "\", first in line " +
                            std::to_string(entry.line));
        m_entries.push_back({name, {}, m_line});
        return true;
    }
    bool parse_error(std::size_t, const std::string &,
                     const nlohmann::detail::exception &why) override
    {
        const std::string text = why.what(); // "[json...] parse error at line 1, column 2: ..."
        const auto start = text.find("parse error");
        return stop(start == std::string::npos ? text : text.substr(start));
    }

    const std::string &problem() const { return m_problem; }
    int problemLine() const { return m_problemLine; }
    std::vector<ConfigEntry> &entries() { return m_entries; }

private:
    bool deeper()
    {
        ++m_depth;
        return true;
    }
    bool stop(const std::string &why)
    {
        m_problem = why;
        m_problemLine = m_line;
        return false;
    }
    bool take(const std::string &text)
    {
        if (m_depth == 0)
            return stop("expected an object, such as {\"passes\": [\"ago\"]}");
        ConfigEntry &entry = m_entries.back();
        entry.values.push_back(entry.entries ? m_name + '=' + text : text);
        return true;
    }

    const int &m_line;
    int m_depth = 0, m_problemLine = 1;
    std::string m_name, m_problem; // the name of an entry in an object
    std::vector<ConfigEntry> m_entries;
};

} // namespace

Result<std::vector<ConfigEntry>> readConfig(const std::filesystem::path &file)
{
    constexpr std::uintmax_t mostBytes = std::uintmax_t{16} << 20;
    const auto content = readFile(file, mostBytes);
    if (!content)
        return fail(content.error().kind,
                    "cannot open the configuration: " + content.error().message,
                    "--config " + file.string());
    const std::string &text = *content;
    int line = 1;
    ConfigHandler handler(line);
    const CountingIterator begin(text.data(), &line), end(text.data() + text.size(), &line);
    if (!nlohmann::json::sax_parse(begin, end, &handler, nlohmann::json::input_format_t::json, true,
                                   true))
        return fail(Error::Kind::Usage, handler.problem(),
                    file.string() + ", line " + std::to_string(handler.problemLine()));
    return std::move(handler.entries());
}

} // namespace graphloom
