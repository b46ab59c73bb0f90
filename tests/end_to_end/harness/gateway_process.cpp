#include "gateway_process.hpp"

#include <algorithm>
#include <csignal>
#include <exception>

#include "paths.hpp"
#include "text.hpp"

namespace gateway::e2e {

using namespace std::chrono_literals;

gateway_process::gateway_process(gateway_options options)
    : options_{std::move(options)}, folder_{options_.folder.empty() ? new_folder("gateway") : options_.folder} {
  if (options_.store == store_kind::mysql) database_ = options_.database ? *options_.database : new_shared_database();
  start();
}

gateway_process::~gateway_process() {
  kill();
  if (keeps_data() || std::uncaught_exceptions() > 0) return;
  try {
    if (database_ && !options_.database) drop_database(*database_);
    if (options_.folder.empty()) std::filesystem::remove_all(folder_);
  } catch (const std::exception&) {
    // The next clean build removes it.
  }
}

std::vector<std::string> gateway_process::command_line() const {
  const auto gatewayd = options_.gatewayd.empty() ? program("gatewayd") : options_.gatewayd;
  std::vector<std::string> words{gatewayd.string(), "--listen=" + address_.authority(),
                                 "--data-dir=" + data_dir().string()};
  words.push_back(options_.provider.empty() ? "--sandbox-ledger=" + ledger_file().string()
                                            : "--sandbox-provider=" + options_.provider.string());
  if (options_.dev) words.emplace_back("--dev");
  if (options_.operator_listener) words.push_back("--operator-listen=" + operator_address_.authority());
  const auto& found_at = options_.database_link ? options_.database_link : database_;
  words.push_back("--store=" + (found_at ? found_at->url() : std::string{"sqlite"}));
  words.insert(words.end(), options_.arguments.begin(), options_.arguments.end());
  return words;
}

void gateway_process::start() {
  process_ = child_process{command_line(), {log_file(), {}, {}}};
  read_addresses();
}

void gateway_process::start(const std::filesystem::path& gatewayd) {
  options_.gatewayd = gatewayd;
  start();
}

void gateway_process::read_addresses() {
  constexpr std::string_view listening = "listening on ", metrics = "operator metrics on ";
  bool knows_address = false, knows_operator = !options_.operator_listener;
  while (!knows_address || !knows_operator) {
    const auto line = process_.read_line();
    if (!line) {
      kill();
      const auto said = lines_of(log());
      throw start_failed{"gatewayd does not listen: " + (said.empty() ? "it said nothing" : said.back())};
    }
    if (line->starts_with(listening)) {
      address_ = endpoint::of_url(line->substr(listening.size()));
      knows_address = true;
    } else if (line->starts_with(metrics)) {
      operator_address_ = endpoint::of_url(line->substr(metrics.size()));
      knows_operator = true;
    }
  }
}

void gateway_process::kill() {
  process_.send_signal(SIGKILL);
  if (process_.pid() > 0) process_.wait();
}

std::optional<exit_result> gateway_process::terminate(std::chrono::milliseconds within) {
  begin_drain();
  return wait(within);
}

int gateway_process::status_of(std::string_view target) const {
  auto client = connect();
  return client.send({"GET", std::string{target}, {}, {}}).status;
}

bool gateway_process::ready() const {
  try {
    return status_of("/readyz") == 200;
  } catch (const connection_failed&) {
    return false;
  }
}

std::string gateway_process::log() const {
  return std::filesystem::exists(log_file()) ? read_file(log_file()) : std::string{};
}

command_output gateway_process::run_ctl(const std::vector<std::string>& arguments, std::string_view input) const {
  std::vector<std::string> words{program("gatewayctl").string(), "--data-dir=" + data_dir().string(), "--json"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_command(words, input);
}

json gateway_process::ctl(const std::vector<std::string>& arguments, std::string_view input) const {
  const auto result = run_ctl(arguments, input);
  if (result.code != 0) {
    std::string words;
    for (const auto& word : arguments) words += ' ' + word;
    throw std::runtime_error("gatewayctl" + words + " exits " + std::to_string(result.code) + ": " + result.err);
  }
  return json::parse(result.out);
}

std::filesystem::path gateway_process::sqlite_file() const {
  for (const auto& entry : std::filesystem::directory_iterator{data_dir()})
    if (entry.is_regular_file() && read_file(entry.path()).starts_with("SQLite format 3")) return entry.path();
  throw std::runtime_error("no database in " + data_dir().string());
}

std::string gateway_process::sql(std::string_view statements) const {
  return database_ ? database_->sql(statements) : sqlite_sql(sqlite_file(), statements);
}

std::vector<ledger_entry> read_ledger(const std::filesystem::path& file) {
  std::vector<ledger_entry> entries;
  if (!std::filesystem::exists(file)) return entries;
  for (const auto& line : lines_of(read_file(file))) {
    const auto row = json::parse(line);
    entries.push_back({row["provider_key"].text(), row["operation"].text(), row["payment_id"].text(),
                       row["merchant"].text(), row["environment"].text(), row["amount"].number(),
                       row["status"].text()});
  }
  return entries;
}

namespace {

gateway_options shared_options(store_kind store) {
  gateway_options options;
  options.store = store;
  options.operator_listener = true;
  return options;
}

}  // namespace

gateway_process& shared_gateway(store_kind store) {
  if (store == store_kind::mysql) {
    static gateway_process on_mysql{shared_options(store_kind::mysql)};
    return on_mysql;
  }
  static gateway_process on_sqlite{shared_options(store_kind::sqlite)};
  return on_sqlite;
}

}  // namespace gateway::e2e
