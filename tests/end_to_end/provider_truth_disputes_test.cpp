// Disputes at the sandbox, from opening to closing, and their list over the API: docs/served/payments.md, "Disputes".
#include <catch2/catch.hpp>

#include <set>
#include <utility>

#include "followed_shop.hpp"
#include "platform.hpp"

using namespace gateway::e2e;

namespace {

using words = std::vector<std::string>;

words ids_of(const json& disputes) {
  words ids;
  for (const auto& each : disputes["disputes"].items()) ids.push_back(each["dispute_id"].text());
  return ids;
}

}  // namespace

TEST_CASE("a dispute through its life: refunds wait for it, and each step is an event with the dispute as it is") {
  followed_shop s{GENERATE(from_range(stores()))};
  for (const std::string end : {"--win", "--lose"}) {
    CAPTURE(end);
    const auto id = s.captured();
    s.happens("dispute", id, {"--open", "--amount", "700"});
    auto shown = s.merchant.payment(id);
    CHECK(shown["state"] == "captured");
    CHECK(shown["disputed_amount"] == 700);
    REQUIRE(shown["disputes"].size() == 1);
    const auto opened = shown["disputes"].at(0);
    const auto dispute = opened["dispute_id"].text();
    CHECK(dispute.starts_with("dp_"));
    CHECK(opened["payment_id"] == id);
    CHECK(opened["amount"] == 700);
    CHECK(opened["currency"] == "HKD");
    CHECK_FALSE(opened["reason"].text().empty());
    CHECK(opened["status"] == "needs_response");
    CHECK(seconds_until(opened["evidence_due_by"].text()) > 0);
    CHECK(is_timestamp_in_seconds(opened["opened_at"].text()));
    CHECK_FALSE(opened["closed_at"].present());
    const auto read = [&] { return s.merchant.get("/v1/disputes/" + dispute).body; };
    CHECK(json::parse(read()).dump() == opened.dump());
    CHECK(s.event("dispute.opened", id).dump() == opened.dump());
    CHECK(s.is_refused("dispute", id, {"--open"}));
    CHECK(s.is_refused("refund", id, {"--outside", "1000"}));

    const call same;
    const auto refused = s.merchant.refund(id, R"({"amount":500})", same);
    CHECK(summary_of(refused) == "409 payment disputed");
    s.happens("dispute", id, {"--update"});
    CHECK(json::parse(read())["status"] == "under_review");
    CHECK(s.event("dispute.updated", id).dump() == json::parse(read()).dump());
    CHECK(summary_of(s.merchant.refund(id, 500)) == "409 payment disputed");

    s.happens("dispute", id, {end});
    const auto closed = json::parse(read());
    CHECK(closed["status"] == (end == "--win" ? "won" : "lost"));
    CHECK(is_timestamp_in_seconds(closed["closed_at"].text()));
    CHECK(s.event("dispute.closed", id).dump() == closed.dump());
    for (const auto* more : {"--win", "--lose", "--update"}) CHECK(s.is_refused("dispute", id, {more}));
    CHECK(s.last_entries(id, 1) == words{"event dispute.closed published provider"});

    // The refusal is a stored result; a new key is a new attempt.
    const auto replay = s.merchant.refund(id, R"({"amount":500})", same);
    CHECK(replay.replayed());
    CHECK(replay.body == refused.body);
    shown = s.merchant.payment(id);
    const auto left = end == "--win" ? 4200 : 3500;
    CHECK(shown["disputed_amount"] == 0);
    CHECK(shown["remaining_amount"] == left);
    CHECK(summary_of(s.merchant.refund(id, left + 1)) == "422 refund amount exceeds captured amount");
    CHECK(json::parse(s.merchant.refund(id).body)["refunded_amount"] == left);
    CHECK(summary_of(s.merchant.refund(id)) == "409 payment not refundable in current state");
    for (const auto* type : {"dispute.opened", "dispute.updated", "dispute.closed"}) CHECK(s.events(type, id) == 1);
  }
}

