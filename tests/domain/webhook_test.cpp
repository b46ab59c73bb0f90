#include <catch2/catch.hpp>

#include <set>

#include "gateway/domain/webhook.hpp"
#include "gateway/ports/store/delivery_numbers.hpp"

using namespace gateway;
using namespace std::chrono_literals;

namespace {

constexpr auto merchants = destination_kind::merchant;
constexpr auto platforms = destination_kind::platform;

destination to(destination_kind kind, environment env, std::vector<std::string> events = {}) {
  destination d;
  d.kind = kind;
  d.env = env;
  d.events = std::move(events);
  return d;
}

delivery_attempt seen(attempt_result result, std::uint16_t status = 0, std::optional<duration_ms> retry_after = {}) {
  delivery_attempt a;
  a.result = result;
  a.status = status;
  a.retry_after = retry_after;
  return a;
}

const auto noon = from_unix_ms(1'795'167'000'000);

/// The delays between the attempts of a delivery that never succeeds, in seconds; ends when it is failed.
std::vector<std::int64_t> delays_of(destination_kind kind, delivery d = {}) {
  std::vector<std::int64_t> delays;
  const auto made = d.attempts;
  for (auto now = noon; d.attempts - made < 100;) {
    d = after_attempt(std::move(d), seen(attempt_result::rejected, 500), kind, {}, now);
    if (!d.next_attempt_at) break;
    delays.push_back((*d.next_attempt_at - now) / 1s);
    now = *d.next_attempt_at;
  }
  CHECK(d.status == delivery_status::failed);
  CHECK(d.attempts - made == delays.size() + 1);
  return delays;
}

}  // namespace

TEST_CASE("a platform's delivery is retried after 1 s, 5 s, 30 s, 5 min, 30 min, 2 h and 12 h, and then fails") {
  CHECK(delays_of(platforms) == std::vector<std::int64_t>{1, 5, 30, 300, 1800, 7200, 43200});
}

TEST_CASE("a merchant's delivery has eight attempts, after 30 s at first and twice as long each time") {
  CHECK(delays_of(merchants) == std::vector<std::int64_t>{30, 60, 120, 240, 480, 960, 1920});
}

TEST_CASE("further attempts for merchants are an hour apart at most") {
  const retry_schedule long_one{12};
  CHECK(long_one.delay_after(merchants, 7) == 1920s);
  CHECK(long_one.delay_after(merchants, 8) == 1h);
  CHECK(long_one.delay_after(merchants, 11) == 1h);
  CHECK(long_one.delay_after(merchants, 12) == std::nullopt);
}

TEST_CASE("a redelivery restarts the whole schedule, and its attempts continue counting") {
  delivery d;
  d.attempts = 8;
  d.status = delivery_status::failed;
  d.version = 9;
  d = redelivered(std::move(d), noon);
  CHECK(d.status == delivery_status::pending);
  CHECK(d.next_attempt_at == noon);
  CHECK(d.version == 10);
  CHECK(delays_of(merchants, d) == delays_of(merchants));
}

TEST_CASE("an answer may ask for a longer delay than the schedule's, up to twelve hours, and never for a shorter one") {
  struct row {
    duration_ms asked, given;
  };
  for (const auto& [asked, given] :
       {row{10s, 30s}, row{0s, 30s}, row{31s, 31s}, row{2h, 2h}, row{12h, 12h}, row{13h, 12h}, row{8760h, 12h}}) {
    const auto d = after_attempt({}, seen(attempt_result::rejected, 503, asked), merchants, {}, noon);
    CAPTURE(asked.count());
    CHECK(d.next_attempt_at == noon + given);
    CHECK_FALSE(d.last->retry_after);
  }
}

TEST_CASE("the last attempt fails the delivery whatever delay its answer asks for") {
  delivery d;
  d.attempts = 7;
  d = after_attempt(std::move(d), seen(attempt_result::rejected, 503, 1h), merchants, {}, noon);
  CHECK(d.status == delivery_status::failed);
  CHECK_FALSE(d.next_attempt_at);
}

TEST_CASE("the effect of each result of a first attempt") {
  struct row {
    attempt_result result;
    delivery_status then;
  };
  using enum attempt_result;
  constexpr row table[] = {{delivered, delivery_status::delivered},
                           {rejected, delivery_status::pending},
                           {gone, delivery_status::pending},
                           {answer_timeout, delivery_status::pending},
                           {connect_timeout, delivery_status::pending},
                           {unreachable, delivery_status::pending},
                           {tls_failed, delivery_status::pending},
                           {forbidden_address, delivery_status::pending},
                           {bad_answer, delivery_status::pending}};
  static_assert(std::size(table) == enum_count<attempt_result>);
  for (const auto& [result, then] : table) {
    const auto d = after_attempt({}, seen(result), merchants, {}, noon);
    CAPTURE(to_string(result));
    CHECK(d.status == then);
    CHECK(d.attempts == 1);
    CHECK(d.version == 2);
    CHECK(d.next_attempt_at.has_value() == (then == delivery_status::pending));
    CHECK(d.last->result == result);
  }
}

