#include "grants.hpp"

#include <utility>

#include "http/call/reply.hpp"
#include "http/codec/decode_grant.hpp"
#include "http/codec/encode_grant.hpp"
#include "http/operator/encode.hpp"

namespace gateway::http {

boost::asio::awaitable<std::optional<rejection>> revoke_grant_as(call& c, grant_id id, std::string reason,
                                                                 std::optional<merchants_side> only_of,
                                                                 std::shared_ptr<const save_audit> note) {
  auto look = ask(c.here, find_grant{id});
  auto found = co_await std::move(look);
  if (!found) co_return rejection{code_of(found.error()), {}};
  const bool theirs =
      found->binding &&
      (!only_of || (found->binding->merchant == only_of->merchant && found->binding->env == only_of->env));
  if (!theirs) co_return rejection{error_code::grant_not_found, {}};
  grant_command wanted{revoke_request{{std::move(id), std::move(reason)}, found->past}};
  entity_request request{*std::move(found->binding), std::nullopt, std::move(wanted), nullptr};
  request.note = std::move(note);
  auto op = ask(c, std::move(request));
  const auto reply = co_await std::move(op);
  if (!reply) co_return rejection{code_of(reply.error()), {}};
  if (const auto* why = std::get_if<problem>(&reply->what)) co_return rejection{code_of(*why), {}};
  co_return std::nullopt;
}

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
  auto op = revoke_grant_as(c, std::move(wanted.id), std::move(wanted.reason));
  const auto rejected = co_await std::move(op);
  if (!rejected) co_return answer_with(encode(named_result{id.value, "revoked"}));
  if (rejected->code == error_code::grant_not_found) co_return error_response(no_such("grant", id.value));
  co_return error_response(rejected->code, "The grant may or may not be revoked: look, then repeat the command.");
}

}  // namespace gateway::http