TEST_CASE("an inquiry of the bank takes no money, and may become a dispute") {
  followed_shop s{GENERATE(from_range(stores()))};
  const auto id = s.captured();
  s.happens("dispute", id, {"--open", "--amount", "700", "--warning"});
  auto shown = s.merchant.payment(id);
  CHECK(shown["disputed_amount"] == 0);
  CHECK(shown["disputes"].at(0)["status"] == "warning");
  CHECK(summary_of(s.merchant.refund(id, 1000)) == "200 partially_refunded");
  CHECK(s.is_refused("dispute", id, {"--lose"}));
  s.happens("dispute", id, {"--open"});
  shown = s.merchant.payment(id);
  REQUIRE(shown["disputes"].size() == 1);
  CHECK(shown["disputes"].at(0)["status"] == "needs_response");
  CHECK(shown["disputed_amount"] == 700);
  CHECK(s.event("dispute.updated", id)["status"] == "needs_response");

  const auto closed = s.captured();
  s.happens("dispute", closed, {"--open", "--warning"});
  s.happens("dispute", closed, {"--win"});
  CHECK(s.merchant.payment(closed)["disputes"].at(0)["status"] == "won");
  CHECK(summary_of(s.merchant.refund(closed)) == "200 refunded");
}

TEST_CASE("the capture of pm_card_createDispute opens a dispute of all that was captured") {
  followed_shop s{GENERATE(from_range(stores()))};
  const auto whole = s.authorized("pm_card_createDispute"), part = s.authorized("pm_card_createDispute");
  CHECK(s.merchant.payment(whole)["disputes"].size() == 0);
  REQUIRE(summary_of(s.merchant.capture(whole)) == "200 captured");
  REQUIRE(summary_of(s.merchant.capture_part(part, 3000)) == "200 captured");
  for (const auto& [id, amount] : {std::pair{whole, 4200}, std::pair{part, 3000}}) {
    const auto shown = s.merchant.payment(id);
    REQUIRE(shown["disputes"].size() == 1);
    CHECK(shown["state"] == "captured");
    CHECK(shown["disputed_amount"] == amount);
    CHECK(shown["disputes"].at(0)["amount"] == amount);
    CHECK(shown["disputes"].at(0)["status"] == "needs_response");
    CHECK(s.event("dispute.opened", id)["amount"] == amount);
    CHECK(summary_of(s.merchant.refund(id)) == "409 payment disputed");
    s.happens("dispute", id, {"--win"});
    CHECK(summary_of(s.merchant.refund(id)) == "200 refunded");
    CHECK(s.events("dispute.opened", id) == 1);
  }
}

TEST_CASE("the list of disputes is read page by page, each dispute once, while others are opened and closed") {
  followed_shop s{GENERATE(from_range(stores()))};
  CHECK(s.list().dump() == R"({"disputes":[]})");
  std::set<std::string> first;
  words payments;
  for (int i = 0; i < 5; ++i) {
    payments.push_back(s.captured());
    s.happens("dispute", payments.back(), {"--open", "--amount", std::to_string(100 + i)});
    first.insert(s.merchant.payment(payments.back())["disputes"].at(0)["dispute_id"].text());
  }
  const auto all = s.list();
  CHECK_FALSE(all["next"].present());
  const auto newest_first = ids_of(all);
  CHECK(std::set<std::string>(newest_first.begin(), newest_first.end()) == first);
  const auto opened_at = [&](std::size_t i) { return all["disputes"].at(i)["opened_at"].text(); };
  for (std::size_t i = 1; i < all["disputes"].size(); ++i) CHECK(opened_at(i - 1) >= opened_at(i));

  // Five pages of one, the last of which is full and has nothing behind it.
  words told;
  std::string after;
  for (int page = 0; page < 5; ++page) {
    const auto got = s.list("?limit=1" + after);
    REQUIRE(got["disputes"].size() == 1);
    told.push_back(ids_of(got).front());
    CHECK(got["next"].present() == (page < 4));
    after = "&after=" + got["next"].text();
    if (page != 1) continue;
    // Between two pages one more is opened, and one of a page before and one of a page behind are closed.
    s.happens("dispute", s.captured(), {"--open"});
    s.happens("dispute", payments.front(), {"--win"});
    s.happens("dispute", payments.back(), {"--lose"});
  }
  CHECK(told == newest_first);

  // Filters: only matching disputes, and an empty list if none matches.
  CHECK(ids_of(s.list("?status=won")) == ids_of(s.list("?payment_id=" + payments.front())));
  CHECK(s.list("?status=lost&payment_id=" + payments.back())["disputes"].size() == 1);
  CHECK(s.list("?status=won&payment_id=" + payments.back())["disputes"].size() == 0);
  CHECK(s.list("?status=needs_response&limit=100")["disputes"].size() == 4);
  CHECK(s.list("?payment_id=pay_unknown")["disputes"].size() == 0);
  words open;
  after.clear();
  do {
    const auto page = s.list("?status=needs_response&limit=3" + after);
    for (const auto& id : ids_of(page)) open.push_back(id);
    after = page["next"].present() ? "&after=" + page["next"].text() : std::string{};
  } while (!after.empty());
  CHECK(open == ids_of(s.list("?status=needs_response")));
}

