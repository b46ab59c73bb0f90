// A whole gateway without HTTP, under CAF's deterministic scheduler: router, payment actors, gates, sandbox providers,
// reconciler and dispatcher over a memory store. The test controls the time.
#pragma once

#include <caf/scoped_execution_unit.hpp>

#include "customer/customer_actor.hpp"
#include "enrollment/enrollment_actor.hpp"
#include "entity/reconciler.hpp"
#include "entity/router.hpp"
#include "failing_store.hpp"
#include "notification/notification_actor.hpp"
#include "payment/payment_actor.hpp"
#include "process/clock_watch.hpp"
#include "providers/provider_gate.hpp"
#include "providers/sandbox/sandbox.hpp"
#include "subscription/subscription_actor.hpp"
#include "virtual_time.hpp"
#include "webhooks/dispatcher.hpp"

namespace gateway::testing {

using namespace std::chrono_literals;

/// Plain text instead of JSON: the actors do not interpret the bytes.
class text_encoder final : public payment_encoder, public subscription_encoder, public event_encoder {
 public:
  answer encode(const outcome& result) const override {
    const auto status = !result.failure ? 200 : *result.failure == problem::provider_outcome_unknown ? 502 : 409;
    return {static_cast<std::uint16_t>(status),
            std::string{to_string(result.what)} + " " + std::string{to_string(result.after.state)} + " " +
                std::to_string(result.refunded_amount) + "/" + std::to_string(result.after.refunded)};
  }
  std::string event_data(const payment&, std::string_view type, std::string_view) const override {
    return data_bytes > 0 ? std::string(data_bytes, 'd') : std::string{type};
  }
  answer encode(const subscription_outcome& result) const override {
    return {static_cast<std::uint16_t>(result.failure ? 502 : 200),
            std::string{to_string(result.what)} + " " + std::string{to_string(result.after.state.status)}};
  }
  std::string event_data(const subscription_event_data& what) const override {
    return what.subscription_id + " " + std::string{to_string(what.state.status)};
  }
  std::string envelope(const event_record& event, destination_kind to, const entity_id&, bool) const override {
    return event.id + " " + std::string{type_for(to, event.type)} + " " + event.subject.id +
           (data_bytes > 0 ? " " + std::string{event.data.view()} : std::string{});
  }

  std::size_t data_bytes = 0;  ///< size of each payment event's data, which its envelope then includes
};

/// The receivers of webhooks: record each post and answer as the test decides.
class post_office final : public webhook_client {
 public:
  struct letter {
    outgoing_post post;
    std::function<void(delivery_attempt)> done;
  };
  static delivery_attempt says(std::uint16_t status) {
    delivery_attempt a;
    a.status = status;
    a.result = status == 410       ? attempt_result::gone
               : status / 100 == 2 ? attempt_result::delivered
                                   : attempt_result::rejected;
    return a;
  }
  static delivery_attempt fails(attempt_result how) {
    delivery_attempt a;
    a.result = how;
    return a;
  }

  void post(outgoing_post request, std::function<void(delivery_attempt)> done) override {
    const auto said = answer(request);
    sent.push_back({std::move(request), done});
    if (said) return done(*said);
    unanswered.push_back(std::move(done));
  }
  void check(std::string, std::string, std::function<void(std::optional<std::string>)> done) override {
    done(std::nullopt);
  }

  /// The answer to a post; empty: the post hangs until the test answers it.
  std::function<std::optional<delivery_attempt>(const outgoing_post&)> answer = [](const outgoing_post&) {
    return says(200);
  };
  std::vector<letter> sent;
  std::vector<std::function<void(delivery_attempt)>> unanswered;

