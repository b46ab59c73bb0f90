// Notifications of providers, as scenarios under virtual time. A script replaces the gates and the payments: it records
// their requests and gives their answers.
#include <catch2/catch.hpp>

#include <caf/scoped_execution_unit.hpp>

#include "customer/customer_actor.hpp"
#include "entity/reconciler.hpp"
#include "entity/router.hpp"
#include "failing_store.hpp"
#include "gateway/directory/connected_account.hpp"
#include "gateway/messages/customer_key.hpp"
#include "notification/notification_actor.hpp"
#include "process/clock_watch.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

using enum notification_state;

const entity_key known_payment = payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_1"});

/// The requests to the provider's gate and to the payments, and their answers.
struct notice_script {
  unsigned questions = 0;  ///< the number of requests to the gate
  std::string body_seen;  ///< of the last of them
  std::optional<entity_key> subscription_seen;  ///< that the last of them named
  notification_subject subject = about_payment{known_payment};
  bool gate_hangs = false;
  std::vector<caf::typed_response_promise<notification_subject>> held;

  account_standing standing = account_standing::ready;
  std::vector<std::string> accounts;  ///< that the gate was asked about
  bool directory_is_away = false;
  std::vector<follow_account> followed;  ///< sent to the directory

  std::vector<entity_key> asked;  ///< the payments that were asked to inquire at their provider
  std::vector<entity_key> settled;  ///< the payments that the reconciler found due
  std::optional<problem> payment_problem;
  bool payment_dies = false;
};

/// Sends its held answers at a wake_atom.
using scripted_gate_actor = provider_actor::extend<caf::reacts_to<wake_atom>>;

scripted_gate_actor::behavior_type scripted_gate(scripted_gate_actor::pointer self,
                                                 std::shared_ptr<notice_script> script) {
  return {[](const provider_call&) -> caf::result<provider_result> { return caf::sec::unexpected_message; },
          [](const provider_inquiry&) -> caf::result<provider_result> { return caf::sec::unexpected_message; },
          [](const subscription_call&) -> caf::result<subscription_result> { return caf::sec::unexpected_message; },
          [script](const account_question& question) -> account_answer {
            CHECK(question.merchant.value == "merch_1");
            CHECK(question.env == environment::live);
            CHECK(question.provider == provider_kind::stripe);
            CHECK_FALSE(question.onboards);
            script->accounts.push_back(question.account);
            return {script->standing, question.account, {}, {}};
          },
          [self, script](const notification_question& question) -> caf::result<notification_subject> {
            ++script->questions;
            script->body_seen = question.what.body;
            script->subscription_seen = question.subscription;
            if (question.subscription) return notification_subject{about_payment{known_payment}};
            if (!script->gate_hangs) return script->subject;
            script->held.push_back(self->make_response_promise<notification_subject>());
            return script->held.back();
          },
          [](const event_list_question&) { return event_list_page{}; },
          [](const endpoint_question&) { return endpoint_answer{}; },
          [script](wake_atom) {
            for (auto& answer : std::exchange(script->held, {})) answer.deliver(script->subject);
          }};
}

entity_actor::behavior_type scripted_payment(entity_actor::pointer self, std::shared_ptr<notice_script> script,
                                             router_actor router, const entity_key& key) {
  return {[script, key](const entity_request& request) -> caf::result<entity_reply> {
            if (command_if<ask_provider>(request.what)) script->asked.push_back(key);
            if (command_if<settle_due>(request.what)) script->settled.push_back(key);
            if (script->payment_dies) return caf::sec::runtime_error;
            if (script->payment_problem) return entity_reply{*script->payment_problem};
            return entity_reply{entity_row{std::make_shared<const payment>()}};
          },
          [self, router, key](passivate_atom) { self->send(router, keep_atom::value, key); }, [](wake_atom) {}};
}

