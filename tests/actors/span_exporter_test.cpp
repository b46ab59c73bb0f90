// How spans reach a collector, and what happens to those that do not.
#include <boost/json.hpp>
#include <caf/event_based_actor.hpp>
#include <catch2/catch.hpp>
#include <deque>

#include "tracing/span_exporter.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

/// Holds the requests until the test answers.
class held_collector final : public http_client {
 public:
  struct held {
    http_request request;
    std::function<void(http_outcome)> done;
  };
  std::deque<held> sent;

  void send(http_request request, std::function<void(http_outcome)> done) override {
    sent.push_back({std::move(request), std::move(done)});
  }
  void check(std::string, std::string, std::chrono::milliseconds,
             std::function<void(std::optional<std::string>)>) override {}
};

class desk {
 public:
  explicit desk(tracing_options options = {.most_queued = 10, .batch = 3}) : traces{options, meters} {
    coordinator().run();
  }
  ~desk() {
    system.await_actors_before_shutdown(false);
    caf::anon_send_exit(exporter, caf::exit_reason::user_shutdown);
    coordinator().run();
  }
  desk(const desk&) = delete;
  desk& operator=(const desk&) = delete;

  void record(int spans) {
    for (int i = 0; i < spans; ++i) {
      span one;
      one.where = traces.within(trace_context{{1, 2}, 3, trace_context::sampled, true});
      one.name = "span " + std::to_string(++recorded_);
      traces.record(std::move(one));
    }
    coordinator().run();
  }
  void advance(std::chrono::milliseconds by) {
    coordinator().advance_time(by);
    coordinator().run();
  }
  /// Answers the request under way.
  void answer(std::uint16_t status, std::string body = "{}", std::string retry_after = {}) {
    http_answer with;
    with.status = status;
    with.body = std::move(body);
    if (!retry_after.empty()) with.headers.add("Retry-After", retry_after);
    finish(std::move(with));
  }
  void finish(http_outcome with) {
    REQUIRE_FALSE(collector.sent.empty());
    auto next = std::move(collector.sent.front());
    collector.sent.pop_front();
    next.done(std::move(with));
    coordinator().run();
  }
  /// The names of the spans under way.
  std::vector<std::string> under_way() const {
    std::vector<std::string> names;
    if (collector.sent.empty()) return names;
    const auto body = boost::json::parse(collector.sent.front().request.body);
    for (const auto& one : body.at_pointer("/resourceSpans/0/scopeSpans/0/spans").as_array())
      names.emplace_back(one.at("name").as_string().c_str());
    return names;
  }
  std::shared_ptr<bool> drain() {
    auto done = std::make_shared<bool>(false);
    auto* from = static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(asking));
    from->context(&outside);
    from->request(exporter, caf::infinite, drain_atom::value).then([done](bool) { *done = true; });
    coordinator().run();
    return done;
  }
  double exported() const { return meters.trace_spans_exported.Value(); }
  double dropped() const { return meters.trace_spans_dropped.Value(); }

  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  }

  metrics meters;
  tracing traces;
  held_collector collector;
  deterministic_config caf_config;
  caf::actor_system system{caf_config};
  caf::scoped_execution_unit outside{&system};
  caf::actor asking = system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  actors::span_exporter exporter = actors::spawn_span_exporter(system, traces, collector,
                                                               {.url = "http://127.0.0.1:4318/v1/traces",
                                                                .source = {"shop", "n1"},
                                                                .interval = 1s,
                                                                .first_pause = 1s,
                                                                .longest_pause = 5s,
                                                                .attempts = 3},
                                                               actors::runs_on::scheduler);

 private:
  int recorded_ = 0;
};

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("span exporter: a full batch is sent at once, and a partial one after a second") {
  desk d;
  d.record(2);
  CHECK(d.collector.sent.empty());
  d.record(1);
  REQUIRE(d.collector.sent.size() == 1);
  const auto& request = d.collector.sent.front().request;
  CHECK(request.method == http_method::post);
  CHECK(request.url == "http://127.0.0.1:4318/v1/traces");
  CHECK(request.headers == std::vector<std::pair<std::string, std::string>>{{"Content-Type", "application/json"}});
  CHECK(d.under_way() == names{"span 1", "span 2", "span 3"});
  d.answer(200);
  CHECK(d.exported() == 3);
  d.record(1);
  CHECK(d.collector.sent.empty());
  d.advance(1s);
  CHECK(d.under_way() == names{"span 4"});
  d.answer(200);
  CHECK(d.exported() == 4);
  d.advance(10s);
  CHECK(d.collector.sent.empty());
  CHECK(d.dropped() == 0);
}

