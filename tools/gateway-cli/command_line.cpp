#include "command_line.hpp"

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "config/option_value.hpp"

namespace gateway::cli {

namespace {

constexpr std::int64_t usual_limit = 20, most_listed = 100'000;
constexpr int most_repeats = 20, most_timeout_s = 600;

constexpr const char* footer_text =
    "The gateway and the key: GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET and, for authorities that are trusted "
    "besides the system's, GATEWAY_CA_FILE; or --profile.\n"
    "Exit status: 0 done, 1 refused, failed or a setting is missing, 2 usage.";

std::string usage_line(std::string line) {
  std::ranges::replace(line, '\n', ' ');
  return "gateway-cli: " + line + " (try --help)";
}

void apply_outcome(const options::result& read, command_line& result) {
  if (read.what == options::outcome::parsed) return;
  result.what = read.what == options::outcome::fault ? action::usage_error : action::information;
  if (read.what == options::outcome::help) result.text = read.text;
  if (read.what == options::outcome::version) result.text = read.text + '\n';
  if (read.what != options::outcome::fault) return;
  // CLI11 reports a missing command before an unknown word, but the unknown word explains the fault better.
  const auto& unexpected = read.unexpected;
  result.text = usage_line(unexpected.empty() ? read.text
                                              : '\'' + unexpected.front().substr(0, unexpected.front().find('=')) +
                                                    "' was not expected");
}

std::optional<http_method> method_named(std::string name) {
  for (auto& c : name) c = to_upper(c);
  if (name == "GET") return http_method::get;
  if (name == "POST") return http_method::post;
  if (name == "DELETE") return http_method::delete_;
  return std::nullopt;
}

struct call_values {
  std::string method, path, body_file, key;
  std::uint32_t repeats = repeat_rule{}.most_repeats;
  std::uint32_t timeout_s = 30;
};

void take_call(const call_values& given, command_line& result) {
  const auto method = method_named(given.method);
  if (!method) throw bad_usage("METHOD is GET, POST or DELETE, not '" + given.method + "'");
  if (!given.path.starts_with('/')) throw bad_usage("PATH begins with a slash, such as /v1/payment_intents");
  result.what = action::call;
  result.request = {*method, given.path};
  if (*method != http_method::get) result.request.key = given.key.empty() ? new_idempotency_key() : given.key;
  result.body_file = given.body_file;
  result.repeats = {given.repeats, std::chrono::seconds{given.timeout_s}};
}

void add_general_options(const options::command& app, command_line& result) {
  app.add_flag("--json", result.json, "Print one JSON object a line");
  app.add("--profile", result.profile, "Settings of ~/.config/gateway/profiles.toml, before the environment's")
      .type_name("NAME");
  app.add("--merchant", result.scope.merchant, "The merchant for which a platform's key acts").type_name("M");
  app.add("--environment", result.scope.environment, "In which a platform's key acts [live]").one_of("test,live");
}

}  // namespace

command_adder command_adder::noun(std::string_view name, std::string_view help) const {
  const auto added = app.add_command(name, help);
  added.require_command();
  return {added, result};
}

void add_page_options(const options::command& to, list_request& into) {
  into.limit = usual_limit;
  to.add(
        "--limit",
        [&into](const std::string& text) {
          const auto limit = parse_whole(text, 1, most_listed);
          if (!limit) throw bad_usage("--limit: " + text + " is not a number from 1 to 100000");
          into.limit = *limit;
        },
        "How many at most [20]")
      .type_name("N");
  to.add("--after", into.after, "Behind this `next` of an earlier list").type_name("CURSOR");
}

void add_call_command(const command_adder& to) {
  const auto command = to.app.add_command("call", "Sign a request, send it, and print the answer's body");
  const auto values = std::make_shared<call_values>();
  command.add("METHOD", values->method, "GET, POST or DELETE").required();
  command.add("PATH", values->path, "With its query").required();
  command.add("--body", values->body_file, "JSON; - is standard input").type_name("FILE");
  command.add("--idempotency-key", values->key, "A write's Idempotency-Key, a UUID [a new one]").type_name("K");
  command.add("--repeats", values->repeats, "How often it may be repeated with the same key [5]")
      .within(0, most_repeats);
  command.add("--timeout", values->timeout_s, "How long to wait for an answer, in seconds [30]")
      .within(1, most_timeout_s);
  command.on_parsed([values, &result = to.result] { take_call(*values, result); });
}

command_line parse_command_line(int argc, const char* const* argv) {
  command_line result;
  const options::parser parser{
      {.name = "gateway-cli",
       .description = "gateway-cli: calls a payments gateway as an integrator, with an API key.",
       .version = "gateway-cli " GATEWAY_VERSION,
       .footer = footer_text,
       .column_width = 34,
       .options_after_command = true}};
  const command_adder to{parser.root(), result};
  to.app.require_command();
  add_general_options(to.app, result);
  add_call_command(to);
  add_payment_commands(to);
  add_event_commands(to);
  add_dispute_commands(to);
  add_webhook_commands(to);
  add_trigger_command(to);
  try {
    if (const auto bare = option_without_value(argc, argv)) throw bad_usage(*bare + ": the value is missing");
    apply_outcome(parser.parse(argc, argv), result);
  } catch (const bad_usage& fault) {
    result.what = action::usage_error;
    result.text = usage_line(fault.what());
  }
  result.trigger.json = result.json;
  return result;
}

}  // namespace gateway::cli
