// Deliveries from the commit of an event to the recorded attempt, under virtual time.
#include <catch2/catch.hpp>

#include <algorithm>

#include "gateway/base/crypto.hpp"
#include "gateway/directory/webhook_signature.hpp"
#include "world.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

destination hook(std::string_view name, std::vector<std::string> events = {}) {
  destination d;
  d.id = destination_id{"dest_" + std::string{name}};
  d.owner = "merch_1";
  d.url = "https://" + std::string{name} + ".test/hook";
  d.events = std::move(events);
  return d;
}

/// The deliveries as rows, oldest first.
std::vector<delivery> rows_of(world& w, std::string_view name = {}) {
  find_deliveries all;
  if (!name.empty()) all.to = destination_id{"dest_" + std::string{name}};
  all.limit = 100'000;
  auto found = w.rows().run(all);
  std::vector<delivery> rows;
  for (auto at = found.jobs.rbegin(); at != found.jobs.rend(); ++at) rows.push_back(at->row);
  return rows;
}

std::string header(const outgoing_post& post, std::string_view name) {
  for (const auto& [key, value] : post.headers)
    if (key == name) return value;
  return {};
}

/// A payment that is created and captured: one event.
void sell(world& w, const std::string& id) {
  w.ask(world::create(id, "create " + id));
  w.ask(world::capture(id, "capture " + id));
}

}  // namespace

TEST_CASE("a capture reaches every destination that subscribes to it, at once") {
  world w;
  w.subscribe(hook("a"));
  w.subscribe(hook("b"));
  w.subscribe(hook("c", {"payment.voided"}));
  sell(w, "pay_1");
  REQUIRE(w.office().sent.size() == 2);
  CHECK(w.office().sent_to("https://a.test/hook") == 1);
  CHECK(w.office().sent_to("https://b.test/hook") == 1);
  // One event, two deliveries.
  const auto& [first, second] = std::tie(w.office().sent[0].post, w.office().sent[1].post);
  CHECK(first.body == second.body);
  CHECK(header(first, "X-Service-Delivery") != header(second, "X-Service-Delivery"));
  for (const auto& row : rows_of(w)) {
    CHECK(row.status == delivery_status::delivered);
    CHECK(row.attempts == 1);
    CHECK(row.last->status == 200);
    CHECK_FALSE(row.next_attempt_at);
  }
}

TEST_CASE("an event and its deliveries are stored in one commit: if it fails, nothing is sent") {
  world w;
  w.subscribe(hook("a"));
  w.ask(world::create("pay_1", "key 1"));
  w.rows().faults = {fault::none, fault::before_commit};
  w.ask(world::capture("pay_1", "key 2"));
  CHECK(w.office().sent.empty());
  CHECK(rows_of(w).empty());
  // The retry commits both, and the delivery is sent once.
  w.rows().faults = {};
  w.ask(world::capture("pay_1", "key 2"));
  w.advance(31s);
  CHECK(w.office().sent.size() == 1);
  CHECK(rows_of(w).size() == 1);
}

TEST_CASE("a commit whose answer was lost is found in the table") {
  world w;
  w.subscribe(hook("a"));
  w.ask(world::create("pay_1", "key 1"));
  w.rows().faults = {fault::none, fault::after_commit};
  w.ask(world::capture("pay_1", "key 2"));
  CHECK(w.office().sent.empty());
  w.advance(31s);
  CHECK(w.office().sent.size() == 1);
}

TEST_CASE("the signature is the HMAC of time, dot and body, with the old secret too while it is rotated") {
  world w;
  const auto until = w.clock().now() + 1h;
  w.subscribe(hook("a"), "whsec_new", "whsec_old", until);
  sell(w, "pay_1");
  const auto& post = w.office().sent.at(0).post;
  const auto t = std::to_string(to_unix_ms(w.clock().now()) / 1000);
  const auto sign = [&](std::string_view secret) {
    return crypto::hex(crypto::hmac_sha256(secret, t + "." + post.body));
  };
  CHECK(header(post, "X-Service-Signature") == "t=" + t + ",v1=" + sign("whsec_new") + ",v1=" + sign("whsec_old"));
  w.advance(1h, 30s);
  sell(w, "pay_2");
  const auto& later = header(w.office().sent.at(1).post, "X-Service-Signature");
  CHECK(std::ranges::count(later, ',') == 1);
}

