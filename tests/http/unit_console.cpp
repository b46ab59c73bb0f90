// The operators' console: to whom it is served, what is shown, and which commands its buttons send.
#include <set>
#include <variant>

#include "console_fixture.hpp"
#include "http/operator/console/parts_screen.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

struct console_pages_fixture : console_fixture {
  void publish_shop_destination(destination_status status) {
    destination what{destination_id{"dest_1"},
                     destination_kind::merchant,
                     "merch_1",
                     environment::test,
                     "https://shop.example/hooks",
                     {},
                     status,
                     {},
                     noon};
    merchants.publish(std::make_shared<const webhook_endpoint>(webhook_endpoint{std::move(what), "whsec", {}, {}}));
  }
  void publish_platform(std::string name) {
    platform p;
    p.id = platform_id{"plat_1"};
    p.slug = "shopfront";
    p.name = std::move(name);
    merchants.publish(std::make_shared<const platform>(std::move(p)));
  }
};

}  // namespace

TEST_CASE_METHOD(console_pages_fixture,
                 "the console is served to this machine only, and only at an operator listener") {
  CHECK(ask_console("GET", "/console/sign-in").status == 200);
  CHECK(ask_console("GET", "/metrics").status == 200);
  for (const auto* address : {"10.0.0.1", "::2", "", "127.0.0.1.example"}) {
    from = address;
    CHECK(ask_console("GET", "/console/sign-in").status == 404);
    CHECK(ask_console("POST", "/console", "action=drain&node=n1").status == 404);
  }
  for (const auto* address : {"127.8.0.1", "::1", "::ffff:127.0.0.1"}) {
    from = address;
    CHECK(ask_console("GET", "/console/sign-in").status == 200);
  }
  gateway_fixture without;
  auto in = unsigned_request("GET", "/console/sign-in");
  in.remote_address = "127.0.0.1";
  CHECK(without.run(in, handle_metrics).status == 404);
}

TEST_CASE_METHOD(console_pages_fixture, "without a session every page leads to the sign-in page, and no button works") {
  for (const auto* path : {"/console", "/console/search", "/console/operators"}) {
    const auto out = ask_console("GET", path);
    CHECK(out.status == 303);
    CHECK(header(out, "Location") == "/console/sign-in");
    CHECK(ask_console("POST", path, "action=drain&node=n1").status == 403);
  }
  cookie = std::string(64, 'a');
  CHECK(ask_console("GET", "/console").status == 303);
}