/// Finds only what is published already, and updates connections as the directory does.
directory_actor::behavior_type scripted_directory(directory_actor::pointer, std::shared_ptr<notice_script> script,
                                                  directory* published) {
  return {[script, published](const operator_command& command) -> caf::result<operator_result> {
            if (script->directory_is_away) return make_error(actor_errc::store_unavailable);
            const auto& wanted = std::get<follow_account>(command);
            script->followed.push_back(wanted);
            auto who = *published->find_merchant(wanted.merchant);
            auto& link = who.connections.at(0);
            if (link.account != wanted.account) return operator_result{no_such("account", wanted.account)};
            link.status = status_after(link.status, wanted.standing).value_or(link.status);
            published->publish(std::make_shared<const merchant>(std::move(who)));
            return operator_result{named_result{}};
          },
          [](const noted_command&) -> caf::result<operator_result> { return caf::sec::unexpected_message; },
          [script, published](const look_up& asked) -> caf::result<bool> {
            if (script->directory_is_away) return make_error(actor_errc::store_unavailable);
            return published->find_merchant(merchant_id{asked.what.text}) != nullptr;
          },
          [](load_atom) { return true; },
          [](join_atom, const dispatcher_actor&) {},
          [](const catch_up&) {}};
}

class notice_world {
 public:
  /// `is_old`: the database is older than what has been answered, and is being recovered.
  explicit notice_world(failing_store_ptr stored = std::make_shared<failing_store>(), bool is_old = false)
      : rows_{std::move(stored)} {
    if (is_old) gate_for_writes_.close();
    config_.webhook_rate = 0;
    if (!rows_->last_seen) rows_->last_seen = clock_.now();
    watch_.emplace(clock_, rows_->last_seen, config_, meters_);
    store_handles store;
    store.writers.push_back(system_.spawn(failing_writer, store_line{rows_}));
    store.readers.push_back(system_.spawn(failing_reader, store_line{rows_}));
    store.recorder = store.writers.front();
    store.outbox = store.archive = store.readers.front();
    const auto context = std::make_shared<actors::notification_context>(actors::notification_context{
        {std::move(store), merchants_, clock_, *watch_, config_, meters_, dispatcher_actor{}, numbers_}, {}});
    operators_ = context->operators = system_.spawn(scripted_directory, script_, &merchants_);
    gate_ = system_.spawn(scripted_gate, script_);
    context->providers[static_cast<std::size_t>(provider_kind::stripe)] = gate_;
    actors::entity_spawners spawners;
    spawners[static_cast<std::size_t>(entity_kind::notification)] = actors::notification_spawner(context);
    spawners[static_cast<std::size_t>(entity_kind::customer)] = actors::customer_spawner(context);
    spawners[static_cast<std::size_t>(entity_kind::payment)] =
        [script = script_](caf::actor_system& system, const router_actor& router, const entity_key& key,
                           std::uint64_t) { return system.spawn(scripted_payment, script, router, key); };
    router_ = actors::spawn_router(system_, context, std::move(spawners));
    reconciler_ = actors::spawn_reconciler(system_, context->store, router_, clock_, *watch_, config_,
                                           membership::alone(), gate_for_writes_);
    settle();
  }

  ~notice_world() {
    system_.await_actors_before_shutdown(false);
    caf::anon_send_exit(reconciler_, caf::exit_reason::kill);
    caf::anon_send_exit(router_, caf::exit_reason::kill);
    caf::anon_send_exit(operators_, caf::exit_reason::kill);
  }
  notice_world(const notice_world&) = delete;
  notice_world& operator=(const notice_world&) = delete;

  static entity_request post(const std::string& event, provider_kind provider = provider_kind::stripe) {
    return {notification_key(provider, environment::live, event), std::nullopt,
            notification_command{receive_notification{provider, event, "charge.captured", "acct_1", "{\"a\":1}"}}};
  }
  static entity_request replay(const std::string& event) {
    return {post(event).key, std::nullopt, notification_command{replay_notification{}}};
  }

  using reply_ptr = std::shared_ptr<std::optional<entity_reply>>;
  reply_ptr send(entity_request request) {
    auto reply = std::make_shared<std::optional<entity_reply>>();
    client_->context(&outside_);
    client_->request(router_, caf::infinite, std::move(request))
        .then([reply](entity_reply& r) { *reply = std::move(r); }, [](const caf::error&) {});
    return reply;
  }
  /// The state of the row in the answer, or the problem's number.
  static std::string text_of(const reply_ptr& reply) {
    if (!*reply) return "nothing";
    if (const auto* why = std::get_if<problem>(&(*reply)->what)) return text_of(*why);
    return std::string{to_string(std::get<notification_ptr>(std::get<entity_row>((*reply)->what))->state)};
  }
  static std::string text_of(problem why) { return "problem " + std::to_string(static_cast<int>(why)); }
  std::string ask(entity_request request) {
    const auto reply = send(std::move(request));
    settle();
    return text_of(reply);
  }

