// What the routes of one I/O thread need of the gateway, and how their coroutines ask actors.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <caf/expected.hpp>

#include "gateway/actors.hpp"
#include "gateway/base/crypto.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/delivery_numbers.hpp"
#include "gateway/directory.hpp"
#include "gateway/membership.hpp"
#include "gateway/provider_adapter.hpp"
#include "gateway/provider_board.hpp"
#include "gateway/settings.hpp"
#include "gateway/tracing.hpp"
#include "gateway/webhook_client.hpp"
#include "gateway/write_brake.hpp"
#include "http/access/caller_limits.hpp"
#include "http/access/concurrency_limit.hpp"
#include "http/access/sign_in_throttle.hpp"
#include "http/message.hpp"
#include "http/operator/console/console_access.hpp"
#include "http/operator/console/traffic.hpp"

namespace gateway::http {

/// Shared by all I/O threads; outlives them. Made in the composition root.
struct services {
  const settings& config;
  std::string base_url;    ///< without a trailing slash
  std::string portal_url;  ///< without a trailing slash
  const directory& merchants;
  const wall_clock& clock;
  class metrics& meters;
  router_actor router;
  directory_actor operators;
  webhook_client& outbound;      ///< checks a destination's URL before it is set
  store_reader archive;          ///< for operators' lists
  dispatcher_actor dispatcher;   ///< redelivers what an operator asks for
  write_brakes& brake;           ///< rejects new writes while their webhooks would be late
  std::string setup_token_key;   ///< derived from the master key: signs setup links
  std::string hosted_page_key;   ///< signs hosted pages' links and their CSRF tokens
  std::string address = {};      ///< https://ADDR:PORT of the public listener
  std::string authorize_url = {};  ///< of the consent screen
  store_reader people = {};      ///< reads users and sessions, and grants by their id
  store_writer sessions = {};    ///< commits portal sessions
  password_hasher hasher = {};
  std::string form_key = {};     ///< signs the CSRF tokens of the portal's forms
  std::string invitation_key = {};  ///< signs invitations' links
  std::string code_key = {};     ///< 32 bytes: seals authorization codes
  std::string sdk_key = {};      ///< signs the client secrets of the sandbox's charges
  std::string second_factor_key = {};  ///< 32 bytes: seals people's second factors
  const membership& nodes = membership::alone();
  node_keeper keeper = {};       ///< null unless the node is part of a cluster
  delivery_numbers* numbers = nullptr;  ///< numbers for the deliveries that pages create: those of test events
  const provider_adapters* adapters = nullptr;  ///< of the providers reached over HTTPS
  const provider_board* providers = nullptr;    ///< which providers are available
  std::array<provider_actor, provider_catalogue.size()> gates{};  ///< in front of the providers, indexed by kind
  tracing& traces = tracing::off();
  std::atomic<bool> ready{false};     ///< as /readyz reports it (the store's health is in meters.store_up)
  std::atomic<bool> draining{false};
  sign_in_throttle throttle{};          ///< limits password guessing
  console_access console{};           ///< off until it is enabled
  traffic_memory seen_traffic{};      ///< the load that the console showed last
  concurrency_limit writes{config.begin_wait, config.batch_units, config.http.connections, meters};
  caller_limits limits{config, meters};  ///< rate limits per caller
};

class asio_actor;

/// One per I/O thread.
struct worker {
  services& shared;
  asio_actor* self = nullptr;  ///< an actor whose mailbox is this thread's io_context
};

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

/// The routes of the public listener: finds the route, runs it, and maps its exceptions to an answer. Never throws.
/// Implemented by http/routes/.
boost::asio::awaitable<response> handle_public(worker& here, request& in);
/// The routes of the operator socket (`/operator/…`, /metrics, /healthz, /readyz).
boost::asio::awaitable<response> handle_operator(worker& here, request& in);
/// The routes of the operator listener on TCP: /metrics, /healthz, /readyz, and the console where it is enabled.
boost::asio::awaitable<response> handle_metrics(worker& here, request& in);

}  // namespace gateway::http

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(gateway::http::outbound_verdict)