  std::size_t sent_to(std::string_view url) const {
    return static_cast<std::size_t>(std::ranges::count_if(sent, [&](const letter& l) { return l.post.url == url; }));
  }
};

/// The lookups that a test's directory receives, and what it finds.
struct directory_script {
  std::vector<operator_command> received;
  std::vector<save_audit> notes;  ///< those that came with commands
  std::vector<directory_name> looked_up;
  /// Publishes what a command changes.
  std::function<void(const operator_command&)> acts = [](const operator_command&) {};
  /// Publishes the named entry if it exists. Nothing exists except what the test has published.
  std::function<caf::result<bool>(const directory_name&)> finds = [](const directory_name&) { return false; };
};

/// Stands for the directory where the test publishes by hand: records the messages that it receives.
inline directory_actor::behavior_type listening_directory(directory_actor::pointer,
                                                          std::shared_ptr<directory_script> as) {
  return {[as](const operator_command& command) -> operator_result {
            as->received.push_back(command);
            as->acts(command);
            return named_result{};
          },
          [as](const noted_command& noted) -> operator_result {
            as->received.push_back(noted.what);
            as->notes.push_back(noted.note);
            as->acts(noted.what);
            return named_result{};
          },
          [as](const look_up& asked) -> caf::result<bool> {
            as->looked_up.push_back(asked.what);
            return as->finds(asked.what);
          },
          [](load_atom) { return true; },
          [](join_atom, const dispatcher_actor&) {},
          [](const catch_up&) {}};
}

/// Records every call that reaches the provider, and forwards it.
struct call_log {
  std::vector<provider_call> calls;
  bool silent = false;  ///< the provider receives calls and never answers
  std::optional<provider_result> says_once{};  ///< the result of the next call, instead of the provider's
  std::vector<provider_inquiry> inquiries;
  std::optional<provider_result> says{};  ///< the result of an inquiry, instead of the provider's
  std::vector<subscription_call> readings;
  subscription_result reads{};  ///< the result of a call that reads a subscription
  std::vector<account_question> accounts;
  /// The state of an account.
  std::function<account_answer(const account_question&)> stands = [](const account_question& question) {
    return account_answer{account_standing::unknown, question.account, {}};
  };
  std::vector<notification_question> questions;
  /// The object that a notification is about.
  std::function<notification_subject(const notification&)> understands = [](const notification&) {
    return notification_subject{no_subject{}};
  };
  std::size_t count(operation what, std::string_view payment) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        calls, [&](const provider_call& c) { return c.what == what && c.subject.key.id == payment; }));
  }
};

inline provider_actor::behavior_type logging_provider(provider_actor::pointer self, provider_actor next,
                                                      std::shared_ptr<call_log> log) {
  return {[self, next, log](provider_call& call) -> caf::result<provider_result> {
            log->calls.push_back(call);
            if (log->silent) return self->make_response_promise<provider_result>();
            if (log->says_once) return *std::exchange(log->says_once, std::nullopt);
            return self->delegate(next, std::move(call));
          },
          [self, next, log](provider_inquiry& inquiry) -> caf::result<provider_result> {
            log->inquiries.push_back(inquiry);
            if (log->silent) return self->make_response_promise<provider_result>();
            if (log->says) return *log->says;
            return self->delegate(next, std::move(inquiry));
          },
          [self, next, log](subscription_call& call) -> caf::result<subscription_result> {
            if (call.reads) {
              log->readings.push_back(call);
              return log->reads;
            }
            return self->delegate(next, std::move(call));
          },
          [log](const account_question& question) -> account_answer {
            log->accounts.push_back(question);
            return log->stands(question);
          },
          [log](const notification_question& question) -> notification_subject {
            log->questions.push_back(question);
            return log->understands(question.what);
          },
          [](const event_list_question&) { return event_list_page{}; },
          [](const endpoint_question&) { return endpoint_answer{}; }};
}

inline merchant demo_merchant() {
  merchant m;
  m.id = merchant_id{"merch_1"};
  m.connections = {{environment::test, provider_kind::sandbox, connection_status::connected, "acct"}};
  m.routes = {{environment::test, provider_kind::sandbox, 1, {}, {payment_method_kind::card}}};
  return m;
}

