// The sandbox in its own process, as seen by the gateway, over a real socket.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <caf/all.hpp>

#include "../base/hang_timeout.hpp"
#include "providers/sandbox/line_stream.hpp"
#include "providers/sandbox/sandbox.hpp"
#include "providers/sandbox/wire.hpp"

using namespace gateway;
using namespace gateway::actors;
using namespace std::chrono_literals;

namespace {

const sandbox_settings config{"https://gateway.test", "page-key", "sdk-key"};

provider_call call(operation what, std::string method, int number = 1, flow how = flow::server) {
  provider_call c;
  c.provider_key = "pk_" + std::to_string(number);
  c.what = what;
  c.amount = 4200;
  c.subject.key = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_" + std::to_string(number)});
  c.subject.provider = how == flow::server ? provider_kind::sandbox : provider_kind::sandbox_hosted;
  c.subject.how = how;
  c.subject.details.payment_method = std::move(method);
  c.begun_at = from_unix_ms(1'795'167'000'000);
  return c;
}

/// Listens, and handles each call as the test says. All of its state belongs to its own thread.
class scripted_provider {
 public:
  using script = std::function<void(const wire::numbered_call&, line_stream&)>;

  scripted_provider(const std::filesystem::path& path, script on_call) : on_call_(std::move(on_call)) {
    std::filesystem::remove(path);
    acceptor_.bind({path.string()});
    acceptor_.listen();
    accept();
    thread_ = std::thread{[this] { context_.run(); }};
  }
  ~scripted_provider() {
    context_.stop();
    thread_.join();
  }
  int connections() const { return connections_; }

 private:
  void accept() {
    acceptor_.async_accept([this](boost::system::error_code failed, line_stream::protocol::socket socket) {
      if (failed) return;
      ++connections_;
      auto stream = std::make_shared<line_stream>(std::move(socket));
      const std::weak_ptr<line_stream> weak = stream;
      stream->start(
          [this, weak](std::string_view line) {
            const auto asked = wire::decode_call(line);
            if (asked) on_call_(*asked, *weak.lock());
            return asked.has_value();
          },
          [] {});
      accept();
    });
  }

  script on_call_;
  std::atomic<int> connections_{0};
  boost::asio::io_context context_{1};
  boost::asio::basic_socket_acceptor<line_stream::protocol> acceptor_{context_, line_stream::protocol{}};
  std::thread thread_;
};

void answer_call(const wire::numbered_call& asked, line_stream& back) {
  back.send(wire::encode(wire::numbered_result{asked.id, answer_sandbox_call(asked.call).result}));
}

struct link_config : caf::actor_system_config {
  link_config() {
    add_message_types<caf::id_block::gateway>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", 1u);
  }
};

struct linked {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("sandbox-link-" + std::to_string(::getpid()));
  link_config caf_config;
  caf::actor_system system{caf_config};
  provider_actor link;

  explicit linked(duration_ms patience = 10s) : link(spawn_sandbox_link(system, config, path.string(), patience)) {}
  ~linked() {
    caf::anon_send_exit(link, caf::exit_reason::user_shutdown);
    std::filesystem::remove(path);
  }

  std::future<provider_result> ask(provider_call c) {
    auto promised = std::make_shared<std::promise<provider_result>>();
    system.spawn([promised, to = link, c = std::move(c)](caf::event_based_actor* self) mutable {
      self->request(to, caf::infinite, std::move(c))
          .then([promised](provider_result& result) { promised->set_value(std::move(result)); },
                [](const caf::error&) {});
    });
    return promised->get_future();
  }
  provider_result answer_to(provider_call c) {
    auto answer = ask(std::move(c));
    if (answer.wait_for(tests::hang_timeout) != std::future_status::ready)
      return {provider_status::none, {}, {}, std::nullopt};
    return answer.get();
  }
};

bool is_unknown(const provider_result& result) {
  return result.status == provider_status::unknown && result.error && result.error->outcome_unknown;
}

bool same(const provider_result& a, const provider_result& b) {
  return a.status == b.status && a.provider_ref == b.provider_ref && a.hosted_url == b.hosted_url && a.error == b.error;
}

}  // namespace

TEST_CASE("the fields by which a sandbox decides survive the wire, and so does its answer") {
  auto asked = call(operation::void_payment, "pm_card_\"\\\n\xc3\xa9", 7, flow::embedded);
  asked.asked_again = true;
  asked.subject.amount.unit = currency::parse("JPY").value();
  asked.subject.details.captures_at_once = true;
  asked.subject.captured_at = from_unix_ms(1'795'167'000'001);
  const auto read = wire::decode_call(wire::encode({9, asked}));
  REQUIRE(read);
  CHECK(read->id == 9);
  CHECK(read->call.provider_key == asked.provider_key);
  CHECK(read->call.what == asked.what);
  CHECK(read->call.asked_again);
  CHECK(read->call.amount == 4200);
  CHECK(read->call.subject.amount.unit.code() == "JPY");
  CHECK(read->call.subject.details.captures_at_once);
  CHECK(read->call.begun_at == asked.begun_at);
  CHECK(read->call.subject.key == asked.subject.key);
  CHECK(read->call.subject.provider == asked.subject.provider);
  CHECK(read->call.subject.how == flow::embedded);
  CHECK(read->call.subject.captured_at == asked.subject.captured_at);
  CHECK(read->call.subject.details.payment_method == asked.subject.details.payment_method);
  CHECK(wire::encode({9, asked}).find('\n') == std::string::npos);

  provider_result result{
      provider_status::declined, "ch_1", {}, provider_error{error_category::risk, "code", "words", true, true}};
  result.movement_ref = "re_1";
  result.is_followed = true;
  const auto answered = wire::decode_result(wire::encode(wire::numbered_result{9, result}));
  REQUIRE(answered);
  CHECK(answered->id == 9);
  CHECK(same(answered->result, result));
  CHECK(answered->result.movement_ref == "re_1");
  CHECK(answered->result.is_followed);
}

