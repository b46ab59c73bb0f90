// What the routes of one I/O thread need of the gateway, and how their coroutines ask actors.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <caf/expected.hpp>

#include "gateway/base/crypto.hpp"
#include "gateway/base/metrics.hpp"
#include "gateway/base/tracing.hpp"
#include "gateway/base/write_brake.hpp"
#include "gateway/directory/directory.hpp"
#include "gateway/directory/provider_board.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "gateway/ports/provider_adapter.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"
#include "gateway/ports/webhook_client.hpp"
#include "gateway/settings.hpp"
#include "http/access/caller_limits.hpp"
#include "http/access/concurrency_limit.hpp"
#include "http/console/console_access.hpp"
#include "http/console/traffic.hpp"
#include "http/portal/slowing.hpp"
#include "message.hpp"

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
  store_reader archive;          ///< answers questions of store_reader_kind::archive
  dispatcher_actor dispatcher;   ///< redelivers what an operator asks for
  write_brakes& brake;           ///< rejects new writes while their webhooks would be late
  std::string setup_token_key;   ///< derived from the master key: signs setup links
  std::string hosted_page_key;   ///< signs hosted pages' links and their CSRF tokens
  std::string address = {};      ///< https://ADDR:PORT of the public listener
  std::string authorize_url = {};  ///< of the consent screen
  store_reader people = {};      ///< answers questions of store_reader_kind::quick
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
  sign_in_slowing slowing{};          ///< limits password guessing
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
/// A question to the store that pages and operators may ask.
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
