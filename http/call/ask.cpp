// How the routes ask actors. Separate from the session because both compile slowly.
#include "ask.hpp"

#include <caf/send.hpp>

#include "http/server/asio_actor.hpp"
#include "http/server/worker.hpp"
#include "services.hpp"

namespace gateway::http {

namespace {

/// A reader's answer, whose type the question names. The code that sends and waits is compiled once for all questions.
template <class Question>
boost::asio::awaitable<caf::expected<typename Question::answer>> ask_reader(worker& here,
                                                                            store_reader services::* reader,
                                                                            Question what) {
  auto asked = here.self->ask<store_answer>(here.shared.*reader, store_question{std::move(what)},
                                            here.shared.config.http.answer_timeout);
  auto found = co_await std::move(asked);
  if (!found) co_return std::move(found.error());
  co_return std::get<typename Question::answer>(std::move(*found));
}

}  // namespace

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

boost::asio::awaitable<caf::expected<deliveries_lookup>> ask(worker& here, find_deliveries query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<delivery_count>> ask(worker& here, count_deliveries query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<events_lookup>> ask(worker& here, find_events query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<notifications_lookup>> ask(worker& here, find_notifications query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<destinations_lookup>> ask(worker& here, find_destinations query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<bool>> ask(worker& here, look_up question) {
  return here.self->ask<bool>(here.shared.operators, std::move(question), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<grants_lookup>> ask(worker& here, find_grants query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<customers_lookup>> ask(worker& here, find_customers query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<subscriptions_lookup>> ask(worker& here, find_subscriptions query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<subscription_keys_lookup>> ask(worker& here, find_subscription_keys query) {
  return ask_reader(here, &services::people, std::move(query));
}

boost::asio::awaitable<caf::expected<grant_lookup>> ask(worker& here, find_grant query) {
  return ask_reader(here, &services::people, std::move(query));
}

boost::asio::awaitable<caf::expected<user_lookup>> ask(worker& here, find_user query) {
  return ask_reader(here, &services::people, std::move(query));
}

boost::asio::awaitable<caf::expected<session_lookup>> ask(worker& here, find_session query) {
  return ask_reader(here, &services::people, std::move(query));
}

boost::asio::awaitable<caf::expected<command_lookup>> ask(worker& here, find_command query) {
  return ask_reader(here, &services::people, std::move(query));
}

boost::asio::awaitable<caf::expected<payments_lookup>> ask(worker& here, find_payments query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<payments_lookup>> ask(worker& here, find_payments_by_ref query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<daily_totals_lookup>> ask(worker& here, find_daily_totals query) {
  return ask_reader(here, &services::people, std::move(query));
}

boost::asio::awaitable<caf::expected<ledger_sums_lookup>> ask(worker& here, find_ledger_sums query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<ledger_lookup>> ask(worker& here, find_ledger query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<directory_lookup>> ask(worker& here, find_directory query) {
  return ask_reader(here, &services::people, std::move(query));
}

boost::asio::awaitable<caf::expected<sessions_lookup>> ask(worker& here, find_sessions query) {
  return ask_reader(here, &services::people, std::move(query));
}

boost::asio::awaitable<caf::expected<audit_lookup>> ask(worker& here, find_audit query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<spent_token_lookup>> ask(worker& here, find_spent_token query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<invitations_lookup>> ask(worker& here, find_invitations query) {
  return ask_reader(here, &services::people, std::move(query));
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

boost::asio::awaitable<caf::expected<entity_lookup>> ask(worker& here, find_entity query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<timeline_lookup>> ask(worker& here, find_timeline query) {
  return ask_reader(here, &services::archive, std::move(query));
}

boost::asio::awaitable<caf::expected<due_lookup>> ask(worker& here, find_due query) {
  return ask_reader(here, &services::archive, query);
}

boost::asio::awaitable<caf::expected<backlog_lookup>> ask(worker& here, find_backlog query) {
  return ask_reader(here, &services::archive, query);
}

boost::asio::awaitable<caf::expected<node_list>> ask(worker& here, list_nodes query) {
  return here.self->ask<node_list>(here.shared.keeper, query, here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<node_drained>> ask(worker& here, drain_node wish) {
  return here.self->ask<node_drained>(here.shared.keeper, std::move(wish), here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<account_answer>> ask(worker& here, provider_kind provider,
                                                          account_question question) {
  return here.self->ask<account_answer>(here.shared.gates[static_cast<std::size_t>(provider)], std::move(question),
                                        here.shared.config.http.answer_timeout);
}

boost::asio::awaitable<caf::expected<redeliver_result>> ask(worker& here, redeliver wish) {
  return here.self->ask<redeliver_result>(here.shared.dispatcher, std::move(wish),
                                          here.shared.config.http.answer_timeout);
}

void tell(worker& here, fresh_deliveries news) { caf::anon_send(here.shared.dispatcher, std::move(news)); }

boost::asio::awaitable<caf::expected<outbound_verdict>> check_outbound(worker& here, std::string url,
                                                                       std::string owner) {
  auto begin = [&outbound = here.shared.outbound, address = std::move(url), of = std::move(owner)](auto done) {
    outbound.check(address, of, [tell = std::move(done)](std::optional<std::string> fault) {
      tell(outbound_verdict{std::move(fault)});
    });
  };
  return here.self->ask_by_callback<outbound_verdict>(std::move(begin), here.shared.config.http.answer_timeout);
}

}  // namespace gateway::http
