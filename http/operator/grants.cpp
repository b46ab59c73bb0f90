#include "grants.hpp"

#include <memory>
#include <utility>

#include "encode.hpp"
#include "http/api/grants.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/decode_grant.hpp"
#include "http/codec/encode_grant.hpp"
#include "operator_note.hpp"

namespace gateway::http {

boost::asio::awaitable<response> list_grants(call& c) {
  auto body = decode_find_grants(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto op = ask(c.here, std::get<find_grants>(std::move(body)));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_grants(found->grants));
}

boost::asio::awaitable<response> revoke_grant_for_operator(call& c) {
  auto body = decode_revoke_grant(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& wanted = std::get<operators_revoke>(body);
  const auto id = wanted.id;
  if (wanted.reason.empty()) wanted.reason = operators_reason;
  auto subject = id.value;
  subject.append(": ").append(wanted.reason);
  auto note = std::make_shared<save_audit>(note_of_operator(c, "revoke grant", subject));
  auto looking = ask(c.here, find_grant{id});
  const auto found = co_await std::move(looking);
  if (found && found->binding) {
    note->merchant = found->binding->merchant;
    note->env = found->binding->env;
  }
  auto op = revoke_grant_as(c, std::move(wanted.id), std::move(wanted.reason), std::nullopt, std::move(note));
  const auto rejected = co_await std::move(op);
  if (!rejected) co_return answer_with(encode(named_result{id.value, "revoked"}));
  if (rejected->code == error_code::grant_not_found) co_return error_response(no_such("grant", id.value));
  co_return error_response(rejected->code, "The grant may or may not be revoked: look, then repeat the command.");
}

}  // namespace gateway::http