  bool has(const std::string& event) const { return rows_->notifications.contains(memory_store::id(post(event).key)); }
  const notification& row(const std::string& event) const {
    return rows_->notifications.at(memory_store::id(post(event).key));
  }
  std::string state(const std::string& event) const { return std::string{to_string(row(event).state)}; }

  void settle() { coordinator().run(); }
  bool step() { return coordinator().try_run_once(); }
  void advance(std::chrono::milliseconds by, std::chrono::milliseconds slice = 500ms) {
    for (; by > 0ms; by -= slice) {
      clock_.at += slice;
      coordinator().advance_time(slice);
      settle();
    }
  }

  /// The gate sends its held answers.
  void explain() {
    caf::anon_send(gate_, wake_atom::value);
    settle();
  }

  /// The merchant has this account at the provider.
  void publish_account(connection_status status, std::string account = "acct_1", std::string id = "merch_1") {
    merchant m;
    m.id = merchant_id{std::move(id)};
    m.connections = {{environment::live, provider_kind::stripe, status, std::move(account)}};
    merchants_.publish(std::make_shared<const merchant>(std::move(m)));
  }
  /// Publishes and stores the account.
  void store_account(connection_status status, std::string account = "acct_1", std::string id = "merch_1",
                     environment env = environment::live) {
    unit_parts unit;
    unit.records = {save_connection{merchant_id{id}, {env, provider_kind::stripe, status, account}, "conn_" + id}};
    const unit_of_work saved = unit;
    REQUIRE(rows_->commit(saved) == commit_outcome::committed);
    if (env == environment::live) publish_account(status, std::move(account), std::move(id));
  }
  void store_payment(payment row) {
    unit_parts unit;
    unit.insert_payment = std::move(row);
    unit.insert_payment->version = 1;
    const unit_of_work saved = unit;
    REQUIRE(rows_->commit(saved) == commit_outcome::committed);
  }
  connection_status account_status(std::string id = "merch_1") const {
    return merchants_.find_merchant(merchant_id{std::move(id)})->connections.at(0).status;
  }

  failing_store& rows() { return *rows_; }
  notice_script& script() { return *script_; }
  hand_clock& clock() { return clock_; }

 private:
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  failing_store_ptr rows_;
  settings config_;
  hand_clock clock_;
  metrics meters_;
  std::optional<actors::clock_watch> watch_;
  directory merchants_;
  delivery_numbers numbers_;
  write_gate gate_for_writes_;
  std::shared_ptr<notice_script> script_ = std::make_shared<notice_script>();
  deterministic_config caf_config_;
  caf::actor_system system_{caf_config_};
  scripted_gate_actor gate_;
  directory_actor operators_;
  router_actor router_;
  reconciler_actor reconciler_;
  caf::scoped_execution_unit outside_{&system_};
  caf::actor client_actor_ = system_.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  caf::event_based_actor* client_ =
      static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(client_actor_));
};

}  // namespace

TEST_CASE("a notification is stored before it is answered, answered before it is applied, and then applied") {
  notice_world w;
  const auto reply = w.send(w.post("evt_1"));
  while (!*reply) REQUIRE(w.step());
  CHECK(w.text_of(reply) == "waiting");
  CHECK(w.state("evt_1") == "waiting");
  CHECK(w.script().questions == 0);
  w.settle();
  CHECK(w.script().body_seen == "{\"a\":1}");
  CHECK(w.script().asked == std::vector{known_payment});
  const auto done = w.row("evt_1");
  CHECK(done.state == applied);
  CHECK(done.about == "payment merch_1/live/pay_1");
  CHECK(done.attempts == 1);
  CHECK(done.settled_at == w.clock().now());
  CHECK_FALSE(done.due_at);
  CHECK(done.type == "charge.captured");
  CHECK(done.account == "acct_1");
}

