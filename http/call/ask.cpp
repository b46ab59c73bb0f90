// How the routes ask actors. Separate from the session because both compile slowly.
#include "ask.hpp"

#include <tuple>
#include <variant>

#include <caf/send.hpp>

#include "http/server/asio_actor.hpp"
#include "http/server/worker.hpp"
#include "services.hpp"

namespace gateway::http {

template <page_question Question>
boost::asio::awaitable<caf::expected<typename Question::answer>> ask(worker& here, Question query) {
  const auto& reader = Question::reader == store_reader_kind::archive ? here.shared.archive : here.shared.people;
  auto asked =
      here.self->ask<store_answer>(reader, store_question{std::move(query)}, here.shared.config.http.answer_timeout);
  auto found = co_await std::move(asked);
  if (!found) co_return std::move(found.error());
  co_return std::get<typename Question::answer>(std::move(*found));
}

/// The ask() of a page_question; null for any other question.
template <class Question>
consteval auto compiled_ask() {
  using compiled = boost::asio::awaitable<caf::expected<typename Question::answer>> (*)(worker&, Question);
  if constexpr (page_question<Question>) {
    return static_cast<compiled>(&ask<Question>);
  } else {
    return nullptr;
  }
}

template <class... Questions>
consteval auto compiled_asks(std::variant<Questions...>*) {
  return std::tuple{compiled_ask<Questions>()...};
}

/// Other sources call these instantiations, so the compiler must emit them here. A call to each is not enough: clang
/// drops a function whose calls it has inlined or specialised.
[[gnu::used]] constexpr auto asks = compiled_asks(static_cast<store_questions*>(nullptr));

boost::asio::awaitable<caf::expected<entity_reply>> ask(worker& here, std::string request_id, entity_request what) {
  what.request_id = std::move(request_id);
  return here.self->ask<entity_reply>(here.shared.router, std::move(what), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<operator_result>> ask(worker& here, operator_command command) {
  return here.self->ask<operator_result>(here.shared.operators, std::move(command),
                                         here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<operator_result>> ask(worker& here, noted_command command) {
  return here.self->ask<operator_result>(here.shared.operators, std::move(command),
                                         here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<bool>> ask(worker& here, look_up question) {
  return here.self->ask<bool>(here.shared.operators, std::move(question), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<std::string>> ask(worker& here, hash_password wanted) {
  return here.self->ask<std::string>(here.shared.hasher, std::move(wanted), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<bool>> ask(worker& here, verify_password question) {
  return here.self->ask<bool>(here.shared.hasher, std::move(question), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<commit_outcome>> commit(worker& here, unit_of_work unit) {
  return here.self->ask<commit_outcome>(here.shared.sessions, std::move(unit), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<clear_free_pages_result>> ask(worker& here, clear_free_pages what) {
  return here.self->ask<clear_free_pages_result>(here.shared.sessions, what, std::chrono::minutes{10});
}

boost::asio::awaitable<caf::expected<node_list>> ask(worker& here, list_nodes query) {
  return here.self->ask<node_list>(here.shared.keeper, query, here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<node_drained>> ask(worker& here, drain_node change) {
  return here.self->ask<node_drained>(here.shared.keeper, std::move(change), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<account_answer>> ask(worker& here, provider_kind provider,
                                                          account_question question) {
  return here.self->ask<account_answer>(here.shared.gates[static_cast<std::size_t>(provider)], std::move(question),
                                        here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<endpoint_answer>> ask(worker& here, endpoint_question question) {
  const auto& gate = here.shared.gates[static_cast<std::size_t>(question.provider)];
  return here.self->ask<endpoint_answer>(gate, std::move(question), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<backfill_result>> ask(worker& here, backfill_events wanted) {
  return here.self->ask<backfill_result>(here.shared.event_reader, wanted, here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<commit_outcome>> ask(worker& here, accept_database wanted) {
  return here.self->ask<commit_outcome>(here.shared.witness, std::move(wanted), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<redeliver_result>> ask(worker& here, redeliver change) {
  return here.self->ask<redeliver_result>(here.shared.dispatcher, std::move(change),
                                          here.shared.config.http.answer_timeout);
}

void send_to_dispatcher(worker& here, fresh_deliveries deliveries) {
  caf::anon_send(here.shared.dispatcher, std::move(deliveries));
}

boost::asio::awaitable<caf::expected<outbound_verdict>> check_outbound(worker& here, std::string url,
                                                                       std::string owner) {
  auto begin = [&outbound = here.shared.outbound, address = std::move(url), of = std::move(owner)](auto done) {
    outbound.check(address, of, [call_back = std::move(done)](std::optional<std::string> fault) {
      call_back(outbound_verdict{std::move(fault)});
    });
  };
  return here.self->ask_by_callback<outbound_verdict>(std::move(begin), here.shared.config.http.answer_timeout);
}

}  // namespace gateway::http
