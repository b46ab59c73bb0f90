// How the dialogues of an adapter are executed.
#include <caf/event_based_actor.hpp>
#include <catch2/catch.hpp>
#include <deque>

#include "providers/http_provider.hpp"
#include "virtual_time.hpp"

using namespace gateway;
using namespace gateway::testing;
using namespace std::chrono_literals;

namespace {

/// Holds the requests until the test answers.
class held_client final : public http_client {
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

  http_request answer(http_outcome with) {
    REQUIRE_FALSE(sent.empty());
    auto next = std::move(sent.front());
    sent.pop_front();
    next.done(std::move(with));
    return next.request;
  }
};

http_outcome answer_of(std::uint16_t status, std::string body, std::string retry_after = {}) {
  http_answer answer;
  answer.status = status;
  answer.body = std::move(body);
  if (!retry_after.empty()) answer.headers.add("Retry-After", retry_after);
  return answer;
}

/// Two requests, whose answers it combines.
struct two_steps final : dialogue<provider_result> {
  std::string first;
  int step = 0;
  std::variant<http_request, provider_result> next(const http_outcome* received) override {
    const auto* answer = received ? std::get_if<http_answer>(received) : nullptr;
    if (received && (!answer || answer->status != 200))
      return provider_result{provider_status::unknown, answer ? std::to_string(answer->status) : "failure", {}, {}};
    switch (step++) {
      case 0: return request_to("https://provider.test/first");
      case 1: first = answer->body; return request_to("https://provider.test/second/" + first);
      default: return provider_result{provider_status::approved, first + "+" + answer->body, {}, {}};
    }
  }
  static http_request request_to(std::string url) {
    http_request request;
    request.method = http_method::post;
    request.url = std::move(url);
    request.answer_timeout = 60s;
    return request;
  }
};

class scripted_adapter final : public provider_adapter {
 public:
  provider_kind kind() const noexcept override { return provider_kind::stripe; }
  std::span<const provider_setting_row> settings() const noexcept override { return {}; }
  std::optional<std::string> fault_of(const provider_settings&, environment, bool) const override { return {}; }
  dialogue_ptr<provider_result> open(const provider_call&, const provider_settings&, time_point) const override {
    return std::make_unique<two_steps>();
  }
  dialogue_ptr<provider_result> open(const provider_inquiry&, const provider_settings&, time_point) const override {
    return std::make_unique<two_steps>();
  }
  dialogue_ptr<account_answer> open(const account_question&, const provider_settings&, time_point) const override {
    return nullptr;
  }
  dialogue_ptr<notification_subject> open(const notification_question& question, const provider_settings&,
                                          time_point) const override {
    struct at_once final : dialogue<notification_subject> {
      entity_key key;
      std::variant<http_request, notification_subject> next(const http_outcome*) override {
        return notification_subject{about_payment{key}};
      }
    };
    auto said = std::make_unique<at_once>();
    said->key = question.what.key;
    return said;
  }
  std::variant<receive_notification, notification_fault> verify(const incoming_notification&, const provider_settings&,
                                                                environment, time_point) const override {
    return notification_fault::unsigned_;
  }
};

class desk {
 public:
  explicit desk(bool configured = true) {
    if (configured)
      published.publish(provider_kind::stripe, environment::test, std::make_shared<const provider_settings>());
    config.provider_timeout = 10s;
  }
  ~desk() {
    system.await_actors_before_shutdown(false);
    caf::anon_send_exit(provider, caf::exit_reason::user_shutdown);
    run();
  }
  desk(const desk&) = delete;
  desk& operator=(const desk&) = delete;

  template <class Answer, class Question>
  std::shared_ptr<std::optional<Answer>> ask(Question question) {
    auto answer = std::make_shared<std::optional<Answer>>();
    auto* from = static_cast<caf::event_based_actor*>(caf::actor_cast<caf::abstract_actor*>(asking));
    from->context(&outside);
    from->request(provider, caf::infinite, std::move(question)).then([answer](Answer& said) { *answer = said; });
    run();
    return answer;
  }
  std::shared_ptr<std::optional<provider_result>> call(bool asked_again = false) {
    provider_call one;
    one.asked_again = asked_again;
    return ask<provider_result>(one);
  }
  void answer(http_outcome with) {
    client.answer(std::move(with));
    run();
  }
  void run() { coordinator().run(); }
  void advance(std::chrono::milliseconds by) {
    coordinator().advance_time(by);
    run();
  }
  caf::scheduler::test_coordinator& coordinator() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  }

