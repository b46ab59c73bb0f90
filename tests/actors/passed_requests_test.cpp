// Two nodes whose entities meet in the store: a request for a payment with an operation that another node runs is
// passed to that node, and served here if it gets no answer. Nothing is executed twice.
#include <catch2/catch.hpp>

#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

/// What the other node does with the requests that it receives.
struct scripted_node {
  std::optional<entity_reply> answers;  ///< empty: it does not answer yet
  std::vector<entity_request> received;
  std::vector<caf::typed_response_promise<entity_reply>> unanswered;
};

using link_to_script = actors::node_link::extend<caf::reacts_to<wake_atom>>;

/// Two nodes over the same rows. The link from the second to the first follows a script.
class two_nodes {
 public:
  two_nodes() {
    for (auto* each : {&first_, &second_}) {
      each->serve_until(ticks_ms::max());
      each->set_other_nodes(true);
      each->set_owners({{"node-a", "node-b"}, {"process a", "process b"}, 1, true});
    }
    link_ = b.system().spawn([as = &at_a](link_to_script::pointer self) -> link_to_script::behavior_type {
      return {[self, as](entity_request& request) -> caf::result<entity_reply> {
                as->received.push_back(std::move(request));
                if (as->answers) return *as->answers;
                return as->unanswered.emplace_back(self->make_response_promise<entity_reply>());
              },
              [as](wake_atom) {
                for (auto& each : std::exchange(as->unanswered, {}))
                  each.deliver(caf::make_error(caf::sec::request_receiver_down));
              }};
    });
    b.link_to("process a", link_);
  }

  ~two_nodes() { at_a.unanswered.clear(); }
  two_nodes(const two_nodes&) = delete;
  two_nodes& operator=(const two_nodes&) = delete;

  /// A payment whose create runs at the first node.
  world::pending slow_create(std::string_view id, std::string_view key) {
    auto sent = a.send(world::create(id, key, "pm_card_slow_2000"));
    a.settle();
    return sent;
  }
  /// The requests that were passed get no answer any more.
  void fail_passed() {
    caf::anon_send(link_, wake_atom::value);
    b.settle();
  }
  void first_is_alone() { first_.set_other_nodes(false); }
  double count(std::string_view way) { return b.meters().node_requests(way).Value(); }
  std::size_t calls(operation what, std::string_view id) {
    return a.calls().count(what, id) + b.calls().count(what, id);
  }

  scripted_node at_a;

 private:
  membership first_{"node-a", "process a"}, second_{"node-b", "process b"};

 public:
  failing_store_ptr rows = std::make_shared<failing_store>();
  world a{rows, unhurried(), 0ms, first_}, b{rows, unhurried(), 0ms, second_};

 private:
  link_to_script link_;
};

}  // namespace

TEST_CASE("passed requests: a request under another key is passed to the node that runs an operation, and answered") {
  two_nodes t;
  t.slow_create("pay_1", "k1");
  t.at_a.answers = entity_reply{problem::payment_not_found};
  CHECK(t.b.ask(world::refund("pay_1", "k2", 100)) == text_of(problem::payment_not_found));
  REQUIRE(t.at_a.received.size() == 1);
  CHECK(t.at_a.received.front().key == world::key_of("pay_1"));
  CHECK(t.at_a.received.front().write->key == world::refund("pay_1", "k2", 100).write->key);
  CHECK(t.count("passed") == 1);
  CHECK(t.count("taken_back") == 0);
}

TEST_CASE("passed requests: a repeat of the operation's own key is refused at once, and passed to no node") {
  two_nodes t;
  t.slow_create("pay_1", "k1");
  CHECK(t.b.ask(world::create("pay_1", "k1", "pm_card_slow_2000")) == text_of(problem::request_in_progress));
  CHECK(t.at_a.received.empty());
}

TEST_CASE("passed requests: a request without a key waits for the operation here") {
  two_nodes t;
  const auto created = t.slow_create("pay_1", "k1");
  auto looked = t.b.send({world::key_of("pay_1"), std::nullopt, payment_command{ask_provider{}}});
  t.b.advance(1s);
  CHECK_FALSE(looked.done());
  CHECK(t.at_a.received.empty());
  t.a.advance(3s);
  t.b.advance(1s);
  CHECK(looked.done());
}

