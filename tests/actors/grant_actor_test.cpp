// Grants under virtual time: consent, codes, their exchange and revokes. A durable change is published before it is
// answered.
#include <catch2/catch.hpp>

#include <caf/scoped_execution_unit.hpp>

#include "directory_fixture.hpp"
#include "entity/router.hpp"
#include "failing_store.hpp"
#include "grant/grant_actor.hpp"
#include "process/clock_watch.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

const platform_id acme{"plat_acme"};
const merchant_id tea{"merch_tea"};
constexpr auto callback = "https://p.example/cb";

class text_encoder final : public grant_encoder {
 public:
  answer exchanged(const grant_binding& subject, const entity_id& entity) const override {
    return {200, subject.newest->id.value + " " + to_string(subject.newest->scopes) + " " + entity.value};
  }
  answer revoked() const override { return {204, {}}; }
};

/// The directory's received commands, and its answers.
struct chargeable_log {
  std::vector<make_chargeable> asked;
  bool fails = false;
  bool dead = false;
};

directory_actor::behavior_type charging_directory(directory_actor::pointer, std::shared_ptr<chargeable_log> log) {
  return {[log](const operator_command& command) -> caf::result<operator_result> {
            log->asked.push_back(std::get<make_chargeable>(command));
            if (log->dead) return make_error(actor_errc::store_unavailable);
            if (log->fails) return operator_result{no_such("merchant", "merch_tea")};
            return operator_result{named_result{"merch_tea", "chargeable"}};
          },
          [](const noted_command&) -> caf::result<operator_result> {
            return caf::make_error(caf::sec::unexpected_message);
          },
          [](const look_up&) { return false; },
          [](load_atom) { return true; },
          [](join_atom, const dispatcher_actor&) {},
          [](const catch_up&) {}};
}

std::string text_of(const entity_reply& reply) {
  if (const auto* stored = std::get_if<finished>(&reply.what))
    return (stored->replayed ? "replay: " : "") + std::to_string(stored->result->status) + " " + stored->result->body;
  if (const auto* row = std::get_if<entity_row>(&reply.what)) {
    const auto& newest = std::get<binding_ptr>(*row)->newest;
    return newest->id.value + " " + to_string(newest->scopes) + (newest->revoked_at ? " revoked" : " active");
  }
  if (const auto* why = std::get_if<problem>(&reply.what)) {
    switch (*why) {
      case problem::invalid_grant: return "invalid_grant";
      case problem::grant_not_found: return "grant_not_found";
      case problem::grant_not_covering: return "grant_not_covering";
      case problem::platform_suspended: return "platform_suspended";
      case problem::store_unavailable: return "store_unavailable";
      case problem::idempotency_key_reused: return "idempotency_key_reused";
      case problem::request_in_progress: return "request_in_progress";
      default: return "problem " + std::to_string(static_cast<int>(*why));
    }
  }
  return "timeline";
}

