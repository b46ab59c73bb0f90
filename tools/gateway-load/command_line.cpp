#include "command_line.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include "config/option_value.hpp"

namespace gateway::load {

namespace {

constexpr std::uint64_t ten_seconds = 10'000'000'000;
constexpr std::uint64_t most_reading = 24 * 360 * ten_seconds;  // of --read-rate
constexpr std::size_t most_mix_bytes = 64 * 1024;

/// Options as texts, before they are parsed.
struct arguments {
  std::vector<std::string> mix;
  std::filesystem::path mix_file;
  std::string rate, ramp, steps, duration, warm_up, timeout = "30s", read_rate, environment;
  std::vector<std::string> labels;
  bool closed = false, no_verify = false;
};

std::string one_line(std::string line) {
  std::ranges::replace(line, '\n', ' ');
  return "gateway-load: " + line + " (try --help)";
}

void add_target(CLI::App& command, command_line& result, arguments& given) {
  auto& group = *command.add_option_group("Target");
  group
      .add_option(
          "--target", result.targets,
          "The gateway; otherwise where that of --data-dir listens. Nodes, each with its share of the connections: "
          "URL,URL,…")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("URL");
  group
      .add_option("--data-dir", result.where.data_dir,
                  "Of a gateway on this machine: makes a merchant there, and trusts its development certificate")
      ->type_name("DIR");
  group.add_option("--merchants", result.load.callers, "Makes so many there, which take turns with new payments [1]")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  group.add_option("--key-id", result.key_id, "Signs with this key, whose secret is in GATEWAY_LOAD_SECRET")
      ->type_name("KEY");
  group
      .add_option("--on-behalf-of", result.load.merchant,
                  "--key-id is a platform's, which acts for this merchant by a grant")
      ->type_name("MERCHANT");
  group.add_option("--environment", given.environment, "With --on-behalf-of: where it acts, test or live [live]")
      ->check(CLI::IsMember({"test", "live"}))
      ->type_name("WHERE");
  group.add_option("--ca-file", result.where.ca_file, "Trusts these certificates (PEM)")->type_name("FILE");
  group.add_flag("--insecure", result.where.insecure, "Trusts any certificate of this machine");
  group.add_flag("--allow-remote", result.where.allow_remote, "Loads another machine than this one");
}

void add_shape(CLI::App& command, command_line& result, arguments& given) {
  auto& model = *command.add_option_group("Model", "One of these:");
  model.add_option("--rate", given.rate, "Open: so many requests a second leave, whatever the answers do")
      ->type_name("R");
  model.add_option("--ramp", given.ramp, "Open: the rate goes evenly from one to the other")->type_name("FROM..TO");
  model.add_option("--steps", given.steps, "Open: each rate for an equal part of the time")->type_name("R1,R2,…");
  model.add_flag("--closed", given.closed, "Each connection sends its next request when it has its answer");
  model.require_option(1);
  auto& group = *command.add_option_group("Shape");
  group.add_option("--duration", given.duration, "How long requests leave [10s; with --count: until they are sent]")
      ->type_name("TIME");
  group.add_option("--count", result.load.count, "Ends after so many requests")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  group.add_option("--connections", result.connections, "Kept-alive, one request at a time each [64]")
      ->check(CLI::Range(1, 20'000))
      ->type_name("N");
  group.add_option("--warm-up", given.warm_up, "In front of the duration, and not counted [0s]")->type_name("TIME");
  group
      .add_option("--timeout", given.timeout,
                  "How long a request waits for a connection, and then for its answer [30s]")
      ->type_name("TIME");
  group.add_option("--max-waiting", result.most_waiting, "More requests without a connection end the load [100000]")
      ->check(CLI::Range(1, 10'000'000))
      ->type_name("N");
  group.add_option("--threads", result.threads, "Each with its share of all of this [1]")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
}

void add_workload(CLI::App& command, command_line& result, arguments& given) {
  auto& load = result.load;
  command
      .add_option("mix", given.mix,
                  "NAME[:WEIGHT]… of create lifecycle storm reuse hot replay hosted webhooks saved [create]")
      ->type_name("");
  auto& group = *command.add_option_group("Workload");
  group.add_option("--mix", given.mix_file, "Reads the mix from a file")->type_name("FILE");
  group.add_option("--keys", load.keys, "storm, replay, reuse: keys in use at a time [100]")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  group.add_option("--duplicates", load.duplicates, "storm: requests of one key that leave at once [100]")
      ->check(CLI::Range(1, 100'000))
      ->type_name("N");
  group.add_option("--hot-payments", load.hot_payments, "hot: payments that all its operations go to [1]")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  group.add_option("--refunds", load.refunds, "lifecycle: the last of them refunds what is left; 0: none [2]")
      ->check(CLI::Range(0, 100))
      ->type_name("N");
  group
      .add_option(
          "--payment-ids", load.payment_ids,
          "sequential: payments lie beside each other in a database, as by order number; random: anywhere [sequential]")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, id_order>{{"sequential", id_order::sequential}, {"random", id_order::random}}))
      ->type_name("ORDER");
  group.add_option("--payment-method", load.payment_method, "A sandbox token [pm_card_visa]")->type_name("TOKEN");
  group.add_option("--currency", load.currency, "ISO 4217 [HKD]")->type_name("CODE");
  group.add_option("--seed", load.seed, "The same seed asks for the same [1]")->type_name("N");
  group
      .add_option("--receiver-listen", result.receiver_listen,
                  "Where the receiver of webhooks listens; starts one without the webhooks scenario too")
      ->type_name("ADDR:PORT");
}

CLI::App& add_results(CLI::App& command, command_line& result, arguments& given) {
  auto& group = *command.add_option_group("Results");
  group.add_option("--name", result.name, "What the run is called where runs are compared")->type_name("TEXT");
  group.add_option("--label", given.labels, "A number that runs may differ in: reports draw curves over it")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false);
  group.add_option("--json", result.json, "Writes what was measured")->type_name("FILE");
  group.add_option("--html", result.html, "Writes a report for browsers")->type_name("FILE");
  group.add_flag("--progress", result.progress, "Not on a terminal: a line each 5 seconds");
  return group;
}

void add_verification(CLI::App& command, command_line& result, arguments& given) {
  auto& group = add_results(command, result, given);
  group.add_flag("--no-verify", given.no_verify, "Does not look afterwards at what the gateway did");
  group.add_option("--read-rate", given.read_rate, "Reads payments back with so many requests a second [unlimited]")
      ->type_name("R");
}

void add_year(CLI::App& command, command_line& result, arguments& given) {
  auto& group = *command.add_option_group("Subscriptions");
  group.add_option("--subscriptions", result.subscriptions, "So many [10000]")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N");
  group.add_option("--months", result.months, "That each lives, unless it ends before [12]")
      ->check(CLI::Range(2, 120))
      ->type_name("N");
  group.add_option("--at-once", result.at_once, "Lived at the same time [32]")
      ->check(CLI::Range(1, 32))
      ->type_name("N");
  group.add_option("--currency", result.load.currency, "ISO 4217 [HKD]")->type_name("CODE");
  group.add_option("--seed", result.load.seed, "The same seed plans the same [1]")->type_name("N");
  group
      .add_option("--data-dir", result.where.data_dir,
                  "Of a gateway on this machine that runs with --dev: makes a platform with a live grant there")
      ->required()
      ->type_name("DIR");
  group.add_option("--receiver-listen", result.receiver_listen, "Where the receiver of webhooks listens [127.0.0.1:0]")
      ->type_name("ADDR:PORT");
  add_results(command, result, given);
}

std::string mix_of(const arguments& given) {
  if (given.mix_file.empty()) {
    std::string all;
    for (const auto& one : given.mix) all += (all.empty() ? "" : " ") + one;
    return all.empty() ? "create" : all;
  }
  if (!given.mix.empty()) throw std::invalid_argument("a mix is given as arguments or as --mix, not both");
  std::ifstream file{given.mix_file};
  std::string text(most_mix_bytes, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof())
    throw std::invalid_argument("cannot read " + given.mix_file.string());
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() == most_mix_bytes) throw std::invalid_argument(given.mix_file.string() + " is larger than 64 KiB");
  return text;
}

void check_printable(const std::string& text, const char* option) {
  if (std::ranges::any_of(text, [](char c) { return c <= ' ' || c > '~' || c == '"' || c == '\\'; }))
    throw std::invalid_argument(std::string{option} + ": letters, digits and signs are expected");
}

std::map<std::string, double> labels_of(const arguments& given) {
  constexpr std::size_t most_letters = 40;
  std::map<std::string, double> labels;
  for (const auto& text : given.labels) {
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    double number = -1;
    const auto* const end = text.data() + text.size();
    const auto* const begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [stopped, failed] = std::from_chars(begin, end, number);
    if (failed != std::errc{} || stopped != end || !std::isfinite(number) || number < 0)
      throw std::invalid_argument("--label: '" + text + "' is not NAME=NUMBER with a number of 0 or more");
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == ' '; };
    if (name.empty() || name.size() > most_letters || !std::ranges::all_of(name, plain))
      throw std::invalid_argument("--label: a name is 1 to 40 letters, digits, - or _");
    if (name == "connections" || name == "merchants")
      throw std::invalid_argument("--label: every run tells its " + name + " by itself");
    if (!labels.emplace(name, number).second) throw std::invalid_argument("--label: " + name + " stands there twice");
  }
  return labels;
}

/// The times and the schedule of a run.
void set_schedule(command_line& result, const arguments& given) {
  const bool counted = result.load.count > 0 && given.duration.empty();
  const auto lasts = counted ? schedule::no_end : given.duration.empty() ? ten_seconds : read_duration(given.duration);
  if (!given.warm_up.empty()) result.warm_up_ns = read_duration(given.warm_up);
  result.timeout = std::chrono::nanoseconds{read_duration(given.timeout)};
  if (result.timeout.count() == 0 || lasts == 0) throw std::invalid_argument("a time of 0 is too short");
  // A ramp and steps are spread over a duration, so they need one even where --count ends the run.
  const auto shaped = counted ? ten_seconds : lasts;
  if (!given.rate.empty()) result.open = schedule::constant(read_rate(given.rate), lasts);
  if (!given.ramp.empty()) {
    const auto [from, to] = read_ramp(given.ramp);
    result.open = schedule::ramp(from, to, shaped);
  }
  if (!given.steps.empty()) result.open = schedule::steps(read_steps(given.steps), shaped);
  if (result.open) result.open = result.open->after_warm_up(result.warm_up_ns);
  result.lasts_ns = lasts == schedule::no_end ? lasts : lasts + result.warm_up_ns;
}

bool mixes_in(const command_line& result, std::string_view scenario) {
  return std::ranges::find(result.load.mix, scenario, &weighted_scenario::name) != result.load.mix.end();
}

/// Checks the options of saved charges: customers belong to a platform, in live, and their methods have reusable
/// tokens.
void set_platform(command_line& result, const arguments& given) {
  check_printable(result.load.merchant, "--on-behalf-of");
  const bool platform = !result.load.merchant.empty();
  if (platform && result.key_id.empty())
    throw std::invalid_argument("--on-behalf-of: the platform's key is named by --key-id");
  if (!platform && !given.environment.empty())
    throw std::invalid_argument("--environment goes with --on-behalf-of: a merchant's key is of one environment");
  if (platform) result.environment = given.environment.empty() ? "live" : given.environment;
  if (!mixes_in(result, "saved")) return;
  if (result.environment != "live")
    throw std::invalid_argument("saved needs a platform's key, --on-behalf-of, and live: only there are customers");
  if (!result.load.payment_method.starts_with("pm_"))
    throw std::invalid_argument("saved needs a --payment-method that can be saved: pm_…");
}

/// Checks the options of webhooks: they need a destination, which is created for the one merchant of --data-dir.
void set_receiver(command_line& result) {
  if (!mixes_in(result, "webhooks") && result.receiver_listen.empty()) return;
  if (result.where.data_dir.empty())
    throw std::invalid_argument("webhooks need --data-dir, where their destination is made");
  if (result.load.callers > 1)
    throw std::invalid_argument("webhooks go to one merchant's destination: not with --merchants");
  if (result.threads > 1) throw std::invalid_argument("webhooks are received with --threads=1 only");
  if (result.receiver_listen.empty()) result.receiver_listen = "127.0.0.1:0";
}

/// Parses the options that CLI11 leaves as texts, and checks what it cannot.
void finish_run(command_line& result, const arguments& given) {
  result.what = command::run;
  result.verify = !given.no_verify;
  result.mix = mix_of(given);
  result.load.mix = read_mix(result.mix);
  if (!given.read_rate.empty()) result.reads = schedule::constant(read_rate(given.read_rate), most_reading);
  check_printable(result.load.payment_method, "--payment-method");
  check_printable(result.load.currency, "--currency");
  check_printable(result.key_id, "--key-id");
  result.labels = labels_of(given);
  set_platform(result, given);
  if (result.key_id.empty() && result.where.data_dir.empty())
    throw std::invalid_argument("--data-dir or --key-id is needed: requests are signed");
  if (result.targets.empty() && result.where.data_dir.empty())
    throw std::invalid_argument("--target or --data-dir is needed: where the gateway listens");
  if (result.load.callers > 1 && (result.where.data_dir.empty() || !result.key_id.empty()))
    throw std::invalid_argument(
        "--merchants are made in the gateway of --data-dir, each with a key of its own: --key-id names one");
  set_schedule(result, given);
  if (result.connections < result.threads) throw std::invalid_argument("--threads: each needs a connection");
  if (result.connections < result.targets.size()) throw std::invalid_argument("--target: each needs a connection");
  set_receiver(result);
}

void finish_year(command_line& result, const arguments& given) {
  result.what = command::subscriptions;
  check_printable(result.load.currency, "--currency");
  result.labels = labels_of(given);
  if (result.receiver_listen.empty()) result.receiver_listen = "127.0.0.1:0";
}

}  // namespace