TEST_CASE("passed requests: while the other node does not answer, requests that follow wait behind the passed one") {
  two_nodes t;
  const auto created = t.slow_create("pay_1", "k1");
  auto captured = t.b.send(world::capture("pay_1", "k2"));
  auto refunded = t.b.send(world::refund("pay_1", "k3", 100));
  t.b.advance(5s);
  CHECK_FALSE(captured.done());
  CHECK_FALSE(refunded.done());
  CHECK(t.at_a.received.size() == 1);
  CHECK(t.b.ask(world::capture("pay_1", "k2")) == text_of(problem::request_in_progress));
  t.a.advance(3s);
  t.fail_passed();
  t.b.advance(1s);
  CHECK(captured.answer() == "capture captured 0/0");
  CHECK(refunded.answer() == "refund partially_refunded 100/100");
}

TEST_CASE(
    "passed requests: one that gets no answer is served here, once the operation has ended, and not passed again") {
  two_nodes t;
  const auto created = t.slow_create("pay_1", "k1");
  auto captured = t.b.send(world::capture("pay_1", "k2"));
  t.b.settle();
  t.fail_passed();
  t.b.advance(1s);
  CHECK_FALSE(captured.done());  // the create still runs
  t.a.advance(3s);
  CHECK(created.answer() == "create authorized 0/0");
  t.b.advance(1s);
  CHECK(captured.answer() == "capture captured 0/0");
  CHECK(t.at_a.received.size() == 1);
  CHECK(t.count("taken_back") == 1);
  CHECK(t.calls(operation::capture, "pay_1") == 1);
}

TEST_CASE(
    "passed requests: one that the other node executes although its answer is lost gets that execution's result") {
  for (const bool is_over : {false, true}) {
    CAPTURE(is_over);
    two_nodes t;
    t.slow_create("pay_1", "k1");
    auto captured = t.b.send(world::capture("pay_1", "k2"));
    t.b.settle();
    // The first node runs it when its create is over; this provider takes its time for captures, too.
    auto there = t.a.send(world::capture("pay_1", "k2"));
    t.a.calls().silent = !is_over;
    t.a.advance(3s);
    t.fail_passed();
    if (!is_over) {
      t.b.advance(1s);
      CHECK_FALSE(captured.done());  // its own key is in use, and its client need not send it again
      t.a.calls().silent = false;
      t.a.advance(60s);
      t.b.advance(1s);
    }
    CHECK(captured.done());
    CHECK(captured.answer() == "replay: " + there.answer());
    CHECK(t.calls(operation::capture, "pay_1") == (is_over ? 1 : t.a.calls().count(operation::capture, "pay_1")));
    CHECK(t.b.calls().count(operation::capture, "pay_1") == 0);
  }
}

TEST_CASE("passed requests: without a link, requests wait for the other node's operation") {
  two_nodes t;
  const auto created = t.slow_create("pay_1", "k1");
  t.b.unlink();
  auto captured = t.b.send(world::capture("pay_1", "k2"));
  t.b.advance(1s);
  CHECK_FALSE(captured.done());
  t.a.advance(3s);
  t.b.advance(1s);
  CHECK(captured.answer() == "capture captured 0/0");
  CHECK(t.count("passed") == 0);
}

TEST_CASE(
    "passed requests: a node among others replays from the store, and alone again not what it remembered before") {
  two_nodes t;
  CHECK(t.a.ask(world::create("pay_1", "k1")) == "create authorized 0/0");
  for (const bool is_alone : {false, true}) {
    CAPTURE(is_alone);
    if (is_alone) t.first_is_alone();
    const std::string stored = is_alone ? "changed while alone" : "changed among others";
    for (auto& [key, record] : t.rows->commands) record.result->body = stored;
    CHECK(t.a.ask(world::create("pay_1", "k1")) == "replay: " + stored);
  }
}

TEST_CASE("passed requests: a request whose claims other nodes win runs again, up to sixteen times") {
  for (const std::size_t lost : {1, 16, 17}) {
    CAPTURE(lost);
    two_nodes t;
    REQUIRE(t.b.ask(world::create("pay_1", "k1")) == "create authorized 0/0");
    t.rows->faults.assign(lost, fault::overtaken);
    const bool is_refused = lost > 16;
    CHECK(t.b.ask(world::capture("pay_1", "k2")) ==
          (is_refused ? text_of(problem::request_in_progress) : "capture captured 0/0"));
    CHECK(t.calls(operation::capture, "pay_1") == (is_refused ? 0 : 1));
    CHECK(t.count("lost_claim") == static_cast<double>(lost));
  }
}