  settings config;
  hand_clock clock;
  directory published;
  held_client client;
  scripted_adapter adapter;
  actors::http_provider_context context{adapter, client, published, clock, config};
  deterministic_config caf_config;
  caf::actor_system system{caf_config};
  caf::scoped_execution_unit outside{&system};
  caf::actor asking = system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](wake_atom) {}}; });
  provider_actor provider = actors::spawn_http_provider(system, context);
};

}  // namespace

TEST_CASE("a dialogue's requests follow one another, and each has at most the provider's timeout") {
  desk d;
  const auto answer = d.call();
  REQUIRE(d.client.sent.size() == 1);
  CHECK(d.client.sent.front().request.url == "https://provider.test/first");
  CHECK(d.client.sent.front().request.answer_timeout == 10s);
  d.answer(answer_of(200, "a"));
  REQUIRE(d.client.sent.size() == 1);
  CHECK(d.client.sent.front().request.url == "https://provider.test/second/a");
  CHECK_FALSE(answer->has_value());
  d.answer(answer_of(200, "b"));
  REQUIRE(answer->has_value());
  CHECK((*answer)->provider_ref == "a+b");
  CHECK(d.client.sent.empty());
}

TEST_CASE("dialogues run concurrently") {
  desk d;
  const auto first = d.call(), second = d.call();
  REQUIRE(d.client.sent.size() == 2);
  d.answer(answer_of(200, "a"));
  d.answer(answer_of(500, ""));
  CHECK((*second)->provider_ref == "500");
  d.answer(answer_of(200, "b"));
  CHECK((*first)->provider_ref == "a+b");
}

TEST_CASE(
    "a request refused as one too many is repeated once, after the provider's pause, if its caller still waits then") {
  desk d;
  const auto answer = d.call();
  SECTION("after its pause") {
    d.answer(answer_of(429, "", GENERATE("2", " 2", "Fri, 20 Nov 2026 09:30:02 GMT")));
    CHECK(d.client.sent.empty());
    d.advance(1999ms);
    CHECK(d.client.sent.empty());
    d.advance(1ms);
    REQUIRE(d.client.sent.size() == 1);
    CHECK(d.client.sent.front().request.url == "https://provider.test/first");
    SECTION("and goes on") {
      d.answer(answer_of(200, "a"));
      d.answer(answer_of(200, "b"));
      CHECK((*answer)->provider_ref == "a+b");
    }
    SECTION("but not a third time") {
      d.answer(answer_of(429, "", "1"));
      CHECK((*answer)->provider_ref == "429");
    }
  }
  SECTION("not if the pause is too long, missing or invalid") {
    for (const auto* pause :
         {"10", "3600", "", "soon", "-1", "99999999999999999999", "Fri, 20 Nov 2026 09:30:10 GMT"}) {
      const auto other = d.call();
      d.client.sent.pop_front();
      d.answer(answer_of(429, "", pause));
      CHECK((*other)->provider_ref == "429");
      d.client.sent.clear();
      d.call();
    }
  }
}

TEST_CASE("a provider that is no longer configured is sent nothing") {
  desk d{false};
  CHECK((*d.call())->status == provider_status::declined);
  CHECK((*d.call())->error->code == "provider_unavailable");
  CHECK((*d.call(true))->status == provider_status::unknown);
  CHECK((*d.ask<provider_result>(provider_inquiry{}))->status == provider_status::unknown);
  CHECK(std::holds_alternative<not_understood>(**d.ask<notification_subject>(notification_question{})));
  CHECK(d.client.sent.empty());
}

TEST_CASE("a dialogue without requests is answered at once") {
  desk d;
  const auto answer = d.ask<notification_subject>(notification_question{});
  CHECK(std::holds_alternative<about_payment>(**answer));
  CHECK(d.client.sent.empty());
}

TEST_CASE("a request's trace continues with each request to the provider") {
  const auto traceparents = [](const http_request& request) {
    std::vector<std::string> all;
    for (const auto& [name, value] : request.headers)
      if (name == "traceparent") all.push_back(value);
    return all;
  };
  desk d;
  provider_call call;
  call.trace = *parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
  const auto answer = d.ask<provider_result>(call);
  const std::vector<std::string> same{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"};
  CHECK(traceparents(d.client.sent.front().request) == same);
  SECTION("also with one that was refused once") {
    d.answer(answer_of(429, "", "1"));
    d.advance(1s);
  }
  CHECK(traceparents(d.client.sent.front().request) == same);
  d.answer(answer_of(200, "a"));
  CHECK(traceparents(d.client.sent.front().request) == same);
  d.client.sent.clear();

  d.call();
  CHECK(traceparents(d.client.sent.front().request).empty());
}
