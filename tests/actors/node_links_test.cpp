// Requests for an entity with an operation that another node runs: passed to that node, or served here if it does not
// answer or speaks another message version, and never executed twice unless that is safe.
#include <catch2/catch.hpp>

#include "nodes/node_links.hpp"
#include "nodes/wire.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

using introduction = std::tuple<std::string, std::uint64_t, caf::actor>;

node_row row_of(std::string name) {
  node_row row;
  row.incarnation = "process of " + name;
  row.address = name + ".test:4444";
  row.name = std::move(name);
  row.status = node_status::up;
  return row;
}

/// The other node's scripted behavior, and the requests that it received.
struct far_script {
  std::uint64_t version = actors::message_version();
  bool answers_pings = true;
  bool is_well = true;  ///< it can renew its lease
  bool answers_work = true;
  bool takes_work = true;  ///< false: it refuses requests, as a node that drains
  problem answer = problem::payment_not_found;
  std::vector<entity_request> passed;
  unsigned connections = 0;
};

/// What this node serves itself.
struct near_script {
  std::vector<entity_request> served;
  bool answers = true;
  std::vector<caf::typed_response_promise<entity_reply>> unanswered;
};

caf::behavior far_gate(caf::event_based_actor* self, far_script* as) {
  return {[self, as](keep_atom) -> caf::result<bool> {
            if (as->answers_pings) return as->is_well;
            return self->make_response_promise<bool>();
          },
          [self, as](work_atom, const std::string& bytes) -> caf::result<std::string> {
            as->passed.push_back(*actors::unpacked_request(bytes));
            if (!as->takes_work) return caf::make_error(caf::sec::no_actor_published_at_port);
            if (as->answers_work) return actors::packed(entity_reply{as->answer});
            return self->make_response_promise<std::string>();
          }};
}

caf::behavior far_links(caf::event_based_actor*, far_script* as, const caf::actor& gate) {
  return {[as, gate](join_atom, const std::string&, const std::string&, std::uint64_t,
                     const caf::actor&) -> caf::result<std::string, std::uint64_t, caf::actor> {
    return {"process of node-b", as->version, gate};
  }};
}

node_keeper::behavior_type keeping_stub(node_keeper::pointer) {
  return {[](const await_published&) { return true; },
          [](const published_up_to&) {},
          [](const yielded_up_to&) {},
          [](const list_nodes&) { return node_list{{row_of("node-a"), row_of("node-b")}}; },
          [](const drain_node&) { return node_drained{}; },
          [](drain_atom) {},
          [](join_atom, const directory_actor&) {},
          [](join_atom, const dispatcher_actor&) {},
          [](wake_atom) {}};
}

router_actor::behavior_type routing_stub(router_actor::pointer self, near_script* as) {
  return {[self, as](entity_request& request) -> caf::result<entity_reply> {
            as->served.push_back(std::move(request));
            if (!as->answers) return as->unanswered.emplace_back(self->make_response_promise<entity_reply>());
            return entity_reply{problem::subscription_not_found};
          },
          [](keep_atom, const entity_key&) {}, [](passivate_atom, const entity_key&, std::uint64_t) {},
          [](passivate_atom, const entity_key&) {},
          [as](wake_atom) {
            for (auto& each : std::exchange(as->unanswered, {}))
              each.deliver(entity_reply{problem::subscription_not_found});
          }};
}

const entity_key some_payment{merchant_id{"merch_1"}, environment::test, entity_kind::payment, "pay_1"};

