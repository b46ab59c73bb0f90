#include "backup.hpp"

#include <string>
#include <utility>
#include <variant>

#include "http/call/call.hpp"
#include "http/call/reply.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t longest_path = 4'096;
constexpr std::size_t hex_of_sha256 = 64;

struct wanted_backup {
  std::string directory;
};

decoded<wanted_backup> decode_backup(std::string_view body, std::size_t json_depth) {
  return decode_with<wanted_backup>(body, json_depth, [](field_reader& fields, wanted_backup& wanted) {
    wanted.directory = fields.required_text("directory", longest_path);
  });
}

struct made_backup {
  std::string directory, manifest_sha256;
};

decoded<made_backup> decode_made_backup(std::string_view body, std::size_t json_depth) {
  return decode_with<made_backup>(body, json_depth, [](field_reader& fields, made_backup& made) {
    made.directory = fields.required_text("directory", longest_path);
    made.manifest_sha256 = fields.text("manifest_sha256", hex_of_sha256);
  });
}

/// Quotes the text as one word of a shell command.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) c == '\'' ? word.append("'\\''") : word.append(1, c);
  return word + "'";
}

response backup_of_server(std::string_view directory) {
  const auto to = shell_word(directory);
  return error_response(
      operator_problem{operator_problem::kind::conflict,
                       "The store is a database server, and its own tool backs it up. On the server, as a user who may "
                       "read its files: mariadb-backup --backup --user=root --target-dir=" +
                           to + " && mariadb-backup --prepare --target-dir=" + to +
                           ". Then tell the gateway: gatewayctl backup-record " + to});
}

}  // namespace

boost::asio::awaitable<response> prepare_backup(call& c) {
  const auto& config = c.here.shared.config;
  const auto body = decode_backup(c.in.body, config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& directory = std::get<wanted_backup>(body).directory;
  if (config.store != "sqlite") co_return backup_of_server(directory);
  auto note = note_of_operator(c, "begin backup", directory);
  auto noting = commit_note(c, std::move(note));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  std::string out;
  json_object{out}.text("database", "gateway.sqlite");
  co_return answer_with(std::move(out));
}

boost::asio::awaitable<response> note_backup(call& c) {
  const auto body = decode_made_backup(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& made = std::get<made_backup>(body);
  auto note = note_of_operator(c, "make backup", made.directory);
  if (!made.manifest_sha256.empty()) json_object{note.after}.text("manifest_sha256", made.manifest_sha256);
  save_fact fact{std::string{last_backup_name}, std::to_string(to_unix_ms(note.at))};
  auto noting = commit_note(c, std::move(note), std::move(fact));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  co_return answer_with("{}");
}

}  // namespace gateway::http
