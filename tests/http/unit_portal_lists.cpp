// A merchant's lists in the portal: what a search finds and says, the CSV file, and the pages of subscriptions and
// customers; and who did what on a payment's page.
#include "gateway/domain/payment_machine.hpp"
#include "gateway/messages/customer_key.hpp"
#include "http/codec/encode_subscription.hpp"
#include "http/html/forms.hpp"
#include "http/portal/member/payment_search.hpp"
#include "http/portal/member_page.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

const std::string list_key = "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e";

struct lists_fixture : gateway_fixture {
  const std::string cookie = std::string(64, 'a');
  const std::string jar = "__Host-session=" + cookie;
  std::vector<payment_ptr> rows;  ///< newest first
  std::vector<find_payments> asked;
  payment subject = *waiting_payment(payment_state::processing);
  std::vector<timeline_entry> entries;
  entity_reply moved{problem::payment_not_found};

  lists_fixture() {
    scene.sessions = [this](const find_session& what) { return session_found_by(what, cookie, noon + 11h); };
    scene.router = [this](const entity_request& sent) -> caf::result<entity_reply> {
      if (command_if<view_entity>(sent.what)) {
        if (sent.key.id != subject.key.id) return entity_reply{problem::payment_not_found};
        return entity_reply{entity_row{std::make_shared<const payment>(subject)}};
      }
      if (!command_if<view_timeline>(sent.what)) return moved;
      timeline_view seen{subject.key, subject.hides_provider, subject.provider, entries};
      return entity_reply{std::make_shared<const timeline_view>(std::move(seen))};
    };
    scene.payments = [this](const find_payments& what) {
      asked.push_back(what);
      payments_lookup found;
      for (const auto& each : rows) {
        if (what.before && payment_position{each->created_at, each->key.id} >= *what.before) continue;
        if (found.payments.size() == what.limit) {
          found.more = true;
          break;
        }
        found.payments.push_back(each);
      }
      return found;
    };
  }

