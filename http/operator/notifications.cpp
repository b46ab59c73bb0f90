#include "notifications.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decode_lists.hpp"
#include "encode.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"

namespace gateway::http {
namespace {

/// The environments that have a notification with this id.
boost::asio::awaitable<caf::expected<std::vector<environment>>> environments_of(worker& here, std::string id) {
  std::vector<environment> found;
  for (const auto env : {environment::test, environment::live}) {
    auto op = ask(here, find_entity{{merchant_id{}, env, entity_kind::notification, id}});
    const auto seen = co_await std::move(op);
    if (!seen) co_return seen.error();
    if (seen->found) found.push_back(env);
  }
  co_return found;
}

}  // namespace

boost::asio::awaitable<response> list_notifications(call& c) {
  auto body = decode_find_notifications(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto op = ask(c.here, std::get<find_notifications>(std::move(body)));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_notifications(found->notifications));
}

boost::asio::awaitable<response> replay_a_notification(call& c) {
  auto body = decode_replay_notification(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& wanted = std::get<named_notification>(body);
  if (!wanted.env) {
    auto looking = environments_of(c.here, wanted.id);
    const auto found = co_await std::move(looking);
    if (!found) co_return error_response(code_of(found.error()));
    if (found->size() > 1)
      co_return error_response(error_code::conflict,
                               "Both environments have a notification of that id: name the mode.");
    if (found->empty()) co_return error_response(no_such("notification", wanted.id));
    wanted.env = found->front();
  }
  entity_request request{{merchant_id{}, *wanted.env, entity_kind::notification, wanted.id},
                         std::nullopt,
                         notification_command{replay_notification{}}};
  auto noting = commit_note(c, note_of_operator(c, "replay notification", wanted.id, {}, wanted.env));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  auto op = ask(c, std::move(request));
  const auto reply = co_await std::move(op);
  if (!reply) co_return error_response(code_of(reply.error()));
  if (const auto* why = std::get_if<problem>(&reply->what))
    co_return *why == problem::notification_not_found ? error_response(no_such("notification", wanted.id))
                                                      : error_response(code_of(*why));
  const auto* row = std::get_if<entity_row>(&reply->what);
  const auto* seen = row ? std::get_if<notification_ptr>(row) : nullptr;
  if (!seen) co_return error_response(error_code::internal_error);
  co_return answer_with(encode(named_result{wanted.id, std::string{to_string((*seen)->state)}}));
}

}  // namespace gateway::http
