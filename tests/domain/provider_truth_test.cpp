// A payment follows its provider: every state with every state of the charge there, then refunds, and what cannot be
// followed. Disputes: dispute_truth_test.cpp.
#include "followed_payment.hpp"

#include <algorithm>
#include <array>
#include <map>

using namespace gateway;
using namespace gateway::followed;
using namespace std::chrono_literals;

namespace {

constexpr std::array charges{charge_state::unknown,  charge_state::waiting,  charge_state::authorized,
                             charge_state::captured, charge_state::canceled, charge_state::expired,
                             charge_state::failed};

/// Without a default: a new state of a charge breaks the build until the table has a column for it.
constexpr std::string_view name_of(charge_state s) {
  switch (s) {
    case charge_state::unknown: return "unknown";
    case charge_state::waiting: return "waiting";
    case charge_state::authorized: return "authorized";
    case charge_state::captured: return "captured";
    case charge_state::canceled: return "canceled";
    case charge_state::expired: return "expired";
    case charge_state::failed: return "failed";
  }
  return {};
}

provider_truth truth_of(charge_state charge, std::int64_t captured = 0) {
  provider_truth truth;
  truth.charge = charge;
  truth.captured = captured;
  truth.charge_ref = "ch_1";
  return truth;
}

provider_refund there(std::string ref, std::int64_t amount, refund_status status = refund_status::succeeded,
                      std::string failure_code = {}) {
  return {std::move(ref), amount, status, std::move(failure_code), std::nullopt};
}

refund here(std::string ref, std::int64_t amount, refund_status status = refund_status::succeeded) {
  refund r;
  r.id = "re_id_" + ref;
  r.amount = amount;
  r.status = status;
  r.created_at = now - 12h;
  r.reason = "worn";
  r.provider_ref = std::move(ref);
  return r;
}

/// A captured payment with these refunds; `unlisted` was refunded before refunds had objects.
payment refunded_by(std::vector<refund> all, std::int64_t unlisted = 0) {
  auto p = payment_in(payment_state::captured);
  p.refunded = unlisted;
  for (const auto& each : all)
    if (each.status != refund_status::failed) p.refunded += each.amount;
  if (p.refunded > 0) p.state = p.refunded == p.captured ? payment_state::refunded : payment_state::partially_refunded;
  p.records.refunds = std::move(all);
  return p;
}

provider_truth with_refunds(std::vector<provider_refund> all) {
  auto truth = truth_of(charge_state::captured, 4200);
  truth.lists_refunds = true;
  truth.refunds = std::move(all);
  return truth;
}

/// The payment after a comparison with its provider.
struct becomes {
  payment_state state;
  std::int64_t captured;
  std::string story;
  std::string_view void_reason = {};
  bool late = false;
};

struct refund_row {
  const char* what;
  payment before;
  std::vector<provider_refund> there;
  lines story;
  std::int64_t refunded;
  std::vector<refund_status> statuses;
};

void check(const refund_row& r) {
  CAPTURE(r.what);
  const auto seen = follow(r.before, with_refunds(r.there));
  CHECK(seen.story == r.story);
  CHECK(seen.after.refunded == r.refunded);
  std::vector<refund_status> statuses;
  for (const auto& each : seen.after.records.refunds) statuses.push_back(each.status);
  CHECK(statuses == r.statuses);
  CHECK(seen.after.state == (r.refunded == 0      ? payment_state::captured
                             : r.refunded == 4200 ? payment_state::refunded
                                                  : payment_state::partially_refunded));
  CHECK(machine::remaining(seen.after) == 4200 - r.refunded);
  CHECK(contradiction_of(seen.after, with_refunds(r.there)).empty());
}

const std::string part_refunded = "refund approved, payment.partially_refunded published / refunded 1200",
                  part_failed = "refund failed, payment.refund_failed published / refund_failed 1200";

}  // namespace

