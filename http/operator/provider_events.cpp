#include "provider_events.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "carry_out.hpp"
#include "decode_provider.hpp"
#include "encode.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

response conflict(std::string words) {
  return error_response(operator_problem{operator_problem::kind::conflict, std::move(words)});
}

/// A provider whose adapter can manage endpoints, with its settings.
struct named_provider {
  const provider_adapter* adapter = nullptr;
  environment env = environment::test;
  std::shared_ptr<const provider_settings> settings;
  std::string url;

  std::string name() const { return std::string{to_string(adapter->kind())}; }
};

std::variant<named_provider, response> read_named_provider(const call& c) {
  static const provider_adapters none;
  const auto& shared = c.here.shared;
  const auto& adapters = shared.adapters ? *shared.adapters : none;
  auto body = decode_remove_provider(c.in.body, shared.config.http.json_depth, adapters);
  if (auto* wrong = std::get_if<rejection>(&body)) return error_response(*wrong);
  const auto& named = std::get<configure_provider>(body);
  named_provider found{adapters[static_cast<std::size_t>(named.provider)].get(), named.env,
                       shared.merchants.find_provider(named.provider, named.env),
                       notifications_url(shared.base_url, named.provider, named.env)};
  const std::string mode{to_string(named.env)};
  if (!found.adapter->registers_endpoints())
    return conflict("The gateway cannot ask " + found.name() + " about addresses: enter " + found.url + " there.");
  if (!found.settings) return conflict(found.name() + " is not configured in " + mode + ": run provider set first.");
  return found;
}

boost::asio::awaitable<std::variant<endpoint_answer, response>> ask_for_endpoint(call& c, named_provider of,
                                                                                 bool registers) {
  endpoint_question question{of.adapter->kind(), of.env, of.url, registers};
  auto op = ask(c.here, std::move(question));
  auto found = co_await std::move(op);
  if (!found) co_return command_failed(found.error());
  if (found->what == endpoint_answer::state::unknown) {
    const auto why = found->error ? found->error->message : std::string{"it did not answer."};
    co_return conflict(of.name() + " was asked about the endpoint: " + why);
  }
  co_return std::move(*found);
}

void write_named(json_object& body, const named_provider& of, const endpoint_answer& endpoint) {
  body.text("provider", of.name());
  body.text("mode", to_string(of.env));
  body.text("notifications_url", of.url);
  body.text_if("endpoint", endpoint.id);
}

/// What the operator has to correct, a sentence each.
std::vector<std::string> problems_of(const named_provider& of, const endpoint_answer& endpoint) {
  std::vector<std::string> problems;
  const std::string registers =
      "run provider register-notifications " + of.name() + " --mode " + std::string{to_string(of.env)};
  if (endpoint.what == endpoint_answer::state::absent) {
    problems.push_back("No endpoint at " + of.name() + " has this address: " + registers + ".");
    return problems;
  }
  if (!endpoint.of_accounts)
    problems.push_back("The endpoint " + endpoint.id +
                       " gets the events of the platform's own account only. It must be a Connect endpoint, for events "
                       "of connected accounts: " +
                       registers + ", then delete " + endpoint.id + " at " + of.name() + ".");
  if (!endpoint.enabled) problems.push_back("The endpoint " + endpoint.id + " is disabled: " + registers + ".");
  if (!endpoint.missing.empty())
    problems.push_back("The endpoint " + endpoint.id + " does not get all types of events: " + registers + ".");
  if (of.adapter->secret_of(*of.settings, endpoint) == endpoint_secret::missing)
    problems.push_back("The settings have no secret of the endpoint, so its notifications are rejected.");
  return problems;
}

std::string encode_check(const named_provider& of, const endpoint_answer& endpoint) {
  const auto problems = problems_of(of, endpoint);
  std::string out;
  {
    json_object body{out};
    write_named(body, of, endpoint);
    body.boolean("ok", problems.empty());
    body.text_if("api_version", endpoint.version);
    write_texts(body, "missing_types", endpoint.missing);
    write_texts(body, "problems", problems);
  }
  return out;
}