TEST_CASE("a provider that is slow to interpret a notification delays no post") {
  notice_world w;
  w.script().gate_hangs = true;
  CHECK(w.ask(w.post("evt_1")) == "waiting");
  CHECK(w.script().questions == 1);
  CHECK(w.ask(w.post("evt_1")) == "waiting");
  CHECK(w.script().questions == 1);
  w.explain();
  CHECK(w.state("evt_1") == "applied");
}

TEST_CASE("an event that is posted twice counts once") {
  notice_world w;
  const auto first = w.send(w.post("evt_1")), second = w.send(w.post("evt_1"));
  w.settle();
  CHECK(w.text_of(first) == "waiting");
  CHECK(w.text_of(second) == "waiting");
  CHECK(w.ask(w.post("evt_1")) == "applied");
  CHECK(w.rows().notifications.size() == 1);
  CHECK(w.script().asked.size() == 1);
  CHECK(w.row("evt_1").version == 2);
}

TEST_CASE("one that an earlier node has stored is answered with its present state") {
  auto rows = std::make_shared<failing_store>();
  {
    notice_world w{rows};
    w.script().subject = no_subject{};
    w.ask(w.post("evt_1"));
  }
  notice_world w{rows};
  CHECK(w.ask(w.post("evt_1")) == "ignored");
  CHECK(w.script().questions == 0);
}

TEST_CASE("a notification that the gateway does not need is ignored") {
  notice_world w;
  w.script().subject = no_subject{};
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "ignored");
  CHECK(w.row("evt_1").about.empty());
  CHECK(w.script().asked.empty());
}

TEST_CASE("a notification about an unknown payment is kept, and applied once the payment exists") {
  notice_world w;
  w.script().payment_problem = problem::payment_not_found;
  w.ask(w.post("evt_1"));
  CHECK(w.row("evt_1").state == waiting);
  CHECK(w.row("evt_1").about == "payment merch_1/live/pay_1");
  w.advance(4s);
  CHECK(w.script().asked.size() == 1);
  w.script().payment_problem.reset();
  w.advance(2s);
  CHECK(w.state("evt_1") == "applied");
  CHECK(w.script().asked.size() == 2);
}

TEST_CASE("it is retried after 5 seconds, then after twice as long each time, up to 5 minutes") {
  notice_world w;
  w.script().payment_problem = problem::payment_not_found;
  w.ask(w.post("evt_1"));
  auto after = w.clock().now();
  for (const auto pause : {5s, 10s, 20s, 40s, 80s, 160s, 300s, 300s}) {
    CHECK(w.row("evt_1").due_at == after + pause);
    const auto asked = w.script().asked.size();
    while (w.script().asked.size() == asked) w.advance(1s, 1s);
    after = w.clock().now();
  }
}

TEST_CASE("a notification about an unknown payment expires after a day, and no sooner") {
  notice_world w;
  w.script().payment_problem = problem::payment_not_found;
  w.ask(w.post("evt_1"));
  const auto received = w.clock().now();
  while (w.clock().now() < received + notification_patience) {
    CHECK(w.state("evt_1") == "waiting");
    w.advance(60s, 60s);
  }
  w.advance(6min, 60s);
  CHECK(w.state("evt_1") == "expired");
  CHECK_FALSE(w.row("evt_1").due_at);
  const auto asked = w.script().asked.size();
  w.advance(20min, 60s);
  CHECK(w.script().asked.size() == asked);
}

TEST_CASE("a clock that has jumped ahead expires nothing") {
  notice_world w;
  w.script().payment_problem = problem::payment_not_found;
  w.ask(w.post("evt_1"));
  w.clock().at += 48h;
  CHECK(w.ask(w.replay("evt_1")) == "waiting");
}

TEST_CASE("while its provider cannot interpret it, it waits") {
  notice_world w;
  w.script().subject = not_understood{};
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "waiting");
  CHECK(w.row("evt_1").about.empty());
  CHECK(w.row("evt_1").due_at == w.clock().now() + 5s);
  w.script().subject = about_payment{known_payment};
  w.advance(6s);
  CHECK(w.state("evt_1") == "applied");
  CHECK(w.row("evt_1").attempts == 2);
}