TEST_CASE("every state of a payment follows every state of its charge at the provider") {
  using enum payment_state;
  const becomes captured_there{captured, 4200, "capture approved, payment.captured published / captured 4200"};
  const becomes paid_late{captured, 4200, "charge approved, payment.captured published / captured 4200", {}, true};
  const becomes authorized_there{authorized, 0, "authorize approved"};
  const becomes expired{voided, 0, "void expired, payment.voided published", "authorization_expired"};
  const becomes cancelled{voided, 0, "void cancelled, payment.voided published", "cancelled_at_provider"};
  using row = std::array<std::optional<becomes>, charges.size()>;
  constexpr std::nullopt_t same = std::nullopt;
  //                     unknown, waiting, authorized, captured, canceled, expired, failed
  const std::map<payment_state, row> table{
      {created, {same, same, same, same, same, same, same}},
      {processing, {same, same, same, same, same, same, same}},
      {authorized, {same, same, same, captured_there, cancelled, expired, cancelled}},
      {captured, {same, same, same, same, same, same, same}},
      {partially_refunded, {same, same, same, same, same, same, same}},
      {refunded, {same, same, same, same, same, same, same}},
      {failed, {same, same, authorized_there, paid_late, same, same, same}},
      {voided, {same, same, authorized_there, captured_there, same, same, same}},
  };
  REQUIRE(table.size() == enum_count<payment_state>);
  for (const auto& [state, expected] : table)
    for (std::size_t i = 0; i < charges.size(); ++i) {
      CAPTURE(to_string(state), name_of(charges[i]));
      const auto p = payment_in(state);
      const auto truth = truth_of(charges[i], charges[i] == charge_state::captured ? 4200 : 0);
      const auto seen = follow(p, truth);
      if (!expected[i]) {
        CHECK(seen.story.empty());
        CHECK(seen.after == p);
        continue;
      }
      CHECK(seen.story == lines{expected[i]->story});
      CHECK(seen.after.state == expected[i]->state);
      CHECK(seen.after.captured == expected[i]->captured);
      CHECK(seen.after.captured_at.has_value() == (expected[i]->state == captured));
      CHECK(seen.after.records.void_reason == expected[i]->void_reason);
      CHECK(seen.after.records.paid_late == expected[i]->late);
      CHECK_FALSE(seen.after.error);
      CHECK(seen.after.refunded == 0);
    }
}

TEST_CASE("a payment is not compared while an operation is open, before its creation, or without a reference") {
  for (const auto charge : charges) {
    CAPTURE(name_of(charge));
    auto p = payment_in(payment_state::authorized);
    p.open = open_operation{};
    CHECK(differences(p, truth_of(charge, 4200), now).empty());
    CHECK(contradiction_of(p, truth_of(charge)).empty());
    p.open.reset();
    p.provider_ref.clear();
    CHECK(differences(p, truth_of(charge, 4200), now).empty());
  }
}

TEST_CASE("a capture at the provider takes what was captured there, up to the payment's amount") {
  struct row {
    std::int64_t there, expected;
  };
  for (const auto& r : {row{4200, 4200}, row{4199, 4199}, row{1, 1}, row{4201, 4200}, row{0, 4200}}) {
    CAPTURE(r.there);
    const auto steps =
        differences(payment_in(payment_state::authorized), truth_of(charge_state::captured, r.there), now);
    REQUIRE(steps.size() == 1);
    const auto& after = steps.front().next;
    CHECK(after.captured == r.expected);
    CHECK(after.amount.minor == 4200);
    CHECK(machine::remaining(after) == r.expected);
    CHECK(steps.front().movement_ref == "ch_1");
    CHECK(follow(after, truth_of(charge_state::captured, r.there)).story.empty());
  }
}

TEST_CASE("a payment that failed is captured late, whatever it had failed for") {
  auto cancelled = payment_in(payment_state::failed);
  cancelled.error->code = checkout_cancelled;
  cancelled.hosted_url = "https://page";
  const auto redirect = payment_in(payment_state::failed, provider_kind::stripe, flow::redirect);
  const auto wallet = payment_in(payment_state::failed, provider_kind::jazzcash, flow::redirect);
  for (const auto& p : {cancelled, redirect, wallet}) {
    const auto seen = follow(p, truth_of(charge_state::captured, 4200));
    CHECK(seen.after.state == payment_state::captured);
    CHECK(seen.after.records.paid_late);
    CHECK(seen.after.hosted_url.empty());
    CHECK(seen.after.status == provider_status::approved);
  }
  // Its customer cancelled it: an approval without a capture leaves it so. The others have no separate approval.
  for (const auto& p : {cancelled, redirect, wallet})
    CHECK(follow(p, truth_of(charge_state::authorized)).story.empty());
}

