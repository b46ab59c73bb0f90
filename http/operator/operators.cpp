#include "operators.hpp"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "carry_out.hpp"
#include "decode_operators.hpp"
#include "encode_operators.hpp"
#include "gateway/base/log.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "operator_link.hpp"
#include "operator_name.hpp"
#include "operator_note.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view operator_kind = "operator";

operator_problem no_console_here() {
  return {operator_problem::kind::conflict,
          "This gateway has no console: start it with operator-listen, where operators sign in."};
}

void log_operator_change(const call& c, std::string_view action, std::string_view name) {
  log::info("operator_changed",
            {{"request_id", c.in.request_id}, {"action", action}, {"operator", name}, {"by", operator_name(c.in)}});
}

/// The operator that a command names, or the answer to send instead.
using operator_found = std::variant<stored_operator, response>;

boost::asio::awaitable<operator_found> operator_of(call& c, std::string name) {
  auto asking = ask(c.here, find_operator{operator_key_of(name)});
  auto reply = co_await std::move(asking);
  if (!reply) co_return error_response(code_of(reply.error()));
  if (!reply->found) co_return error_response(no_such(operator_kind, name));
  co_return *std::move(reply->found);
}

boost::asio::awaitable<operator_found> named_operator_of(call& c) {
  auto body = decode_named_operator(c.in.body, c.here.shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto finding = operator_of(c, std::get<std::string>(body));
  co_return co_await std::move(finding);
}

/// Commits a change of one operator. nullopt if it was committed; `refused` if the row does not permit it.
boost::asio::awaitable<std::optional<response>> commit_operator(call& c, unit_of_work unit, operator_problem refused) {
  auto committing = commit(c.here, std::move(unit));
  const auto outcome = co_await std::move(committing);
  if (!outcome) co_return command_failed(outcome.error());
  switch (*outcome) {
    case commit_outcome::committed: co_return std::nullopt;
    case commit_outcome::lost_claim:
    case commit_outcome::duplicate_record: co_return error_response(refused);
    case commit_outcome::rejected: co_return error_response(error_code::overloaded);
    default: break;
  }
  co_return error_response(error_code::store_unavailable,
                           "The command may or may not have taken effect: look, then repeat it.");
}

std::string operator_url_of(const call& c, std::string_view name, const std::string& id, time_point ends_at) {
  const auto& shared = c.here.shared;
  return operator_setup_url({operator_key_of(name), id}, ends_at, shared.console_url, shared.invitation_key);
}

}  // namespace

boost::asio::awaitable<response> add_an_operator(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_add_operator(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& wanted = std::get<new_operator>(body);
  if (shared.console_url.empty()) co_return error_response(no_console_here());
  const auto now = shared.clock.now();
  const save_operator row{wanted.name, wanted.role, make_operator_link_id(), now + operator_link_lifetime, now};
  unit_of_work unit;
  auto note = note_of_operator(c, "add operator", row.name);
  note.after = role_as_json(row.role);
  unit.inserts = {row, std::move(note)};
  operator_problem taken{operator_problem::kind::conflict, "There is an operator " + row.name + " already."};
  auto committing = commit_operator(c, std::move(unit), std::move(taken));
  auto failed = co_await std::move(committing);
  if (failed) co_return *std::move(failed);
  log_operator_change(c, "add", row.name);
  co_return answer_with(
      encode_operator(row.name, row.role, operator_url_of(c, row.name, row.setup_id, row.setup_ends_at)));
}

boost::asio::awaitable<response> list_operators(call& c) {
  auto asking = ask(c.here, find_operators{});
  const auto found = co_await std::move(asking);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_operators(found->operators));
}

boost::asio::awaitable<response> remove_an_operator(call& c) {
  auto finding = named_operator_of(c);
  auto found = co_await std::move(finding);
  if (auto* refusal = std::get_if<response>(&found)) co_return std::move(*refusal);
  const auto& who = std::get<stored_operator>(found);
  unit_of_work unit;
  unit.claims.push_back(drop_operator{operator_key_of(who.name)});
  auto note = note_of_operator(c, "remove operator", who.name);
  note.before = role_as_json(who.role);
  unit.inserts.push_back(std::move(note));
  auto committing = commit_operator(c, std::move(unit), no_such(operator_kind, who.name));
  auto failed = co_await std::move(committing);
  if (failed) co_return *std::move(failed);
  log_operator_change(c, "remove", who.name);
  co_return answer_with(encode_removed_operator(who.name));
}

boost::asio::awaitable<response> reset_an_operator(call& c) {
  const auto& shared = c.here.shared;
  auto finding = named_operator_of(c);
  auto found = co_await std::move(finding);
  if (auto* refusal = std::get_if<response>(&found)) co_return std::move(*refusal);
  const auto& who = std::get<stored_operator>(found);
  if (shared.console_url.empty()) co_return error_response(no_console_here());
  const reset_operator change{operator_key_of(who.name), make_operator_link_id(),
                              shared.clock.now() + operator_link_lifetime};
  unit_of_work unit;
  unit.claims.push_back(change);
  unit.inserts.push_back(note_of_operator(c, "reset operator", who.name));
  auto committing = commit_operator(c, std::move(unit), no_such(operator_kind, who.name));
  auto failed = co_await std::move(committing);
  if (failed) co_return *std::move(failed);
  log_operator_change(c, "reset", who.name);
  co_return answer_with(
      encode_operator(who.name, who.role, operator_url_of(c, who.name, change.setup_id, change.setup_ends_at)));
}

}  // namespace gateway::http