/// One node that serves grants. Several may share the same rows.
class node {
 public:
  /// `among_others`: the other nodes publish at once, unless they are slow.
  explicit node(failing_store_ptr rows = std::make_shared<failing_store>(), bool among_others = false)
      : rows_{std::move(rows)}, nodes_{among_others ? "node-a" : "", "process a"} {
    nodes_.serve_until(ticks_ms::max());
    if (among_others) keeper_ = system_.spawn(keeping_stub, &kept_);
    config_.payment_idle = 10s;
    watch_.emplace(clock_, std::nullopt, config_, meters_);
    platform asking;
    asking.id = acme;
    asking.slug = "acme";
    publish(asking, platform_status::active);
    merchant m;
    m.id = tea;
    m.entity = entity_id{"ent_tea"};
    published_.publish(std::make_shared<const merchant>(std::move(m)));
    store_handles store;
    store.writers.push_back(system_.spawn(failing_writer, store_line{rows_}));
    store.readers.push_back(system_.spawn(failing_reader, store_line{rows_}));
    store.recorder = store.writers.front();
    store.outbox = store.archive = store.readers.front();
    auto context = std::make_shared<const actors::grant_context>(
        actors::grant_context{{std::move(store),
                               published_,
                               clock_,
                               *watch_,
                               config_,
                               meters_,
                               {},
                               numbers_,
                               {},
                               nodes_,
                               system_.spawn(charging_directory, charging_)},
                              published_,
                              encoder_,
                              keeper_ ? node_keeper{keeper_} : node_keeper{}});
    router_ = actors::spawn_router(system_, context, {nullptr, actors::grant_spawner(context), nullptr});
    settle();
  }
  ~node() {
    system_.await_actors_before_shutdown(false);
    caf::anon_send_exit(router_, caf::exit_reason::kill);
    if (keeper_) caf::anon_send_exit(keeper_, caf::exit_reason::kill);
  }
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  failing_store& rows() { return *rows_; }
  chargeable_log& charging() { return *charging_; }
  hand_clock& clock() { return clock_; }
  void publish(platform what, platform_status status) {
    what.id = acme;
    what.slug = "acme";
    what.status = status;
    published_.publish(std::make_shared<const platform>(std::move(what)));
  }
  void publish(const grant_update& changes) { published_.publish(changes); }

  /// What requests are checked against: the state, and the scopes of an active grant.
  std::string published(environment env = environment::live) const {
    const auto grants = published_.find_grants({acme, tea});
    const auto& mine = grants.in(env);
    return std::string{to_string(mine.state)} + (mine.state == grant_state::active ? " " + to_string(mine.scopes) : "");
  }

  struct pending {
    std::shared_ptr<std::string> answer = std::make_shared<std::string>();
    /// What was published at the time of the answer.
    std::shared_ptr<std::string> seen = std::make_shared<std::string>();
  };
  pending send(entity_request request) {
    pending p;
    client_->context(&outside_);
    client_->request(router_, caf::infinite, std::move(request))
        .then(
            [this, p](const entity_reply& reply) {
              *p.answer = text_of(reply);
              *p.seen = published();
            },
            [p](const caf::error&) { *p.answer = "error"; });
    return p;
  }
  std::string ask(entity_request request) {
    const auto p = send(std::move(request));
    settle();
    return *p.answer;
  }
  void others_are_slow() { kept_.others_are_slow = true; }
  void others_follow() {
    caf::anon_send(keeper_, work_atom::value);
    settle();
  }
  void settle() { coordinator().run(); }
  bool step() { return coordinator().try_run_once(); }
  void advance(std::chrono::milliseconds by) {
    for (; by > 0ms; by -= 500ms) {
      clock_.at += 500ms;
      coordinator().advance_time(500ms);
      settle();
    }
  }

 private:
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

  failing_store_ptr rows_;
  membership nodes_;
  keeper_script kept_;
  settings config_;
  hand_clock clock_;
  text_encoder encoder_;
  metrics meters_;
  std::optional<actors::clock_watch> watch_;
  directory published_;
  delivery_numbers numbers_;
  std::shared_ptr<chargeable_log> charging_ = std::make_shared<chargeable_log>();
  deterministic_config caf_config_;
  caf::actor_system system_{caf_config_};
  stub_keeper keeper_;
  router_actor router_;
  caf::scoped_execution_unit outside_{&system_};
  caf::actor client_actor_ = system_.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  caf::event_based_actor* client_ =
      static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(client_actor_));
};

// ---- requests -------------------------------------------------------------------------------------