TEST_CASE("one that can never be interpreted expires after a week, and no sooner, and can be applied again") {
  notice_world w;
  w.script().subject = not_understood{};
  w.ask(w.post("evt_1"));
  w.advance(longest_notification_wait - 6min, 5min);
  CHECK(w.state("evt_1") == "waiting");
  w.advance(15min, 60s);
  CHECK(w.state("evt_1") == "expired");
  CHECK_FALSE(w.row("evt_1").due_at);
  CHECK(w.row("evt_1").settled_at);
  const auto questions = w.script().questions;
  w.advance(20min, 60s);
  CHECK(w.script().questions == questions);
  CHECK(w.ask(w.replay("evt_1")) == "expired");
  w.script().subject = about_payment{known_payment};
  CHECK(w.ask(w.replay("evt_1")) == "applied");
}

TEST_CASE("one that was posted while the clock was weeks behind is still retried for a week") {
  notice_world w;
  w.script().subject = not_understood{};
  const auto right = w.clock().at;
  w.clock().at -= 14 * 24h;
  w.ask(w.post("evt_1"));
  w.clock().at = right;
  w.advance(1h, 60s);
  CHECK(w.state("evt_1") == "waiting");
}

TEST_CASE("one of a provider without a gate waits, and is not lost") {
  notice_world w;
  CHECK(w.ask(w.post("T1", provider_kind::jazzcash)) == "waiting");
  const auto key = notification_key(provider_kind::jazzcash, environment::live, "T1");
  CHECK(w.rows().notifications.at(memory_store::id(key)).attempts == 1);
}

TEST_CASE("if the payment cannot inquire at its provider now, it is asked again later") {
  for (const auto trouble : {problem::overloaded, problem::store_unavailable, problem::request_in_progress}) {
    notice_world w;
    w.script().payment_problem = trouble;
    w.ask(w.post("evt_1"));
    CHECK(w.state("evt_1") == "waiting");
    w.script().payment_problem.reset();
    w.advance(6s);
    CHECK(w.state("evt_1") == "applied");
  }
  notice_world w;
  w.script().payment_dies = true;
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "waiting");
  w.script().payment_dies = false;
  w.advance(6s);
  CHECK(w.state("evt_1") == "applied");
}

TEST_CASE("a notification that could not be stored is not answered as stored") {
  for (const auto& [trouble, why] :
       {std::pair{fault::before_commit, problem::store_unavailable}, {fault::queue_full, problem::overloaded}}) {
    notice_world w;
    w.rows().faults = {trouble};
    CHECK(w.ask(w.post("evt_1")) == w.text_of(why));
    CHECK_FALSE(w.has("evt_1"));
    CHECK(w.script().questions == 0);
    CHECK(w.ask(w.post("evt_1")) == "waiting");
    CHECK(w.state("evt_1") == "applied");
  }
}

TEST_CASE("one that was stored but not answered is still applied, once") {
  for (const auto trouble : {fault::after_commit, fault::held_up}) {
    notice_world w;
    w.rows().faults = {trouble};
    CHECK(w.ask(w.post("evt_1")) == w.text_of(problem::store_unavailable));
    w.rows().land();
    w.advance(3s);
    CHECK(w.state("evt_1") == "applied");
    CHECK(w.script().asked.size() == 1);
    CHECK(w.ask(w.post("evt_1")) == "applied");
  }
}

TEST_CASE("if the outcome cannot be stored it is applied again, and settled once the store takes it") {
  for (const auto trouble : {fault::before_commit, fault::queue_full, fault::after_commit}) {
    notice_world w;
    w.rows().faults = {fault::none, trouble};
    CHECK(w.ask(w.post("evt_1")) == "waiting");
    w.advance(3s);
    CHECK(w.state("evt_1") == "applied");
    CHECK(w.row("evt_1").settled_at.has_value());
  }
}

TEST_CASE("a row that cannot be read is not answered as missing") {
  notice_world w;
  w.ask(w.post("evt_1"));
  w.rows().reads_fail = true;
  w.advance(70s, 5s);  // so that its actor has stopped
  CHECK(w.ask(w.post("evt_1")) == w.text_of(problem::store_unavailable));
  w.rows().reads_fail = false;
  CHECK(w.ask(w.post("evt_1")) == "applied");
}

TEST_CASE("one that waits survives a crash") {
  auto rows = std::make_shared<failing_store>();
  {
    notice_world w{rows};
    w.script().subject = not_understood{};
    w.ask(w.post("evt_1"));
    CHECK(w.state("evt_1") == "waiting");
  }
  notice_world w{rows};
  CHECK(w.state("evt_1") == "waiting");
  w.advance(10s, 1s);
  CHECK(w.state("evt_1") == "applied");
}

