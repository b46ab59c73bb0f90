// The reader of the providers' lists of events, under virtual time. A script is Stripe's list; the notifications, the
// sandbox and the store are real.
#include <catch2/catch.hpp>

#include <map>

#include "notification/event_reader.hpp"
#include "notification/event_window.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

using texts = std::vector<std::string>;

struct listed_event {
  std::string id;
  time_point at;
};

/// The provider's lists, by account.
struct list_script {
  std::map<std::string, std::vector<listed_event>> lists;
  std::size_t page = 3;
  std::vector<event_list_question> asked;
  std::string refused;  ///< an account
  bool silent = false;

  event_list_page answer(const event_list_question& question) {
    asked.push_back(question);
    event_list_page found;
    if (silent) {
      found.error = provider_error{error_category::provider, "provider_error", "It is away.", true, true};
      return found;
    }
    if (!refused.empty() && question.account == refused) {
      found.what = event_list_page::state::refused;
      return found;
    }
    found.what = event_list_page::state::listed;
    auto all = lists[question.account];
    std::erase_if(all, [&](const auto& e) { return e.at < question.from || e.at >= question.until; });
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return b.at < a.at; });
    auto first = all.begin();
    if (!question.after.empty()) first = std::ranges::find(all, question.after, &listed_event::id) + 1;
    for (; first != all.end() && found.events.size() < page; ++first) {
      found.events.insert(found.events.begin(), receive_notification{question.provider, first->id, "charge.refunded",
                                                                     question.account, "{}"});
      found.next = first->id;
    }
    if (first == all.end()) found.next.clear();
    return found;
  }
  texts asked_accounts() const {
    texts accounts;
    for (const auto& each : asked) accounts.push_back(each.account);
    return accounts;
  }
};

provider_actor::behavior_type scripted_lists(provider_actor::pointer, std::shared_ptr<list_script> script) {
  return {[](const provider_call&) { return provider_result{}; },
          [](const provider_inquiry&) { return provider_result{}; },
          [](const subscription_call&) { return subscription_result{}; },
          [](const account_question&) { return account_answer{}; },
          [](const notification_question&) { return notification_subject{no_subject{}}; },
          [script](const event_list_question& question) { return script->answer(question); },
          [](const endpoint_question&) { return endpoint_answer{}; }};
}

/// Takes the positions to the store, unless it has died.
store_writer::behavior_type scripted_recorder(store_writer::pointer self, failing_store_ptr rows,
                                              std::shared_ptr<bool> dead) {
  return {[self, rows, dead](const unit_of_work& unit) -> caf::result<commit_outcome> {
            if (*dead) return self->make_response_promise<commit_outcome>();
            return rows->execute(unit);
          },
          [](const purge_commands&) { return purge_result{}; },
          [](const redeliver_rows&) { return redeliver_rows_result{}; },
          [](const clear_free_pages&) { return clear_free_pages_result{true, true}; }, [](work_atom) {}};
}

constexpr auto live = environment::live;

/// A node with a reader of its own.
class reading_world {
 public:
  explicit reading_world(failing_store_ptr rows = std::make_shared<failing_store>(), duration_ms clock_ahead = 0ms,
                         const membership& nodes = membership::alone())
      : rows_{std::move(rows)}, node_{rows_, unhurried(), clock_ahead, nodes}, nodes_{nodes} {
    node_.published().publish(provider_kind::stripe, live, std::make_shared<const provider_settings>());
  }
  ~reading_world() {
    if (reader_) caf::anon_send_exit(reader_, caf::exit_reason::kill);
    node_.settle();
  }
  reading_world(const reading_world&) = delete;
  reading_world& operator=(const reading_world&) = delete;