entity_request to(environment env, grant_command what, std::optional<idempotency> write = std::nullopt) {
  return {binding_key(tea, env, acme), std::move(write), std::move(what)};
}
entity_request consent(std::string id, std::string_view scopes, std::string code, bool shown = true,
                       environment env = environment::live) {
  return to(env, give_consent{grant_id{std::move(id)}, *parse_scopes(scopes), user_id{"user_1"}, shown, std::move(code),
                              callback});
}
idempotency key(std::string text, std::string fingerprint) {
  return {{merchant_id{}, environment::live, acme.value, std::move(text)}, std::move(fingerprint)};
}
entity_request exchange(std::string code, std::string with, environment env = environment::live,
                        std::string redirect_uri = callback) {
  auto fingerprint = "exchange " + code + redirect_uri;
  return to(env, exchange_code{acme, std::move(code), std::move(redirect_uri)},
            key(std::move(with), std::move(fingerprint)));
}
entity_request revoke(std::string id, std::string with, std::string reason = "why") {
  auto fingerprint = "revoke " + id + reason;
  return to(environment::live, revoke_request{{grant_id{std::move(id)}, std::move(reason)}, false},
            key(std::move(with), std::move(fingerprint)));
}
entity_request revoke_by_operator(std::string id) {
  return to(environment::live, revoke_request{{grant_id{std::move(id)}, "operator"}, false});
}

const grant_binding& row_of(node& n, environment env = environment::live) {
  return n.rows().bindings.at(memory_store::id(binding_key(tea, env, acme)));
}

}  // namespace

TEST_CASE("consent makes a grant that is stored, and published when it is answered") {
  node n;
  CHECK(n.published() == "none");
  const auto p = n.send(consent("grant_1", "payments:write", "c1"));
  n.settle();
  CHECK(*p.answer == "grant_1 payments:write active");
  CHECK(*p.seen == "active payments:write");
  CHECK(row_of(n).version == 1);
  CHECK(row_of(n).codes.size() == 1);
  CHECK(n.published(environment::test) == "none");
}

TEST_CASE("a second consent widens the grant, which stays the same") {
  node n;
  n.ask(consent("grant_1", "payments:write", "c1"));
  CHECK(n.ask(consent("grant_2", "payments:read", "c2")) == "grant_1 payments:write payments:read active");
  CHECK(n.published() == "active payments:write payments:read");
  CHECK(n.ask(consent("grant_3", "payments:read", "c3", false)) == "grant_1 payments:write payments:read active");
  CHECK(n.ask(consent("grant_4", "refunds:write", "c4", false)) == "grant_not_covering");
  CHECK(row_of(n).codes.size() == 3);
  CHECK(n.rows().past_grants.empty());
}

TEST_CASE("no one can consent to a suspended platform, or get a code for it") {
  node n;
  n.ask(consent("grant_1", "payments:write", "c1"));
  n.publish(platform{}, platform_status::suspended);
  CHECK(n.ask(consent("grant_2", "payments:read", "c2")) == "platform_suspended");
  CHECK(n.ask(consent("grant_2", "payments:write", "c2", false)) == "platform_suspended");
  CHECK(row_of(n).codes.size() == 1);
  n.publish(platform{}, platform_status::active);
  CHECK(n.ask(consent("grant_2", "payments:read", "c2")) == "grant_1 payments:write payments:read active");
}

TEST_CASE("a code buys one exchange, and the same key gets the same answer again") {
  auto rows = std::make_shared<failing_store>();
  node n{rows};
  n.ask(consent("grant_1", "payments:write", "c1"));
  CHECK(n.ask(exchange("c1", "k1")) == "200 grant_1 payments:write ent_tea");
  CHECK(n.ask(exchange("c1", "k1")) == "replay: 200 grant_1 payments:write ent_tea");
  CHECK(n.ask(exchange("c1", "k2")) == "invalid_grant");
  CHECK(n.ask(exchange("c2", "k1")) == "idempotency_key_reused");
  // Also from the store, by an actor that has handled none of it, and long after the code has expired.
  node other{rows};
  other.clock().at = n.clock().at + 1h;
  CHECK(other.ask(exchange("c1", "k1")) == "replay: 200 grant_1 payments:write ent_tea");
  CHECK(other.published() == "active payments:write");
}