TEST_CASE("one that a restored database holds is applied during the recovery, and no payment that is due is settled") {
  const auto rows = std::make_shared<failing_store>();
  {
    notice_world w{rows};
    rows->faults = {fault::none, fault::before_commit};
    w.ask(w.post("evt_1"));
    payment open;
    open.key = payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_open"});
    open.due_at = w.clock().now();
    w.store_payment(open);
    REQUIRE(w.row("evt_1").attempts == 0);
  }
  notice_world w{rows, true};
  w.advance(2s);
  CHECK(w.state("evt_1") == "applied");
  CHECK(w.script().asked == std::vector{known_payment});
  CHECK(w.script().settled.empty());
  notice_world accepted{rows};
  accepted.advance(2s);
  CHECK_FALSE(accepted.script().settled.empty());
}

TEST_CASE("an operator has one of any state applied again") {
  notice_world w;
  CHECK(w.ask(w.replay("evt_1")) == w.text_of(problem::notification_not_found));

  w.script().subject = no_subject{};
  w.ask(w.post("evt_1"));
  w.script().subject = about_payment{known_payment};
  CHECK(w.ask(w.replay("evt_1")) == "applied");
  CHECK(w.ask(w.replay("evt_1")) == "applied");
  CHECK(w.script().asked.size() == 2);
  CHECK(w.row("evt_1").attempts == 3);

  w.script().payment_problem = problem::payment_not_found;
  w.ask(w.post("evt_2"));
  w.advance(25h, 60s);
  CHECK(w.state("evt_2") == "expired");
  CHECK(w.ask(w.replay("evt_2")) == "expired");
  w.script().payment_problem.reset();
  CHECK(w.ask(w.replay("evt_2")) == "applied");
}

TEST_CASE("one that an operator has applied again without success waits") {
  notice_world w;
  w.ask(w.post("evt_1"));
  w.script().subject = not_understood{};
  CHECK(w.ask(w.replay("evt_1")) == "waiting");
  CHECK_FALSE(w.row("evt_1").settled_at);
  CHECK(w.row("evt_1").about == "payment merch_1/live/pay_1");
  w.script().subject = about_payment{known_payment};
  w.advance(20s);
  CHECK(w.state("evt_1") == "applied");
}

TEST_CASE("a notification has no timeline, and takes no other kind's commands") {
  notice_world w;
  w.ask(w.post("evt_1"));
  CHECK(w.ask({w.post("evt_1").key, std::nullopt, view_entity{}}) == "applied");
  CHECK(w.ask({w.post("evt_1").key, std::nullopt, view_timeline{}}) == w.text_of(problem::notification_not_found));
  CHECK(w.ask({w.post("evt_1").key, std::nullopt, payment_command{ask_provider{}}}) == "nothing");
}

// ---- of an account ------------------------------------------------------------------------------

namespace {
const about_account known_account{merchant_id{"merch_1"}, "acct_1"};
}  // namespace

TEST_CASE("the connection follows the provider's answer about the account") {
  using enum connection_status;
  struct {
    account_standing says;
    connection_status before, after;
  } const rows[] = {{account_standing::ready, in_progress, connected},
                    {account_standing::ready, unavailable, connected},
                    {account_standing::incomplete, in_progress, in_progress},
                    {account_standing::incomplete, connected, unavailable},
                    {account_standing::restricted, connected, unavailable},
                    {account_standing::ready, not_connected, not_connected}};
  for (const auto& row : rows) {
    notice_world w;
    w.publish_account(row.before);
    w.script().subject = known_account;
    w.script().standing = row.says;
    w.ask(w.post("evt_1"));
    CHECK(w.state("evt_1") == "applied");
    CHECK(w.row("evt_1").about == "account merch_1/live");
    CHECK(w.script().accounts == std::vector<std::string>{"acct_1"});
    CHECK(w.account_status() == row.after);
  }
}