TEST_CASE("which destination gets which event") {
  constexpr auto test = environment::test, live = environment::live;
  struct row {
    destination to;
    environment env;
    std::string_view type;
    bool sent;
  };
  const row table[] = {
      {to(merchants, test), test, "payment.captured", true},
      {to(merchants, test), test, "payment.failed", true},
      {to(merchants, test), test, "payment.partially_refunded", true},
      {to(merchants, test), test, "payment.refunded", true},
      {to(merchants, test), test, "payment.voided", false},
      {to(merchants, test), test, "subscription.activated", false},
      {to(merchants, test), test, "subscription.updated", false},
      {to(merchants, test), test, "subscription.canceled", false},
      {to(merchants, test), test, "subscription.invoice_paid", false},
      {to(merchants, test), test, "subscription.invoice_failed", false},
      {to(merchants, test), test, "payment.invented", false},
      {to(merchants, test), live, "payment.captured", false},
      {to(merchants, live), test, "payment.captured", false},
      {to(merchants, live), live, "payment.captured", true},
      {to(merchants, live, {"payment.voided"}), live, "payment.voided", true},
      {to(merchants, live, {"payment.voided"}), live, "payment.captured", false},
      {to(merchants, live, {"subscription.updated"}), live, "subscription.updated", true},
      {to(platforms, live), live, "payment.captured", true},
      {to(platforms, live), live, "payment.voided", false},
      {to(platforms, live, {"subscription.canceled"}), live, "subscription.canceled", true},
      {to(platforms, test), test, "payment.captured", false},  // platforms get no test events
      {to(platforms, test, {"payment.captured"}), test, "payment.captured", false},
  };
  for (const auto& each : table) {
    CAPTURE(to_string(each.to.kind), to_string(each.to.env), to_string(each.env), each.type);
    CHECK(is_for(each.to, each.env, each.type) == each.sent);
  }
}

TEST_CASE("a platform gets in live what its merchants get by default, and the rest if its list names it") {
  constexpr auto live = environment::live, test = environment::test;
  for (const auto& [type, name, on_request] : event_catalogue) {
    CAPTURE(name);
    CHECK(is_for(to(platforms, live), live, name) == !on_request);
    CHECK(is_for(to(platforms, live, {std::string{name}}), live, name));
    CHECK_FALSE(is_for(to(platforms, live, {"payment.invented"}), live, name));
    // Whatever it lists, it gets no test events, and no events of the other mode.
    for (const auto& [listens, happens] : {std::pair{test, test}, std::pair{test, live}, std::pair{live, test}})
      for (const auto& listed : {std::vector<std::string>{}, std::vector{std::string{name}}})
        CHECK_FALSE(is_for(to(platforms, listens, listed), happens, name));
  }
}

TEST_CASE("for platforms a capture is payment.succeeded; all other events have one name") {
  CHECK(type_for(platforms, "payment.captured") == "payment.succeeded");
  CHECK(type_for(merchants, "payment.captured") == "payment.captured");
  for (const auto& type : event_catalogue) {
    if (type.name != "payment.captured") CHECK(type_for(platforms, type.name) == type.name);
    CHECK(stored_event_type(type.name) == type.name);
  }
  CHECK(stored_event_type("payment.succeeded") == "payment.captured");
  CHECK_FALSE(stored_event_type("payment.invented"));
}

TEST_CASE("delivery numbers increase, never repeat, and contain when they were drawn") {
  delivery_numbers numbers{4095};
  std::set<std::int64_t> drawn;
  std::int64_t last = 0;
  for (int i = 0; i < 20'000; ++i) {
    // A clock that stands still, and one that is set back.
    const auto number = numbers.next(noon - (i % 3) * 1s);
    CHECK(number > last);
    last = number;
    drawn.insert(number);
  }
  CHECK(drawn.size() == 20'000);
  CHECK(delivery_numbers::drawn_at(numbers.next(noon + 1h)) == noon + 1h);
  CHECK(delivery_numbers{7}.next(from_unix_ms(3'900'000'000'000)) < (std::int64_t{1} << 53));
}