  void connect(const std::string& merchant, const std::string& account) {
    unit_parts unit;
    unit.records = {save_connection{merchant_id{merchant},
                                    {live, provider_kind::stripe, connection_status::connected, account},
                                    "conn_" + merchant}};
    const unit_of_work saved = unit;
    REQUIRE(rows_->commit(saved) == commit_outcome::committed);
  }
  void start() {
    auto store = node_.store();
    store.recorder = node_.system().spawn(scripted_recorder, rows_, dead_);
    auto gates = node_.gates();
    gates[static_cast<std::size_t>(provider_kind::stripe)] = node_.system().spawn(scripted_lists, script_);
    std::array<bool, provider_catalogue.size()> lists{};
    lists[static_cast<std::size_t>(provider_kind::stripe)] = true;
    reader_ = actors::spawn_event_reader(
        node_.system(), {store, node_.router(), node_.clock(), node_.watch(), node_.board(), gates, lists, nodes_});
    node_.settle();
  }
  void advance(std::chrono::milliseconds by) { node_.advance(by, 10s); }

  /// Empty: not answered yet.
  std::shared_ptr<std::optional<backfill_result>> backfill(provider_kind kind, environment env,
                                                           std::optional<time_point> from = {}, bool joins = false) {
    auto answer = std::make_shared<std::optional<backfill_result>>();
    node_.system().spawn([answer, reader = reader_, kind, env, from, joins](caf::event_based_actor* self) {
      self->request(reader, caf::infinite, backfill_events{kind, env, from, joins})
          .then([answer](backfill_result& made) { *answer = std::move(made); }, [](const caf::error&) {});
    });
    node_.settle();
    return answer;
  }
  static std::string text_of(const std::optional<backfill_result>& made) {
    if (!made) return "nothing";
    if (made->failure) return *made->failure;
    return std::to_string(made->events) + " events, " + std::to_string(made->fresh) + " new" +
           (made->complete ? "" : ", reading on");
  }

  time_point now() { return node_.clock().now(); }
  void happens(const std::string& id, std::chrono::milliseconds ago, const std::string& account = "acct_1") {
    script_->lists[account].push_back({id, now() - ago});
  }
  bool knows(const std::string& id) const {
    return rows_->notifications.contains(memory_store::id(notification_key(provider_kind::stripe, live, id)));
  }
  std::optional<time_point> position(const std::string& account = "acct_1") const {
    const auto at = rows_->event_positions.find({"stripe", "live", account});
    return at == rows_->event_positions.end() ? std::nullopt : std::optional{at->second};
  }

  failing_store_ptr rows() const { return rows_; }
  list_script& script() { return *script_; }
  world& node() { return node_; }
  void die() { *dead_ = true; }

 private:
  failing_store_ptr rows_;
  world node_;
  const membership& nodes_;
  std::shared_ptr<list_script> script_ = std::make_shared<list_script>();
  std::shared_ptr<bool> dead_ = std::make_shared<bool>(false);
  event_reader_actor reader_;
};

}  // namespace

TEST_CASE("after a start the lists of all connected accounts are read, and each event becomes a notification") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  w.connect("merch_2", "acct_2");
  w.connect("merch_3", "acct_2");
  w.happens("evt_1", 2h);
  w.happens("evt_2", 1h, "acct_2");
  w.happens("evt_3", 1h, "");
  w.happens("evt_4", 72h);  // before the gateway's first reading
  w.start();
  w.advance(10s);
  CHECK(w.script().asked_accounts() == texts{"", "acct_1", "acct_2"});
  for (const auto* id : {"evt_1", "evt_2", "evt_3"}) CHECK(w.knows(id));
  CHECK_FALSE(w.knows("evt_4"));
  const auto& stored =
      w.rows()->notifications.at(memory_store::id(notification_key(provider_kind::stripe, live, "evt_2")));
  CHECK(stored.account == "acct_2");
  CHECK(stored.type == "charge.refunded");
  CHECK(stored.state == notification_state::ignored);  // it was applied, and the script knows no subject
  CHECK(w.position());
  CHECK(w.position("acct_2"));
  CHECK(w.position(""));
}

TEST_CASE("once an hour a list is read from the last position, with an overlap for events that come late") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  w.happens("evt_1", 1min);
  w.start();
  w.advance(55min);
  const auto first = w.position();
  REQUIRE(first);
  CHECK(w.script().asked.size() == 2);
  w.script().lists["acct_1"].push_back({"evt_late", *first - 5min});
  w.happens("evt_2", 1min);
  w.advance(10min);
  REQUIRE(w.script().asked.size() == 4);
  CHECK(w.script().asked.back().from <= *first - 9min);
  CHECK(w.script().asked.back().from >= *first - 11min);
  CHECK(w.knows("evt_late"));
  CHECK(w.knows("evt_2"));
  CHECK(w.position() > first);
  CHECK(w.rows()->notifications.size() == 3);
}