TEST_CASE("a failed exchange spends nothing, and is not stored") {
  node n;
  n.ask(consent("grant_1", "payments:write", "c1"));
  CHECK(n.ask(exchange("c9", "k1")) == "invalid_grant");
  CHECK(n.ask(exchange("c1", "k2", environment::live, "https://p.example/other")) == "invalid_grant");
  CHECK(n.ask(to(environment::live, exchange_code{platform_id{"plat_other"}, "c1", callback}, key("k3", "x"))) ==
        "invalid_grant");
  CHECK(n.ask(exchange("c1", "k4", environment::test)) == "invalid_grant");  // a binding that does not exist
  CHECK(n.rows().commands.empty());
  CHECK(n.ask(exchange("c1", "k1")) == "200 grant_1 payments:write ent_tea");
}

TEST_CASE("a code works for ten minutes") {
  node n;
  n.ask(consent("grant_1", "payments:write", "c1"));
  n.ask(consent("grant_1", "payments:write", "c2"));
  n.clock().at += 10min - 1ms;
  CHECK(n.ask(exchange("c1", "k1")) == "200 grant_1 payments:write ent_tea");
  n.clock().at += 1ms;
  CHECK(n.ask(exchange("c2", "k2")) == "invalid_grant");
}

TEST_CASE("at most sixteen codes wait: a new one removes the oldest") {
  node n;
  for (int i = 0; i <= 16; ++i) n.ask(consent("grant_1", "payments:write", "c" + std::to_string(i)));
  CHECK(row_of(n).codes.size() == 16);
  CHECK(n.ask(exchange("c0", "k0")) == "invalid_grant");
  CHECK(n.ask(exchange("c1", "k1")) == "200 grant_1 payments:write ent_tea");
}

TEST_CASE("a test grant is exchanged only once the merchant can be charged there") {
  node n;
  n.ask(consent("grant_1", "payments:write", "c1", true, environment::test));
  for (const bool dead : {false, true}) {
    n.charging().fails = true;
    n.charging().dead = dead;
    CHECK(n.ask(exchange("c1", "k1", environment::test)) == "store_unavailable");
  }
  CHECK(row_of(n, environment::test).codes.size() == 1);
  CHECK(n.rows().commands.empty());
  n.charging() = {};
  CHECK(n.ask(exchange("c1", "k1", environment::test)) == "200 grant_1 payments:write ent_tea");
  REQUIRE(n.charging().asked.size() == 1);
  CHECK(n.charging().asked.front().merchant == tea);
  CHECK(n.charging().asked.front().env == environment::test);
  // A live grant does not require that.
  n.ask(consent("grant_2", "payments:write", "c2"));
  CHECK(n.ask(exchange("c2", "k2")) == "200 grant_2 payments:write ent_tea");
  CHECK(n.charging().asked.size() == 1);
}

TEST_CASE("a revoke is published before it is answered, and every retry gets the same answer") {
  node n;
  n.ask(consent("grant_1", "payments:write", "c1"));
  const auto p = n.send(revoke("grant_1", "k1", "first"));
  n.settle();
  CHECK(*p.answer == "204 ");
  CHECK(*p.seen == "revoked");
  CHECK(n.ask(revoke("grant_1", "k1", "first")) == "replay: 204 ");
  CHECK(n.ask(revoke("grant_1", "k2", "second")) == "204 ");
  CHECK(n.ask(revoke("grant_1", "k2", "second")) == "replay: 204 ");
  CHECK(n.ask(revoke("grant_1", "k2", "third")) == "idempotency_key_reused");
  CHECK(n.ask(revoke_by_operator("grant_1")) == "grant_1 payments:write revoked");
  CHECK(row_of(n).newest->revoke_reason == "first");
  CHECK(n.ask(exchange("c1", "k3")) == "invalid_grant");
}