TEST_CASE_METHOD(console_pages_fixture, "each button sends the operator's command, and its result is shown") {
  enter();
  publish_shop_destination(destination_status::enabled);
  publish_platform("Shopfront");
  std::vector<operator_command> asked;
  scene.operators = [&](const operator_command& what) -> operator_result {
    asked.push_back(what);
    return named_result{"id", "status"};
  };
  scene.deliveries = [](const find_deliveries& query) {
    delivery_job job;
    job.row.id = query.id;
    job.row.subject = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
    job.row.to = destination_id{"dest_1"};
    return deliveries_lookup{{job}};
  };
  std::vector<redeliver> redelivered;
  scene.router = [](const entity_request&) {
    return entity_reply{entity_row{waiting_payment(payment_state::captured)}};
  };
  scene.redelivers = [&](const redeliver& wanted) {
    redelivered.push_back(wanted);
    return redeliver_result{1};
  };
  struct row {
    const char* fields;
    std::string done;
    std::string_view words;
  };
  for (const auto& [fields, done, words] :
       {row{"action=disable&destination=dest_1&reason=it+is+down", "disable-destination",
            "The destination is disabled."},
        {"action=enable&destination=dest_1", "enable-destination", "The destination is enabled."},
        {"action=suspend&platform=plat_1", "suspend-platform", "The platform is suspended."},
        {"action=resume&platform=plat_1", "resume-platform", "The platform is active again."},
        {"action=redeliver&delivery=7", "redeliver-delivery", "The delivery is resent."},
        {"action=redeliver&destination=dest_1", "redeliver-destination",
         "All failed deliveries of the destination are resent."},
        {"action=refresh&payment=pay_1&merchant_id=merch_1&mode=test", "refresh-payment", "The provider was asked."},
        {"action=settle&payment=pay_1&merchant_id=merch_1&mode=test&as=declined&reason=they+said+so", "settle-payment",
         "The operation has ended."}}) {
    CAPTURE(fields);
    // The result is fetched by GET, so that reloading the page does not repeat the command.
    const auto out = press(fields);
    CHECK(out.status == 303);
    CHECK(header(out, "Location") == "/console?done=" + done);
    const auto page = ask_console("GET", "/console", {}, "done=" + done);
    CHECK(page.body.find(words) != page.body.npos);
  }
  REQUIRE(asked.size() == 4);
  CHECK(std::get<disable_destination>(asked[0]).id.value == "dest_1");
  CHECK(std::get<disable_destination>(asked[0]).reason == "it is down");
  CHECK(std::get<enable_destination>(asked[1]).id.value == "dest_1");
  CHECK(std::get<set_platform_status>(asked[2]).status == platform_status::suspended);
  CHECK(std::get<set_platform_status>(asked[3]).status == platform_status::active);
  REQUIRE(redelivered.size() == 2);
  CHECK(redelivered[0].id == 7);
  CHECK(redelivered[1].to.value == "dest_1");

  CHECK(header(press("action=resume&platform=plat_1", "/console/search", "q=merch_1%20pay_1&done=suspend-platform"),
               "Location") == "/console/search?q=merch_1%20pay_1&done=resume-platform");
  CHECK(ask_console("GET", "/console", {}, "done=%3Cb%3E").body.find("role=\"status\"") == std::string::npos);

  // This gateway serves alone: there is no node to drain.
  const auto* settled = scene.seen.empty() ? nullptr : command_if<settle_payment>(scene.seen.back().what);
  REQUIRE(settled);
  CHECK_FALSE(settled->approved);
  CHECK(settled->reason == "they said so");
  const auto drained = press("action=drain&node=n1");
  CHECK(drained.status == 422);
  CHECK(drained.body.find("There is no node n1.") != drained.body.npos);
  CHECK(press("action=unheard&node=n1").status == 400);
  CHECK(ask_console("POST", "/console", "csrf=" + std::string(64, '0') + "&action=suspend&platform=plat_1").status ==
        403);
  CHECK(asked.size() == 5);
}

TEST_CASE_METHOD(console_pages_fixture,
                 "failed deliveries have the words of the portal, wherever the console lists them") {
  enter();
  publish_shop_destination(destination_status::enabled);
  scene.deliveries = [](const find_deliveries&) {
    delivery_job job;
    job.row.id = 7;
    job.row.subject = payment_key(merchant_id{"merch_1"}, environment::test, payment_id{"pay_1"});
    job.row.to = destination_id{"dest_1"};
    job.row.status = delivery_status::failed;
    job.event.type = "payment.captured";
    return deliveries_lookup{{job}};
  };
  const auto overview = ask_console("GET", "/console").body;
  const auto of_destination = ask_console("GET", "/console/search", {}, "q=dest_1").body;
  const auto of_delivery = ask_console("GET", "/console/search", {}, "q=7").body;
  CHECK(overview.find("Failed deliveries, newest first") != overview.npos);
  CHECK(of_destination.find(">Resend all failed<") != of_destination.npos);
  for (const auto& page : {overview, of_destination, of_delivery}) {
    CHECK(page.find("name=\"action\" value=\"redeliver\">Resend<") != page.npos);
    CHECK(page.find("Redeliver") == page.npos);
    CHECK(page.find("given up") == page.npos);
  }
  for (const auto& page : {of_destination, of_delivery})
    CHECK(page.find("<span class=\"state bad\">Failed</span>") != page.npos);
}

TEST_CASE_METHOD(console_pages_fixture, "names never become markup") {
  enter();
  publish_platform("<script>alert(1)</script>");
  const auto page = ask_console("GET", "/console/search", {}, "q=plat_1");
  CHECK(page.body.find("<script") == page.body.npos);
  CHECK(page.body.find("&lt;script&gt;") != page.body.npos);
  const auto nothing = ask_console("GET", "/console/search", {}, "q=%22%3E%3Cscript%3E");
  CHECK(nothing.status == 200);
  CHECK(nothing.body.find("<script") == nothing.body.npos);
}