/// The node node-a with its links, and a scripted node-b.
class linked {
 public:
  /// `version`: of the other node's messages.
  explicit linked(std::uint64_t version = actors::message_version()) {
    far.version = version;
    nodes_.serve_until(ticks_ms::max());
    nodes_.set_owners({{"node-a", "node-b"}, {"process of node-a", "process of node-b"}, 1, true});
    links_ = actors::spawn_node_links(system_, {keeper_, own_gate_, nodes_, table_, connector_});
    settle();
  }
  ~linked() {
    system_.await_actors_before_shutdown(false);
    for (const auto& each : {links_, own_gate_, gate_, far_, connector_})
      caf::anon_send_exit(each, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(keeper_, caf::exit_reason::kill);
    caf::anon_send_exit(router_, caf::exit_reason::kill);
    caf::anon_send_exit(client_actor_, caf::exit_reason::kill);
    coordinator().clock().cancel_all();
    settle();
  }
  linked(const linked&) = delete;
  linked& operator=(const linked&) = delete;

  /// The link to node-b.
  actors::node_link link() const { return table_.to("process of node-b"); }
  bool is_linked() const { return static_cast<bool>(link()); }

  struct outcome {
    std::optional<problem> answer;
    bool failed = false;
    bool pending() const { return !answer && !failed; }
  };
  std::shared_ptr<outcome> pass(entity_request request) {
    const auto to = link();
    REQUIRE(to);
    return pass(std::move(request), to);
  }
  /// Passes it by a link that an entity has looked up before.
  std::shared_ptr<outcome> pass(entity_request request, const actors::node_link& to) {
    auto seen = std::make_shared<outcome>();
    client_->context(&outside_);
    client_->request(to, caf::infinite, std::move(request))
        .then([seen](const entity_reply& reply) { seen->answer = std::get<problem>(reply.what); },
              [seen](const caf::error&) { seen->failed = true; });
    settle();
    return seen;
  }
  void advance(std::chrono::milliseconds by) {
    for (; by > 0ms; by -= 100ms) {
      coordinator().advance_time(100ms);
      settle();
    }
  }
  void break_connection() {
    caf::anon_send_exit(gate_, caf::exit_reason::kill);
    settle();
  }
  /// The other node connects, and introduces itself with this version.
  std::optional<introduction> meet(std::uint64_t version) {
    std::optional<introduction> answer;
    client_->context(&outside_);
    client_
        ->request(links_, caf::infinite, join_atom::value, std::string{"node-b"}, std::string{"process of node-b"},
                  version, gate_)
        .then([&answer](const std::string& process, std::uint64_t mine,
                        const caf::actor& gate) { answer.emplace(process, mine, gate); },
              [](const caf::error&) {});
    settle();
    return answer;
  }

  /// What this node answers to another that passes it a request.
  std::optional<problem> receive(const entity_request& request) {
    // The answer may arrive after the return.
    const auto answer = std::make_shared<std::optional<problem>>();
    client_->context(&outside_);
    client_->request(own_gate_, caf::infinite, work_atom::value, actors::packed(request))
        .then([answer](const std::string& reply) { *answer = std::get<problem>(actors::unpacked_reply(reply)->what); },
              [](const caf::error&) {});
    settle();
    return *answer;
  }

  /// This node begins to drain; true once it has given the answers to what it had taken.
  std::shared_ptr<bool> drain_gate() {
    auto drained = std::make_shared<bool>(false);
    client_->context(&outside_);
    client_->request(own_gate_, caf::infinite, drain_atom::value)
        .then([drained](bool) { *drained = true; }, [](const caf::error&) {});
    settle();
    return drained;
  }
  void answer_served() {
    caf::anon_send(router_, wake_atom::value);
    settle();
  }
  std::size_t running_actors() { return system_.registry().running(); }

  far_script far;
  near_script near;
  write_gate writes;

 private:
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }
  void settle() { coordinator().run(); }

  membership nodes_{"node-a", "process of node-a"};
  actors::link_table table_;
  deterministic_config config_;
  caf::actor_system system_{config_};
  node_keeper keeper_ = system_.spawn(keeping_stub);
  router_actor router_ = system_.spawn(routing_stub, &near);
  caf::actor gate_ = system_.spawn(far_gate, &far);
  caf::actor far_ = system_.spawn(far_links, &far, gate_);
  caf::actor own_gate_ = actors::spawn_node_gate(system_, router_, nodes_, writes);
  caf::actor connector_ = system_.spawn([this](caf::event_based_actor*) -> caf::behavior {
    return {[this](caf::connect_atom, const std::string&,
                   std::uint16_t) -> caf::result<caf::node_id, caf::strong_actor_ptr, std::set<std::string>> {
      ++far.connections;
      return {caf::node_id{}, caf::actor_cast<caf::strong_actor_ptr>(far_), std::set<std::string>{}};
    }};
  });
  caf::actor links_;
  caf::scoped_execution_unit outside_{&system_};
  caf::actor client_actor_ = system_.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  caf::event_based_actor* client_ =
      static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(client_actor_));
};