/// Without rate limits: virtual time does not advance while the actors run, so a rate would never admit anything.
inline settings unhurried() {
  settings config;
  config.webhook_rate = 0;
  return config;
}

/// One node. Several may share the same rows; destroying one without stopping it is a crash.
class world {
 public:
  /// `clock_ahead`: how far its wall clock is ahead when it starts. `nodes`: makes it one node among others, to which
  /// link_to() makes links. `nodes` and `traces` must outlive it.
  explicit world(failing_store_ptr rows = std::make_shared<failing_store>(), settings config = unhurried(),
                 duration_ms clock_ahead = 0ms, const membership& nodes = membership::alone(),
                 tracing& traces = tracing::off())
      : rows_{std::move(rows)}, config_{std::move(config)}, log_{std::make_shared<call_log>()} {
    // As gatewayd does: a new database starts with the clock's time.
    if (!rows_->last_seen && rows_->commands.empty()) rows_->last_seen = clock_.now();
    clock_.at += clock_ahead;
    watch_.emplace(clock_, rows_->last_seen, config_, meters_);
    merchants_.publish(std::make_shared<const merchant>(demo_merchant()));
    store_handles store;
    store.writers.push_back(system_.spawn(failing_writer, line_));
    store.readers.push_back(system_.spawn(failing_reader, line_));
    store.recorder = store.writers.front();
    store.outbox = store.archive = store.readers.front();
    const auto operators = system_.spawn(listening_directory, directory_);
    dispatcher_ = actors::spawn_dispatcher(
        system_, std::make_shared<const actors::webhook_context>(actors::webhook_context{store,
                                                                                         operators,
                                                                                         merchants_,
                                                                                         clock_,
                                                                                         encoder_,
                                                                                         config_,
                                                                                         meters_,
                                                                                         office_,
                                                                                         brake_,
                                                                                         membership::alone(),
                                                                                         {},
                                                                                         traces}));
    context_ = std::make_shared<actors::payment_context>(actors::payment_context{{std::move(store),
                                                                                  merchants_,
                                                                                  clock_,
                                                                                  *watch_,
                                                                                  config_,
                                                                                  meters_,
                                                                                  dispatcher_,
                                                                                  numbers_,
                                                                                  {},
                                                                                  nodes,
                                                                                  operators,
                                                                                  traces,
                                                                                  &links_},
                                                                                 {},
                                                                                 encoder_,
                                                                                 board_});
    std::vector<actors::sandbox_provider> sandboxes;
    for (const auto& kind : provider_catalogue) {
      auto sandbox = actors::spawn_sandbox(system_, {"https://gateway.test", "page-key", "sdk-key"}, nullptr);
      sandboxes.push_back(sandbox);
      auto logged = system_.spawn(logging_provider, sandbox, log_);
      context_->providers[static_cast<std::size_t>(kind.kind)] =
          actors::spawn_provider_gate(system_, logged, kind.kind, config_, meters_, board_, nodes);
    }
    auto subscriptions = std::make_shared<const actors::subscription_context>(
        actors::subscription_context{*context_, encoder_, board_, context_->providers});
    router_ = actors::spawn_router(system_, context_,
                                   {actors::payment_spawner(context_), actors::entity_spawner{},
                                    actors::subscription_spawner(std::move(subscriptions)),
                                    actors::customer_spawner(context_), actors::enrollment_spawner(context_),
                                    actors::notification_spawner(std::make_shared<const actors::notification_context>(
                                        actors::notification_context{*context_, context_->providers}))});
    for (const auto& each : sandboxes) caf::anon_send(each, join_atom::value, router_);
    settle();
  }

