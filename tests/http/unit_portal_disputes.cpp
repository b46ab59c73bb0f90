// Refunds and disputes on a merchant's pages: what the store has is on the page of the payment, on the list and on the
// overview, and nothing is refunded while a dispute is open.
#include "gateway/domain/payment_machine.hpp"
#include "http/html/forms.hpp"
#include "http/portal/member_page.hpp"
#include "routes_fixture.hpp"

using namespace gateway;
using namespace gateway::http;
using namespace gateway::http::testing;
using namespace std::chrono_literals;

namespace {

const std::string shop_pages = "/portal/merch_1/test/";

struct disputed_fixture : gateway_fixture {
  const std::string cookie = std::string(64, 'a');
  payment subject = *waiting_payment(payment_state::captured);
  std::vector<timeline_entry> entries;
  entity_reply moved{problem::payment_not_found};
  std::vector<find_disputes> asked;
  std::vector<payment_ptr> disputed;  ///< newest first; each has one dispute
  std::size_t page_size = 100;

  disputed_fixture() {
    subject.captured = 4200;
    scene.sessions = [this](const find_session& what) { return session_found_by(what, cookie, noon + 11h); };
    scene.router = [this](const entity_request& sent) -> caf::result<entity_reply> {
      if (command_if<view_entity>(sent.what)) return entity_reply{entity_row{std::make_shared<const payment>(subject)}};
      if (!command_if<view_timeline>(sent.what)) return moved;
      timeline_view seen{subject.key, subject.hides_provider, subject.provider, entries};
      return entity_reply{std::make_shared<const timeline_view>(std::move(seen))};
    };
    scene.of<find_disputes>() = [this](const find_disputes& what) {
      asked.push_back(what);
      disputes_lookup found;
      for (const auto& each : disputed) {
        const auto& one = each->records.disputes.front();
        if (what.status && one.status != *what.status) continue;
        if (what.before &&
            std::pair{what.before->opened_at, what.before->dispute_id} <= std::pair{one.opened_at, one.id})
          continue;
        if (found.disputes.size() == page_size) {
          found.more = true;
          break;
        }
        found.disputes.push_back({each, one.id});
      }
      return found;
    };
  }

  void add_dispute(int number, dispute_status status, std::optional<time_point> due = {}) {
    auto of = subject;
    of.key.id = "pay_" + std::to_string(number);
    dispute one{"dp_" + std::to_string(number), 100 * number, "fraudulent", status, due, noon + number * 1min, {}, {}};
    of.records.disputes.push_back(std::move(one));
    disputed.insert(disputed.begin(), std::make_shared<const payment>(std::move(of)));
  }
  void open_dispute() {
    subject.records.disputes.push_back(
        {"dp_1", 4200, "fraudulent", dispute_status::needs_response, noon + 240h, noon, {}, "du_1"});
  }
  response get(const std::string& page, const std::string& query = {}) {
    const auto path = shop_pages + page, jar = "__Host-session=" + cookie;
    auto in = unsigned_request("GET", path);
    in.query = query;
    in.has_query = !query.empty();
    in.cookie = jar;
    return run(in);
  }
  response refund(const std::string& amount) {
    const auto path = shop_pages + "payments/pay_1", jar = "__Host-session=" + cookie;
    const auto body = "csrf=" + csrf_token(shared.form_key, cookie, "page\n" + path) +
                      "&action=refund&key=0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e&amount=" + amount;
    auto in = unsigned_request("POST", path, body, "application/x-www-form-urlencoded");
    in.cookie = jar;
    in.remote_address = "192.0.2.1";
    return run(in);
  }
  void comes_to(const outcome& result) {
    moved = entity_reply{
        finished{std::make_shared<const answer>(make_payment_encoder("https://pay.example")->encode(result))}};
  }
};

bool tells(const response& page, std::string_view text) { return page.body.find(text) != std::string::npos; }

}  // namespace

