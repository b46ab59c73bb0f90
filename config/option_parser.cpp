#include "option_parser.hpp"

#include <algorithm>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace gateway::options {

namespace {

std::string text_of(std::string_view view) { return std::string{view}; }

/// Uses CLI11's own conversion, so that each type still accepts the same texts.
template <class T>
CLI::Option* bind(CLI::App& app, std::string_view name, T& into, std::string_view help) {
  return app.add_option(
      text_of(name),
      [&into](const CLI::results_t& given) { return CLI::detail::lexical_conversion<T, T>(given, into); },
      text_of(help));
}

/// Replaces CLI::Range, whose template takes long to compile.
std::string range_fault(const std::string& text, int least, int most) {
  int number = 0;
  if (CLI::detail::lexical_cast(text, number) && number >= least && number <= most) return {};
  return "Value " + text + " not in range " + std::to_string(least) + " to " + std::to_string(most);
}

std::vector<CLI::App*> commands_of(CLI::App& of) {
  return of.get_subcommands([](CLI::App* each) { return !each->get_name().empty(); });
}

/// The commands that have no commands of their own, such as `create, key mint`.
std::string names_of_commands(CLI::App& of, const std::string& before = {}) {
  std::string names;
  for (auto* each : commands_of(of)) {
    const auto name = before + each->get_name();
    const auto inner = names_of_commands(*each, name + " ");
    names.append(names.empty() ? "" : ", ").append(inner.empty() ? name : inner);
  }
  return names;
}

}  // namespace

option option::required(bool yes) const {
  of_->required(yes);
  return *this;
}

option option::type_name(std::string_view name) const {
  of_->type_name(text_of(name));
  return *this;
}

option option::group(std::string_view name) const {
  of_->group(text_of(name));
  return *this;
}

option option::one_of(std::string_view values) const {
  const auto shown = "{" + text_of(values) + "}";
  const auto fault = [allowed = CLI::detail::split(text_of(values), ','), shown](std::string& text) {
    return std::ranges::find(allowed, text) != allowed.end() ? std::string{} : text + " not in " + shown;
  };
  of_->check(CLI::Validator{fault, shown});
  return *this;
}

option option::within(int least, int most) const {
  of_->check(CLI::Validator{[=](std::string& text) { return range_fault(text, least, most); },
                            std::to_string(least) + " to " + std::to_string(most)});
  return *this;
}

option option::check(std::function<std::string(const std::string&)> fault) const {
  of_->check(std::move(fault));
  return *this;
}

command command::add_command(std::string_view name, std::string_view help) const {
  return command{of_->add_subcommand(text_of(name), text_of(help))};
}

void command::require_command() const { of_->require_subcommand(1); }

void command::list_commands(std::string_view heading, std::string_view rest) const {
  constexpr std::size_t width = 14;
  auto text = text_of(heading) + "\n";
  for (auto* each : commands_of(*of_)) {
    const auto& name = each->get_name();
    const auto inner = names_of_commands(*each);
    text.append("  ").append(name);
    if (!inner.empty()) text.append(name.size() < width ? width - name.size() : 1, ' ').append(inner);
    text += '\n';
  }
  of_->footer(text.append("\n").append(rest));
}

void command::on_parsed(std::function<void()> done) const { of_->callback(std::move(done)); }

command command::add_group(std::string_view heading, std::string_view help, std::size_t least, std::size_t most) const {
  auto* const group = of_->add_option_group(text_of(heading), text_of(help));
  group->require_option(least, most);
  return command{group};
}

option command::add(std::string_view name, std::string& into, std::string_view help) const {
  return option{bind(*of_, name, into, help)};
}

option command::add(std::string_view name, std::vector<std::string>& into, std::string_view help) const {
  auto* const added = bind(*of_, name, into, help);
  added->expected(CLI::detail::expected_max_vector_size);
  return option{added};
}

option command::add(std::string_view name, std::uint32_t& into, std::string_view help) const {
  return option{bind(*of_, name, into, help)};
}

option command::add(std::string_view name, std::int64_t& into, std::string_view help) const {
  return option{bind(*of_, name, into, help)};
}

option command::add(std::string_view name, std::function<void(const std::string&)> take, std::string_view help) const {
  const auto call = [take = std::move(take)](const CLI::results_t& given) {
    take(given.front());
    return true;
  };
  return option{of_->add_option(text_of(name), call, text_of(help))};
}

option command::add_flag(std::string_view name, bool& into, std::string_view help) const {
  return option{of_->add_flag(text_of(name), into, text_of(help))};
}

option command::add_flag(std::string_view name, std::function<void(bool)> take, std::string_view help) const {
  // CLI11 calls a flag's callback with a count, or for `true` only, so the flag is an option that needs no value.
  const auto call = [take = std::move(take)](const CLI::results_t& given) {
    bool value = false;
    if (!CLI::detail::lexical_cast(given.front(), value)) return false;
    take(value);
    return true;
  };
  auto* const added = of_->add_option(text_of(name), call, text_of(help));
  added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->expected(0);
  return option{added};
}

parser::parser(const program& described)
    : app_(std::make_unique<CLI::App>(text_of(described.description), text_of(described.name))) {
  app_->fallthrough(described.options_after_command);
  app_->get_formatter()->column_width(described.column_width);
  if (!described.help.empty()) app_->set_help_flag("-h,--help", text_of(described.help));
  auto* const version = app_->set_version_flag("--version", text_of(described.version), "Print the version and exit");
  if (!described.group.empty()) {
    app_->get_help_ptr()->group(text_of(described.group));
    version->group(text_of(described.group));
  }
  app_->footer(text_of(described.footer));
}

parser::~parser() = default;

result parser::parse(int argc, const char* const* argv) const {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {outcome::help, app_->help(), {}};
  } catch (const CLI::CallForVersion& version) {
    return {outcome::version, version.what(), {}};
  } catch (const CLI::ParseError& fault) {
    return {outcome::fault, fault.what(), app_->remaining(true)};
  }
  return {};
}

}  // namespace gateway::options