TEST_CASE("a line that is no message of ours is rejected") {
  for (const auto* line :
       {"", "{}", "null", "[1]", "{\"id\":1}", "hello", R"({"id":-1,"status":"approved","provider_ref":""})",
        R"({"id":1,"status":"splendid","provider_ref":""})"}) {
    CAPTURE(line);
    CHECK_FALSE(wire::decode_call(line));
    CHECK_FALSE(wire::decode_result(line));
  }
}

TEST_CASE("a sandbox in its own process answers as the one in the gateway does") {
  linked gateway;
  const scripted_provider provider{gateway.path, answer_call};
  for (const auto& asked :
       {call(operation::create, "pm_card_visa"), call(operation::create, "pm_card_riskBlocked"),
        call(operation::create, "pm_card_authenticationRequired"), call(operation::create, "", 1, flow::redirect),
        call(operation::capture, "pm_card_captureDeclined"), call(operation::refund, "pm_card_visa"),
        call(operation::void_payment, "pm_card_visa")})
    CHECK(same(gateway.answer_to(asked), answer_sandbox_call(asked, config).result));
  CHECK(provider.connections() == 1);
}

TEST_CASE("calls do not wait for one another, and each gets its own answer") {
  linked gateway;
  std::vector<wire::numbered_call> held;
  const scripted_provider provider{gateway.path, [&](const wire::numbered_call& asked, line_stream& back) {
                                     held.push_back(asked);
                                     if (held.size() == 100)
                                       for (; !held.empty(); held.pop_back()) answer_call(held.back(), back);
                                   }};
  std::vector<std::future<provider_result>> answers;
  for (int i = 0; i < 100; ++i) answers.push_back(gateway.ask(call(operation::create, "pm_card_visa", i)));
  for (int i = 0; i < 100; ++i)
    CHECK(answers[static_cast<std::size_t>(i)].get().provider_ref == "ch_" + std::to_string(i));
}

TEST_CASE("without a listener the outcome is unknown at once, and the first call after one starts gets through") {
  linked gateway;
  CHECK(is_unknown(gateway.answer_to(call(operation::create, "pm_card_visa"))));
  const scripted_provider provider{gateway.path, answer_call};
  CHECK(gateway.answer_to(call(operation::create, "pm_card_visa")).status == provider_status::approved);
}

TEST_CASE("a broken connection makes the outcome of its calls unknown, fails none, and the next call connects again") {
  linked gateway;
  int calls = 0;
  const scripted_provider provider{gateway.path, [&](const wire::numbered_call& asked, line_stream& back) {
                                     if (++calls < 10) return;
                                     if (calls == 10) return back.end();
                                     answer_call(asked, back);
                                   }};
  std::vector<std::future<provider_result>> answers;
  for (int i = 0; i < 10; ++i) answers.push_back(gateway.ask(call(operation::create, "pm_card_chargeDeclined", i)));
  for (auto& each : answers) CHECK(is_unknown(each.get()));
  CHECK(gateway.answer_to(call(operation::create, "pm_card_visa")).status == provider_status::approved);
  CHECK(provider.connections() == 2);
}

TEST_CASE("a provider that sends malformed lines is disconnected") {
  linked gateway;
  const scripted_provider provider{gateway.path,
                                   [](const wire::numbered_call&, line_stream& back) { back.send("splendid"); }};
  CHECK(is_unknown(gateway.answer_to(call(operation::create, "pm_card_visa"))));
}

TEST_CASE("an answer without a waiting call is dropped, and the connection continues") {
  linked gateway{50ms};
  std::optional<wire::numbered_call> late;
  const scripted_provider provider{gateway.path, [&](const wire::numbered_call& asked, line_stream& back) {
                                     if (!late) {
                                       late = asked;
                                       return;
                                     }
                                     answer_call(*late, back);
                                     answer_call(asked, back);
                                   }};
  auto forgotten = gateway.ask(call(operation::create, "pm_card_visa", 1));
  REQUIRE(forgotten.wait_for(tests::hang_timeout) == std::future_status::ready);
  CHECK(is_unknown(forgotten.get()));
  CHECK(gateway.answer_to(call(operation::create, "pm_card_visa", 2)).provider_ref == "ch_2");
  CHECK(provider.connections() == 1);
}

TEST_CASE("a provider that does not read is disconnected before the waiting calls fill the memory") {
  linked gateway;
  std::promise<void> over;
  const auto waits = over.get_future().share();
  const scripted_provider provider{gateway.path, [waits](const wire::numbered_call&, line_stream&) { waits.wait(); }};
  const std::shared_ptr<void> released{nullptr, [&](void*) { over.set_value(); }};
  std::vector<std::future<provider_result>> answers;
  for (int i = 0; i < 400; ++i) answers.push_back(gateway.ask(call(operation::create, std::string(32'000, 'x'), i)));
  REQUIRE(answers.front().wait_for(tests::hang_timeout) == std::future_status::ready);
  CHECK(is_unknown(answers.front().get()));
}

TEST_CASE("a socket path that is too long is refused at the start") {
  caf::actor_system_config config;
  config.add_message_types<caf::id_block::gateway>();
  caf::actor_system system{config};
  CHECK_THROWS_WITH(actors::spawn_sandbox_link(system, {}, "/tmp/" + std::string(200, 'x'), duration_ms{50}),
                    Catch::Matchers::Contains("too long"));
}