TEST_CASE("the provider is not asked about an account without a connection") {
  notice_world w;
  w.script().subject = known_account;
  w.ask(w.post("evt_1"));
  w.publish_account(connection_status::connected, "acct_2");
  w.ask(w.post("evt_2"));
  w.publish_account(connection_status::connected, "");
  w.script().subject = about_account{merchant_id{"merch_1"}, ""};
  w.ask(w.post("evt_3"));
  for (const auto* event : {"evt_1", "evt_2", "evt_3"}) CHECK(w.state(event) == "ignored");
  CHECK(w.script().accounts.empty());
  CHECK(w.script().followed.empty());
}

TEST_CASE("while the state of the account cannot be determined it waits, and expires after a day") {
  notice_world w;
  w.publish_account(connection_status::in_progress);
  w.script().subject = known_account;
  w.script().standing = account_standing::unknown;
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "waiting");
  CHECK(w.row("evt_1").about == "account merch_1/live");
  SECTION("it is applied once the provider answers") {
    w.script().standing = account_standing::ready;
    w.advance(6s);
    CHECK(w.state("evt_1") == "applied");
    CHECK(w.account_status() == connection_status::connected);
  }
  SECTION("later the account's own notifications have overtaken it") {
    w.advance(notification_patience + 6min, 60s);
    CHECK(w.state("evt_1") == "expired");
  }
  CHECK(w.script().followed.size() == (w.state("evt_1") == "applied" ? 1 : 0));
}

TEST_CASE(
    "an account whose merchant the provider does not name is assigned to the merchants that have it in that mode") {
  using enum connection_status;
  notice_world w;
  w.script().subject = about_account{merchant_id{}, "acct_1"};
  w.script().standing = account_standing::restricted;
  w.ask(w.post("evt_0"));
  CHECK(w.state("evt_0") == "ignored");
  CHECK(w.script().accounts.empty());

  w.store_account(connected, "acct_1", "merch_0");
  w.store_account(connected);
  w.store_account(connected, "acct_2", "merch_2");
  w.store_account(connected, "acct_1", "merch_3", environment::test);
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "applied");
  CHECK(w.row("evt_1").about == "account merch_0/live, account merch_1/live");
  CHECK(w.account_status("merch_0") == unavailable);
  CHECK(w.account_status() == unavailable);
  CHECK(w.account_status("merch_2") == connected);
  // It is one account, so the provider is asked about it once.
  CHECK(w.script().accounts == std::vector<std::string>{"acct_1"});
  CHECK(w.script().followed.size() == 2);

  // A repeated post counts once; an operator has it applied again, in case the account is back.
  w.ask(w.post("evt_1"));
  CHECK(w.script().followed.size() == 2);
  w.script().standing = account_standing::ready;
  CHECK(w.ask(w.replay("evt_1")) == "applied");
  CHECK(w.account_status() == connected);
}

TEST_CASE("an account that its merchant has replaced meanwhile belongs to no merchant") {
  notice_world w;
  w.store_account(connection_status::connected);
  w.publish_account(connection_status::connected, "acct_2");
  w.script().subject = about_account{merchant_id{}, "acct_1"};
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "ignored");
  CHECK(w.script().accounts.empty());
}

TEST_CASE("while the merchant of the account cannot be read, its notification waits") {
  notice_world w;
  w.store_account(connection_status::connected);
  w.script().subject = about_account{merchant_id{}, "acct_1"};
  w.script().standing = account_standing::restricted;
  w.rows().reads_fail = true;
  w.ask(w.post("evt_1"));
  CHECK(w.account_status() == connection_status::connected);
  w.rows().reads_fail = false;
  w.advance(10s);
  CHECK(w.state("evt_1") == "applied");
  CHECK(w.account_status() == connection_status::unavailable);
}

TEST_CASE("while the directory does not answer the notification of an account waits") {
  notice_world w;
  w.publish_account(connection_status::in_progress);
  w.script().subject = known_account;
  w.script().directory_is_away = true;
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "waiting");
  CHECK(w.account_status() == connection_status::in_progress);
  w.script().directory_is_away = false;
  w.advance(6s);
  CHECK(w.state("evt_1") == "applied");
  CHECK(w.account_status() == connection_status::connected);
}

// ---- of a payment that the provider names by its own reference ----------------------------------

namespace {

payment known_as(const std::string& ref) {
  payment p;
  p.key = known_payment;
  p.amount = {4200, currency::parse("PKR").value()};
  p.provider = provider_kind::stripe;
  p.provider_ref = ref;
  return p;
}

}  // namespace