TEST_CASE(
    "a destination that asks for it gets the Standard Webhooks headers, with the old secret too while it is rotated") {
  world w;
  auto asks = hook("a");
  asks.standard_webhooks = true;
  const auto until = w.clock().now() + 1h;
  const std::string fresh(64, 'a'), old(64, '0');  // as base64: 48 bytes each
  w.subscribe(asks, "whsec_" + fresh, "whsec_" + old, until);
  w.subscribe(hook("b"), "whsec_" + fresh);
  sell(w, "pay_1");
  REQUIRE(w.office().sent.size() == 2);
  for (const auto& sent : w.office().sent) {
    const auto& post = sent.post;
    if (post.url == hook("b").url) {
      for (const auto* name : {"webhook-id", "webhook-timestamp", "webhook-signature"})
        CHECK(header(post, name).empty());
      continue;
    }
    const auto t = std::to_string(to_unix_ms(w.clock().now()) / 1000);
    const auto id = header(post, "webhook-id");
    CHECK(post.body.starts_with(id + ' '));
    CHECK(header(post, "webhook-timestamp") == t);
    const auto sign = [&](const std::string& secret) {
      const auto key = crypto::from_base64url(secret).value();
      return crypto::to_text(crypto::hmac_sha256(key, id + '.' + t + '.' + post.body));
    };
    std::string expected;
    for (const auto& secret : {fresh, old}) {
      auto text = crypto::base64url(sign(secret));
      std::ranges::replace(text, '-', '+');
      std::ranges::replace(text, '_', '/');
      expected += (expected.empty() ? "v1," : " v1,") + text + '=';
    }
    CHECK(header(post, "webhook-signature") == expected);
  }
}