entity_request void_of(const entity_key& key) { return {key, idempotency{}, payment_command{void_payment{}}}; }
entity_request view_of(const entity_key& key) { return {key, std::nullopt, view_entity{}}; }

}  // namespace

TEST_CASE("node links: a request is passed to the other node, and its answer is returned") {
  linked t;
  REQUIRE(t.is_linked());
  CHECK(t.pass(void_of(some_payment))->answer == problem::payment_not_found);
  REQUIRE(t.far.passed.size() == 1);
  CHECK(t.far.passed.front().key == some_payment);
}

TEST_CASE("node links: requests to a node that answers pings may take their time, and fail once it is silent") {
  linked t;
  t.far.answers_work = false;
  const auto passed = t.pass(void_of(some_payment));
  t.advance(5s);
  CHECK(passed->pending());
  const auto link = t.link();
  t.far.answers_pings = false;
  t.advance(2s);
  CHECK(passed->failed);
  CHECK_FALSE(t.is_linked());
  // An entity that has looked the link up before.
  CHECK(t.pass(void_of(some_payment), link)->failed);
  CHECK(t.far.passed.size() == 1);
  t.far.answers_pings = true;
  t.advance(5s);
  CHECK(t.is_linked());
}

TEST_CASE(
    "node links: a request fails if the connection breaks, if it is not taken, or if the database is away there") {
  linked t;
  t.far.answers_work = false;
  const auto cut = t.pass(void_of(some_payment));
  const auto link = t.link();
  t.break_connection();
  CHECK(cut->failed);
  CHECK(t.pass(void_of(some_payment), link)->failed);

  linked refuses;
  refuses.far.takes_work = false;
  CHECK(refuses.pass(void_of(some_payment))->failed);

  linked lacks;
  lacks.far.answer = problem::store_unavailable;
  CHECK(lacks.pass(void_of(some_payment))->failed);
}

TEST_CASE("node links: a link whose connection broke ends, also if a request has no answer yet") {
  linked t;
  t.far.answers_work = false;
  const auto with_one_link = t.running_actors();
  t.pass(void_of(some_payment));
  t.break_connection();
  CHECK(t.running_actors() == with_one_link - 2);  // the connection's other end is gone, too
}

TEST_CASE("node links: a node that drains answers what it has taken before it ends, and takes nothing more") {
  linked t;
  t.near.answers = false;
  CHECK_FALSE(t.receive(void_of(some_payment)));
  const auto drained = t.drain_gate();
  CHECK_FALSE(*drained);
  CHECK_FALSE(t.receive(void_of(some_payment)));
  CHECK(t.near.served.size() == 1);
  t.answer_served();
  CHECK(*drained);
  CHECK(*t.drain_gate());
}

TEST_CASE("node links: a node that cannot renew its lease gets no requests until it can") {
  linked t;
  t.far.is_well = false;
  t.advance(400ms);
  CHECK_FALSE(t.is_linked());
  t.far.is_well = true;
  t.advance(400ms);
  CHECK(t.is_linked());
}

TEST_CASE("node links: while this node takes no writes, it begins none for others either, and serves their reads") {
  linked w;
  w.writes.close();
  CHECK(w.receive(void_of(some_payment)) == problem::overloaded);
  CHECK(w.near.served.empty());
  w.receive(view_of(some_payment));
  CHECK(w.near.served.size() == 1);
  w.writes.open();
  w.receive(void_of(some_payment));
  CHECK(w.near.served.size() == 2);
}

TEST_CASE("node links: a broken connection is made again") {
  linked t;
  CHECK(t.far.connections == 1);
  t.break_connection();
  CHECK_FALSE(t.is_linked());
  t.advance(1s);
  CHECK(t.far.connections > 1);
}