TEST_CASE("a wrong parameter of the list of disputes is 400 with its name, a cursor of another list included") {
  followed_shop s{GENERATE(from_range(stores()))}, neighbour{s.gateway.store()};
  for (auto* shop : {&s, &neighbour})
    for (int i = 0; i < 2; ++i) shop->happens("dispute", shop->captured(), {"--open"});
  const auto own = s.list("?limit=1")["next"].text(), other = neighbour.list("?limit=1")["next"].text();
  REQUIRE_FALSE(own.empty());
  REQUIRE_FALSE(other.empty());
  const std::pair<std::string, std::string> rows[] = {
      {"?limit=0", "limit"},
      {"?limit=101", "limit"},
      {"?limit=x", "limit"},
      {"?limit=", "limit"},
      {"?limit=1&limit=1", "limit"},
      {"?status=open", "status"},
      {"?status=", "status"},
      {"?status=won&status=lost", "status"},
      {"?payment_id=", "payment_id"},
      {"?payment_id=1", "payment_id"},
      {"?state=won", "state"},
      {"?after=", "after"},
      {"?after=dp_1", "after"},
      {"?after=" + own + "A", "after"},
      {"?after=" + own.substr(1), "after"},
      {"?after=" + other, "after"},
      {"?after=" + own + "&after=" + own, "after"},
  };
  for (const auto& [query, name] : rows) {
    CAPTURE(query);
    CHECK(s.refusal(query) == "400 invalid_request " + name);
  }
  CHECK(s.list("?after=" + own)["disputes"].size() == 1);
}

TEST_CASE("a merchant sees its own disputes only, and a platform those of merchants that granted it to read") {
  auto& gateway = shared_gateway(GENERATE(from_range(stores())));
  followed_shop stranger{gateway.store()};
  const pair_of_parties both{gateway};
  both.grant("test");
  api shop{gateway, both.shop.test}, platform{gateway, both.who.key};
  const auto id = new_payment_id();
  REQUIRE(summary_of(shop.create(server_payment(id))) == "200 authorized");
  REQUIRE(summary_of(shop.capture(id)) == "200 captured");
  gateway.ctl({"sandbox", "dispute", id, "--merchant", both.shop.id, "--mode", "test", "--open"});
  const auto dispute = shop.payment(id)["disputes"].at(0)["dispute_id"].text();

  CHECK(summary_of(stranger.merchant.get("/v1/disputes/" + dispute)) == "404 dispute_not_found");
  CHECK(stranger.list()["disputes"].size() == 0);
  CHECK(stranger.list("?payment_id=" + id)["disputes"].size() == 0);
  for (const auto* unknown : {"dp_unknown", "unknown"})
    CHECK(summary_of(shop.get("/v1/disputes/" + std::string{unknown})) == "404 dispute_not_found");

  const auto as = on_behalf_of(both.shop.id);
  CHECK(platform.get("/v1/disputes/" + dispute + "?environment=test", as).body ==
        shop.get("/v1/disputes/" + dispute).body);
  CHECK(platform.get("/v1/disputes?environment=test", as).body == shop.get("/v1/disputes").body);
  CHECK(platform.get(api::path(id, "/refunds?environment=test"), as).body == shop.get(api::path(id, "/refunds")).body);
  // The grant is for test only.
  CHECK(summary_of(platform.get("/v1/disputes", as)) == "403 MERCHANT_GRANT_REQUIRED");
  CHECK(summary_of(platform.get("/v1/disputes?environment=test")) == "400 MOOOV_MERCHANT_REQUIRED");
  CHECK(summary_of(platform.get("/v1/disputes?environment=test", on_behalf_of(stranger.account.id))) ==
        "403 GRANT_NOT_FOUND");
  api writer{gateway, mint_key(gateway, both.shop.id, "test", "payments:write")};
  for (const auto& target : {std::string{"/v1/disputes"}, "/v1/disputes/" + dispute, api::path(id, "/refunds")})
    CHECK(summary_of(writer.get(target)) == "403 forbidden");
}