TEST_CASE("refunds follow the provider, each counted once") {
  using enum refund_status;
  const refund_row table[] = {
      {"none", refunded_by({}), {}, {}, 0, {}},
      {"a new one", refunded_by({}), {there("r1", 1200)}, {part_refunded}, 1200, {succeeded}},
      {"a new one of all",
       refunded_by({}),
       {there("r1", 4200)},
       {"refund approved, payment.refunded published / refunded 4200"},
       4200,
       {succeeded}},
      {"two new ones",
       refunded_by({}),
       {there("r1", 1200), there("r2", 3000)},
       {part_refunded, "refund approved, payment.refunded published / refunded 3000"},
       4200,
       {succeeded, succeeded}},
      {"a new one that is pending",
       refunded_by({}),
       {there("r1", 1200, pending)},
       {"refund pending, payment.partially_refunded published / refunded 1200"},
       1200,
       {pending}},
      {"rejected, or failed before the gateway saw it", refunded_by({}), {there("r1", 1200, failed)}, {}, 0, {}},
      {"a known one", refunded_by({here("r1", 1200)}), {there("r1", 1200)}, {}, 1200, {succeeded}},
      {"pending, then succeeded",
       refunded_by({here("r1", 1200, pending)}),
       {there("r1", 1200)},
       {"refund approved"},
       1200,
       {succeeded}},
      {"succeeded, then pending",
       refunded_by({here("r1", 1200)}),
       {there("r1", 1200, pending)},
       {"refund pending"},
       1200,
       {pending}},
      {"pending, then failed",
       refunded_by({here("r1", 1200, pending)}),
       {there("r1", 1200, failed)},
       {part_failed},
       0,
       {failed}},
      {"succeeded, then failed",
       refunded_by({here("r1", 1200)}),
       {there("r1", 1200, failed)},
       {part_failed},
       0,
       {failed}},
      {"one of two failed",
       refunded_by({here("r1", 1200), here("r2", 3000)}),
       {there("r1", 1200, failed), there("r2", 3000)},
       {part_failed},
       3000,
       {failed, succeeded}},
      {"failed, and that is known",
       refunded_by({here("r1", 1200, failed)}),
       {there("r1", 1200, failed)},
       {},
       0,
       {failed}},
      {"failed, then succeeded",
       refunded_by({here("r1", 1200, failed)}),
       {there("r1", 1200)},
       {part_refunded},
       1200,
       {succeeded}},
      {"failed, then pending",
       refunded_by({here("r1", 1200, failed)}),
       {there("r1", 1200, pending)},
       {"refund pending, payment.partially_refunded published / refunded 1200"},
       1200,
       {pending}},
  };
  for (const auto& r : table) check(r);
}

TEST_CASE("refunds from before they had objects, and those without a reference, are recognised") {
  using enum refund_status;
  const refund_row table[] = {
      {"made before refunds had objects", refunded_by({}, 1200), {there("r1", 1200)}, {""}, 1200, {succeeded}},
      {"two made before refunds had objects, and a new one",
       refunded_by({}, 1500),
       {there("r1", 1000), there("r2", 500), there("r3", 1200)},
       {"", "", part_refunded},
       2700,
       {succeeded, succeeded, succeeded}},
      {"made before refunds had objects, with a later one",
       refunded_by({here("r2", 1000)}, 1200),
       {there("r1", 1200), there("r2", 1000)},
       {""},
       2200,
       {succeeded, succeeded}},
      {"one without a reference", refunded_by({here("", 1200)}), {there("r1", 1200)}, {""}, 1200, {succeeded}},
      {"two of an amount without references",
       refunded_by({here("", 1200), here("", 1200)}),
       {there("r1", 1200), there("r2", 1200)},
       {"", ""},
       2400,
       {succeeded, succeeded}},
      {"one without a reference that is not there", refunded_by({here("", 1200)}), {}, {part_failed}, 0, {failed}},
      {"one of another amount than the one without a reference",
       refunded_by({here("", 1200)}),
       {there("r1", 1000)},
       {"refund approved, payment.partially_refunded published / refunded 1000", part_failed},
       1000,
       {failed, succeeded}},
      {"one that an operator recorded, and that is not there",
       refunded_by({here("by hand", 1200)}),
       {},
       {},
       1200,
       {succeeded}},
      {"one of nothing", refunded_by({}), {there("r1", 0)}, {}, 0, {}},
  };
  for (const auto& r : table) check(r);
}

