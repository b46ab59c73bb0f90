// The routes with scripted actors behind them, and a client that signs.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <catch2/catch.hpp>

#include "gateway/base/crypto.hpp"
#include "http/access/authentication.hpp"
#include "http/access/setup_link.hpp"
#include "http/call/call.hpp"
#include "http/checkout/hosted_page.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/errors.hpp"
#include "http/operator/table.hpp"
#include "http/portal/invitation_link.hpp"
#include "http/portal/sessions.hpp"
#include "http/server/asio_actor.hpp"
#include "http/table/public.hpp"

namespace gateway::http::testing {

inline const time_point noon = *parse_seconds("2026-11-20T12:00:00Z");
inline constexpr std::string_view uuid = "0B6F3C1E-54A4-4F1B-9D2C-8E7A6B5C4D3E";
inline constexpr std::string_view create_text =
    R"({"payment_id":"pay_1","amount":4200,"currency":"HKD","payment_method":"pm_card_visa"})";

struct still_clock final : wall_clock {
  time_point now() const override { return at; }
  time_point at = noon;
};

struct fake_config : caf::actor_system_config {
  fake_config() {
    add_message_types<caf::id_block::gateway>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", std::size_t{1});
  }
};

/// The answers of the store's readers to one question.
template <class Question>
using answers = std::function<caf::expected<typename Question::answer>(const Question&)>;
template <class Question>
struct scripted {
  answers<Question> answer = [](const Question&) { return typename Question::answer{}; };
};
template <class Questions>
struct scripted_store;
template <class... Questions>
struct scripted_store<std::variant<Questions...>> : scripted<Questions>... {
  template <class Question>
  answers<Question>& of() {
    return scripted<Question>::answer;
  }
};

/// The answers of the actors behind the routes, set before the request, and the messages that they received, read after
/// it.
struct behind : scripted_store<store_questions> {
  std::function<caf::result<entity_reply>(const entity_request&)> router = [](const entity_request&) {
    return entity_reply{problem::payment_not_found};
  };
  std::function<caf::result<operator_result>(const operator_command&)> operators = [](const operator_command&) {
    return operator_result{operator_problem{operator_problem::kind::conflict, "nothing was expected"}};
  };
  /// By default only what the test has published exists.
  std::function<caf::result<bool>(const directory_name&)> look_ups = [](const directory_name&) { return false; };
  std::vector<directory_name> looked_up;
  answers<find_entity>& rows = of<find_entity>();
  answers<find_due>& due = of<find_due>();
  answers<find_backlog>& backlogs = of<find_backlog>();
  answers<find_destinations>& destinations = of<find_destinations>();
  answers<find_deliveries>& deliveries = of<find_deliveries>();
  answers<count_deliveries>& delivery_counts = of<count_deliveries>();
  answers<find_events>& events = of<find_events>();
  answers<find_command>& commands = of<find_command>();
  answers<find_subscription_keys>& subscription_keys = of<find_subscription_keys>();
  answers<find_subscriptions>& subscriptions = of<find_subscriptions>();
  answers<find_grant>& grants = of<find_grant>();
  answers<find_grants>& grant_lists = of<find_grants>();
  std::function<caf::result<redeliver_result>(const redeliver&)> redelivers = [](const redeliver&) {
    return redeliver_result{};
  };
  answers<find_user>& users = of<find_user>();
  answers<find_session>& sessions = of<find_session>();
  answers<find_payments>& payments = of<find_payments>();
  answers<find_payments_by_ref>& payments_by_ref = of<find_payments_by_ref>();
  answers<find_disputes>& disputes = of<find_disputes>();
  answers<find_daily_totals>& daily_totals = of<find_daily_totals>();
  answers<find_ledger_sums>& ledger_sums = of<find_ledger_sums>();
  answers<find_ledger>& ledgers = of<find_ledger>();
  answers<find_sessions>& session_lists = of<find_sessions>();
  answers<find_audit>& audits = of<find_audit>();
  answers<find_notifications>& notifications = of<find_notifications>();
  answers<find_spent_token>& spent_tokens = of<find_spent_token>();
  answers<find_directory>& entries = of<find_directory>();
  answers<find_invitations>& invitations = of<find_invitations>();
  std::function<caf::result<bool>(const verify_password&)> verifies = [](const verify_password&) { return false; };
  std::function<caf::result<commit_outcome>(const unit_of_work&)> commits = [](const unit_of_work&) {
    return commit_outcome::committed;
  };
  clear_free_pages_result clears{true, true};
  /// The state of a merchant's account at a provider over HTTPS. The actor in the provider's place answers these and
  /// those about endpoints.
  std::function<caf::result<account_answer>(const account_question&)> accounts = [](const account_question&) {
    return account_answer{};
  };
  std::vector<account_question> questions;  ///< asked about accounts
  std::function<endpoint_answer(const endpoint_question&)> endpoints = [](const endpoint_question&) {
    return endpoint_answer{};
  };
  std::vector<endpoint_question> endpoint_questions;
  std::function<caf::result<backfill_result>(const backfill_events&)> backfills = [](const backfill_events&) {
    return backfill_result{};
  };
  std::vector<entity_request> seen;
  std::vector<save_audit> notes;  ///< of commands to the directory that a person has requested
};

/// Checks URLs on a thread of its own, as the real client does.
class fake_outbound final : public webhook_client {
 public:
  ~fake_outbound() override {
    for (auto& thread : threads_) thread.join();
  }
  void post(outgoing_post, std::function<void(delivery_attempt)>) override { FAIL("no route posts"); }
  void check(std::string url, std::string owner, std::function<void(std::optional<std::string>)> done) override {
    checked.push_back(url);
    checked_for.push_back(std::move(owner));
    if (silent) return;
    threads_.emplace_back([done = std::move(done), fault = fault, after = after] {
      std::this_thread::sleep_for(after);
      done(fault);
    });
  }