TEST_CASE("span exporter: one batch is under way at a time, and the next follows it") {
  desk d;
  d.record(3);
  d.record(4);
  CHECK(d.collector.sent.size() == 1);
  d.answer(202);
  CHECK(d.under_way() == names{"span 4", "span 5", "span 6", "span 7"});
}

TEST_CASE("span exporter: while the collector does not answer, the queue is bounded and spans beyond it are counted") {
  desk d;
  d.record(3);
  d.record(15);
  CHECK(d.traces.queued() == 10);
  CHECK(d.dropped() == 5);
  CHECK(d.collector.sent.size() == 1);
}

TEST_CASE("span exporter: a batch that is refused for the moment is sent again, three times in all") {
  desk d;
  const auto status = GENERATE(0, 429, 502, 503, 504);
  const auto turn_away = [&] {
    if (status == 0)
      d.finish(http_failure{http_fault::connect_failed, false});
    else
      d.answer(static_cast<std::uint16_t>(status));
  };
  CAPTURE(status);
  d.record(3);
  turn_away();
  CHECK(d.collector.sent.empty());
  d.advance(999ms);
  CHECK(d.collector.sent.empty());
  d.advance(1ms);
  CHECK(d.under_way() == names{"span 1", "span 2", "span 3"});
  turn_away();
  d.advance(1999ms);
  CHECK(d.collector.sent.empty());
  d.advance(1ms);
  CHECK(d.under_way() == names{"span 1", "span 2", "span 3"});
  SECTION("the next attempt is accepted") {
    d.answer(200);
    CHECK(d.exported() == 3);
    CHECK(d.dropped() == 0);
  }
  SECTION("the next attempt is rejected, and its spans are dropped") {
    turn_away();
    CHECK(d.exported() == 0);
    CHECK(d.dropped() == 3);
    d.record(3);
    CHECK(d.under_way() == names{"span 4", "span 5", "span 6"});
  }
}

TEST_CASE("span exporter: the collector sets the pause, up to a bound") {
  struct row {
    const char* said;
    std::chrono::milliseconds pause;
  };
  const auto row = GENERATE(values<struct row>({{"3", 3s},
                                                {" 2", 2s},
                                                {"0", 1s},
                                                {"3600", 5s},
                                                {"soon", 1s},
                                                {"Fri, 31 Dec 9999 23:59:59 GMT", 5s},
                                                {"Fri, 06 Nov 2020 08:49:37 GMT", 1s}}));
  CAPTURE(row.said);
  desk d;
  d.record(3);
  d.answer(429, "", row.said);
  d.advance(row.pause - 1ms);
  CHECK(d.collector.sent.empty());
  d.advance(1ms);
  CHECK(d.collector.sent.size() == 1);
}

TEST_CASE("span exporter: a batch that the collector refuses for good is dropped at once") {
  const auto status = GENERATE(std::uint16_t{400}, std::uint16_t{404}, std::uint16_t{500}, std::uint16_t{307});
  desk d;
  d.record(3);
  d.answer(status);
  CHECK(d.dropped() == 3);
  d.advance(100s);
  CHECK(d.collector.sent.empty());
}

TEST_CASE("span exporter: spans of a batch that a collector rejects count as dropped") {
  desk d;
  d.record(3);
  d.answer(200, R"({"partialSuccess":{"rejectedSpans":"2"}})");
  CHECK(d.exported() == 1);
  CHECK(d.dropped() == 2);
  d.record(3);
  d.answer(200, R"({"partialSuccess":{"rejectedSpans":"1000000"}})");
  CHECK(d.exported() == 1);
  CHECK(d.dropped() == 5);
}

TEST_CASE("span exporter: drained, it sends all that is queued, and then answers") {
  desk d;
  d.record(1);
  const auto done = d.drain();
  CHECK_FALSE(*done);
  CHECK(d.under_way() == names{"span 1"});
  d.record(1);
  d.answer(200);
  CHECK_FALSE(*done);
  CHECK(d.under_way() == names{"span 2"});
  d.answer(200);
  CHECK(*done);
  CHECK(d.exported() == 2);
}

TEST_CASE("span exporter: drained with nothing to send, it answers at once") {
  desk d;
  CHECK(*d.drain());
}

TEST_CASE("span exporter: drained while the collector is away, it skips the pauses and drops what is left") {
  desk d;
  d.record(3);
  d.finish(http_failure{http_fault::connect_failed, false});
  d.record(2);
  const auto done = d.drain();
  CHECK_FALSE(*done);
  CHECK(d.under_way() == names{"span 1", "span 2", "span 3"});
  d.finish(http_failure{http_fault::connect_failed, false});
  CHECK(*done);
  CHECK(d.dropped() == 5);
}
