// SPDX-License-Identifier: Apache-2.0
#include "scenarios/config/scenario_file.h"

#include "scenarios/config/nearest.h"
#include "scenarios/config/parameter_printer.h"
#include "scenarios/config/parameter_reader.h"
#include "scenarios/config/quantity.h"
#include "scenarios/config/scenario_rules.h"
#include "scenarios/config/setting.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace vg810::scenarios {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in || fs::is_directory(file))
        throw bad_input({{{file.string()}, "cannot be read"}});
    return text.str();
}

toml::table parse_toml(std::string_view text, const std::string& name) {
    try {
        return toml::parse(text, name);
    } catch (const toml::parse_error& e) {
        const auto& begin = e.source().begin;
        throw bad_input({{{name, begin.line, begin.column}, std::string(e.description())}});
    }
}

/// A card's ports run at the rate of the cables they are plugged into, unless [card.mac] says otherwise.
bits_per_second host_rate_of(const toml::table& root, bits_per_second otherwise) {
    const auto text = root["topology"]["host_rate"].value<std::string>();
    return text ? parse_rate(*text).value_or(otherwise) : otherwise;
}

/// As one line.
std::string first_paragraph(const std::string& text) {
    const std::size_t start = text.find_first_not_of(" \t\n");
    if (start == std::string::npos)
        return {};
    std::string paragraph = text.substr(start, text.find("\n\n", start) - start);
    std::replace(paragraph.begin(), paragraph.end(), '\n', ' ');
    while (!paragraph.empty() && paragraph.back() == ' ')
        paragraph.pop_back();
    return paragraph;
}

} // namespace

scenario parse_scenario(std::string_view text, const std::string& name,
                        const std::vector<std::string>& settings) {
    toml::table root = parse_toml(text, name);
    input_record record(name);
    for (const std::string& setting : settings)
        apply_setting(root, setting, record);
    scenario s;
    s.card.mac.rate = host_rate_of(root, s.card.mac.rate);
    parameter_reader reader(root, record, "", place{name, 1, 1});
    s.describe(reader);
    reader.finish();
    add_groups(s);
    check_rules(s, record);
    if (!record.good())
        throw bad_input(record.diagnostics());
    fill_in(s);
    return s;
}

scenario load_scenario(const fs::path& file, const std::vector<std::string>& settings) {
    return parse_scenario(read_text(file), file.string(), settings);
}

std::string print_scenario(scenario s) {
    parameter_printer printer;
    s.describe(printer);
    return printer.text();
}

std::string scenario_reference() {
    scenario s;
    parameter_reference reference;
    s.describe(reference);
    return reference.text();
}

std::vector<scenario_title> list_scenarios(const fs::path& folder) {
    std::vector<scenario_title> titles;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().extension() != ".toml")
            continue;
        scenario_title title{entry.path().stem().string(), "", entry.path()};
        try {
            title.summary = first_paragraph(load_scenario(entry.path(), {}).description);
        } catch (const bad_input& e) {
            title.summary = "unusable: " + first_paragraph(e.what());
        }
        titles.push_back(std::move(title));
    }
    if (error)
        throw bad_input(fmt::format("{}: {}", folder.string(), error.message()));
    std::sort(titles.begin(), titles.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return titles;
}

fs::path find_scenario(const std::string& name, const fs::path& folder) {
    if (fs::is_regular_file(name))
        return name;
    const fs::path shipped = folder / (name + ".toml");
    if (name.find('/') == std::string::npos && fs::is_regular_file(shipped))
        return shipped;
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".toml")
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    const std::vector<std::string_view> views(names.begin(), names.end());
    throw bad_input(
        fmt::format("there is no scenario '{}'{}", name, suggestion(fs::path(name).stem().string(), views)));
}

} // namespace vg810::scenarios