  std::vector<std::string> checked;
  std::vector<std::string> checked_for;  ///< the owner of each checked URL
  std::optional<std::string> fault;
  std::chrono::milliseconds after{0};
  bool silent = false;

 private:
  std::vector<std::thread> threads_;
};

inline router_actor::behavior_type fake_router(router_actor::pointer, behind* scene) {
  return {[scene](const entity_request& what) -> caf::result<entity_reply> {
            scene->seen.push_back(what);
            return scene->router(what);
          },
          [](keep_atom, const entity_key&) {}, [](passivate_atom, const entity_key&, std::uint64_t) {},
          [](passivate_atom, const entity_key&) {}, [](wake_atom) {}};
}

inline directory_actor::behavior_type fake_operators(directory_actor::pointer, behind* scene) {
  return {[scene](const operator_command& what) -> caf::result<operator_result> { return scene->operators(what); },
          [scene](const noted_command& noted) -> caf::result<operator_result> {
            scene->notes.push_back(noted.note);
            return scene->operators(noted.what);
          },
          [scene](const look_up& what) -> caf::result<bool> {
            scene->looked_up.push_back(what.what);
            return scene->look_ups(what.what);
          },
          [](load_atom) { return true; },
          [](join_atom, const dispatcher_actor&) {},
          [](const catch_up&) {}};
}

inline store_reader::behavior_type fake_archive(store_reader::pointer, behind* scene) {
  return {[scene](const store_question& question) -> caf::result<store_answer> {
    return std::visit(
        [scene]<class Question>(const Question& what) -> caf::result<store_answer> {
          auto found = scene->of<Question>()(what);
          if (!found) return std::move(found.error());
          return store_answer{std::move(*found)};
        },
        question);
  }};
}

inline password_hasher::behavior_type fake_hasher(password_hasher::pointer, behind* scene) {
  return {[](const hash_password&) { return std::string{"hash"}; },
          [scene](const verify_password& what) -> caf::result<bool> { return scene->verifies(what); }};
}

inline store_writer::behavior_type fake_writer(store_writer::pointer, behind* scene) {
  return {[scene](const unit_of_work& what) -> caf::result<commit_outcome> { return scene->commits(what); },
          [](const purge_commands&) { return purge_result{}; },
          [](const redeliver_rows&) { return redeliver_rows_result{}; },
          [scene](const clear_free_pages&) { return scene->clears; }, [](work_atom) {}};
}

inline provider_actor::behavior_type fake_gate(provider_actor::pointer, behind* scene) {
  return {[](const provider_call&) { return provider_result{}; },
          [](const provider_inquiry&) { return provider_result{}; },
          [](const subscription_call&) { return subscription_result{}; },
          [scene](const account_question& question) -> caf::result<account_answer> {
            scene->questions.push_back(question);
            return scene->accounts(question);
          },
          [](const notification_question&) { return notification_subject{not_understood{}}; },
          [](const event_list_question&) { return event_list_page{}; },
          [scene](const endpoint_question& question) -> endpoint_answer {
            scene->endpoint_questions.push_back(question);
            return scene->endpoints(question);
          }};
}

inline event_reader_actor::behavior_type fake_event_reader(event_reader_actor::pointer, behind* scene) {
  return {[scene](const backfill_events& wanted) -> caf::result<backfill_result> { return scene->backfills(wanted); },
          [](wake_atom) {}};
}

inline dispatcher_actor::behavior_type fake_dispatcher(dispatcher_actor::pointer, behind* scene) {
  return {[](const fresh_deliveries&) {}, [](const destination_changed&) {},
          [scene](const redeliver& wanted) -> caf::result<redeliver_result> { return scene->redelivers(wanted); },
          [](drain_atom) { return true; }, [](wake_atom) {}};
}

struct gateway_fixture {
  behind scene;
  fake_config caf_config;
  caf::actor_system system{caf_config};
  settings config;
  directory merchants;
  still_clock clock;
  metrics meters;
  fake_outbound outbound;
  write_brakes brake;
  services shared{config,
                  "https://pay.example",
                  "https://pay.example/portal",
                  merchants,
                  clock,
                  meters,
                  system.spawn(fake_router, &scene),
                  system.spawn(fake_operators, &scene),
                  outbound,
                  system.spawn(fake_archive, &scene),
                  system.spawn(fake_dispatcher, &scene),
                  brake,
                  "setup key",
                  "hosted key",
                  {},
                  "https://pay.example/connect/authorize",
                  system.spawn(fake_archive, &scene),
                  system.spawn(fake_writer, &scene),
                  system.spawn(fake_hasher, &scene),
                  "form key",
                  "invitation key",
                  std::string(32, 'c'),
                  "sdk key",
                  std::string(32, 'f'),
                  "cursor key"};
  boost::asio::io_context context{1};
  asio_actor_handle self = spawn_asio_actor(system, context);
  worker here{shared, self.get()};