TEST_CASE_METHOD(disputed_fixture,
                 "a payment's page has its amounts, and its refunds with who made them, newest first") {
  subject.refunded = 1700;
  subject.state = payment_state::partially_refunded;
  subject.records.refunds = {
      {"re_1", 1200, refund_status::succeeded, entry_origin::portal, noon, "torn", {}, {}},
      {"re_2", 500, refund_status::pending, entry_origin::provider, noon + 1h, {}, {}, "re_there"},
      {"re_3", 300, refund_status::failed, entry_origin::operator_, noon + 2h, {}, "lost_or_stolen_card", {}}};
  subject.records.disputes = {{"dp_1", 1000, "fraudulent", dispute_status::lost, {}, noon, noon + 3h, {}}};
  const auto page = get("payments/pay_1");
  CHECK(page.status == 200);
  for (const auto* text :
       {"HKD 12.00", "HKD 5.00", "HKD 3.00", ">torn<", "by a person on the portal", "at the provider",
        "by the operator", "lost_or_stolen_card", "HKD 10.00", "At most HKD 15.00."})
    CHECK(tells(page, text));
  CHECK(page.body.find("re_3") < page.body.find("re_2"));
  CHECK(page.body.find("re_2") < page.body.find("re_1"));
  CHECK_FALSE(tells(page, "<dt>Disputed</dt>"));  // what was lost is no longer disputed
  subject.hides_provider = true;
  CHECK_FALSE(tells(get("payments/pay_1"), "lost_or_stolen_card"));
}

TEST_CASE_METHOD(disputed_fixture, "the timeline says in words who caused each entry") {
  struct row {
    entry_origin by;
    std::string_view words;
  };
  for (const auto& each :
       {row{entry_origin::api, "by API"}, row{entry_origin::portal, "by a person on the portal"},
        row{entry_origin::provider, "at the provider"}, row{entry_origin::operator_, "by the operator"},
        row{entry_origin::system, "by the gateway"}}) {
    CAPTURE(each.words);
    timeline_entry entry;
    entry.operation = "void";
    entry.status = "expired";
    entry.occurred_at = noon;
    entry.by = each.by;
    entries = {entry};
    CHECK(tells(get("payments/pay_1"), ">" + std::string{each.words} + "<"));
  }
}

TEST_CASE_METHOD(disputed_fixture, "a payment's page offers a refund unless a dispute is open") {
  struct row {
    dispute_status status;
    bool refundable;
    std::string_view amount;
  };
  for (const auto& each : {row{dispute_status::warning, true, "HKD 42.00"},
                           row{dispute_status::needs_response, false, ""}, row{dispute_status::under_review, false, ""},
                           row{dispute_status::won, true, "HKD 42.00"}, row{dispute_status::lost, true, "HKD 32.00"}}) {
    CAPTURE(to_string(each.status));
    subject.records.disputes = {{"dp_1", 1000, "fraudulent", each.status, noon + 240h, noon, {}, "du_1"}};
    const auto page = get("payments/pay_1");
    CHECK(tells(page, "value=\"refund\"") == each.refundable);
    CHECK(tells(page, "There is no refund while a dispute is open") != each.refundable);
    CHECK(tells(page, "<dt>Disputed</dt>") != each.refundable);
    if (each.refundable) CHECK(tells(page, "At most " + std::string{each.amount}));
    CHECK(tells(page, ">30 Nov 2026<"));
  }
}

TEST_CASE_METHOD(disputed_fixture,
                 "a refund that was sent before the dispute was seen is refused, and the page says why") {
  open_dispute();
  comes_to({operation::refund, problem::payment_disputed, subject, {}, {}});
  const auto page = refund("1.00");
  CHECK(page.status == 422);
  CHECK(tells(page, "There is no refund while a dispute is open"));
  CHECK_FALSE(tells(page, "value=\"refund\""));
}