TEST_CASE("a payment that the provider names by its own reference is looked up at once, and once for each event") {
  notice_world w;
  w.store_account(connection_status::connected, "acct_1", "merch_0");
  w.store_account(connection_status::connected);
  w.store_payment(known_as("T1"));
  w.script().subject = about_reference{"T1"};
  w.ask(w.post("evt_1"));
  CHECK(w.script().asked == std::vector{known_payment});
  CHECK(w.state("evt_1") == "applied");
  CHECK(w.row("evt_1").about == "payment merch_1/live/pay_1");
  CHECK(w.ask(w.post("evt_1")) == "applied");
  CHECK(w.script().asked.size() == 1);
}

TEST_CASE("an unknown reference is kept, and applied once a payment has it") {
  notice_world w;
  w.store_account(connection_status::connected);
  w.script().subject = about_reference{"T1"};
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "waiting");
  CHECK(w.row("evt_1").about == "reference T1");
  CHECK(w.row("evt_1").due_at == w.clock().now() + 5s);
  SECTION("it appears") {
    w.store_payment(known_as("T1"));
    w.advance(6s);
    CHECK(w.state("evt_1") == "applied");
    CHECK(w.script().asked == std::vector{known_payment});
  }
  SECTION("another payment's does not match, and after a day it expires") {
    w.store_payment(known_as("T2"));
    w.advance(notification_patience - 1min, 60s);
    CHECK(w.state("evt_1") == "waiting");
    w.advance(7min, 60s);
    CHECK(w.state("evt_1") == "expired");
    CHECK(w.script().asked.empty());
  }
}

TEST_CASE("while the payments cannot be read the notification of a reference waits") {
  notice_world w;
  w.store_account(connection_status::connected);
  w.store_payment(known_as("T1"));
  w.script().subject = about_reference{"T1"};
  w.rows().reads_fail = true;
  w.ask(w.post("evt_1"));
  CHECK(w.script().asked.empty());
  w.rows().reads_fail = false;
  w.advance(10s);
  CHECK(w.state("evt_1") == "applied");
}

TEST_CASE("a customer that the provider has deleted, or whose method it has detached, is found and forgotten") {
  notice_world w;
  w.script().subject = about_customer{"cus_1", "pm_a"};
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "ignored");  // made without the gateway

  customer known;
  known.key = customer_key(merchant_id{"merch_1"}, environment::live, platform_id{"plat_1"}, "ref-1");
  known.version = 1;
  known.platform = platform_id{"plat_1"};
  known.ref = "ref-1";
  known.provider = provider_kind::stripe;
  known.provider_id = "cus_1";
  known.methods = {"pm_a", "pm_b"};
  const auto id = memory_store::id(known.key);
  w.rows().customers[id] = known;
  w.ask(w.post("evt_2"));
  CHECK(w.state("evt_2") == "applied");
  CHECK(w.rows().customers.at(id).methods == std::vector<std::string>{"pm_b"});
  w.script().subject = about_customer{"cus_1", ""};
  for (const auto* event : {"evt_3", "evt_4"}) w.ask(w.post(event));
  CHECK(is_forgotten(w.rows().customers.at(id)));
  CHECK(w.rows().customers.at(id).methods.empty());
  CHECK(w.rows().customers.at(id).generation == 1);
}

TEST_CASE("a subscription without marks is looked up by the provider's id, and the provider is asked about that one") {
  notice_world w;
  w.script().subject = about_unmarked_subscription{"sub_1"};
  w.ask(w.post("evt_1"));
  CHECK(w.state("evt_1") == "ignored");  // made without the gateway

  subscription known;
  known.key = subscription_key(merchant_id{"merch_1"}, environment::live, "enroll-7");
  known.provider_subscription_id = "sub_1";
  w.rows().subscriptions[memory_store::id(known.key)] = known;
  w.ask(w.post("evt_2"));
  CHECK(w.script().subscription_seen == known.key);
  CHECK(w.state("evt_2") == "applied");

  w.rows().reads_fail = true;
  w.ask(w.post("evt_3"));
  w.rows().reads_fail = false;
  w.advance(10s);
  CHECK(w.state("evt_3") == "applied");
}