TEST_CASE("an operator's revoke ends the grant without an idempotency key") {
  node n;
  n.ask(consent("grant_1", "payments:write", "c1"));
  const auto p = n.send(revoke_by_operator("grant_1"));
  n.settle();
  CHECK(*p.answer == "grant_1 payments:write revoked");
  CHECK(*p.seen == "revoked");
  CHECK(n.rows().commands.empty());
}

TEST_CASE("a grant that never existed is not found, and nothing is stored for it") {
  node n;
  CHECK(n.ask(revoke("grant_9", "k1")) == "grant_not_found");
  n.ask(consent("grant_1", "payments:write", "c1"));
  CHECK(n.ask(revoke("grant_9", "k1")) == "grant_not_found");
  CHECK(n.ask(revoke_by_operator("grant_9")) == "grant_not_found");
  CHECK(n.rows().commands.empty());
  CHECK(n.published() == "active payments:write");
}

TEST_CASE("after a revoke a new grant begins, and the old one stays as it was") {
  node n;
  n.ask(consent("grant_1", "payments:write payments:read", "c1"));
  n.ask(revoke("grant_1", "k1", "first"));
  CHECK(n.ask(consent("grant_2", "payments:write", "c2", false)) == "grant_not_covering");
  CHECK(n.ask(consent("grant_2", "payments:write", "c2")) == "grant_2 payments:write active");
  CHECK(n.published() == "active payments:write");
  REQUIRE(n.rows().past_grants.contains("grant_1"));
  CHECK(n.rows().past_grants.at("grant_1").what.revoke_reason == "first");
  // Its revoke is answered as before, whether or not the caller knows that the grant is past, and does not affect the
  // new one.
  CHECK(n.ask(revoke("grant_1", "k1", "first")) == "replay: 204 ");
  CHECK(n.ask(revoke("grant_1", "k2", "late")) == "204 ");
  CHECK(n.rows().past_grants.at("grant_1").what.revoke_reason == "first");
  CHECK(n.published() == "active payments:write");
  CHECK(n.ask(exchange("c2", "k3")) == "200 grant_2 payments:write ent_tea");
}

TEST_CASE("a revoke that lands late is published before its retry is answered, whenever it lands") {
  unsigned replays = 0;
  for (unsigned steps = 0; steps < 16; ++steps) {
    node n;
    n.ask(consent("grant_1", "payments:write", "c1"));
    n.rows().faults.push_back(fault::held_up);
    CHECK(n.ask(revoke("grant_1", "k1")) == "store_unavailable");
    CHECK(n.published() == "active payments:write");
    const auto retry = n.send(revoke("grant_1", "k1"));
    for (unsigned i = 0; i < steps; ++i) n.step();
    n.rows().land();
    n.settle();
    CAPTURE(steps);
    CHECK((*retry.answer == "204 " || *retry.answer == "replay: 204 "));
    CHECK(*retry.seen == "revoked");
    if (*retry.answer == "replay: 204 ") ++replays;
  }
  CHECK(replays > 0);
}

TEST_CASE("a revoke whose answer was lost is published even without a retry") {
  for (const auto trouble : {fault::after_commit, fault::held_up}) {
    node n;
    n.ask(consent("grant_1", "payments:write", "c1"));
    n.rows().faults.push_back(trouble);
    CHECK(n.ask(revoke("grant_1", "k1")) == "store_unavailable");
    n.advance(30s);
    n.rows().land();
    // The read fails at first.
    n.rows().reads_fail = true;
    n.advance(40s);
    CHECK(n.published() == "active payments:write");
    n.rows().reads_fail = false;
    n.advance(5s);
    CHECK(n.published() == "revoked");
  }
}