TEST_CASE_METHOD(disputed_fixture, "a refund that the provider will make later is not shown as made") {
  for (const auto& [status, verb] :
       {std::pair{provider_status::approved, "refund"}, std::pair{provider_status::pending, "refund-pending"}}) {
    comes_to({operation::refund, {}, subject, status, {}});
    const auto done = refund("1.00");
    CHECK(done.status == 303);
    CHECK(header(done, "Location").ends_with(std::string{"?done="} + verb));
  }
  CHECK(tells(get("payments/pay_1", "done=refund-pending"), "will make it later"));
}

TEST_CASE_METHOD(disputed_fixture,
                 "the disputes are listed newest first, by status, and paged without gaps or repeats") {
  page_size = 2;
  for (int number = 1; number <= 5; ++number)
    add_dispute(number, number == 3 ? dispute_status::won : dispute_status::needs_response, noon + 240h);
  std::vector<std::string> seen;
  std::string query;
  for (int page = 0; page < 3; ++page) {
    const auto out = get("disputes", query);
    REQUIRE(out.status == 200);
    CHECK(tells(out, ">Newest<") == (page > 0));
    CHECK(tells(out, ">Older<") == (page < 2));
    CHECK(tells(out, ">30 Nov 2026<"));
    for (int number = 5; number >= 1; --number)
      if (tells(out, "<code>dp_" + std::to_string(number) + "</code>")) {
        seen.push_back("dp_" + std::to_string(number));
        CHECK(tells(out, "/portal/merch_1/test/payments/pay_" + std::to_string(number) + "\""));
      }
    const auto at = out.body.find("cursor=");
    if (at != std::string::npos) query = out.body.substr(at, out.body.find('"', at) - at);
  }
  CHECK(seen == std::vector<std::string>{"dp_5", "dp_4", "dp_3", "dp_2", "dp_1"});
  CHECK(asked.front().merchant.value == "merch_1");
  CHECK(asked.front().env == environment::test);
  CHECK(asked.front().limit == rows_of_a_page);
  const auto won = get("disputes", "status=won");
  CHECK(tells(won, "dp_3"));
  CHECK_FALSE(tells(won, "dp_4"));
  // An unknown status or cursor is ignored.
  const auto invented = get("disputes", "status=invented&cursor=..%2F..");
  CHECK(tells(invented, "dp_5"));
  CHECK(tells(invented, "There is no status “invented”. All are shown."));
}

TEST_CASE_METHOD(disputed_fixture, "the overview has the dispute whose evidence is due first at the top") {
  page_size = 2;
  for (int number = 1; number <= 5; ++number) add_dispute(number, dispute_status::needs_response, noon + 24h * number);
  add_dispute(6, dispute_status::under_review);
  add_dispute(7, dispute_status::warning, noon + 1h);
  add_dispute(8, dispute_status::won, noon);
  const auto page = get("");
  REQUIRE(page.status == 200);
  std::size_t before = page.body.find("Needs your attention");
  REQUIRE(before != std::string::npos);
  for (const auto* amount : {"HKD 7.00", "HKD 1.00", "HKD 2.00", "HKD 3.00", "HKD 4.00"}) {
    CAPTURE(amount);
    const auto at = page.body.find(std::string{amount} + " is disputed");
    CHECK(at != std::string::npos);
    CHECK(at > before);
    before = at;
  }
  CHECK(tells(page, "Evidence is due by 21 Nov 2026."));
  CHECK_FALSE(tells(page, "HKD 5.00 is disputed"));
  CHECK_FALSE(tells(page, "HKD 8.00 is disputed"));
  CHECK(tells(page, "7 disputes are open."));
}

TEST_CASE_METHOD(disputed_fixture, "disputes that cannot be read are not shown as none") {
  scene.of<find_disputes>() = [](const find_disputes&) -> caf::expected<disputes_lookup> {
    return make_error(actor_errc::store_unavailable);
  };
  CHECK(get("disputes").status == 503);
  CHECK(get("").status == 503);
}
