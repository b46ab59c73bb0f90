// How the coroutines of handlers ask actors.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <caf/expected.hpp>

#include "gateway/messages/actors.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "http/fwd.hpp"

namespace gateway::http {

/// Asks the router. The answer may be caf::error (actor_errc::overloaded, store_unavailable, stopping) or, once
/// config.http.answer_timeout has passed, caf::sec::request_timeout. A timeout does not stop the operation itself. Logs
/// name the HTTP request by its id. Must be called on the worker's thread.
boost::asio::awaitable<caf::expected<entity_reply>> ask(worker& here, std::string request_id, entity_request what);
/// Asks the directory actor.
boost::asio::awaitable<caf::expected<operator_result>> ask(worker& here, operator_command command);
boost::asio::awaitable<caf::expected<operator_result>> ask(worker& here, noted_command command);
boost::asio::awaitable<caf::expected<bool>> ask(worker& here, look_up question);
/// A question that pages and operators may ask the store.
template <class Question>
concept page_question = is_alternative<Question, store_questions> && (Question::reader == store_reader_kind::archive ||
                                                                      Question::reader == store_reader_kind::quick);
/// Asks the store's reader that the question names. Compiled in ask.cpp.
template <page_question Question>
boost::asio::awaitable<caf::expected<typename Question::answer>> ask(worker& here, Question query);
/// Ask the hasher, which answers overloaded when too many passwords wait.
boost::asio::awaitable<caf::expected<std::string>> ask(worker& here, hash_password wanted);
boost::asio::awaitable<caf::expected<bool>> ask(worker& here, verify_password question);
/// Commits records that only pages write: sessions, and people's changes to their own accounts.
boost::asio::awaitable<caf::expected<commit_outcome>> commit(worker& here, unit_of_work unit);
/// Ask the node keeper.
boost::asio::awaitable<caf::expected<node_list>> ask(worker& here, list_nodes query);
boost::asio::awaitable<caf::expected<node_drained>> ask(worker& here, drain_node change);
/// Asks the actor in front of a provider for the state of a merchant's account.
boost::asio::awaitable<caf::expected<account_answer>> ask(worker& here, provider_kind provider,
                                                          account_question question);
/// Asks the actor in front of a provider about the gateway's endpoint there.
boost::asio::awaitable<caf::expected<endpoint_answer>> ask(worker& here, endpoint_question question);
/// Asks the reader of events.
boost::asio::awaitable<caf::expected<backfill_result>> ask(worker& here, backfill_events wanted);
/// Asks the writer, which may need minutes.
boost::asio::awaitable<caf::expected<clear_free_pages_result>> ask(worker& here, clear_free_pages what);
/// Makes the witness of the database accept the database as it is now.
boost::asio::awaitable<caf::expected<commit_outcome>> ask(worker& here, accept_database wanted);
/// Asks the dispatcher.
boost::asio::awaitable<caf::expected<redeliver_result>> ask(worker& here, redeliver change);
/// Sends the dispatcher deliveries that have just been committed.
void send_to_dispatcher(worker& here, fresh_deliveries deliveries);

/// `fault`: why nothing may be sent to the URL; nothing if it is allowed.
struct outbound_verdict {
  std::optional<std::string> fault;
};
boost::asio::awaitable<caf::expected<outbound_verdict>> check_outbound(worker& here, std::string url,
                                                                       std::string owner);

}  // namespace gateway::http

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::http::outbound_verdict)