TEST_CASE("a refund that an operator recorded counts once, also where the provider lists it under another reference") {
  auto recorded = here("by hand", 1200);
  recorded.by = entry_origin::operator_;
  const auto p = refunded_by({recorded});
  struct row {
    const char* what;
    std::vector<provider_refund> there;
    std::int64_t refunded;
    std::string ref;  ///< of the recorded one, afterwards
  };
  const auto made = [&](std::string ref, std::int64_t amount, duration_ms after,
                        refund_status status = refund_status::succeeded) {
    auto one = there(std::move(ref), amount, status);
    one.created_at = recorded.created_at + after;
    return one;
  };
  const row table[] = {
      {"made before it was recorded", {made("r1", 1200, -2h)}, 1200, "r1"},
      {"made in its second", {made("r1", 1200, 0ms)}, 1200, "r1"},
      {"without a time", {there("r1", 1200)}, 1200, "r1"},
      {"pending", {made("r1", 1200, -2h, refund_status::pending)}, 1200, "r1"},
      {"made afterwards", {made("r1", 1200, 1ms)}, 2400, "by hand"},
      {"of another amount", {made("r1", 1000, -2h)}, 2200, "by hand"},
      {"that failed", {made("r1", 1200, -2h, refund_status::failed)}, 1200, "by hand"},
      {"under its reference", {made("by hand", 1200, -2h)}, 1200, "by hand"},
      {"under its reference, with another", {made("r1", 1200, -2h), made("by hand", 1200, -2h)}, 2400, "by hand"},
      {"two of its amount", {made("r1", 1200, -3h), made("r2", 1200, -2h)}, 2400, "r1"},
  };
  for (const auto& r : table) {
    CAPTURE(r.what);
    const auto after = follow(p, with_refunds(r.there)).after;
    CHECK(after.refunded == r.refunded);
    const auto one = std::ranges::find(after.records.refunds, recorded.id, &refund::id);
    REQUIRE(one != after.records.refunds.end());
    CHECK(one->provider_ref == r.ref);
  }
  // A recorded refund that the provider does not list, such as a bank transfer, is not matched with another refund.
  auto paid_by_bank = here("r1", 1200);
  CHECK(follow(refunded_by({paid_by_bank}), with_refunds({there("r2", 1200)})).after.refunded == 2400);
}

TEST_CASE("a refund that the provider made has its origin, its time there, and an id that stays") {
  auto made = there("r1", 1200);
  made.created_at = now - 1h;
  made.provider_key = "pk_1";
  const auto truth = with_refunds({made, there("r2", 100)});
  const auto steps = differences(payment_in(payment_state::captured), truth, now);
  REQUIRE(steps.size() == 2);
  const auto& refunds = steps.back().next.records.refunds;
  REQUIRE(refunds.size() == 2);
  CHECK(refunds[0].by == entry_origin::provider);
  CHECK(refunds[0].created_at == now - 1h);
  CHECK(refunds[1].created_at == now);
  CHECK(refunds[0].provider_ref == "r1");
  CHECK(refunds[0].provider_key == "pk_1");
  CHECK(refunds[1].provider_key.empty());
  CHECK(refunds[0].id.starts_with("re_"));
  CHECK(refunds[0].id.size() == 3 + 32);
  CHECK(refunds[0].id != refunds[1].id);
  CHECK(steps.front().about == refunds[0].id);
  CHECK(steps.front().movement_ref == "r1");
  CHECK(differences(payment_in(payment_state::captured), truth, now).back().next == steps.back().next);
}

TEST_CASE("refunds are kept oldest first, also when an older one is seen later or counts again") {
  auto older = there("r0", 100);
  older.created_at = now - 20h;
  const auto before = refunded_by({here("r1", 1200, refund_status::failed), here("r2", 500)});
  const auto after = follow(before, with_refunds({older, there("r1", 1200), there("r2", 500)})).after;
  std::vector<std::string> refs;
  for (const auto& each : after.records.refunds) refs.push_back(each.provider_ref);
  CHECK(std::ranges::is_sorted(after.records.refunds, {}, &refund::created_at));
  CHECK(refs.front() == "r0");
  CHECK(after.refunded == 1800);
}

TEST_CASE("a refund that failed has the provider's code, and one that succeeds after all has none") {
  const auto before = refunded_by({here("r1", 1200)});
  const auto code_after = [&](const provider_refund& said) {
    return follow(before, with_refunds({said})).after.records.refunds.front().failure_code;
  };
  CHECK(code_after(there("r1", 1200, refund_status::failed, "lost_or_stolen_card")) == "lost_or_stolen_card");
  CHECK(code_after(there("r1", 1200, refund_status::failed)) == "refund_failed");
  const auto missing = follow(refunded_by({here("", 1200)}), with_refunds({})).after;
  CHECK(missing.records.refunds.front().failure_code == "not_at_provider");
  const auto failed = follow(before, with_refunds({there("r1", 1200, refund_status::failed, "expired")})).after;
  const auto again = follow(failed, with_refunds({there("r1", 1200)})).after.records.refunds.front();
  CHECK(again.failure_code.empty());
  CHECK(again.reason == "worn");
  CHECK(again.id == before.records.refunds.front().id);
}

