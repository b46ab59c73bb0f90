// How the coroutines of handlers ask actors.
#pragma once

#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <caf/expected.hpp>

#include "gateway/actors.hpp"
#include "gateway/provider_adapter.hpp"
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
/// Ask the store's reader for people, grants and subscriptions.
boost::asio::awaitable<caf::expected<user_lookup>> ask(worker& here, find_user query);
boost::asio::awaitable<caf::expected<session_lookup>> ask(worker& here, find_session query);
boost::asio::awaitable<caf::expected<grant_lookup>> ask(worker& here, find_grant query);
boost::asio::awaitable<caf::expected<subscription_keys_lookup>> ask(worker& here, find_subscription_keys query);
/// Ask a reader of the store for what the portal's pages show.
boost::asio::awaitable<caf::expected<payments_lookup>> ask(worker& here, find_payments query);
boost::asio::awaitable<caf::expected<payments_lookup>> ask(worker& here, find_payments_by_ref query);
boost::asio::awaitable<caf::expected<daily_totals_lookup>> ask(worker& here, find_daily_totals query);
boost::asio::awaitable<caf::expected<ledger_sums_lookup>> ask(worker& here, find_ledger_sums query);
boost::asio::awaitable<caf::expected<ledger_lookup>> ask(worker& here, find_ledger query);
boost::asio::awaitable<caf::expected<directory_lookup>> ask(worker& here, find_directory query);
boost::asio::awaitable<caf::expected<sessions_lookup>> ask(worker& here, find_sessions query);
boost::asio::awaitable<caf::expected<audit_lookup>> ask(worker& here, find_audit query);
/// Asks the store's reader for pages whether a link's token was spent.
boost::asio::awaitable<caf::expected<spent_token_lookup>> ask(worker& here, find_spent_token query);
/// Asks the store's reader for pages for the state of an invited person.
boost::asio::awaitable<caf::expected<invitations_lookup>> ask(worker& here, find_invitations query);
/// Ask the hasher, which answers overloaded when too many passwords wait.
boost::asio::awaitable<caf::expected<std::string>> ask(worker& here, hash_password wanted);
boost::asio::awaitable<caf::expected<bool>> ask(worker& here, verify_password question);
/// Asks the store for the record under an idempotency key.
boost::asio::awaitable<caf::expected<command_lookup>> ask(worker& here, find_command query);
/// Commits records that only pages write: sessions, and people's changes to their own accounts.
boost::asio::awaitable<caf::expected<commit_outcome>> commit(worker& here, unit_of_work unit);
/// Ask the store's reader for operators' lists.
boost::asio::awaitable<caf::expected<grants_lookup>> ask(worker& here, find_grants query);
boost::asio::awaitable<caf::expected<customers_lookup>> ask(worker& here, find_customers query);
boost::asio::awaitable<caf::expected<subscriptions_lookup>> ask(worker& here, find_subscriptions query);
boost::asio::awaitable<caf::expected<deliveries_lookup>> ask(worker& here, find_deliveries query);
boost::asio::awaitable<caf::expected<delivery_count>> ask(worker& here, count_deliveries query);
boost::asio::awaitable<caf::expected<events_lookup>> ask(worker& here, find_events query);
boost::asio::awaitable<caf::expected<notifications_lookup>> ask(worker& here, find_notifications query);
boost::asio::awaitable<caf::expected<destinations_lookup>> ask(worker& here, find_destinations query);
boost::asio::awaitable<caf::expected<entity_lookup>> ask(worker& here, find_entity query);
boost::asio::awaitable<caf::expected<timeline_lookup>> ask(worker& here, find_timeline query);
boost::asio::awaitable<caf::expected<due_lookup>> ask(worker& here, find_due query);
boost::asio::awaitable<caf::expected<backlog_lookup>> ask(worker& here, find_backlog query);
/// Ask the node keeper.
boost::asio::awaitable<caf::expected<node_list>> ask(worker& here, list_nodes query);
boost::asio::awaitable<caf::expected<node_drained>> ask(worker& here, drain_node wish);
/// Asks a provider's gate for the state of a merchant's account.
boost::asio::awaitable<caf::expected<account_answer>> ask(worker& here, provider_kind provider,
                                                          account_question question);
/// Asks the dispatcher.
boost::asio::awaitable<caf::expected<redeliver_result>> ask(worker& here, redeliver wish);
/// Sends the dispatcher deliveries that have just been committed.
void tell(worker& here, fresh_deliveries news);

/// Why nothing may be sent to that owner's URL; `fault` is empty if it is allowed.
struct outbound_verdict {
  std::optional<std::string> fault;
};
boost::asio::awaitable<caf::expected<outbound_verdict>> check_outbound(worker& here, std::string url,
                                                                       std::string owner);

}  // namespace gateway::http

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::http::outbound_verdict)
