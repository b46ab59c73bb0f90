// The portal's pages of a destination and of a delivery: what they show of the store's rows, and what an owner does.
#include "http/html/forms.hpp"
#include "http/portal/sessions.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

const std::string hooks_page = "/portal/merch_1/test/destinations/dest_1";
const std::string sent_page = "/portal/merch_1/test/deliveries/7";

struct hooks_fixture : gateway_fixture {
  const std::string cookie = std::string(64, 'a'), jar = "__Host-session=" + cookie;
  member_role role = member_role::owner;
  std::vector<operator_command> asked;
  operator_result answer = named_result{"dest_1", "enabled"};
  destination_health health;

  hooks_fixture() {
    scene.sessions = [this](const find_session& what) { return session_found_by(what, cookie, noon + 11h, role); };
    scene.operators = [this](const operator_command& command) {
      asked.push_back(command);
      return answer;
    };
    scene.commits = [](const unit_of_work&) -> caf::result<commit_outcome> { return commit_outcome::committed; };
    scene.of<find_destination_health>() = [this](const find_destination_health&) {
      return destination_health_lookup{{health}};
    };
    health.owner = "merch_1";
    health.id = destination_id{"dest_1"};
    put({hook("dest_1", "https://shop.example/hooks"), hook("dest_2", "https://shop.example/taken")});
  }