TEST_CASE("an event that was posted already stays as it is") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  w.happens("evt_1", 1min);
  w.node().ask({notification_key(provider_kind::stripe, live, "evt_1"), std::nullopt,
                notification_command{
                    receive_notification{provider_kind::stripe, "evt_1", "charge.refunded", "acct_1", "as posted"}}});
  const auto before = w.rows()->notifications;
  w.start();
  w.advance(1min);
  CHECK(w.rows()->notifications == before);
  CHECK(w.position());
}

TEST_CASE("a long list is read oldest first, a page at a time") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  for (int i = 0; i < 40; ++i) w.happens("evt_" + std::to_string(i), 20h - i * 25min);
  for (int i = 0; i < 7; ++i) w.happens("evt_burst_" + std::to_string(i), 90min);  // in one second
  w.start();
  std::vector<time_point> positions;
  for (int i = 0; i < 60; ++i) {
    w.advance(10s);
    if (const auto at = w.position()) positions.push_back(*at);
  }
  CHECK(std::ranges::is_sorted(positions));
  CHECK(w.rows()->notifications.size() == 47);
  // A position is stored once all events before it are stored.
  CHECK(positions.front() < positions.back());
  CHECK(positions.back() + 1min > w.script().asked.front().until - 1s);
}

TEST_CASE("after a crash between the events and the position the events are read again, and count once") {
  const auto rows = std::make_shared<failing_store>();
  {
    reading_world w{rows};
    w.connect("merch_1", "acct_1");
    w.happens("evt_1", 1min);
    w.happens("evt_2", 2min);
    w.die();
    w.start();
    w.advance(5s);
    CHECK(w.knows("evt_1"));
    CHECK(w.knows("evt_2"));
    CHECK_FALSE(w.position());
  }
  const auto before = rows->notifications;
  reading_world w{rows};
  w.happens("evt_1", 1min);
  w.happens("evt_2", 2min);
  w.happens("evt_3", 30s);
  w.start();
  w.advance(10s);
  CHECK(rows->notifications.size() == 3);
  for (const auto& [key, row] : before) CHECK(rows->notifications.at(key) == row);
  CHECK(w.position());
}

TEST_CASE("an event that cannot be stored stops its list before the position, which is read again") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  w.happens("evt_1", 1min);
  w.rows()->reads_fail = true;
  w.start();
  CHECK_FALSE(w.position());
  w.rows()->reads_fail = false;
  w.advance(2min);
  CHECK(w.knows("evt_1"));
  CHECK(w.position());
}

TEST_CASE("of several nodes, the one that owns the maintenance reads") {
  membership owner{"node-a", "process a"}, other{"node-b", "process b"};
  for (auto* each : {&owner, &other}) {
    each->serve_until(ticks_ms::max());
    each->set_owners({{"node-a"}, {"process a"}, 1, true});
  }
  const auto rows = std::make_shared<failing_store>();
  reading_world a{rows, 0ms, owner}, b{rows, 0ms, other};
  a.connect("merch_1", "acct_1");
  a.happens("evt_1", 1min);
  b.happens("evt_1", 1min);
  b.start();
  b.advance(2min);
  CHECK(b.script().asked.empty());
  a.start();
  CHECK(a.script().asked.size() == 2);
  CHECK(a.knows("evt_1"));
  // It takes over at once.
  other.set_owners({{"node-b"}, {"process b"}, 2, true});
  b.advance(1min);
  CHECK(b.script().asked.size() == 2);
  CHECK(rows->notifications.size() == 1);
}