  gateway_fixture() {
    shared.gates[static_cast<std::size_t>(provider_kind::stripe)] = system.spawn(fake_gate, &scene);
    shared.event_reader = system.spawn(fake_event_reader, &scene);
    publish_merchant();
    publish_key("mk_test_0000000000000001", default_merchant_scopes);
  }
  ~gateway_fixture() {
    self->close();
    caf::anon_send_exit(shared.router, caf::exit_reason::kill);
    caf::anon_send_exit(shared.operators, caf::exit_reason::kill);
    caf::anon_send_exit(shared.archive, caf::exit_reason::kill);
    caf::anon_send_exit(shared.dispatcher, caf::exit_reason::kill);
    caf::anon_send_exit(shared.people, caf::exit_reason::kill);
    caf::anon_send_exit(shared.sessions, caf::exit_reason::kill);
    caf::anon_send_exit(shared.hasher, caf::exit_reason::kill);
    caf::anon_send_exit(shared.event_reader, caf::exit_reason::kill);
    caf::anon_send_exit(shared.gates[static_cast<std::size_t>(provider_kind::stripe)], caf::exit_reason::kill);
  }

  void publish_merchant(merchant_kind kind = merchant_kind::standard) {
    merchant m;
    m.id = merchant_id{"merch_1"};
    m.name = "Tea & Co";
    m.kind = kind;
    m.owner = user_id{"user_1"};
    merchants.publish(std::make_shared<const merchant>(std::move(m)));
  }
  void publish_key(std::string_view id, std::string_view scopes) {
    api_key key{
        key_id{std::string{id}}, merchant_id{"merch_1"}, environment::test, *parse_scopes(scopes), "secret", false};
    merchants.publish(std::make_shared<const api_key>(std::move(key)));
  }

  using entry = boost::asio::awaitable<response> (*)(worker&, request&);
  response run(request in, entry handle = handle_public) { return run_to_end(handle(here, in)); }