TEST_CASE_METHOD(console_pages_fixture, "an id leads to what is known of it") {
  enter();
  publish_shop_destination(destination_status::disabled);
  publish_platform("Shopfront");
  scene.rows = [](const find_entity& what) {
    entity_lookup out;
    if (what.key == waiting_payment()->key) out.found = waiting_payment();
    return out;
  };
  struct row {
    const char* query;
    const char* shown;
  };
  for (const auto& [query, shown] :
       {row{"q=merch_1", "Tea &amp; Co"}, row{"q=mk_test_0000000000000001", "payments:write"},
        row{"q=dest_1", "shop.example/hooks"}, row{"q=plat_1", "Shopfront"}, row{"q=shopfront", "plat_1"},
        row{"q=merch_1+pay_1", "HKD 42.00"}, row{"q=nobody", "Nothing is found"}}) {
    CAPTURE(query);
    const auto page = ask_console("GET", "/console/search", {}, query);
    CHECK(page.status == 200);
    CHECK(page.body.find(shown) != page.body.npos);
  }
  scene.grants = [](const find_grant&) -> caf::expected<grant_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(ask_console("GET", "/console/search", {}, "q=nobody").body.find("This may not be all") != std::string::npos);
}

TEST_CASE_METHOD(console_pages_fixture, "the overview shows unknown outcomes, and where deliveries wait") {
  enter();
  publish_shop_destination(destination_status::disabled);
  auto unknown = *waiting_payment();
  unknown.open.emplace();
  unknown.open->answered = true;
  unknown.open->begun_at = noon - 1h;
  auto fresh = *waiting_payment();
  fresh.key.id = "pay_fresh";
  fresh.open.emplace();
  fresh.open->begun_at = noon;
  scene.due = [&](const find_due& what) {
    CHECK(what.open_only);
    return what.later_than == time_point::min() ? due_lookup{{unknown.key, fresh.key}} : due_lookup{};
  };
  scene.rows = [&](const find_entity& what) {
    return entity_lookup{std::make_shared<const payment>(what.key == unknown.key ? unknown : fresh)};
  };
  scene.backlogs = [](const find_backlog&) {
    return backlog_lookup{{{destination_id{"dest_1"}, 3, noon, 1}, {destination_id{"dest_fine"}, 1, noon, 2}}};
  };
  const auto page = ask_console("GET", "/console");
  CHECK(page.status == 200);
  CHECK(page.body.find("/console/search?q=merch_1%20pay_1\"") != page.body.npos);
  CHECK(page.body.find("pay_fresh") == page.body.npos);
  CHECK(page.body.find("https://shop.example/hooks") != page.body.npos);
  CHECK(page.body.find("dest_fine") == page.body.npos);
  scene.due = [](const find_due&) -> caf::expected<due_lookup> { return make_error(actor_errc::store_unavailable); };
  const auto partly = ask_console("GET", "/console");
  CHECK(partly.status == 200);
  CHECK(partly.body.find("This could not be looked up") != partly.body.npos);
  CHECK(partly.body.find("https://shop.example/hooks") != partly.body.npos);
}

TEST_CASE_METHOD(console_pages_fixture,
                 "a destination whose entry could not be read is not left out as a healthy one") {
  enter();
  scene.backlogs = [](const find_backlog&) { return backlog_lookup{{{destination_id{"dest_1"}, 3, noon, 1}}}; };
  constexpr std::string_view unread = "This could not be looked up";
  CHECK(ask_console("GET", "/console").body.find(unread) == std::string::npos);
  scene.look_ups = [](const directory_name&) -> caf::result<bool> { return make_error(actor_errc::store_unavailable); };
  const auto page = ask_console("GET", "/console");
  CHECK(page.status == 200);
  CHECK(page.body.find(unread) != std::string::npos);
}

TEST_CASE_METHOD(console_pages_fixture, "an address under the console without a page gets one that leads on") {
  const auto out = ask_console("GET", "/console/nothing");
  CHECK(out.status == 404);
  CHECK(out.content_type == "text/html; charset=utf-8");
  CHECK(out.body.find("href=\"/console\">Go to the overview") != std::string::npos);
}