  static destination hook(const std::string& id, const std::string& url) {
    destination d;
    d.id = destination_id{id};
    d.owner = "merch_1";
    d.url = url;
    d.created_at = noon - 24h;
    return d;
  }
  void put(std::vector<destination> all) {
    auto owner = *merchants.find_merchant(merchant_id{"merch_1"});
    owner.destinations.clear();
    for (const auto& each : all) {
      merchants.publish(std::make_shared<const webhook_endpoint>(webhook_endpoint{each, "whsec_1", {}, {}}));
      if (each.status != destination_status::deleted) owner.destinations.push_back(each);
    }
    merchants.publish(std::make_shared<const merchant>(std::move(owner)));
  }
  delivery_job waiting_job() const {
    delivery_job job;
    job.row.id = 7;
    job.row.subject = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
    job.row.to = destination_id{"dest_1"};
    job.row.next_attempt_at = noon - 1h;
    job.row.created_at = noon - 2h;
    job.event = {"evt_1", job.row.subject, 2, "payment.captured", noon - 2h, R"({"note":"it's"})"};
    return job;
  }

  response get(const std::string& path) {
    auto in = unsigned_request("GET", path);
    in.cookie = jar;
    return run(in);
  }
  response press(const std::string& path, const std::string& fields) {
    const auto body = "csrf=" + csrf_token(shared.form_key, cookie, "page\n" + path) + '&' + fields;
    auto in = unsigned_request("POST", path, body, "application/x-www-form-urlencoded");
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
};

bool page_has(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

std::string value_of(const response& page, std::string_view field) {
  const auto name = "name=\"" + std::string{field} + "\" value=\"";
  const auto at = page.body.find(name);
  if (at == std::string::npos) return {};
  const auto from = at + name.size();
  return page.body.substr(from, page.body.find('"', from) - from);
}

}  // namespace

TEST_CASE_METHOD(hooks_fixture,
                 "a destination's URL is changed in the portal, to one that is permitted and not taken") {
  const auto taken = press(hooks_page, "action=change&url=https://shop.example/taken");
  CHECK(taken.status == 422);
  CHECK(page_has(taken, "There is a destination with this URL already."));
  CHECK(press(hooks_page, "action=change&url=").status == 422);
  outbound.fault = "the URL must be https";
  const auto refused = press(hooks_page, "action=change&url=http://shop.example/new");
  CHECK(refused.status == 422);
  CHECK(page_has(refused, "This URL cannot be used: the URL must be https."));
  CHECK(asked.empty());
  outbound.fault.reset();
  const auto done = press(hooks_page, "action=change&url=https://shop.example/new");
  CHECK(header(done, "Location") == "https://pay.example" + hooks_page + "?done=change");
  REQUIRE(asked.size() == 1);
  CHECK(std::get<change_destination_url>(asked[0]).id == destination_id{"dest_1"});
  CHECK(std::get<change_destination_url>(asked[0]).url == "https://shop.example/new");
  // Another owner took the URL since the page checked it.
  answer = operator_problem{operator_problem::kind::conflict, "dest_9 has this URL already"};
  CHECK(press(hooks_page, "action=change&url=https://shop.example/new2").status == 422);
}

TEST_CASE_METHOD(hooks_fixture, "a destination's Standard Webhooks signatures are turned on and off in the portal") {
  CHECK_FALSE(page_has(get(hooks_page), "Also in the Standard Webhooks form"));
  CHECK(header(press(hooks_page, "action=standard-webhooks-on"), "Location") ==
        "https://pay.example" + hooks_page + "?done=standard-webhooks-on");
  auto asks = hook("dest_1", "https://shop.example/hooks");
  asks.standard_webhooks = true;
  put({asks});
  const auto page = get(hooks_page);
  CHECK(page_has(page, "Also in the Standard Webhooks form"));
  CHECK(page_has(page, "value=\"standard-webhooks-off\""));
  CHECK_FALSE(page_has(page, "value=\"standard-webhooks-on\""));
  press(hooks_page, "action=standard-webhooks-off");
  REQUIRE(asked.size() == 2);
  CHECK(std::get<set_standard_webhooks>(asked[0]).on);
  CHECK_FALSE(std::get<set_standard_webhooks>(asked[1]).on);
  // A destination that is added asks for them if its box is checked.
  answer = destination_secret{destination_id{"dest_3"}, "whsec_3"};
  const std::string added = "action=add&url=https://shop.example/third";
  press("/portal/merch_1/test/destinations", added + "&standard_webhooks=on");
  press("/portal/merch_1/test/destinations", added);
  REQUIRE(asked.size() == 4);
  CHECK(std::get<set_destination>(asked[2]).standard_webhooks == true);
  CHECK(std::get<set_destination>(asked[3]).standard_webhooks == false);
}

TEST_CASE_METHOD(hooks_fixture, "a destination is deleted after a page has asked, and its page can still be read") {
  const auto asks = press(hooks_page, "action=delete");
  CHECK(asks.status == 200);
  CHECK(page_has(asks, "Delete this destination?"));
  CHECK(asked.empty());
  CHECK(press(hooks_page, "action=delete&confirm=" + std::string(64, 'b')).status == 200);
  CHECK(asked.empty());
  answer = named_result{"dest_1", "deleted"};
  const auto done = press(hooks_page, "action=delete&confirm=" + value_of(asks, "confirm"));
  CHECK(header(done, "Location") == "https://pay.example" + hooks_page + "?done=delete");
  REQUIRE(asked.size() == 1);
  CHECK(std::get<delete_destination>(asked[0]).id == destination_id{"dest_1"});

  auto gone = hook("dest_1", "https://shop.example/hooks");
  gone.status = destination_status::deleted;
  put({gone});
  const auto page = get(hooks_page);
  CHECK(page.status == 200);
  CHECK(page_has(page, "Deleted"));
  CHECK_FALSE(page_has(page, "value=\"delete\""));
  CHECK_FALSE(page_has(get("/portal/merch_1/test/destinations"), "dest_1"));
  CHECK(press(hooks_page, "action=enable").status == 404);
}

TEST_CASE_METHOD(hooks_fixture, "a destination's page shows how it is, what waits, and when the next attempt is made") {
  CHECK(page_has(get(hooks_page), "Healthy"));
  health.failing_since = noon - 3h;
  health.last_failure_at = noon - 1min;
  health.paused_until = noon + 40s;
  health.hours = {{hour_of(noon), 9, 9}};
  scene.deliveries = [this](const find_deliveries&) { return deliveries_lookup{{waiting_job()}}; };
  scene.of<find_waiting_deliveries>() = [](const find_waiting_deliveries&) {
    return waiting_deliveries{4, (delivery_numbers{0}.next(noon - 3h)), noon - 1h};
  };
  scene.delivery_counts = [](const count_deliveries&) { return delivery_count{24}; };
  const auto page = get(hooks_page);
  CHECK(page_has(page, "Paused"));
  CHECK(page_has(page, "4 events, the oldest for 3 hours"));
  CHECK(page_has(page, "20 Nov 2026, 12:00:40"));  // not an hour ago, when the delivery was due
  CHECK(page_has(page, "Resend all 24 failed"));
  CHECK(page_has(get("/portal/merch_1/test/destinations"), "9 attempts, 9 failed"));
  CHECK(page_has(get("/portal/merch_1/test/"), "Everything that was sent to it has failed since"));
}

TEST_CASE_METHOD(hooks_fixture, "a delivery that waits is sent now, unless its destination is disabled") {
  scene.deliveries = [this](const find_deliveries&) { return deliveries_lookup{{waiting_job()}}; };
  std::vector<redeliver> again;
  scene.redelivers = [&](const redeliver& what) {
    again.push_back(what);
    return redeliver_result{1};
  };
  for (const auto& path : {hooks_page, sent_page}) {
    CAPTURE(path);
    CHECK(page_has(get(path), "name=\"action\" value=\"redeliver\">Send now<"));
    CHECK(header(press(path, "action=redeliver&delivery_id=7"), "Location") ==
          "https://pay.example" + path + "?done=redeliver");
  }
  REQUIRE(again.size() == 2);
  CHECK(again[0].id == 7);
  auto off = hook("dest_1", "https://shop.example/hooks");
  off.status = destination_status::disabled;
  put({off});
  for (const auto& path : {hooks_page, sent_page}) CHECK_FALSE(page_has(get(path), "value=\"redeliver\""));
}

TEST_CASE_METHOD(hooks_fixture, "a test event is sent to an enabled destination only") {
  CHECK(page_has(get(hooks_page), "value=\"test\""));
  auto off = hook("dest_1", "https://shop.example/hooks");
  off.status = destination_status::disabled;
  put({off});
  std::size_t commits = 0;
  scene.commits = [&](const unit_of_work&) -> caf::result<commit_outcome> {
    ++commits;
    return commit_outcome::committed;
  };
  CHECK_FALSE(page_has(get(hooks_page), "value=\"test\""));
  const auto refused = press(hooks_page, "action=test");  // from a page that was open before
  CHECK(refused.status == 422);
  CHECK(page_has(refused, "The destination is disabled, so nothing is sent there."));
  CHECK(commits == 0);
}

TEST_CASE_METHOD(hooks_fixture, "a destination's page is titled with its name, or with its host") {
  CHECK(page_has(get(hooks_page), "<h1 id=\"heading\">shop.example</h1>"));
  auto named = hook("dest_1", "https://shop.example:8443/hooks");
  put({named});
  CHECK(page_has(get(hooks_page), "<h1 id=\"heading\">shop.example</h1>"));
  named.name = "The till";
  put({named});
  CHECK(page_has(get(hooks_page), "<h1 id=\"heading\">The till</h1>"));
}

TEST_CASE_METHOD(hooks_fixture, "deliveries are filtered by status, and all that failed are sent again by one button") {
  std::vector<find_deliveries> read;
  scene.deliveries = [&](const find_deliveries& what) {
    read.push_back(what);
    return deliveries_lookup{};
  };
  auto in = unsigned_request("GET", hooks_page);
  in.cookie = jar;
  in.query = "status=failed";
  in.has_query = true;
  CHECK(run(in).status == 200);
  REQUIRE(read.size() == 1);
  CHECK(read[0].status == delivery_status::failed);
  CHECK(read[0].owner == merchant_id{"merch_1"});
  in.query = "status=lost";
  const auto unknown = run(in);
  CHECK(unknown.status == 200);
  CHECK(page_has(unknown, "There is no status “lost”. All are shown."));
  CHECK_FALSE(read[1].status);
  std::vector<redeliver> again;
  scene.redelivers = [&](const redeliver& what) {
    again.push_back(what);
    return redeliver_result{24};
  };
  const auto done = press(hooks_page, "action=redeliver-failed");
  CHECK(header(done, "Location") == "https://pay.example" + hooks_page + "?done=redeliver-failed");
  REQUIRE(again.size() == 1);
  CHECK(again[0].to == destination_id{"dest_1"});
  CHECK(again[0].id == 0);
}

TEST_CASE_METHOD(hooks_fixture,
                 "a delivery's page shows its attempts, and what is sent as a command that posts the same") {
  auto job = waiting_job();
  delivery_attempt made{noon - 2h, attempt_result::rejected, 503, 120, "out of paper", {}};
  job.row = after_attempt(job.row, made, destination_kind::merchant, {}, noon - 2h);
  made.result = attempt_result::answer_timeout;
  made.status = 0;
  made.excerpt.clear();
  job.row = after_attempt(job.row, made, destination_kind::merchant, {}, noon - 1h);
  scene.deliveries = [&](const find_deliveries& what) {
    return what.id == 7 ? deliveries_lookup{{job}} : deliveries_lookup{};
  };
  const auto page = get(sent_page);
  REQUIRE(page.status == 200);
  CHECK(page_has(page, "Answered 503"));
  CHECK(page_has(page, "out of paper"));
  CHECK(page_has(page, "No answer in time"));
  CHECK(page_has(page, "evt_1"));
  CHECK(page_has(page, "X-Service-Delivery: 7"));
  const auto seconds = std::to_string(to_unix_ms(noon) / 1'000);
  CHECK(page_has(page, "X-Service-Signature: t=" + seconds + ",v1="));
  CHECK(page_has(page, "it&#39;\\&#39;&#39;s"));  // a shell reads it's
  CHECK(get("/portal/merch_1/test/deliveries/8").status == 404);
  CHECK(get("/portal/merch_1/test/deliveries/x").status == 404);
  CHECK(get("/portal/merch_1/live/deliveries/7").status == 404);
  role = member_role::viewer;
  const auto viewed = get(sent_page);
  CHECK(viewed.status == 200);
  CHECK_FALSE(page_has(viewed, "X-Service-Signature"));
}