  ~world() {
    *line_.cut = true;
    unlink();
    // Actors that reschedule themselves forever would keep the scheduler's shutdown from ending.
    system_.await_actors_before_shutdown(false);
    caf::anon_send_exit(router_, caf::exit_reason::kill);
    if (reconciler_) caf::anon_send_exit(reconciler_, caf::exit_reason::kill);
    caf::anon_send_exit(dispatcher_, caf::exit_reason::user_shutdown);
  }
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  failing_store& rows() { return *rows_; }
  call_log& calls() { return *log_; }
  metrics& meters() { return meters_; }
  write_brake& brake(environment env = environment::test) { return brake_.of(env); }
  hand_clock& clock() { return clock_; }
  caf::actor_system& system() { return system_; }
  const router_actor& router() const { return router_; }
  const store_handles& store() const { return context_->store; }
  const std::array<provider_actor, provider_catalogue.size()>& gates() const { return context_->providers; }
  actors::clock_watch& watch() { return *watch_; }
  directory& published() { return merchants_; }
  provider_board& board() { return board_; }
  const dispatcher_actor& dispatcher() const { return dispatcher_; }
  post_office& office() { return office_; }
  text_encoder& encoder() { return encoder_; }
  /// The commands that the directory received.
  const std::vector<operator_command>& received() const { return directory_->received; }
  directory_script& looking() { return *directory_; }

  /// Makes `link` this node's only link, to that process.
  void link_to(const std::string& process, actors::node_link link) { links_.publish({{process, std::move(link)}}); }
  void unlink() { links_.publish({}); }

  /// The number of operations that hold provider slots.
  std::size_t slots_held() const { return context_->slots.held(); }

  void publish(merchant who) { merchants_.publish(std::make_shared<const merchant>(std::move(who))); }
  /// Publishes the destination as one of merch_1's.
  void publish(destination to, std::string secret = "whsec_now", std::string previous = {},
               time_point previous_until = {}) {
    auto owner = *merchants_.find_merchant(merchant_id{"merch_1"});
    std::erase_if(owner.destinations, [&](const destination& d) { return d.id == to.id; });
    owner.destinations.push_back(to);
    merchants_.publish(std::make_shared<const merchant>(std::move(owner)));
    merchants_.publish(std::make_shared<const webhook_endpoint>(
        webhook_endpoint{std::move(to), std::move(secret), std::move(previous), previous_until}));
  }
  /// Publishes the destination and notifies the dispatcher.
  void subscribe(destination to, std::string secret = "whsec_now", std::string previous = {},
                 time_point previous_until = {}) {
    const auto id = to.id;
    publish(std::move(to), std::move(secret), std::move(previous), previous_until);
    caf::anon_send(dispatcher_, destination_changed{id});
    settle();
  }
  std::uint64_t redeliver(gateway::redeliver wanted) {
    auto count = std::make_shared<std::uint64_t>(0);
    client_->context(&outside_);
    client_->request(dispatcher_, caf::infinite, std::move(wanted))
        .then([count](const redeliver_result& r) { *count = r.count; }, [](const caf::error&) {});
    settle();
    return *count;
  }

  void start_reconciler() {
    reconciler_ = actors::spawn_reconciler(system_, context_->store, router_, clock_, *watch_, config_);
    settle();
  }

  /// Runs every actor until none has work left at this moment.
  void settle() { coordinator().run(); }
  bool step() { return coordinator().try_run_once(); }

  void advance(std::chrono::milliseconds by, std::chrono::milliseconds slice = 500ms) {
    while (by > 0ms) {
      const auto now = std::min(by, slice);
      clock_.at += now;
      coordinator().advance_time(now);
      settle();
      by -= now;
    }
  }

  /// A request under way; its answer is set once the actors have run.
  struct pending {
    std::shared_ptr<std::optional<entity_reply>> reply = std::make_shared<std::optional<entity_reply>>();
    std::shared_ptr<bool> failed = std::make_shared<bool>(false);
    bool done() const { return reply->has_value() || *failed; }
    /// The stored answer's body, prefixed with "replay: " if it is a replay; or the number of the problem.
    std::string answer() const {
      if (*failed) return "error";
      if (!*reply) return "nothing";
      if (const auto* f = std::get_if<finished>(&(*reply)->what))
        return (f->replayed ? "replay: " : "") + f->result->body;
      if (const auto* p = std::get_if<problem>(&(*reply)->what))
        return "problem " + std::to_string(static_cast<int>(*p));
      return "view";
    }
  };

