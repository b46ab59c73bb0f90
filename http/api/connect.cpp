#include "connect.hpp"

#include <memory>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "http/access/auth_codes.hpp"
#include "http/call/ask.hpp"
#include "http/call/preconditions.hpp"
#include "http/call/reply.hpp"
#include "http/codec/decode_grant.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view default_reason = "integrator_requested";
constexpr std::size_t longest_id = 64;

/// Asks the grant's actor. Answers a result as it is stored, and an error in the endpoint's style.
boost::asio::awaitable<response> ask_grant(call& c, entity_request wanted, error_style style) {
  auto op = ask(c, std::move(wanted));
  auto reply = co_await std::move(op);
  if (!reply) co_return error_response(style, code_of(reply.error()));
  if (const auto* why = std::get_if<problem>(&reply->what)) co_return error_response(style, code_of(*why));
  co_return answer_of(c, reply);
}

/// The audit entry of a platform's change on its own behalf.
save_audit note_of_platform(const call& c, std::string_view action, std::string_view subject) {
  save_audit note;
  note.user = user_id{c.allowed.principal};
  note.at = c.here.shared.clock.now();
  note.id = "audit_" + crypto::random_hex(16);
  note.address = c.in.remote_address;
  note.action = action;
  note.subject = subject;
  return note;
}

entity_request request_of(call& c, entity_key binding, idempotency write, grant_command what) {
  return {std::move(binding), std::move(write), std::move(what), std::move(c.admission).value().pass_on()};
}

/// Whether that key of the caller's platform is in force, according to the published snapshot.
bool still_signs(const call& c, const key_id& id) {
  const auto key = c.here.shared.merchants.find_platform_key(id);
  return key && key->platform.value == c.allowed.principal && !key->revoked;
}

response key_is_revoked() {
  response out;
  out.status = status::no_content;
  return out;
}

}  // namespace

boost::asio::awaitable<response> exchange_token(call& c) {
  constexpr auto style = error_style::oauth;
  const auto& shared = c.here.shared;
  if (auto rejected = require_json(c.in)) co_return error_response(style, *rejected);
  auto body = decode_token(c.in.body, shared.config.http.json_depth);
  if (auto* rejected = std::get_if<rejection>(&body)) co_return error_response(style, *rejected);
  auto& asked = std::get<token_body>(body);
  auto write = take_idempotency(c);
  if (!c.allowed.by_platform) {
    auto op = answer_unless_key_is_known(c, std::move(write), style, error_code::platform_key_required);
    co_return co_await std::move(op);
  }

  const auto& key = shared.code_key;
  auto binding = binding_of(asked.code, key);
  if (!binding || binding->id != c.allowed.principal) {
    auto op = answer_unless_key_is_known(c, write, style, error_code::invalid_grant);
    co_return co_await std::move(op);
  }
  exchange_code wanted{platform_id{c.allowed.principal}, code_hash(asked.code), std::move(asked.redirect_uri)};
  auto request = request_of(c, *std::move(binding), std::move(write), std::move(wanted));
  auto op = ask_grant(c, std::move(request), style);
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> revoke_platforms_grant(call& c) {
  constexpr auto style = error_style::revoke;
  const auto& shared = c.here.shared;
  if (auto rejected = require_json(c.in)) co_return error_response(style, *rejected);
  auto body = decode_revoke_reason(c.in.body, shared.config.http.json_depth);
  if (auto* rejected = std::get_if<rejection>(&body)) co_return error_response(style, *rejected);
  auto reason = std::get<std::string>(std::move(body));
  if (reason.empty()) reason = default_reason;
  auto write = take_idempotency(c);

  grant_lookup found;
  const grant_id id{std::string{c.path.id}};
  if (c.path.id.size() <= longest_id) {
    auto look = ask(c.here, find_grant{id});
    auto looked_up = co_await std::move(look);
    if (!looked_up) co_return error_response(style, code_of(looked_up.error()));
    found = *std::move(looked_up);
  }
  if (!found.binding || found.binding->id != c.allowed.principal) {
    auto op = answer_unless_key_is_known(c, write, style, error_code::grant_not_found);
    co_return co_await std::move(op);
  }
  auto note = std::make_shared<save_audit>(note_of_platform(c, "revoke grant", id.value));
  note->merchant = found.binding->merchant;
  note->env = found.binding->env;
  revoke_request wanted{{id, std::move(reason)}, found.past};
  auto request = request_of(c, *std::move(found.binding), std::move(write), std::move(wanted));
  request.note = std::move(note);
  auto op = ask_grant(c, std::move(request), style);
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> revoke_platforms_key(call& c) {
  constexpr auto style = error_style::usual;
  if (auto rejected = require_json(c.in)) co_return error_response(*rejected);
  if (auto rejected = check_no_fields(c.in.body, c.here.shared.config.http.json_depth))
    co_return error_response(*rejected);
  const auto write = take_idempotency(c);
  if (!c.allowed.by_platform) {
    auto op = answer_unless_key_is_known(c, write, style, error_code::platform_key_required);
    co_return co_await std::move(op);
  }

  // Look up the key's answer first. If another request uses the key before the commit, the directory reports it.
  auto look = ask(c.here, find_command{write.key});
  const auto known = co_await std::move(look);
  if (!known) co_return error_response(code_of(known.error()));
  const key_id id{std::string{c.path.id}};
  if (known->found || c.path.id.size() > longest_id) {
    // The commit of the stored answer may have had an unknown outcome, so the change may not have been published.
    const bool same = known->found && known->found->fingerprint == write.fingerprint;
    if (same && still_signs(c, id)) {
      noted_command again{operator_command{revoke_key{id}}, note_of_platform(c, "revoke key", id.value)};
      auto revoking = ask(c.here, std::move(again));
      const auto revoked = co_await std::move(revoking);
      if (!revoked) co_return error_response(code_of(revoked.error()));
    }
    auto op = answer_unless_key_is_known(c, write, style, error_code::not_found);
    co_return co_await std::move(op);
  }
  noted_command wanted{
      operator_command{revoke_own_key{id, platform_id{c.allowed.principal}, write.key, write.fingerprint}},
      note_of_platform(c, "revoke key", id.value)};
  auto carry = ask(c.here, std::move(wanted));
  const auto made = co_await std::move(carry);
  if (!made) co_return error_response(code_of(made.error()));
  const auto* why = std::get_if<operator_problem>(&*made);
  if (!why) co_return key_is_revoked();
  if (why->what == operator_problem::kind::not_found)
    co_return error_response(error_code::not_found, "The platform has no key of that id.");
  auto op = answer_unless_key_is_known(c, write, style, error_code::request_in_progress);
  co_return co_await std::move(op);
}

}  // namespace gateway::http