TEST_CASE("while the provider is away its lists are asked for ever less often, and read when it is back") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  w.happens("evt_1", 1min);
  w.script().silent = true;
  w.start();
  const auto after_start = w.script().asked.size();
  CHECK(after_start > 0);
  w.advance(30min);
  CHECK(w.script().asked.size() < after_start * 7);
  CHECK_FALSE(w.position());
  const auto before = w.script().asked.size();
  w.node().board().set_away(provider_kind::stripe, live, true);
  w.advance(2h);
  CHECK(w.script().asked.size() == before);
  w.node().board().set_away(provider_kind::stripe, live, false);
  w.script().silent = false;
  w.advance(70min);
  CHECK(w.knows("evt_1"));
  CHECK(w.position());
}

TEST_CASE("an account whose list is refused does not keep the others from being read") {
  reading_world w;
  w.connect("merch_1", "acct_0");
  w.connect("merch_2", "acct_1");
  w.script().refused = "acct_0";
  w.happens("evt_1", 1min);
  w.start();
  CHECK(w.knows("evt_1"));
  CHECK_FALSE(w.position("acct_0"));
  CHECK(w.position("acct_1"));
}

TEST_CASE("more accounts than are read from the store at a time are all asked for once") {
  reading_world w;
  for (int i = 100; i < 230; ++i) w.connect("merch_" + std::to_string(i), "acct_" + std::to_string(i));
  w.start();
  w.advance(1min);
  auto asked = w.script().asked_accounts();
  CHECK(asked.size() == 131);
  std::ranges::sort(asked);
  CHECK(std::ranges::adjacent_find(asked) == asked.end());
}

TEST_CASE("nothing is read while the clock is not trusted, or the provider is not configured") {
  reading_world ahead{std::make_shared<failing_store>(), 240h};
  ahead.connect("merch_1", "acct_1");
  ahead.start();
  ahead.advance(2min);
  CHECK(ahead.script().asked.empty());
  CHECK_THAT(ahead.text_of(*ahead.backfill(provider_kind::stripe, live)), Catch::Contains("clock"));
  reading_world none;
  none.node().published().publish(provider_kind::stripe, live, nullptr);
  none.connect("merch_1", "acct_1");
  none.start();
  none.advance(2min);
  CHECK(none.script().asked.empty());
}

TEST_CASE("an operator has a list read now, from any time on") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  w.happens("evt_old", 200h);
  w.start();
  w.advance(1min);
  w.happens("evt_new", 1s);
  CHECK(w.text_of(*w.backfill(provider_kind::stripe, live)) == "1 events, 1 new");
  w.advance(1s);
  CHECK(w.text_of(*w.backfill(provider_kind::stripe, live)) == "1 events, 0 new");
  const auto position = w.position();
  CHECK(w.text_of(*w.backfill(provider_kind::stripe, live, w.now() - 300h)) == "2 events, 1 new");
  CHECK(w.knows("evt_old"));
  CHECK(w.position() == position);
  // A position never skips events before it.
  w.advance(20min);
  CHECK(w.text_of(*w.backfill(provider_kind::stripe, live, w.now() - 1min)) == "0 events, 0 new");
  CHECK(w.position() == position);
}

TEST_CASE("a recovery waits for the reading that it began, until that ends, and each answer is given once") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  w.start();
  w.advance(1min);
  w.script().page = 100;
  for (int i = 0; i < 2'000; ++i) w.happens("evt_" + std::to_string(i), 20h - i * 30s);
  const auto from = w.now() - 24h;
  auto answer = w.backfill(provider_kind::stripe, live, from, true);
  CHECK_THAT(w.text_of(*w.backfill(provider_kind::stripe, live, from, true)), Catch::Contains("earlier command"));
  int early = 0;
  for (; early < 60; ++early) {
    for (int i = 0; i < 3 && !*answer; ++i) w.advance(10s);
    REQUIRE(*answer);
    if ((*answer)->complete) break;
    answer = w.backfill(provider_kind::stripe, live, from, true);
  }
  CHECK(early > 0);
  CHECK(w.text_of(*answer) == "2000 events, 2000 new");
}