  pending send(entity_request request) {
    pending p;
    // Outside its own turn an actor needs a context to send a request from.
    client_->context(&outside_);
    client_->request(router_, caf::infinite, std::move(request))
        .then([reply = p.reply](entity_reply& r) { *reply = std::move(r); },
              [failed = p.failed](const caf::error&) { *failed = true; });
    return p;
  }
  std::string ask(entity_request request) {
    auto p = send(std::move(request));
    settle();
    return p.answer();
  }
  payment_ptr read(std::string_view id) {
    auto p = send({key_of(id), std::nullopt, view_entity{}});
    settle();
    const auto* seen = p.reply->has_value() ? std::get_if<entity_row>(&(*p.reply)->what) : nullptr;
    return seen ? std::get<payment_ptr>(*seen) : nullptr;
  }
  std::vector<std::string> timeline(std::string_view id) {
    auto p = send({key_of(id), std::nullopt, view_timeline{}});
    settle();
    std::vector<std::string> lines;
    for (const auto& entry : std::get<timeline_ptr>((*p.reply)->what)->entries)
      lines.push_back(entry.operation + " " + entry.status);
    return lines;
  }

  static entity_key key_of(std::string_view id) {
    return payment_key(merchant_id{"merch_1"}, environment::test, payment_id{std::string{id}});
  }
  static idempotency write(std::string_view key, std::string_view fingerprint = "same") {
    return {command_key{merchant_id{"merch_1"}, environment::test, {}, std::string{key}}, std::string{fingerprint}};
  }
  static entity_request create(std::string_view id, std::string_view key, std::string_view method = "pm_card_visa",
                               flow how = flow::server, std::string_view fingerprint = "same") {
    create_payment c;
    c.amount = {4200, *currency::parse("HKD")};
    c.how = how;
    if (how == flow::server) c.details.payment_method = method;
    return {key_of(id), write(key, std::string{id} + std::string{fingerprint}), c};
  }
  static entity_request capture(std::string_view id, std::string_view key) {
    return {key_of(id), write(key, std::string{id} + "capture"), capture_payment{}};
  }
  static entity_request refund(std::string_view id, std::string_view key, std::int64_t amount) {
    return {key_of(id), write(key, std::string{id} + "refund" + std::to_string(amount)), refund_payment{amount, "why"}};
  }
  static entity_request void_(std::string_view id, std::string_view key) {
    return {key_of(id), write(key, std::string{id} + "void"), void_payment{}};
  }

 private:
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  // Actors refer to these members, so they outlive the system, whose destructor still runs actors.
  failing_store_ptr rows_;
  store_line line_{rows_};
  settings config_;
  hand_clock clock_;
  text_encoder encoder_;
  metrics meters_;
  write_brakes brake_;
  std::optional<actors::clock_watch> watch_;
  directory merchants_;
  provider_board board_{merchants_, config_.dev};
  delivery_numbers numbers_;
  actors::link_table links_;
  post_office office_;
  std::shared_ptr<directory_script> directory_ = std::make_shared<directory_script>();
  std::shared_ptr<call_log> log_;
  deterministic_config caf_config_;
  caf::actor_system system_{caf_config_};
  std::shared_ptr<actors::payment_context> context_;
  dispatcher_actor dispatcher_;
  router_actor router_;
  reconciler_actor reconciler_;
  caf::scoped_execution_unit outside_{&system_};
  caf::actor client_actor_ = system_.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  caf::event_based_actor* client_ =
      static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(client_actor_));
};

inline std::string text_of(problem p) { return "problem " + std::to_string(static_cast<int>(p)); }

}  // namespace gateway::testing