TEST_CASE_METHOD(console_pages_fixture, "the page of all parts is served to operators, and under dev only") {
  enter();
  CHECK(ask_console("GET", "/console/parts").status == 404);
  CHECK(press("action=send", "/console/parts").status == 404);
  config.dev = true;
  const auto page = ask_console("GET", "/console/parts");
  REQUIRE(page.status == 200);
  CHECK(page.body.find("<h1 id=\"heading\">Parts</h1>") != page.body.npos);
  std::set<std::string> ids;
  for (auto at = page.body.find(" id=\""); at != page.body.npos; at = page.body.find(" id=\"", at + 1))
    CHECK(ids.insert(page.body.substr(at + 5, page.body.find('"', at + 5) - at - 5)).second);
  const auto sent = press("action=send", "/console/parts");
  CHECK(sent.status == 422);
  CHECK(sent.body == page.body);
  CHECK(ask_console("POST", "/console/parts", "action=send").status == 403);
  cookie.clear();
  CHECK(header(ask_console("GET", "/console/parts"), "Location") == "/console/sign-in");
}

namespace {

/// Which kinds of block, value, input and tone sections are made of.
struct kinds_seen {
  std::set<std::size_t> blocks_seen, pieces_seen;
  std::set<blocks::input_kind> inputs;
  std::set<blocks::tone> tones;

  void look(const blocks::pieces& values) {
    for (const auto& each : values) {
      pieces_seen.insert(each.index());
      if (const auto* badge = std::get_if<blocks::badge>(&each)) tones.insert(badge->how);
    }
  }
  void look(const blocks::block& what) {
    blocks_seen.insert(what.index());
    if (const auto* table = std::get_if<blocks::table>(&what))
      for (const auto& row : table->rows)
        for (const auto& cell : row) look(cell);
    if (const auto* facts = std::get_if<blocks::facts>(&what))
      for (const auto& row : facts->rows) look(row.value);
    if (const auto* form = std::get_if<blocks::act_form>(&what))
      for (const auto& each : form->inputs) inputs.insert(each.kind);
  }
};

}  // namespace

TEST_CASE("the page of all parts has every kind of block, value, input and tone") {
  kinds_seen seen;
  for (const auto& section : parts_sections("token"))
    for (const auto& each : section.blocks) seen.look(each);
  CHECK(seen.blocks_seen.size() == std::variant_size_v<blocks::block>);
  CHECK(seen.pieces_seen.size() == std::variant_size_v<blocks::piece>);
  CHECK(seen.inputs.size() == static_cast<std::size_t>(blocks::input_kind::picture) + 1);
  CHECK(seen.tones.size() == static_cast<std::size_t>(blocks::tone::bad) + 1);
}

TEST_CASE("rates and quantiles are computed from what was counted between two reads") {
  CHECK_FALSE(quantile({}, 0, 0.5));
  CHECK(*quantile({{0.1, 10}, {0.2, 20}}, 20, 0.5) == Approx(0.1));
  CHECK(*quantile({{0.1, 10}, {0.2, 20}}, 20, 0.75) == Approx(0.15));
  CHECK_FALSE(quantile({{0.1, 10}}, 20, 0.99));

  metrics counted;
  const auto start = std::chrono::steady_clock::now();
  counted.requests("/a", 200).Increment(5);
  const auto before = take_sample(counted, start);
  counted.requests("/a", 200).Increment(30);
  counted.requests("/a", 503).Increment(10);
  counted.request_seconds("/a").Observe(0.001);
  counted.shed("writes").Increment(2);
  counted.provider_calls("sandbox", "authorize", "approved").Increment();
  const auto now = traffic_between(before, take_sample(counted, start + 10s));
  REQUIRE(now.routes.size() == 1);
  CHECK(now.routes[0].per_second == Approx(4));
  CHECK(now.routes[0].failed == Approx(10));
  REQUIRE(now.shed.size() == 1);
  CHECK(now.shed[0].second == Approx(2));
  REQUIRE(now.providers.size() == 1);
  CHECK(now.providers[0].results.at("approved") == Approx(1));
}