  template <class Result>
  Result run_to_end(boost::asio::awaitable<Result> work) {
    std::optional<Result> out;
    context.restart();
    boost::asio::co_spawn(context, std::move(work), [&](std::exception_ptr failure, Result made) {
      if (!failure) out = std::move(made);
    });
    const auto guard = boost::asio::make_work_guard(context);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (!out && std::chrono::steady_clock::now() < deadline) context.run_one_for(std::chrono::milliseconds{100});
    REQUIRE(out);
    return *std::move(out);
  }
};

/// A signed request that owns its texts; members are changed before sending.
struct client_request {
  std::string method = "POST", path = "/v1/payment_intents", body{create_text};
  std::string key = "mk_test_0000000000000001", idempotency{uuid}, content_type = "application/json", merchant,
              signature_override, query;
  std::optional<std::uint64_t> address_number = std::nullopt;  ///< set if the address is limited

  trace_context trace{};
  bool repeats_idempotency_key = false;

  response send(gateway_fixture& to) const {
    const auto timestamp = format_seconds(noon);
    const auto hash = crypto::hex(crypto::sha256(body));
    const auto genuine = crypto::hex(crypto::hmac_sha256("secret", canonical_request(method, path, timestamp, hash)));
    const auto signature = signature_override.empty() ? genuine : signature_override;
    request in;
    in.method = method;
    in.path = path;
    in.body = body;
    in.request_id = "req_1";
    in.trace = trace;
    in.key_id = key;
    in.timestamp = timestamp;
    in.signature = signature;
    if (!idempotency.empty()) in.idempotency_key = idempotency;
    in.repeated_idempotency_key = repeats_idempotency_key;
    if (!content_type.empty()) in.content_type = content_type;
    if (!merchant.empty()) in.service_merchant = merchant;
    in.query = query;
    in.has_query = !query.empty();
    in.address_number = address_number;
    return to.run(in);
  }
};

inline client_request get(std::string path) {
  return {"GET", std::move(path), "", "mk_test_0000000000000001", "", "", "", "", "", std::nullopt};
}

inline request unsigned_request(std::string_view method, std::string_view path, std::string_view body = {},
                                std::string_view type = "application/json") {
  request in;
  in.method = method;
  in.path = path;
  in.body = body;
  in.request_id = "req_1";
  if (!body.empty()) in.content_type = type;
  return in;
}

inline std::string header(const response& out, std::string_view name) {
  for (const auto& [key_name, value] : out.headers)
    if (key_name == name) return value;
  return {};
}

inline std::string code_in(const response& out) {
  const auto body = boost::json::parse(std::string{out.sent_body()}).as_object();
  const auto& error = body.at("error");
  return std::string{error.is_string() ? error.as_string() : error.as_object().at("code").as_string()};
}

inline payment_ptr waiting_payment(payment_state state = payment_state::processing) {
  payment p;
  p.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
  p.state = state;
  p.amount = {4200, *currency::parse("HKD")};
  p.how = flow::redirect;
  p.provider_ref = "cs_1";
  p.hosted_url = state == payment_state::processing ? "https://pay.example/sandbox/checkout/t" : "";
  p.details.success_url = "https://shop.example/ok";
  p.details.cancel_url = "https://shop.example/no";
  return std::make_shared<const payment>(std::move(p));
}

/// The session of this cookie: that of a person who belongs to merch_1.
inline session_lookup session_found_by(const find_session& what, std::string_view cookie, time_point ends,
                                       member_role role = member_role::owner) {
  using namespace std::chrono_literals;
  if (what.hash != session_hash(cookie)) return {};
  return {stored_session{
      user_id{"user_1"}, "ada@example.com", noon - 1h, noon, ends, {{merchant_id{"merch_1"}, "Tea & Co", role}}}};
}

/// An invitation to merch_1 for the person of session_found_by().
inline invitation an_invitation() {
  return {merchant_id{"merch_1"}, user_id{"user_1"}, "ada@example.com", std::string(32, '1'),
          noon + invitation_lifetime};
}
/// The invitation is in the store, and the person has no password and belongs to no merchant.
inline invitations_lookup standing_of(const invitation& link, invited_by by = invited_by::owner) {
  invitations_lookup found;
  const auto viewer = member_role::viewer;
  found.invitations.push_back({{link.merchant, link.user, link.id, by, viewer, noon, link.expires}, "Tea & Co"});
  return found;
}

/// A store in which every Idempotency-Key was used by another request.
inline command_lookup used_for_another(const find_command& what) {
  command_record record;
  record.key = what.key;
  record.fingerprint = std::string(64, '0');
  record.result = answer{200, "{}"};
  return {record};
}

}  // namespace gateway::http::testing
