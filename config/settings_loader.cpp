#include "settings_loader.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <variant>

#include "config_file.hpp"
#include "gateway/domain/text.hpp"
#include "option_parser.hpp"
#include "option_value.hpp"
#include "setting_checks.hpp"
#include "setting_table.hpp"

namespace gateway {

namespace {

using std::chrono::milliseconds;

// ---- one value ----------------------------------------------------------------------------------

[[noreturn]] void fail_out_of_range(const value_range& within, bool is_duration) {
  const auto shown = [&](std::int64_t n) { return is_duration ? format_duration(milliseconds{n}) : std::to_string(n); };
  throw bad_value("must be from " + shown(within.least) + " to " + shown(within.most));
}

void assign_count(const setting& to, std::int64_t number) {
  if (number < to.within.least || number > to.within.most) fail_out_of_range(to.within, false);
  if (auto* const* small = std::get_if<unsigned*>(&to.where)) **small = static_cast<unsigned>(number);
  if (auto* const* large = std::get_if<std::size_t*>(&to.where)) **large = static_cast<std::size_t>(number);
}

/// Accepts a leading minus sign only if the setting may be negative.
std::optional<milliseconds> read_duration(const setting& to, std::string_view text) {
  const bool negative = to.within.least < 0 && text.starts_with('-');
  const auto size = parse_duration(negative ? text.substr(1) : text);
  return size && negative ? -*size : size;
}

void assign_duration(const setting& to, std::optional<milliseconds> duration) {
  if (!duration)
    throw bad_value(std::string{"must be a duration such as 1500ms, 15s, 5m, 24h or 30d"} +
                    (std::holds_alternative<std::optional<milliseconds>*>(to.where) ? ", or forever" : ""));
  if (duration->count() < to.within.least || duration->count() > to.within.most) fail_out_of_range(to.within, true);
  if (auto* const* fine = std::get_if<milliseconds*>(&to.where)) **fine = *duration;
  if (auto* const* limit = std::get_if<std::optional<milliseconds>*>(&to.where)) **limit = *duration;
}

bool is_flag(const setting& s) { return std::holds_alternative<bool*>(s.where); }
bool is_count(const setting& s) {
  return std::holds_alternative<unsigned*>(s.where) || std::holds_alternative<std::size_t*>(s.where);
}
bool may_be_forever(const setting& s) { return std::holds_alternative<std::optional<milliseconds>*>(s.where); }
bool is_duration(const setting& s) { return std::holds_alternative<milliseconds*>(s.where) || may_be_forever(s); }

/// Assigns a duration, or `forever` to a setting that may have no end.
void assign_duration(const setting& to, std::string_view text) {
  if (may_be_forever(to) && text == forever)
    std::get<std::optional<milliseconds>*>(to.where)->reset();
  else
    assign_duration(to, read_duration(to, text));
}

void assign_text(const setting& to, const std::string& text) {
  if (text.find('\0') != std::string::npos) throw bad_value("may not hold a NUL byte");
  if (auto* const* words = std::get_if<std::string*>(&to.where)) **words = text;
  if (auto* const* path = std::get_if<std::filesystem::path*>(&to.where)) **path = text;
}

/// Assigns a value from the command line.
void assign(const setting& to, const std::string& text) {
  if (is_duration(to)) return assign_duration(to, text);
  if (!is_count(to)) return assign_text(to, text);
  const auto number = parse_whole(text, 0, 99'999'999'999'999'999);
  if (!number) throw bad_value("must be a whole number");
  assign_count(to, *number);
}

/// Assigns a value from the file, whose type must fit the setting.
void assign(const setting& to, const config_entry& entry) {
  const auto* flag = std::get_if<bool>(&entry.value);
  const auto* number = std::get_if<std::int64_t>(&entry.value);
  const auto* text = std::get_if<std::string>(&entry.value);
  if (is_flag(to)) {
    if (!flag) throw bad_value("must be true or false");
    *std::get<bool*>(to.where) = *flag;
  } else if (is_count(to)) {
    if (!number) throw bad_value("must be a whole number without quotes");
    assign_count(to, *number);
  } else if (is_duration(to)) {
    if (!number && !text) throw bad_value("must be milliseconds, or a duration in quotes such as \"15s\"");
    number ? assign_duration(to, milliseconds{*number}) : assign_duration(to, *text);
  } else {
    if (!text) throw bad_value("must be a string in quotes");
    assign_text(to, *text);
  }
}

std::string shown_default(const setting& s) {
  struct {
    std::string operator()(const bool*) const { return {}; }
    std::string operator()(const std::string* v) const { return *v; }
    std::string operator()(const std::filesystem::path* v) const { return v->string(); }
    std::string operator()(const unsigned* v) const { return std::to_string(*v); }
    std::string operator()(const std::size_t* v) const { return std::to_string(*v); }
    std::string operator()(const milliseconds* v) const { return format_duration(*v); }
    std::string operator()(const std::optional<milliseconds>* v) const { return format_retention(*v); }
  } const show;
  return std::visit(show, s.where);
}

// ---- the whole ----------------------------------------------------------------------------------

/// Removes trailing slashes, because paths are appended to the URLs.
void normalise(settings& s) {
  for (auto* url : {&s.base_url, &s.portal_url, &s.authorize_url})
    while (url->ends_with('/')) url->pop_back();
}

void read_file(const std::string& file, const std::vector<setting>& known) {
  std::ifstream in{file};
  if (!in) throw bad_value("config-file: cannot open '" + file + "'");
  const auto at = [&](unsigned line) { return file + (line == 0 ? "" : ":" + std::to_string(line)) + ": "; };
  try {
    for (const auto& entry : read_config(in)) {
      const auto to = std::ranges::find(known, entry.name, &setting::name);
      if (to == known.end()) throw bad_value(at(entry.line) + "unknown setting '" + entry.name + "'");
      try {
        assign(*to, entry);
      } catch (const bad_value& fault) {
        throw bad_value(at(entry.line) + entry.name + ": " + fault.what());
      }
    }
  } catch (const config_error& fault) {
    throw bad_value(at(fault.line) + fault.what());
  }
}

constexpr const char* help_footer =
    "TIME is milliseconds, or a number with a unit: 1500ms, 15s, 5m, 24h, 30d, 18mo, 7y; where the default is\n"
    "forever, forever, too.\n"
    "The configuration file sets the same names without the two hyphens, one a line, as `name = value`;\n"
    "the command line wins over it. A store URL with a password belongs in the file (mode 0600): a command\n"
    "line can be read by every user of the machine.\n"
    "Signals: SIGTERM and SIGINT drain and end, SIGHUP reads the certificate and its key again.\n"
    "Exit status: 0 after draining, 1 when the gateway cannot start or a core part fails, 2 for usage.";

/// The values on the command line, to be assigned after those of the file.
struct command_line {
  std::map<std::string, std::string> values;
  std::map<std::string, bool> flags;
  std::optional<std::string> file;
};

void describe(const options::command& program, const std::vector<setting>& known, command_line& into) {
  program
      .add(
          "--config-file", [&into](const std::string& name) { into.file = name; },
          "Read settings from this file (see config/gateway.example.toml)")
      .type_name("FILE")
      .group("General");
  for (const auto& s : known) {
    if (is_flag(s)) {
      program.add_flag(
                 "--" + s.name, [&into, name = s.name](bool on) { into.flags[name] = on; }, s.help)
          .group(s.group);
      continue;
    }
    auto help = s.help;
    if (const auto value = shown_default(s); !value.empty()) help += " [" + value + "]";
    program.add(
               "--" + s.name, [&into, name = s.name](const std::string& text) { into.values[name] = text; }, help)
        .type_name(s.value_name)
        .group(s.group);
  }
}

void assign(const setting& to, const command_line& given) {
  if (const auto flag = given.flags.find(to.name); flag != given.flags.end()) *std::get<bool*>(to.where) = flag->second;
  const auto value = given.values.find(to.name);
  if (value == given.values.end()) return;
  try {
    assign(to, value->second);
  } catch (const bad_value& fault) {
    throw bad_value("--" + to.name + ": " + fault.what());
  }
}

parsed usage_error(std::string_view what) {
  // Always one line, even if the text contains more.
  auto line = without_passwords(what);
  std::ranges::replace(line, '\n', ' ');
  return {load_outcome::usage_error, {}, "gatewayd: " + line + "\n"};
}

}  // namespace

parsed load_settings(int argc, const char* const* argv) {
  parsed result;
  const auto known = bind_settings(result.config);
  command_line given;
  const options::parser parser{{.name = "gatewayd",
                                .description = "gatewayd: a payments gateway. Without options it serves https on "
                                               "127.0.0.1:8443 from the embedded store in ./data.",
                                .version = "gatewayd " GATEWAY_VERSION,
                                .help = "Print this and exit",
                                .group = "General",
                                .footer = help_footer,
                                .column_width = 42}};
  describe(parser.root(), known, given);
  try {
    if (const auto bare = option_without_value(argc, argv)) throw bad_value(*bare + ": the value is missing");
    const auto read = parser.parse(argc, argv);
    if (read.what == options::outcome::help) return {load_outcome::help, {}, read.text};
    if (read.what == options::outcome::version) return {load_outcome::version, {}, read.text + "\n"};
    if (read.what == options::outcome::fault) return usage_error(read.text + " (try --help)");
    if (given.file) read_file(*given.file, known);
    for (const auto& s : known) assign(s, given);
    if (const auto store = given.values.find("store"); store != given.values.end())
      result.shows_password = without_password(store->second) != store->second;
    if (const auto mail = given.values.find("mail-url"); mail != given.values.end())
      result.shows_password = result.shows_password || without_password(mail->second) != mail->second;
    normalise(result.config);
    check_settings(result.config);
  } catch (const bad_value& fault) {
    return usage_error(fault.what());
  }
  return result;
}

std::vector<std::string> setting_names() {
  settings defaults;
  std::vector<std::string> names;
  for (const auto& s : bind_settings(defaults)) names.push_back(s.name);
  return names;
}

}  // namespace gateway