command_line parse_command_line(int argc, const char* const* argv) {
  command_line result;
  arguments given;
  CLI::App app{"gateway-load: loads a payments gateway, and checks afterwards what it did.", "gateway-load"};
  app.get_formatter()->column_width(34);
  app.require_subcommand(1);
  app.footer("Exit status: 0 done, 1 a promise was broken or nothing could be measured, 2 usage.");
  auto& run = *app.add_subcommand("run", "Load a gateway, verify, report");
  add_workload(run, result, given);
  add_target(run, result, given);
  add_shape(run, result, given);
  add_verification(run, result, given);
  auto& year = *app.add_subcommand("subscriptions", "Live a year of subscriptions, verify, report");
  add_year(year, result, given);
  auto& report = *app.add_subcommand("report", "Show and compare what runs have measured");
  report.add_option("files", result.files, "Written by run --json")->required()->type_name("FILE…");
  report.add_option("--title", result.title, "Of the page, instead of the runs' names")->type_name("TEXT");
  report.add_option("--html", result.html, "Writes a page with all of them")->type_name("FILE");
  try {
    if (const auto bare = option_without_value(argc, argv))
      throw std::invalid_argument(*bare + ": the value is missing");
    app.parse(argc, argv);
    if (report.parsed())
      result.what = command::report;
    else if (year.parsed())
      finish_year(result, given);
    else
      finish_run(result, given);
  } catch (const CLI::CallForHelp&) {
    result.what = command::information;
    result.text = app.help();
  } catch (const CLI::ParseError& fault) {
    result.what = command::usage_error;
    result.text = one_line(fault.what());
  } catch (const std::invalid_argument& fault) {
    result.what = command::usage_error;
    result.text = one_line(fault.what());
  }
  return result;
}

}  // namespace gateway::load
