#include "master_keys.hpp"

#include <utility>
#include <variant>

#include "carry_out.hpp"
#include "decode_lists.hpp"
#include "encode.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"

namespace gateway::http {
namespace {

/// The command with its audit entry.
noted_command noted(const call& c, operator_command what) {
  auto note = note_of_command(c, what);
  return {std::move(what), std::move(note)};
}

/// The answer to a command's last step: the key's id, a problem, or an error that leaves the outcome unknown.
response key_answer(const caf::expected<operator_result>& reply) {
  if (!reply) return command_failed(reply.error());
  if (const auto* why = std::get_if<operator_problem>(&*reply)) return error_response(*why);
  return answer_with(encode_key_id(std::get<named_result>(*reply).id));
}

}  // namespace

boost::asio::awaitable<response> show_master_keys(call& c) {
  auto asking = ask(c.here, find_master_keys{.count = true});
  const auto found = co_await std::move(asking);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_master_keys(*found));
}

boost::asio::awaitable<response> rotate_master_key(call& c) {
  auto offer = noted(c, offer_master_key{});
  auto offering = ask(c.here, std::move(offer));
  const auto offered = co_await std::move(offering);
  if (!offered) co_return command_failed(offered.error());
  if (const auto* why = std::get_if<operator_problem>(&*offered)) co_return error_response(*why);
  auto promote = noted(c, promote_master_key{std::get<named_result>(*offered).id});
  auto promoting = ask(c.here, std::move(promote));
  const auto promoted = co_await std::move(promoting);
  const auto* why = promoted ? std::get_if<operator_problem>(&*promoted) : nullptr;
  if (why && why->what == operator_problem::kind::not_found)
    co_return error_response(operator_problem{
        operator_problem::kind::conflict,
        "The rotation was given up, because a node could not get the new key: its log says why. Nothing has changed."});
  co_return key_answer(promoted);
}

boost::asio::awaitable<response> retire_a_master_key(call& c) {
  auto body = decode_retire_master_key(c.in.body, c.here.shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto wanted = noted(c, std::move(std::get<retire_master_key>(body)));
  auto asking = ask(c.here, std::move(wanted));
  const auto reply = co_await std::move(asking);
  co_return key_answer(reply);
}

}  // namespace gateway::http