std::string_view status_of(endpoint_answer::state what) noexcept {
  switch (what) {
    case endpoint_answer::state::made: return "made";
    case endpoint_answer::state::changed: return "changed";
    default: return "unchanged";
  }
}

std::string encode_registration(const named_provider& of, const endpoint_answer& endpoint, bool stored) {
  std::string out;
  {
    json_object body{out};
    write_named(body, of, endpoint);
    body.text("status", status_of(endpoint.what));
    body.text("secret", stored ? "stored" : "unknown");
    if (!stored)
      body.text("note",
                of.name() +
                    " gives the secret of an endpoint only when it is made, and this gateway did not store that "
                    "of " +
                    endpoint.id +
                    ". If the settings do not have it: delete the endpoint there and repeat this command.");
  }
  return out;
}

/// nullopt if the secret was stored.
boost::asio::awaitable<std::optional<response>> store_secret(call& c, named_provider of, endpoint_answer made) {
  operator_command wanted{
      configure_provider{of.adapter->kind(), of.env, of.adapter->with_endpoint(*of.settings, made)}};
  auto note = note_of_command(c, wanted);
  noted_command noted{std::move(wanted), std::move(note)};
  auto op = ask(c.here, std::move(noted));
  const auto stored = co_await std::move(op);
  if (stored && !std::holds_alternative<operator_problem>(*stored)) co_return std::nullopt;
  co_return conflict("The endpoint " + made.id + " was made, and its secret may not have been stored: delete it at " +
                     of.name() + " and repeat the command.");
}

}  // namespace

boost::asio::awaitable<response> check_provider(call& c) {
  auto named = read_named_provider(c);
  if (auto* refused = std::get_if<response>(&named)) co_return std::move(*refused);
  const auto& of = std::get<named_provider>(named);
  auto op = ask_for_endpoint(c, of, false);
  auto found = co_await std::move(op);
  if (auto* failed = std::get_if<response>(&found)) co_return std::move(*failed);
  co_return answer_with(encode_check(of, std::get<endpoint_answer>(found)));
}

boost::asio::awaitable<response> register_notifications(call& c) {
  auto named = read_named_provider(c);
  if (auto* refused = std::get_if<response>(&named)) co_return std::move(*refused);
  const auto& of = std::get<named_provider>(named);
  auto noting = commit_note(c, note_of_operator(c, "register notifications", of.name(), {}, of.env));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  auto asking = ask_for_endpoint(c, of, true);
  auto found = co_await std::move(asking);
  if (auto* failed = std::get_if<response>(&found)) co_return std::move(*failed);
  const auto& endpoint = std::get<endpoint_answer>(found);
  const bool is_made = endpoint.what == endpoint_answer::state::made;
  if (is_made) {
    auto storing = store_secret(c, of, endpoint);
    if (auto failed = co_await std::move(storing)) co_return *std::move(failed);
  }
  const bool stored = is_made || of.adapter->secret_of(*of.settings, endpoint) == endpoint_secret::known;
  co_return answer_with(encode_registration(of, endpoint, stored));
}

boost::asio::awaitable<response> backfill_provider_events(call& c) {
  auto body = decode_backfill(c.in.body, c.here.shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& wanted = std::get<backfill_events>(body);
  auto noting = commit_note(c, note_of_operator(c, "backfill provider", to_string(wanted.provider), {}, wanted.env));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  auto op = ask(c.here, wanted);
  const auto made = co_await std::move(op);
  if (!made) co_return command_failed(made.error());
  if (made->failure)
    co_return conflict(*made->failure + " Read: " + std::to_string(made->events) + " events, " +
                       std::to_string(made->fresh) + " of them new.");
  std::string out;
  {
    json_object answer{out};
    answer.number("events", static_cast<std::int64_t>(made->events));
    answer.number("new", static_cast<std::int64_t>(made->fresh));
    if (made->refused > 0) answer.number("refused_accounts", static_cast<std::int64_t>(made->refused));
    answer.boolean("complete", made->complete);
  }
  co_return answer_with(std::move(out));
}

}  // namespace gateway::http