  payment listed_payment(int number) const {
    auto of = subject;
    of.key.id = "pay_" + std::to_string(10'000 + number);
    of.created_at = noon + number * 1s;
    of.state = payment_state::captured;
    return of;
  }
  void fill(int count) {
    for (int number = count; number >= 1; --number)
      rows.push_back(std::make_shared<const payment>(listed_payment(number)));
  }
  void change_row(int number, const std::function<void(payment&)>& change) {
    auto& row = rows.at(rows.size() - static_cast<std::size_t>(number));
    auto of = *row;
    change(of);
    row = std::make_shared<const payment>(std::move(of));
  }

  response get(const std::string& page, const std::string& query = {}, const std::string& mode = "test") {
    const auto path = "/portal/merch_1/" + mode + '/' + page;
    auto in = unsigned_request("GET", path);
    in.query = query;
    in.has_query = !query.empty();
    in.cookie = jar;
    return run(in);
  }
  response press(const std::string& page, const std::string& fields, const std::string& mode = "test") {
    const auto path = "/portal/merch_1/" + mode + '/' + page;
    const auto body =
        "csrf=" + csrf_token(shared.form_key, cookie, "page\n" + path) + "&key=" + list_key + '&' + fields;
    auto in = unsigned_request("POST", path, body, "application/x-www-form-urlencoded");
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
};

bool lists(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

}  // namespace

TEST_CASE_METHOD(lists_fixture, "a search matches amounts as people write them, and parts of texts in any case") {
  subject.amount.minor = 104'250;
  subject.details.description = "Two maps of Lantau";
  subject.details.customer_name = "Ada Wong";
  subject.details.customer_email = "Ada@Lantern.example";
  subject.details.metadata = {{"order", "LB-1042"}};
  subject.customer = payment_customer{platform_id{"plat_1"}, "reader-17", {}, false, false, {}};
  struct row {
    std::string_view typed;
    bool found;
  };
  for (const auto& each : {row{"1042.50", true},
                           row{"1,042.50", true},
                           row{"1042.5", true},
                           row{"HKD 1,042.50", true},
                           row{"1042.50 hkd", true},
                           row{" 1042.50 ", true},
                           row{"EUR 1042.50", false},
                           row{"1042.51", false},
                           row{"104250", false},
                           row{"ada wong", true},
                           row{"lantern.EXAMPLE", true},
                           row{"maps", true},
                           row{"lb-1042", true},
                           row{"reader-17", true},
                           row{"pay_", true},
                           row{"order", false},
                           row{"Eve", false},
                           row{"1042", true},
                           row{".", true},
                           row{" ", false},
                           row{"", false}}) {
    CAPTURE(each.typed);
    CHECK(payment_pattern{each.typed}.matches(subject) == each.found);
  }
}

TEST_CASE_METHOD(lists_fixture,
                 "a search reads a limited number of payments, says how far it went, and goes on from there") {
  fill(2'500);
  change_row(2'400, [](payment& of) { of.details.customer_name = "Ada Wong"; });
  change_row(700, [](payment& of) { of.details.customer_name = "Ada Wong"; });
  auto page = get("payments", "q=ada+wong");
  REQUIRE(page.status == 200);
  CHECK(lists(page, "/payments/pay_12400\""));
  CHECK_FALSE(lists(page, "/payments/pay_10700\""));
  CHECK(lists(page, "Searched 1000 payments"));
  CHECK(lists(page, "back to 20 Nov 2026, 12:25"));
  std::size_t searched = 0;
  for (const auto& each : asked) searched += each.limit;
  CHECK(searched == most_payments_searched);
  const auto link = page.body.find("cursor=");
  REQUIRE(link != std::string::npos);
  const auto cursor = page.body.substr(link, page.body.find('"', link) - link);
  page = get("payments", "q=ada+wong&" + cursor);
  CHECK(lists(page, "/payments/pay_10700\""));
  CHECK_FALSE(lists(page, "/payments/pay_12400\""));
  // The file has what the page has searched.
  const auto file = get("payments.csv", "q=ada+wong&" + cursor);
  CHECK(lists(file, "\"pay_10700\","));
  CHECK_FALSE(lists(file, "\"pay_12400\","));
  const auto none = get("payments", "q=nothing+like+it&" + cursor);
  CHECK(lists(none, "Nothing matches"));
}

TEST_CASE_METHOD(lists_fixture, "a search that fills its page goes on behind the last payment that it shows") {
  fill(120);
  std::vector<std::string> seen;
  std::string query = "q=pay_10";
  for (int page = 0; page < 3; ++page) {
    const auto out = get("payments", query);
    REQUIRE(out.status == 200);
    for (int number = 120; number >= 1; --number)
      if (lists(out, "/payments/pay_" + std::to_string(10'000 + number) + "\"")) seen.push_back(std::to_string(number));
    const auto link = out.body.find("\">Older<");
    CHECK((link != std::string::npos) == (page < 2));
    if (link == std::string::npos) break;
    const auto at = out.body.rfind("cursor=", link);
    query = "q=pay_10&" + out.body.substr(at, link - at);
  }
  REQUIRE(seen.size() == 120);
  CHECK(seen.front() == "120");
  CHECK(seen.back() == "1");
}

TEST_CASE_METHOD(lists_fixture,
                 "a payment is found by its id or its reference, whatever the filter, and the page says so") {
  fill(3);
  const auto by_id = get("payments", "q=pay_1&state=failed");
  CHECK(lists(by_id, "/payments/pay_1\""));
  CHECK(lists(by_id, "Found by its id or its reference"));
  CHECK(asked.empty());
  scene.payments_by_ref = [this](const find_payments_by_ref& what) {
    CHECK(what.provider_ref == "ch_77");
    return payments_lookup{{rows.front()}, false};
  };
  CHECK(lists(get("payments", "q=ch_77"), "/payments/pay_10003\""));
  // A caller that must not know the provider finds nothing by its references, and what it may know by a search.
  publish_merchant(merchant_kind::wallet);
  CHECK(lists(get("payments", "q=ch_77"), "Nothing matches"));
}

TEST_CASE_METHOD(lists_fixture, "the tabs have the numbers of the filter's payments, up to a limit") {
  std::optional<count_payments> counted;
  scene.of<count_payments>() = [&](const count_payments& what) {
    counted = what;
    payment_counts counts;
    counts.by_state[static_cast<std::size_t>(payment_state::captured)] = {1'000, true};
    counts.by_state[static_cast<std::size_t>(payment_state::failed)] = {7, false};
    return counts;
  };
  const auto page = get("payments", "currency=hkd&from=2026-11-01&until=2026-11-20&state=failed");
  REQUIRE(counted);
  CHECK(counted->currency == "HKD");
  CHECK(counted->from == parse_seconds("2026-11-01T00:00:00Z"));
  CHECK(counted->until == parse_seconds("2026-11-21T00:00:00Z"));
  CHECK(lists(page, "<span class=\"count\">1000+</span>"));
  CHECK(lists(page, "aria-current=\"true\">Failed <span class=\"count\">7</span>"));
  scene.of<count_payments>() = [](const count_payments&) -> caf::expected<payment_counts> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(get("payments").status == 503);
}

TEST_CASE_METHOD(lists_fixture, "the CSV file is named after merchant, mode and period, and has columns of metadata") {
  fill(3);
  change_row(3, [](payment& of) { of.details.metadata = {{"order", "1042"}, {"=shop", "=1+1"}}; });
  change_row(2, [](payment& of) { of.details.metadata = {{"order", "1041"}, {std::string(70, 'k'), "long"}}; });
  auto out = get("payments.csv", "from=2026-11-01&until=2026-11-20");
  CHECK(header(out, "Content-Disposition") ==
        "attachment; filename=\"payments-tea-co-test-2026-11-01-to-2026-11-20.csv\"");
  REQUIRE(out.next_chunk);
  const auto text = *run_to_end(out.next_chunk());
  CHECK(text.find("failure_code,\"metadata order\",\"metadata =shop\",\"other metadata\"\r\n") != std::string::npos);
  CHECK(text.find(",\"1042\",\"'=1+1\",\"\"\r\n") != std::string::npos);
  CHECK(text.find(",\"1041\",\"\",\"" + std::string(70, 'k') + ": long\"\r\n") != std::string::npos);
  CHECK(text.find(",\"\",\"\",\"\"\r\n") != std::string::npos);
  CHECK(header(get("payments.csv"), "Content-Disposition") ==
        "attachment; filename=\"payments-tea-co-test-to-2026-11-20.csv\"");
}

TEST_CASE_METHOD(lists_fixture, "a file has columns for twenty names of metadata, and no value is lost") {
  fill(1);
  change_row(1, [](payment& of) {
    for (int i = 1; i <= 25; ++i) of.details.metadata.emplace_back("k" + std::to_string(i), "v" + std::to_string(i));
  });
  auto out = get("payments.csv");
  REQUIRE(out.next_chunk);
  const auto text = *run_to_end(out.next_chunk());
  CHECK(text.find("\"metadata k20\",\"other metadata\"\r\n") != std::string::npos);
  CHECK(text.find("\"v20\",\"k21: v21\nk22: v22\nk23: v23\nk24: v24\nk25: v25\"\r\n") != std::string::npos);
}

TEST_CASE_METHOD(lists_fixture, "the timeline says who refunded how much, and why") {
  subject.state = payment_state::partially_refunded;
  subject.captured = 4200;
  subject.refunded = 1200;
  subject.records.refunds = {{"re_1", 1200, refund_status::succeeded, entry_origin::portal, noon, "torn", {}, {}}};
  timeline_entry refunding;
  refunding.operation = "refund";
  refunding.status = "approved";
  refunding.occurred_at = noon;
  refunding.by = entry_origin::portal;
  timeline_entry event;
  event.kind = timeline_kind::event;
  event.operation = "payment.partially_refunded";
  event.status = "published";
  event.occurred_at = noon;
  event.event_data = R"({"amount":4200,"refunded_amount":1200})";
  entries = {refunding, event};
  std::optional<find_audit> audited;
  scene.audits = [&](const find_audit& what) {
    audited = what;
    const auto note = [](std::string action, std::string of, environment env, std::string who) {
      save_audit made;
      made.user = user_id{std::move(who)};
      made.at = noon - 1s;
      made.action = std::move(action);
      made.subject = std::move(of);
      made.merchant = merchant_id{"merch_1"};
      made.env = env;
      return made;
    };
    return audit_lookup{
        {note("refund", "pay_2", environment::test, "user_2"), note("refund", "pay_1", environment::live, "user_2"),
         note("capture", "pay_1", environment::test, "user_2"), note("refund", "pay_1", environment::test, "user_1")}};
  };
  scene.entries = [](const find_directory&) {
    directory_lookup found;
    found.users = {{user_id{"user_1"}, "ada@example.com", true}, {user_id{"user_2"}, "eve@example.com", true}};
    return found;
  };
  const auto page = get("payments/pay_1");
  REQUIRE(audited);
  CHECK(audited->merchant.value == "merch_1");
  CHECK(audited->before == noon + 1ms);
  CHECK(lists(page, "by ada@example.com on the portal"));
  CHECK_FALSE(lists(page, "eve@example.com"));
  CHECK(lists(page, "Reason: torn"));
  CHECK(lists(page, "HKD 12.00 refunded in all"));
  // The page does without the names.
  scene.audits = [](const find_audit&) -> caf::expected<audit_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(lists(get("payments/pay_1"), "by a person on the portal"));
}

TEST_CASE_METHOD(lists_fixture,
                 "a payment that waits for its customer has its link, since when it waits, and a cancel") {
  subject.hosted_url = "https://pay.example/sandbox/checkout/token";
  const auto page = get("payments/pay_1");
  CHECK(lists(page, "href=\"https://pay.example/sandbox/checkout/token\""));
  CHECK(lists(page, "Waiting for the customer since"));
  CHECK(lists(page, "value=\"cancel\""));
  CHECK_FALSE(lists(page, "value=\"void\""));
  for (const auto state : {payment_state::created, payment_state::authorized, payment_state::captured,
                           payment_state::failed, payment_state::voided}) {
    CAPTURE(to_string(state));
    subject.state = state;
    CHECK_FALSE(lists(get("payments/pay_1"), "value=\"cancel\""));
    CHECK_FALSE(lists(get("payments/pay_1"), "Waiting for the customer"));
  }
}

TEST_CASE_METHOD(lists_fixture, "a cancel in the portal is the operation of the API, and says what became of it") {
  const auto encoder = make_payment_encoder("https://pay.example");
  auto after = subject;
  after.state = payment_state::failed;
  const provider_error cancelled{error_category::validation, std::string{checkout_cancelled}, "It was cancelled.",
                                 false};
  after.error = cancelled;
  outcome result{operation::cancel, {}, after, provider_status::declined, {}};
  result.error = cancelled;
  moved = entity_reply{finished{std::make_shared<const answer>(encoder->encode(result))}};
  const auto done = press("payments/pay_1", "action=cancel&reason=sold+out");
  CHECK(done.status == 303);
  CHECK(header(done, "Location") == "https://pay.example/portal/merch_1/test/payments/pay_1?done=cancel");
  const entity_request* sent = nullptr;
  for (const auto& each : scene.seen)
    if (each.write) sent = &each;
  REQUIRE(sent);
  const auto* command = command_if<cancel_payment>(sent->what);
  REQUIRE(command);
  CHECK(command->reason == "sold out");
  REQUIRE(sent->note);
  CHECK(sent->note->action == "cancel");

  // The customer was faster.
  moved = entity_reply{finished{
      std::make_shared<const answer>(encoder->encode({operation::cancel, problem::not_cancellable, after, {}, {}}))}};
  const auto late = press("payments/pay_1", "action=cancel");
  CHECK(late.status == 422);
  CHECK(lists(late, "Only a payment that waits for its customer can be cancelled."));
}

TEST_CASE_METHOD(lists_fixture, "what the provider has declined is said at the top, until something is done since") {
  subject.state = payment_state::authorized;
  timeline_entry declined;
  declined.operation = "capture";
  declined.status = "declined";
  declined.error_code = "card_declined";
  declined.message = "The bank wants it no more.";
  entries = {declined};
  const auto page = get("payments/pay_1");
  CHECK(page.body.find("The provider declined the capture") < page.body.find("What you can do"));
  CHECK(lists(page, "The bank wants it no more. (Card declined)"));
  auto done = declined;
  done.status = "approved";
  entries = {declined, done};
  CHECK_FALSE(lists(get("payments/pay_1"), "The provider declined the capture"));
}

TEST_CASE_METHOD(lists_fixture, "an unknown state filters nothing, which the page says, and a file is refused") {
  rows = {std::make_shared<const payment>(listed_payment(1))};
  const auto page = get("payments", "state=paid%3Cb%3E&currency=HKD");
  CHECK(page.status == 200);
  CHECK(lists(page, "There is no state “paid&lt;b&gt;”. All are shown."));
  CHECK(lists(page, "pay_10001"));
  REQUIRE(asked.size() == 1);
  CHECK_FALSE(asked[0].state);
  CHECK(asked[0].currency == "HKD");
  CHECK_FALSE(lists(page, "state=paid"));  // the links of the page do without it
  CHECK_FALSE(lists(get("payments", "state=captured"), "There is no state"));
  CHECK(get("payments.csv", "state=paid").status == 400);
  CHECK(get("payments.csv", "state=captured").status == 200);
}

// ---- subscriptions and customers ------------------------------------------------------------------

namespace {

subscription_ptr portal_box(const std::string& id, subscription_status status) {
  subscription s;
  s.key = subscription_key(merchant_id{"merch_1"}, environment::live, id);
  s.platform = platform_id{"plat_1"};
  s.details.customer_ref = "reader-17";
  s.provider_subscription_id = "sub_1";
  s.state.status = status;
  s.state.amount = {1900, *currency::parse("EUR")};
  s.state.every = {billing_interval::month, 3};
  return std::make_shared<const subscription>(std::move(s));
}

}  // namespace

TEST_CASE_METHOD(lists_fixture, "subscriptions are listed page by page, in live only") {
  std::vector<find_subscriptions> sent;
  scene.subscriptions = [&](const find_subscriptions& what) {
    sent.push_back(what);
    subscriptions_lookup found;
    for (int number = 100; number < 160 && found.subscriptions.size() < what.limit; ++number) {
      auto id = "box-" + std::to_string(number);
      if (id > what.after) found.subscriptions.push_back(portal_box(std::move(id), subscription_status::active));
    }
    return found;
  };
  CHECK(lists(get("subscriptions"), "Subscriptions are live only"));
  CHECK(sent.empty());
  const auto first = get("subscriptions", {}, "live");
  CHECK(lists(first, "/live/subscriptions/box-149\""));
  CHECK_FALSE(lists(first, "/live/subscriptions/box-150\""));
  CHECK(lists(first, "EUR 19.00 every 3 months"));
  const auto at = first.body.find("cursor=");
  REQUIRE(at != std::string::npos);
  const auto second = get("subscriptions", first.body.substr(at, first.body.find('"', at) - at), "live");
  CHECK(lists(second, "/live/subscriptions/box-150\""));
  CHECK_FALSE(lists(second, "/live/subscriptions/box-149\""));
  CHECK_FALSE(lists(second, "cursor="));
}

TEST_CASE_METHOD(lists_fixture, "a subscription's page has its cycles, and cancels it by the operation of the API") {
  auto status = subscription_status::active;
  scene.rows = [&](const find_entity& what) {
    CHECK(what.key == subscription_key(merchant_id{"merch_1"}, environment::live, "box-1"));
    return entity_lookup{entity_row{portal_box("box-1", status)}};
  };
  scene.of<find_timeline>() = [](const find_timeline&) {
    timeline_entry paid;
    paid.kind = timeline_kind::event;
    paid.operation = "subscription.invoice_paid";
    paid.event_data =
        R"({"amount":1900,"currency":"EUR","period_start":"2026-11-01T00:00:00Z","period_end":"2026-12-01T00:00:00Z",)"
        R"("source_event_id":"evt_9"})";
    auto failed = paid;
    failed.operation = "subscription.invoice_failed";
    auto free = failed;
    free.event_data = R"({"amount":0,"currency":"EUR","source_event_id":"evt_8"})";
    return timeline_lookup{{free, failed, paid}};
  };
  std::vector<std::string> looked_up;
  scene.of<find_events_by_id>() = [&](const find_events_by_id& what) {
    looked_up.push_back(what.event_id);
    const auto of = [&](std::string merchant, environment env, std::string payment) {
      event_record found;
      found.id = what.event_id;
      found.subject = payment_key(merchant_id{std::move(merchant)}, env, payment_id{std::move(payment)});
      return found;
    };
    events_by_id_lookup found;
    if (what.event_id.find("captured") != std::string::npos)
      found.events = {of("merch_1", environment::live, "pay_in_9"), of("merch_2", environment::live, "pay_in_other"),
                      of("merch_1", environment::test, "pay_in_test")};
    return found;
  };
  const auto page = get("subscriptions/box-1", {}, "live");
  REQUIRE(page.status == 200);
  CHECK(lists(page, "state good\">Paid<"));
  CHECK(lists(page, "EUR 19.00"));
  CHECK(lists(page, "1 Dec 2026"));
  CHECK(lists(page, "value=\"cancel\""));
  CHECK(lists(page, "sub_merch_1_sub_1"));
  // A cycle leads to its payment, which another event of the same notification names; one that cost nothing has none.
  CHECK(looked_up ==
        std::vector<std::string>{"evt_sandbox_payment_captured_evt_9", "evt_sandbox_payment_failed_evt_9"});
  CHECK(lists(page, "/live/payments/pay_in_9\">pay_in_9</a>"));
  CHECK_FALSE(lists(page, "pay_in_other"));
  CHECK_FALSE(lists(page, "pay_in_test"));

  const auto ended = portal_box("box-1", subscription_status::canceled);
  const auto result = make_subscription_encoder("https://pay.example")
                          ->encode(subscription_outcome{subscription_operation::cancel, {}, *ended, {}});
  moved = entity_reply{finished{std::make_shared<const answer>(result), false}};
  const auto done = press("subscriptions/box-1", "action=cancel", "live");
  CHECK(header(done, "Location").ends_with("/live/subscriptions/box-1?done=cancel-subscription"));
  REQUIRE(scene.seen.size() == 1);
  CHECK(command_if<cancel_subscription>(scene.seen[0].what));
  REQUIRE(scene.seen[0].write);
  CHECK(scene.seen[0].write->key.key == list_key);
  REQUIRE(scene.seen[0].note);
  CHECK(scene.seen[0].note->subject == "box-1");

  moved = entity_reply{problem::store_unavailable};
  const auto unknown = press("subscriptions/box-1", "action=cancel", "live");
  CHECK(unknown.status == 422);
  CHECK(lists(unknown, "It is not known whether it was cancelled."));
  CHECK(lists(unknown, "name=\"key\" value=\"" + list_key + '"'));
  CHECK(press("subscriptions/box-1", "action=revoke", "live").status == 400);
  status = subscription_status::canceled;
  CHECK_FALSE(lists(get("subscriptions/box-1", {}, "live"), "value=\"cancel\""));
}

TEST_CASE_METHOD(lists_fixture, "a customer's page has the methods under each of its names, the latest first") {
  customer who;
  who.key = customer_key(merchant_id{"merch_1"}, environment::live, platform_id{"plat_1"}, "reader-17");
  who.platform = platform_id{"plat_1"};
  who.ref = "reader-17";
  who.provider_id = "cus_first";
  who.methods = {"pm_1", "pm_2", "pm_3"};
  who.other_names = {{provider_kind::sandbox, "acct_2", "cus_second", {"pm_2"}}};
  scene.rows = [&](const find_entity& what) {
    entity_lookup found;
    if (what.key == who.key) found.found = entity_row{std::make_shared<const customer>(who)};
    return found;
  };
  const auto page = get("customers/" + who.key.id, {}, "live");
  REQUIRE(page.status == 200);
  CHECK(lists(page, "cus_first"));
  CHECK(lists(page, "cus_second"));
  CHECK(page.body.find("pm_3") < page.body.find("pm_1"));
  CHECK(lists(page, "/live/payments?q=reader-17\""));
  CHECK(get("customers/" + std::string(64, '0'), {}, "live").status == 404);
  CHECK(get("customers/" + who.key.id, {}, "test").status == 404);
  CHECK(get("customers/reader-17", {}, "live").status == 404);
}