TEST_CASE("a recovery begins some minutes before its time") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  w.start();
  w.advance(1min);
  w.happens("evt_before", 5min);
  CHECK(w.text_of(*w.backfill(provider_kind::stripe, live, w.now() - 1min)) == "0 events, 0 new");
  CHECK(w.text_of(*w.backfill(provider_kind::stripe, live, w.now() - 1min, true)) == "1 events, 1 new");
}

TEST_CASE("an operator is answered before a long list ends, and one command reads it at a time") {
  reading_world w;
  w.connect("merch_1", "acct_1");
  w.start();
  w.advance(1min);
  w.script().page = 100;
  for (int i = 0; i < 2'000; ++i) w.happens("evt_" + std::to_string(i), 20h - i * 30s);
  const auto first = w.backfill(provider_kind::stripe, live, w.now() - 24h);
  CHECK_FALSE(*first);
  const auto second = w.backfill(provider_kind::stripe, live);
  CHECK_THAT(w.text_of(*second), Catch::Contains("earlier command"));
  w.advance(30s);
  CHECK_THAT(w.text_of(*first), Catch::Contains("reading on"));
  w.advance(10min);
  CHECK(w.rows()->notifications.size() == 2'000);
  CHECK(w.text_of(*w.backfill(provider_kind::stripe, live)) == "0 events, 0 new");
}

TEST_CASE("the operator sees why a list cannot be read") {
  reading_world w;
  w.start();
  w.script().silent = true;
  CHECK_THAT(w.text_of(*w.backfill(provider_kind::jazzcash, live)), Catch::Contains("jazzcash keeps no list"));
  CHECK_THAT(w.text_of(*w.backfill(provider_kind::stripe, environment::test)), Catch::Contains("not configured"));
  CHECK(w.text_of(*w.backfill(provider_kind::stripe, live)) == "It is away.");
}

TEST_CASE("the sandbox's events have their payments compared with it") {
  const auto rows = std::make_shared<failing_store>();
  {
    reading_world w{rows};
    w.node().ask(w.node().create("pay_1", "k1"));
    w.node().ask(w.node().capture("pay_1", "k2"));
    w.node().ask({w.node().key_of("pay_1"), std::nullopt,
                  payment_command{act_in_sandbox{{sandbox_act_kind::refund_outside, 1'200, {}, {}}}}});
    w.start();
    w.advance(1s);
    CHECK(w.node().read("pay_1")->refunded == 1'200);
    CHECK(w.text_of(*w.backfill(provider_kind::sandbox, environment::test)) == "1 events, 0 new");
  }
  // The gateway does not know of a second one.
  auto& row = rows->payments.begin()->second;
  REQUIRE(rows->sandbox_events.size() == 1);
  auto event = rows->sandbox_events.front();
  event.event_id = "evt_second";
  rows->sandbox_events.push_back(event);
  row.records.acts.push_back({sandbox_act_kind::refund_outside, 300, {}, event.at});
  reading_world w{rows};
  w.start();
  CHECK(w.node().read("pay_1")->refunded == 1'500);
  w.advance(1s);
  CHECK(rows->event_positions.contains({"sandbox", "test", ""}));
  CHECK(w.text_of(*w.backfill(provider_kind::sandbox, environment::test, w.now() - 1h)) == "2 events, 0 new");
  CHECK(w.text_of(*w.backfill(provider_kind::sandbox_hosted, environment::test, w.now() - 1h)) == "0 events, 0 new");
}

TEST_CASE("the windows of a list cover it without gaps, however they are narrowed") {
  const auto start = from_unix_ms(1'795'176'000'500), end = start + 30h;
  for (const unsigned pattern : {0u, 1u, 5u, 0x5a5au, 0xffffffffu}) {
    actors::event_window w{start, end};
    CHECK(w.from() <= start);
    auto reached = w.from();
    unsigned step = 0;
    for (; !w.empty() && step < 10'000; ++step) {
      REQUIRE(w.from() == reached);
      REQUIRE(w.until() > w.from());
      if (pattern >> (step % 32) & 1u)
        if (w.narrow()) continue;
      reached = w.until();
      w.advance();
    }
    CHECK(step < 10'000);
    CHECK(reached >= end);
    CHECK(reached < end + 1s);
  }
  CHECK(actors::event_window{end, start}.empty());
}