TEST_CASE("two nodes that exchange one code at once: one of the exchanges succeeds") {
  auto rows = std::make_shared<failing_store>();
  node one{rows};
  node other{rows};
  one.ask(consent("grant_1", "payments:write", "c1"));
  // Both have read the row with the code in it.
  one.ask(consent("grant_1", "payments:write", "c1", false));
  CHECK(other.ask(to(environment::live, exchange_code{acme, "c9", callback}, key("k9", "x"))) == "invalid_grant");
  const auto first = one.send(exchange("c1", "k1"));
  const auto second = other.send(exchange("c1", "k2"));
  while (one.step() || other.step()) {}
  const auto good = std::string{"200 grant_1 payments:write ent_tea"};
  CHECK((*first.answer == good) != (*second.answer == good));
  CHECK((*first.answer == "invalid_grant") != (*second.answer == "invalid_grant"));
  CHECK(rows->commands.size() == 1);
}

TEST_CASE("consents on two nodes at once make one grant") {
  auto rows = std::make_shared<failing_store>();
  node one{rows};
  node other{rows};
  const auto first = one.send(consent("grant_1", "payments:write", "c1"));
  const auto second = other.send(consent("grant_2", "payments:read", "c2"));
  while (one.step() || other.step()) {}
  CHECK(rows->bindings.size() == 1);
  CHECK(row_of(one).newest->scopes == *parse_scopes("payments:write payments:read"));
  CHECK(row_of(one).codes.size() == 2);
  CHECK((first.answer->starts_with("grant_1") || second.answer->starts_with("grant_2")));
}

TEST_CASE("a row that was read before a revoke and published after it does not undo the revoke") {
  node n;
  n.ask(consent("grant_1", "payments:write", "c1"));
  const grant_update read_early{
      {acme, tea}, environment::live, {grant_state::active, *parse_scopes("payments:write"), 1}};
  n.ask(revoke("grant_1", "k1"));
  n.publish(read_early);
  CHECK(n.published() == "revoked");
}

TEST_CASE("a grant has no timeline, no due work and no payments' commands") {
  node n;
  CHECK(n.ask({binding_key(tea, environment::live, acme), std::nullopt, common_command{view_entity{}}}) ==
        "grant_not_found");
  n.ask(consent("grant_1", "payments:write", "c1"));
  CHECK(n.ask({binding_key(tea, environment::live, acme), std::nullopt, common_command{view_timeline{}}}) ==
        "grant_not_found");
  CHECK(n.ask({binding_key(tea, environment::live, acme), std::nullopt, common_command{settle_due{}}}) ==
        "grant_1 payments:write active");
  CHECK(n.ask({binding_key(tea, environment::live, acme), key("k1", "f"), payment_command{capture_payment{}}}) ==
        "error");
  CHECK(n.ask({binding_key(tea, environment::live, acme), std::nullopt, common_command{view_entity{}}}) ==
        "grant_1 payments:write active");
}

TEST_CASE("a request that waits for other nodes is answered, however long they take") {
  node n{std::make_shared<failing_store>(), true};
  n.others_are_slow();
  const auto consented = n.send(consent("grant_1", "payments:write", "c1"));
  n.advance(60s);  // long enough for an idle actor to be stopped
  CHECK(consented.answer->empty());
  n.others_follow();
  CHECK(*consented.answer == "grant_1 payments:write active");
}

TEST_CASE("a repeated revoke is answered no sooner than the first, wherever its record comes from") {
  node n{std::make_shared<failing_store>(), true};
  REQUIRE(n.ask(consent("grant_1", "payments:write", "c1")) == "grant_1 payments:write active");
  n.others_are_slow();
  const auto first = n.send(revoke("grant_1", "r1"));
  n.settle();
  CHECK(row_of(n).newest->revoked_at);
  const auto again = n.send(revoke("grant_1", "r1"));
  n.settle();
  CHECK(first.answer->empty());
  CHECK(again.answer->empty());
  n.others_follow();
  CHECK(*first.answer == "204 ");
  CHECK(*again.answer == "replay: 204 ");
}