TEST_CASE("a Standard Webhooks signature is the one that the specification's library makes") {
  webhook_endpoint to;
  to.what.standard_webhooks = true;
  to.secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const auto at = time_point{1'614'265'330s};
  const auto headers = standard_webhook_headers(to, "msg_p5jXN8AQM9LWM0D4loKWxJek", R"({"test": 2432232314})", at);
  REQUIRE(headers.size() == 3);
  CHECK(headers[1].second == "1614265330");
  CHECK(headers[2].second == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  to.secret = "whsec_";
  CHECK(standard_webhook_headers(to, "msg_1", "{}", at).empty());
  to.secret = "whsec_no base64";
  CHECK(standard_webhook_headers(to, "msg_1", "{}", at).empty());
}

TEST_CASE("deliveries that workers hold when a destination changes go to its new URL, signed with its new secret") {
  world w;
  auto off = hook("a");
  off.status = destination_status::disabled;
  w.publish(off);
  for (const auto* id : {"pay_1", "pay_2", "pay_3"}) sell(w, id);
  auto moved = hook("a");
  moved.url = "https://moved.test/hook";
  w.office().answer = [&](const outgoing_post&) {
    w.publish(moved, "whsec_new");
    return post_office::says(200);
  };
  w.subscribe(hook("a"), "whsec_old");  // each of the three workers has an order before the first one posts
  REQUIRE(w.office().sent.size() == 3);
  const auto t = std::to_string(to_unix_ms(w.clock().now()) / 1000);
  const auto is_signed_by = [&](std::string_view secret, const outgoing_post& post) {
    return header(post, "X-Service-Signature") ==
           "t=" + t + ",v1=" + crypto::hex(crypto::hmac_sha256(secret, t + "." + post.body));
  };
  CHECK(w.office().sent[0].post.url == hook("a").url);
  CHECK(is_signed_by("whsec_old", w.office().sent[0].post));
  for (const auto i : {1U, 2U}) {
    CHECK(w.office().sent[i].post.url == moved.url);
    CHECK(is_signed_by("whsec_new", w.office().sent[i].post));
  }
}

TEST_CASE(
    "a failing destination is tried by the schedule, with the same number and bytes, and then the delivery fails") {
  world w;
  w.office().answer = [](const outgoing_post&) { return post_office::says(500); };
  w.subscribe(hook("a"));
  sell(w, "pay_1");
  const auto started = w.clock().now();
  std::vector<std::int64_t> at{0};
  for (std::size_t seen = 1; w.clock().now() < started + 3h;) {
    w.advance(500ms);
    for (; seen < w.office().sent.size(); ++seen) at.push_back((w.clock().now() - started) / 1s);
  }
  CHECK(at == std::vector<std::int64_t>{0, 30, 90, 210, 450, 930, 1890, 3810});
  const auto& first = w.office().sent.front().post;
  for (const auto& letter : w.office().sent) {
    CHECK(letter.post.body == first.body);
    CHECK(header(letter.post, "X-Service-Delivery") == header(first, "X-Service-Delivery"));
  }
  const auto row = rows_of(w).at(0);
  CHECK(row.status == delivery_status::failed);
  CHECK(row.attempts == 8);
}

TEST_CASE("an operator redelivers a failed delivery, alone or with all others of a time range") {
  world w;
  bool well = false;
  w.office().answer = [&](const outgoing_post&) { return post_office::says(well ? 200 : 500); };
  w.subscribe(hook("a"));
  for (int i = 0; i < 3; ++i) sell(w, "pay_" + std::to_string(i));
  w.advance(3h, 1s);
  const auto rows = rows_of(w);
  REQUIRE(rows.size() == 3);
  for (const auto& row : rows) REQUIRE(row.status == delivery_status::failed);
  well = true;
  const auto before = w.office().sent.size();
  CHECK(w.redeliver({rows[1].id, {}, {}, {}}) == 1);
  CHECK(w.office().sent.size() == before + 1);  // at once
  w.advance(60s);
  CHECK(w.office().sent.size() == before + 1);
  CHECK(rows_of(w)[1].status == delivery_status::delivered);
  CHECK(w.redeliver({0, destination_id{"dest_a"}, rows[0].created_at, rows[0].created_at + 1h}) == 2);
  w.advance(60s);
  for (const auto& row : rows_of(w)) CHECK(row.status == delivery_status::delivered);
  CHECK(w.redeliver({0, destination_id{"dest_a"}, {}, {}}) == 0);
  CHECK(w.redeliver({12345, {}, {}, {}}) == 0);
}

TEST_CASE("a delivery that is redelivered while it is under way is attempted again as soon as the attempt has ended") {
  world w;
  w.office().answer = [](const outgoing_post&) { return std::nullopt; };
  w.subscribe(hook("a"));
  w.advance(5s);
  sell(w, "pay_1");
  REQUIRE(w.redeliver({rows_of(w).at(0).id, {}, {}, {}}) == 1);
  w.advance(1s);
  CHECK(w.office().sent.size() == 1);
  w.office().answer = [](const outgoing_post&) { return post_office::says(200); };
  w.office().unanswered.front()(post_office::says(500));
  w.advance(1s);
  CHECK(w.office().sent.size() == 2);
  CHECK(rows_of(w).at(0).status == delivery_status::delivered);
}

TEST_CASE("410 is a failure like any other, retried by the schedule") {
  world w;
  w.office().answer = [](const outgoing_post&) { return post_office::says(410); };
  w.subscribe(hook("a"));
  sell(w, "pay_1");
  CHECK(rows_of(w).at(0).status == delivery_status::pending);
  w.office().answer = [](const outgoing_post&) { return post_office::says(200); };
  w.advance(30s);
  CHECK(w.office().sent.size() == 2);
  CHECK(rows_of(w).at(0).status == delivery_status::delivered);
  CHECK(w.received().empty());
}

TEST_CASE("410 to three deliveries over a minute disables the destination; what waits is sent once it is enabled") {
  world w;
  w.office().answer = [](const outgoing_post&) { return post_office::says(410); };
  w.subscribe(hook("a"));
  for (int i = 1; i <= 3; ++i) sell(w, "pay_" + std::to_string(i));
  w.advance(59s, 1s);
  REQUIRE(w.received().empty());
  w.advance(31s, 1s);
  REQUIRE(w.received().size() == 1);
  CHECK(std::get<disable_destination>(w.received().front()).id == destination_id{"dest_a"});
  auto off = hook("a");
  off.status = destination_status::disabled;
  w.subscribe(off);
  w.office().answer = [](const outgoing_post&) { return post_office::says(200); };
  sell(w, "pay_4");
  const auto before = w.office().sent.size();
  w.advance(2h, 10s);
  CHECK(w.office().sent.size() == before);
  for (const auto& row : rows_of(w)) CHECK(row.status == delivery_status::pending);
  w.subscribe(hook("a"));
  w.advance(1s);
  for (const auto& row : rows_of(w)) CHECK(row.status == delivery_status::delivered);
}

TEST_CASE("a destination to which nothing is sent for ten minutes is forgotten, unless deliveries wait for it") {
  world w;
  w.subscribe(hook("a"));
  w.subscribe(hook("b"));
  w.office().answer = [](const outgoing_post& post) {
    return post_office::says(post.url == "https://a.test/hook" ? 200 : 500);
  };
  const auto is_kept = [&w](std::string_view name) {
    return w.meters().expose().find("destination=\"dest_" + std::string{name} + '"') != std::string::npos;
  };
  sell(w, "pay_1");
  w.advance(9min, 5s);
  CHECK(is_kept("a"));
  w.advance(2min, 5s);
  CHECK_FALSE(is_kept("a"));
  CHECK(is_kept("b"));
  sell(w, "pay_2");
  CHECK(w.office().sent_to("https://a.test/hook") == 2);
  w.advance(6s);
  CHECK(is_kept("a"));
}

TEST_CASE("a destination that hangs holds its window, and slows no other") {
  auto config = unhurried();
  config.webhook_workers = 64;
  world w{std::make_shared<failing_store>(), config};
  w.office().answer = [](const outgoing_post& post) -> std::optional<delivery_attempt> {
    if (post.url.starts_with("https://hangs")) return std::nullopt;
    return post_office::says(200);
  };
  w.subscribe(hook("hangs"));
  for (int i = 0; i < 9; ++i) w.subscribe(hook("well" + std::to_string(i)));
  for (int i = 0; i < 100; ++i) sell(w, "pay_" + std::to_string(i));
  CHECK(w.office().sent_to("https://hangs.test/hook") == 8);
  for (int i = 0; i < 9; ++i) CHECK(w.office().sent_to("https://well" + std::to_string(i) + ".test/hook") == 100);
}

TEST_CASE(
    "a breaker stops the attempts at a destination that keeps failing, and its deliveries lose none of their "
    "attempts") {
  world w;
  bool well = false;
  w.office().answer = [&](const outgoing_post&) {
    return well ? post_office::says(200) : post_office::fails(attempt_result::unreachable);
  };
  w.subscribe(hook("a"));
  for (int i = 0; i < 200; ++i) {
    sell(w, "pay_" + std::to_string(i));
    w.advance(100ms);
  }
  const auto then = w.office().sent.size();
  w.advance(10min, 1s);
  CHECK(w.office().sent.size() < then + 20);  // a probe a minute
  for (const auto& row : rows_of(w)) CHECK(row.status == delivery_status::pending);
  well = true;
  w.advance(10min, 1s);
  for (const auto& row : rows_of(w)) CHECK(row.status == delivery_status::delivered);
}

TEST_CASE("an open breaker lets a probe through after 1 s, 2 s and 4 s, whatever else happens") {
  world w;
  w.office().answer = [](const outgoing_post&) { return post_office::fails(attempt_result::unreachable); };
  w.subscribe(hook("a"));
  for (int i = 0; i < 55; ++i) {
    sell(w, "pay_" + std::to_string(i));
    w.advance(100ms);
  }
  const auto then = w.office().sent.size();
  w.advance(8s);
  CHECK(w.office().sent.size() >= then + 3);
  CHECK(w.office().sent.size() <= then + 4);
}

TEST_CASE("a crash loses no delivery: the next node finds it in the table, and its repeat has the same number") {
  auto rows = std::make_shared<failing_store>();
  std::string number, body;
  {
    world w{rows};
    w.office().answer = [](const outgoing_post&) { return std::nullopt; };
    w.subscribe(hook("a"));
    sell(w, "pay_1");
    REQUIRE(w.office().sent.size() == 1);
    number = header(w.office().sent[0].post, "X-Service-Delivery");
    body = w.office().sent[0].post.body;
  }
  world w{rows};
  w.advance(31s);
  CHECK(w.office().sent.empty());  // no destination is published here yet
  w.subscribe(hook("a"));
  REQUIRE(w.office().sent.size() == 1);
  CHECK(header(w.office().sent[0].post, "X-Service-Delivery") == number);
  CHECK(w.office().sent[0].post.body == body);
}

TEST_CASE(
    "a start that reads a delivery before its destination is published reads again soon, not at the next backlog") {
  const auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    w.office().answer = [](const outgoing_post&) { return std::nullopt; };
    w.subscribe(hook("a"));
    sell(w, "pay_1");
  }
  world next{rows};
  next.advance(1s);
  CHECK(next.office().sent.empty());
  // The directory published it before it knew of the dispatcher, which is therefore not notified.
  next.publish(hook("a"));
  next.advance(2s);
  CHECK(next.office().sent.size() == 1);
}

TEST_CASE(
    "the destination of a waiting delivery is looked up after a start, and again while the directory cannot answer") {
  const auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    w.office().answer = [](const outgoing_post&) { return std::nullopt; };
    w.subscribe(hook("a"));
    sell(w, "pay_1");
  }
  world next{rows};
  bool away = true;
  next.looking().finds = [&](const directory_name& name) -> caf::result<bool> {
    if (away) return make_error(actor_errc::store_unavailable);
    CHECK(name == directory_name{directory_name::kind::destination, "dest_a"});
    next.publish(hook("a"));
    caf::anon_send(next.dispatcher(), destination_changed{destination_id{"dest_a"}});
    return true;
  };
  next.advance(5s);
  CHECK(next.office().sent.empty());
  CHECK_FALSE(next.looking().looked_up.empty());
  away = false;
  next.advance(2s);
  CHECK(next.office().sent.size() == 1);
  const auto looks = next.looking().looked_up.size();
  next.advance(1min);
  CHECK(next.looking().looked_up.size() == looks);
}

