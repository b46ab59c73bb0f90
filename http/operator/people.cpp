#include "people.hpp"

#include <utility>

#include "carry_out.hpp"
#include "decode_directory.hpp"
#include "encode.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/notice_mail.hpp"
#include "operator_note.hpp"

namespace gateway::http {

boost::asio::awaitable<response> invite(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_invite_user(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& command = std::get<invite_user>(body);
  const auto merchant = command.merchant;
  const auto email = command.email;
  operator_command wanted{std::move(command)};
  auto note = note_of_command(c, wanted);
  noted_command noted{std::move(wanted), std::move(note)};
  auto asking = ask(c.here, std::move(noted));
  const auto reply = co_await std::move(asking);
  if (!reply) co_return command_failed(reply.error());
  if (const auto* why = std::get_if<operator_problem>(&*reply)) co_return error_response(*why);
  const auto& made = std::get<invited_user>(*reply);
  const invitation link{merchant, made.id, email, made.invitation, made.expires};
  co_return answer_with(encode_invitation(made.id, invitation_url(link, shared.portal_url, shared.invitation_key)));
}

boost::asio::awaitable<response> reset_second_factor(call& c) {
  auto body = decode_reset_second_factor(c.in.body, c.here.shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& email = std::get<std::string>(body);
  auto asking = ask(c.here, find_user{email_key_of(email)});
  const auto reply = co_await std::move(asking);
  if (!reply) co_return error_response(code_of(reply.error()));
  if (!reply->found) co_return error_response(no_such("user", email));
  unit_of_work unit;
  unit.claims.push_back(set_second_factor{reply->found->id, {}, {}});
  auto note = note_of_operator(c, "reset second factor", email);
  note.before = reply->found->sealed_totp.empty() ? R"({"second_factor":false})" : R"({"second_factor":true})";
  note.after = R"({"second_factor":false})";
  unit.inserts.push_back(std::move(note));
  if (!reply->found->sealed_totp.empty()) add_notice(c, unit, mail_kind::second_factor_off, reply->found->email);
  auto committing = commit(c.here, std::move(unit));
  const auto outcome = co_await std::move(committing);
  if (!outcome) co_return error_response(code_of(outcome.error()));
  if (*outcome != commit_outcome::committed) co_return error_response(error_code::store_unavailable);
  co_return answer_with(encode(added_user{reply->found->id}));
}

}  // namespace gateway::http