TEST_CASE("what is refunded beyond the capture is not counted, and is a contradiction") {
  struct row {
    const char* what;
    payment before;
    std::vector<provider_refund> there;
    std::int64_t refunded;
  };
  const row table[] = {
      {"one of more than was captured", refunded_by({}), {there("r1", 4201)}, 0},
      {"the second of two", refunded_by({}), {there("r1", 4000), there("r2", 201)}, 4000},
      {"one that is known as failed, and whose amount was refunded again",
       refunded_by({here("r1", 4200, refund_status::failed), here("r2", 4200)}),
       {there("r1", 4200), there("r2", 4200)},
       4200},
  };
  for (const auto& r : table) {
    CAPTURE(r.what);
    const auto after = follow(r.before, with_refunds(r.there)).after;
    CHECK(after.refunded == r.refunded);
    CHECK(contradiction_of(after, with_refunds(r.there)) == "the provider has refunded more than was captured here");
  }
  // A refund that an operator recorded leaves too little for the provider's.
  auto recorded = here("by hand", 1200);
  recorded.by = entry_origin::operator_;
  auto made = there("r1", 3500);
  made.created_at = recorded.created_at + 1h;
  const auto after = follow(refunded_by({recorded}), with_refunds({made})).after;
  CHECK(after.refunded == 1200);
  CHECK(contradiction_of(after, with_refunds({made})) == "the provider has a refund for which nothing is left here");
}

TEST_CASE("refunds of a provider that does not list them, and of a payment without a capture, change nothing") {
  auto unlisted = with_refunds({there("r1", 1200)});
  unlisted.lists_refunds = false;
  CHECK(follow(refunded_by({}), unlisted).story.empty());
  CHECK(follow(refunded_by({here("", 1200)}), unlisted).story.empty());
  auto early = with_refunds({there("r1", 1200)});
  early.charge = charge_state::authorized;
  CHECK(follow(payment_in(payment_state::authorized), early).story.empty());
}

TEST_CASE("a payment with as many refunds as it may have takes no further one") {
  std::vector<refund> all;
  std::vector<provider_refund> said;
  for (std::size_t i = 0; i < most_refunds; ++i) {
    all.push_back(here("r" + std::to_string(i), 1));
    said.push_back(there("r" + std::to_string(i), 1));
  }
  const auto full = refunded_by(all);
  CHECK(follow(full, with_refunds(said)).story.empty());
  said.push_back(there("one more", 1));
  CHECK(follow(full, with_refunds(said)).after == full);
}

TEST_CASE("what is captured here and not at the provider is a contradiction, and changes nothing") {
  using enum charge_state;
  for (const auto state : {payment_state::captured, payment_state::partially_refunded, payment_state::refunded})
    for (const auto charge : charges) {
      CAPTURE(to_string(state), name_of(charge));
      const bool contradicts = charge == authorized || charge == canceled || charge == expired || charge == failed;
      const auto p = payment_in(state);
      CHECK(contradiction_of(p, truth_of(charge)).empty() != contradicts);
      CHECK(follow(p, truth_of(charge)).after == p);
    }
  CHECK(contradiction_of(payment_in(payment_state::authorized), truth_of(expired)).empty());
}

TEST_CASE("an authorized payment is asked about a day later, and shortly after it ends") {
  const auto next = [](const payment& p, std::optional<time_point> until) {
    provider_truth truth = truth_of(charge_state::authorized);
    truth.authorized_until = until;
    return next_daily_look(p, truth, now);
  };
  const auto p = payment_in(payment_state::authorized);
  CHECK(next(p, std::nullopt) == now + 24h);
  CHECK(next(p, now + 48h) == now + 24h);
  CHECK(next(p, now + 3h) == now + 3h + 1min);
  CHECK(next(p, now) == now + 24h);
  CHECK(next(p, now - 5h) == now + 24h);
  auto open = p;
  open.open = open_operation{};
  CHECK_FALSE(next(open, std::nullopt));
  for (std::size_t i = 0; i < enum_count<payment_state>; ++i) {
    const auto state = static_cast<payment_state>(i);
    CAPTURE(to_string(state));
    CHECK(next(payment_in(state), std::nullopt).has_value() == (state == payment_state::authorized));
    CHECK_FALSE(next(payment_in(state, provider_kind::sandbox), std::nullopt));
  }
}