TEST_CASE("node links: a node of another message version gets no requests, whichever node connects") {
  linked t{actors::message_version() + 1};
  CHECK_FALSE(t.is_linked());
  const auto connections = t.far.connections;
  t.advance(10s);
  CHECK_FALSE(t.is_linked());
  CHECK(t.far.connections == connections);  // nor is it connected to again and again
  const auto answer = t.meet(actors::message_version() + 1);
  REQUIRE(answer);
  CHECK(std::get<1>(*answer) == actors::message_version());
  t.advance(1s);
  CHECK_FALSE(t.is_linked());
  CHECK(t.far.passed.empty());
}

TEST_CASE("node links: a neighbor that restarts with this version gets requests again") {
  linked t{actors::message_version() + 1};
  t.meet(actors::message_version());
  CHECK(t.is_linked());
}

TEST_CASE("node links: nodes of different message versions serve the same payments over the database alone") {
  auto rows = std::make_shared<failing_store>();
  membership first{"node-a", "process a"}, second{"node-b", "process b"};
  for (auto* each : {&first, &second}) {
    each->serve_until(ticks_ms::max());
    each->set_other_nodes(true);
    each->set_owners({{"node-a", "node-b"}, {"process a", "process b"}, 1, true});
  }
  // There is no link between them: each serves every request itself.
  world a{rows, unhurried(), 0ms, first}, b{rows, unhurried(), 0ms, second};
  CHECK(a.ask(world::create("pay_1", "k1")) == "create authorized 0/0");
  CHECK(b.ask(world::create("pay_1", "k1")) == "replay: create authorized 0/0");
  CHECK(b.ask(world::capture("pay_1", "k2")) == "capture captured 0/0");
  CHECK(a.read("pay_1")->state == payment_state::captured);
  CHECK(a.ask(world::refund("pay_1", "k3", 200)) == "refund partially_refunded 200/200");
  CHECK(b.ask(world::refund("pay_1", "k3", 200)) == "replay: refund partially_refunded 200/200");
  // Each waits for the other's operation under way, and neither executes it.
  auto slow = a.send(world::create("pay_2", "k4", "pm_card_slow_2000"));
  a.settle();
  CHECK(b.ask(world::create("pay_2", "k4", "pm_card_slow_2000")) == text_of(problem::request_in_progress));
  auto captures = b.send(world::capture("pay_2", "k5"));
  b.advance(1s);
  CHECK_FALSE(captures.done());
  a.advance(3s);
  CHECK(slow.answer() == "create authorized 0/0");
  b.advance(1s);
  CHECK(captures.answer() == "capture captured 0/0");
  CHECK(a.calls().count(operation::create, "pay_2") + b.calls().count(operation::create, "pay_2") == 1);
}

TEST_CASE("a node among others settles itself what it could not finish, and the others need not wait for it") {
  auto rows = std::make_shared<failing_store>();
  membership first{"node-a", "process a"}, second{"node-b", "process b"};
  for (auto* each : {&first, &second}) {
    each->serve_until(ticks_ms::max());
    each->set_other_nodes(true);
    each->set_owners({{"node-a", "node-b"}, {"process a", "process b"}, 1, true});
  }
  world a{rows, unhurried(), 0ms, first}, b{rows, unhurried(), 0ms, second};
  // Its begin is committed, its finish is not.
  rows->faults = {fault::none, fault::before_commit};
  CHECK(a.ask(world::create("pay_1", "k1")) == text_of(problem::store_unavailable));
  CHECK(b.ask(world::create("pay_1", "k1")) == text_of(problem::request_in_progress));
  // It has lost its lease, and gets it back after a while.
  first.serve_until(ticks_ms{0});
  a.advance(3s);
  CHECK(b.ask(world::create("pay_1", "k1")) == text_of(problem::request_in_progress));
  first.serve_until(ticks_ms::max());
  a.advance(2s);
  CHECK(b.ask(world::create("pay_1", "k1")) == "replay: create authorized 0/0");
  CHECK(a.calls().count(operation::create, "pay_1") == 2);  // under one provider key
}