TEST_CASE("an attempt that cannot be recorded is kept and not repeated, until the store is back") {
  world w;
  w.subscribe(hook("a"));
  w.ask(world::create("pay_1", "key 1"));
  w.rows().faults = {fault::none,       fault::none,         fault::before_commit,
                     fault::queue_full, fault::after_commit, fault::none};
  w.ask(world::capture("pay_1", "key 2"));
  w.advance(10s);
  CHECK(w.office().sent.size() == 1);
  const auto row = rows_of(w).at(0);
  CHECK(row.status == delivery_status::delivered);
  CHECK(row.attempts == 1);
  // The worker is free again.
  sell(w, "pay_2");
  CHECK(w.office().sent.size() == 2);
}

TEST_CASE("deliveries beyond the memory's limit wait in the table, and go out in the order in which they are due") {
  world w;
  std::vector<std::string> order;
  w.office().answer = [](const outgoing_post&) { return std::nullopt; };
  w.subscribe(hook("a"));
  for (int i = 0; i < 1'500; ++i) {
    sell(w, "pay_" + std::to_string(i));
    w.advance(1ms, 1ms);
  }
  REQUIRE(w.office().sent.size() == 8);
  w.office().answer = [&](const outgoing_post&) { return post_office::says(200); };
  for (auto& done : std::exchange(w.office().unanswered, {})) done(post_office::says(200));
  w.settle();
  REQUIRE(w.office().sent.size() == 1'500);
  std::set<std::string> numbers;
  for (const auto& letter : w.office().sent) numbers.insert(header(letter.post, "X-Service-Delivery"));
  CHECK(numbers.size() == 1'500);
  for (const auto& row : rows_of(w)) CHECK(row.status == delivery_status::delivered);
}

TEST_CASE(
    "a worker that dies is replaced, and its delivery is attempted again; one that kills each worker is set aside") {
  world w;
  int deaths = 2;
  w.office().answer = [&](const outgoing_post& post) -> std::optional<delivery_attempt> {
    if (post.url == "https://deadly.test/hook" || (post.url == "https://a.test/hook" && deaths-- > 0))
      throw std::runtime_error{"out of memory"};
    return post_office::says(200);
  };
  w.subscribe(hook("a"));
  sell(w, "pay_1");
  CHECK(w.office().sent_to("https://a.test/hook") == 1);
  CHECK(rows_of(w).at(0).status == delivery_status::delivered);
  w.subscribe(hook("deadly"));
  sell(w, "pay_2");
  w.advance(60s);
  CHECK(w.office().sent_to("https://a.test/hook") == 2);
  CHECK(rows_of(w, "deadly").at(0).status == delivery_status::pending);
  CHECK(rows_of(w, "deadly").at(0).attempts == 0);
}

TEST_CASE("deliveries in memory when their destination was disabled are sent as soon as it is enabled") {
  world w;
  w.office().answer = [](const outgoing_post&) { return std::nullopt; };
  w.subscribe(hook("a"));
  w.advance(5s);
  for (int i = 0; i < 10; ++i) sell(w, "pay_" + std::to_string(i));
  REQUIRE(w.office().sent.size() == 8);
  auto off = hook("a");
  off.status = destination_status::disabled;
  w.subscribe(off);
  w.office().answer = [](const outgoing_post&) { return post_office::says(200); };
  for (auto& done : std::exchange(w.office().unanswered, {})) done(post_office::says(200));
  w.advance(1s);
  CHECK(w.office().sent.size() == 8);
  w.subscribe(hook("a"));
  CHECK(w.office().sent.size() == 10);
}

TEST_CASE(
    "a delivery due between two reads of the backlog is attempted on time, or a second late if the table cannot be "
    "read") {
  world w;
  w.office().answer = [](const outgoing_post&) { return post_office::says(500); };
  w.subscribe(hook("a"));
  w.advance(10s);
  sell(w, "pay_1");  // again at 40 s
  w.advance(5s);
  sell(w, "pay_2");  // again at 45 s
  w.advance(20s);
  w.rows().reads_fail = true;
  w.advance(5500ms);
  CHECK(w.office().sent.size() == 2);
  w.rows().reads_fail = false;
  w.advance(1500ms);
  CHECK(w.office().sent.size() == 3);
  w.advance(4s);
  CHECK(w.office().sent.size() == 4);
}

TEST_CASE("a wall clock that is set back while a retry waits does not stop the retries") {
  world w;
  w.office().answer = [](const outgoing_post&) { return post_office::says(500); };
  w.subscribe(hook("a"));
  sell(w, "pay_1");
  w.advance(2s);
  w.clock().at -= 1s;
  w.advance(40s);
  CHECK(w.office().sent.size() == 2);
  // By more than any wait: new deliveries are still sent, and the table is read.
  w.clock().at -= 1h;
  w.office().answer = [](const outgoing_post&) { return post_office::says(200); };
  w.ask(world::create("pay_2", "create 2"));
  w.rows().faults = {fault::none, fault::after_commit};
  w.ask(world::capture("pay_2", "capture 2"));
  w.advance(40s);
  CHECK(w.office().sent.size() == 3);
}

TEST_CASE("a platform's destination gets the platform's name and schedule, in live only") {
  world w;
  auto p = hook("platform");
  p.kind = destination_kind::platform;
  p.owner = "plat_1";
  w.subscribe(p);
  sell(w, "pay_1");
  CHECK(w.office().sent.empty());
  // The row is as a commit in live would have written it.
  delivery row;
  row.id = 4242;
  row.subject = world::key_of("pay_1");
  row.event_seq = 3;
  row.to = p.id;
  row.created_at = w.clock().now();
  row.next_attempt_at = w.clock().now();
  unit_of_work unit;
  unit.inserts.push_back(row);
  REQUIRE(w.rows().commit(unit) == commit_outcome::committed);
  w.office().answer = [](const outgoing_post&) { return post_office::says(500); };
  w.advance(40s);  // the backlog is read every 30 s
  REQUIRE(w.office().sent.size() >= 1);
  CHECK(w.office().sent.front().post.body.find(" payment.succeeded ") != std::string::npos);
  const auto seen = rows_of(w, "platform").at(0);
  CHECK(seen.attempts == 3);  // at once, after 1 s and after 5 s more
}

TEST_CASE("a large number of due deliveries starts at the rate that leaves room for payments") {
  settings config;
  config.webhook_rate = 1'000;
  world w{std::make_shared<failing_store>(), config};
  auto off = hook("a");
  off.status = destination_status::disabled;
  w.subscribe(off);
  for (int i = 0; i < 500; ++i) sell(w, "pay_" + std::to_string(i));
  w.advance(10s);  // they are no longer fresh
  w.subscribe(hook("a"));
  CHECK(w.office().sent.size() <= 20);
  w.advance(200ms, 1ms);
  CHECK(w.office().sent.size() >= 180);
  CHECK(w.office().sent.size() <= 221);
  w.advance(400ms, 1ms);
  CHECK(w.office().sent.size() == 500);
}

TEST_CASE("while clients wait for answers, a large number of due deliveries starts at three tenths of that rate") {
  settings config;
  config.webhook_rate = 1'000;
  world w{std::make_shared<failing_store>(), config};
  auto off = hook("a");
  off.status = destination_status::disabled;
  w.subscribe(off);
  for (int i = 0; i < 500; ++i) sell(w, "pay_" + std::to_string(i));
  w.advance(10s);  // they are no longer fresh
  w.meters().requests_in_flight.Set(1);
  w.subscribe(hook("a"));
  const auto before = w.office().sent.size();
  w.advance(200ms, 1ms);
  CHECK(w.office().sent.size() - before >= 50);
  CHECK(w.office().sent.size() - before <= 70);
  w.meters().requests_in_flight.Set(0);
  w.advance(200ms, 1ms);
  CHECK(w.office().sent.size() - before >= 240);
}

TEST_CASE("deliveries that wait for the gateway limit new writes, until they have gone out") {
  auto config = unhurried();
  config.webhook_workers = 2;
  world w{std::make_shared<failing_store>(), config};
  w.office().answer = [](const outgoing_post&) { return std::nullopt; };
  w.subscribe(hook("well"));
  // 20 arrive in a second, and the two workers can send 10: each answer takes 200 ms.
  for (int i = 0; i < 80; ++i) {
    sell(w, "pay_" + std::to_string(i));
    if (i % 2 == 0) continue;
    w.advance(100ms, 100ms);
    if (i % 4 == 3)
      for (auto& answer : std::exchange(w.office().unanswered, {})) answer(post_office::says(200));
    w.settle();
  }
  CHECK(w.brake().limits());
  CHECK(w.meters().webhook_lag_seconds.Value() > 1);
  // Deliveries to a disabled destination do not count as waiting.
  auto off = hook("well");
  off.status = destination_status::disabled;
  w.subscribe(off);
  w.advance(10s, 100ms);
  CHECK_FALSE(w.brake().limits());
  CHECK(w.meters().webhook_lag_seconds.Value() == 0);
}

TEST_CASE("deliveries that wait behind their owner's slow destinations limit no writes") {
  auto config = unhurried();
  config.webhook_workers = 8;
  world w{std::make_shared<failing_store>(), config};
  w.office().answer = [](const outgoing_post& post) -> std::optional<delivery_attempt> {
    if (post.url.starts_with("https://hangs")) return std::nullopt;
    return post_office::says(200);
  };
  w.subscribe(hook("hangs"));
  for (int i = 0; i < 8; ++i) sell(w, "pay_" + std::to_string(i));
  CHECK(w.office().sent.size() == 4);  // the owner's half of the workers
  w.subscribe(hook("well"));
  for (int i = 8; i < 40; ++i) {
    sell(w, "pay_" + std::to_string(i));
    w.advance(100ms, 100ms);
    REQUIRE_FALSE(w.brake().limits());
  }
}

TEST_CASE("large events are sent whole, also those that wait in the store, and after a restart") {
  const auto rows = std::make_shared<failing_store>();
  {
    world w{rows};
    w.encoder().data_bytes = 64 * 1024;
    w.office().answer = [](const outgoing_post&) { return std::nullopt; };
    for (int i = 0; i < 4; ++i) w.subscribe(hook("d" + std::to_string(i)));
    for (int i = 0; i < 60; ++i) sell(w, "pay_" + std::to_string(i));
    CHECK(w.office().sent.size() == 32);
    w.office().answer = [](const outgoing_post&) { return post_office::says(200); };
    for (auto& answer : std::exchange(w.office().unanswered, {})) answer(post_office::says(200));
    w.settle();
    w.advance(1s);
    CHECK(w.office().sent.size() == 240);
    for (const auto& letter : w.office().sent) CHECK(letter.post.body.size() > 64 * 1024);
    w.office().answer = [](const outgoing_post&) { return std::nullopt; };
    for (int i = 60; i < 100; ++i) sell(w, "pay_" + std::to_string(i));
  }
  world w{rows};
  w.encoder().data_bytes = 64 * 1024;
  for (int i = 0; i < 4; ++i) w.subscribe(hook("d" + std::to_string(i)));
  w.advance(31s);
  CHECK(w.office().sent.size() == 160);
  for (const auto& letter : w.office().sent) CHECK(letter.post.body.size() > 64 * 1024);
  for (const auto& row : rows_of(w)) CHECK(row.status == delivery_status::delivered);
}

TEST_CASE("deliveries that wait for their own destination limit no writes") {
  world w;
  w.office().answer = [](const outgoing_post&) -> std::optional<delivery_attempt> { return std::nullopt; };
  w.subscribe(hook("hangs"));
  for (int i = 0; i < 100; ++i) {
    sell(w, "pay_" + std::to_string(i));
    w.advance(100ms, 100ms);
    REQUIRE_FALSE(w.brake().limits());
  }
}

TEST_CASE("while a destination that answered 410 is being disabled, nothing is sent to it, and it is disabled once") {
  world w;
  w.subscribe(hook("a"));
  w.office().answer = [](const outgoing_post&) { return std::nullopt; };
  for (int i = 0; i < 50; ++i) sell(w, "pay_" + std::to_string(i));
  REQUIRE(w.office().sent.size() == 8);
  const auto open = std::exchange(w.office().unanswered, {});
  open.front()(post_office::says(410));
  w.advance(60s);
  const auto under_way = w.office().sent.size();
  for (std::size_t i = 1; i < open.size(); ++i) open[i](post_office::says(410));
  w.advance(20s);
  CHECK(w.office().sent.size() == under_way);
  CHECK(w.received().size() == 1);
  w.office().answer = [](const outgoing_post&) { return post_office::says(200); };
  w.subscribe(hook("a"));
  w.advance(2h, 10s);
  CHECK(std::ranges::count(rows_of(w), delivery_status::delivered, &delivery::status) == 50);
}

TEST_CASE("many destination lanes take turns at the table, and all of them are read") {
  world w;
  for (int i = 0; i < 30; ++i) {
    auto off = hook("d" + std::to_string(i));
    off.status = destination_status::disabled;
    w.subscribe(off);
  }
  for (int i = 0; i < 5; ++i) sell(w, "pay_" + std::to_string(i));
  for (int i = 0; i < 30; ++i) w.subscribe(hook("d" + std::to_string(i)));
  w.advance(31s);
  CHECK(w.office().sent.size() == 150);
  for (const auto& row : rows_of(w)) CHECK(row.status == delivery_status::delivered);
}

namespace {

/// An attempt of "medium" takes 4 MiB, of which the owner may have four under way; six more wait when one that takes 8
/// MiB becomes due for "big".
struct large_events : world {
  large_events() {
    office().answer = [](const outgoing_post&) { return std::nullopt; };
    publish(hook("medium", {"payment.captured"}));
    publish(hook("big", {"payment.voided"}));
    encoder().data_bytes = 2 * 1024 * 1024;
    for (int i = 0; i < 10; ++i) sell(*this, "pay_" + std::to_string(i));
    encoder().data_bytes = 4 * 1024 * 1024;
    ask(create("pay_big", "create big"));
    ask(void_("pay_big", "void big"));
  }
  void answer_one() {
    const auto done = office().unanswered.front();
    office().unanswered.erase(office().unanswered.begin());
    done(post_office::says(200));
    settle();
  }
  std::size_t sent(std::string_view name) { return office().sent_to("https://" + std::string{name} + ".test/hook"); }
};

}  // namespace

TEST_CASE("a large delivery that waits for memory goes out before its owner's other deliveries") {
  large_events w;
  REQUIRE(w.sent("medium") == 4);
  REQUIRE(w.sent("big") == 0);
  for (int i = 0; i < 4; ++i) w.answer_one();
  CHECK(w.sent("big") == 1);
  for (int i = 0; i < 7; ++i) w.answer_one();
  CHECK(w.sent("medium") == 10);
}

TEST_CASE("a large delivery whose destination is disabled while it waits for memory delays nothing") {
  large_events w;
  w.answer_one();  // a fifth one of "medium" goes out
  w.answer_one();  // a sixth has the memory, but "big" is next, which takes more
  REQUIRE(w.sent("medium") == 5);
  REQUIRE(w.sent("big") == 0);
  auto off = hook("big", {"payment.voided"});
  off.status = destination_status::disabled;
  w.subscribe(off);
  CHECK(w.sent("medium") == 6);
}

TEST_CASE("a worker that dies releases its share to its owner's other destinations at once") {
  auto config = unhurried();
  config.webhook_workers = 4;
  world w{std::make_shared<failing_store>(), config};
  w.office().answer = [&](const outgoing_post& post) -> std::optional<delivery_attempt> {
    if (post.url == "https://deadly.test/hook") throw std::runtime_error{"out of memory"};
    if (post.url == "https://hangs.test/hook") return std::nullopt;
    return post_office::says(200);
  };
  for (const auto* name : {"hangs", "deadly", "well"}) w.subscribe(hook(name));
  sell(w, "pay_1");  // two deliveries have the owner's half of the workers
  CHECK(w.office().sent_to("https://well.test/hook") == 1);
}

TEST_CASE("workers end with their dispatcher, for whatever reason it ends") {
  world w;
  w.subscribe(hook("a"));
  w.rows().faults = {fault::none, fault::none, fault::none};
  for (int i = 0; i < 1'000; ++i) w.rows().faults.push_back(i < 3 ? fault::none : fault::before_commit);
  sell(w, "pay_1");
  const auto before = w.system().registry().running();
  caf::anon_send_exit(w.dispatcher(), caf::exit_reason::kill);
  w.settle();
  CHECK(w.system().registry().running() <= before - 2);
}
