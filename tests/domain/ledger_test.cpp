// The ledger entries of a payment's changes: for each way in which money moves, as the machine makes them.
#include <catch2/catch.hpp>

#include <map>

#include "gateway/domain/cycle_payment.hpp"
#include "gateway/domain/daily_total.hpp"
#include "gateway/domain/ledger.hpp"

using namespace gateway;

namespace {

using enum payment_state;

const time_point noon = parse_seconds("2026-11-20T12:00:00Z").value();
const auto hkd = currency::parse("HKD").value();

provider_result answer(provider_status status, std::string movement_ref = {}) {
  provider_result r;
  r.status = status;
  r.provider_ref = "pi_1";
  r.movement_ref = std::move(movement_ref);
  if (status == provider_status::declined) r.error = provider_error{};
  return r;
}

struct payment_options {
  provider_kind provider = provider_kind::stripe;
  flow how = flow::server;
  bool at_once = false;
  std::string account = "acct_1";
};

/// A payment that is claimed for its create.
payment begun(const payment_options& options = {}) {
  create_payment wanted;
  wanted.amount = {1'000, hkd};
  wanted.how = options.how;
  wanted.details.captures_at_once = options.at_once;
  route_choice way;
  way.provider = options.provider;
  way.account = options.account;
  const auto key = payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_1"});
  return begin_payment(key, wanted, way, {key.merchant, key.env, "", "k"}, noon, {});
}

payment claimed(payment p, operation what, std::int64_t amount) {
  return machine::claimed_for(std::move(p), {p.key.merchant, p.key.env, "", "k2"}, what, amount, noon, {});
}

payment standing(payment_state state, std::int64_t captured, std::int64_t refunded = 0) {
  auto p = begun();
  machine::close(p, noon);
  p.state = state;
  p.captured = captured;
  p.refunded = refunded;
  p.provider_ref = "pi_1";
  return p;
}

/// `captured 1000: -1000 0 1000 ch_1`
std::string text_of(const ledger_entry& e) {
  return std::string{to_string(e.what)} + ' ' + std::to_string(e.amount.minor) + ": " +
         std::to_string(e.accounts.customer) + ' ' + std::to_string(e.accounts.provider) + ' ' +
         std::to_string(e.accounts.merchant) + ' ' + e.movement_ref;
}

/// The entry that the change adds; empty if none. Checks that it balances, and that it is the last event's.
std::string entered(const std::optional<payment>& before, const transition& change) {
  const auto moved = movements_of(before ? &*before : nullptr, change.next);
  CHECK(moved.size() <= 1);
  if (moved.empty()) return {};
  const auto entry = entry_of(moved.front(), change.next, change.movement_ref);
  CHECK(sum_of(entry.accounts) == 0);
  CHECK(entry.payment == change.next.key);
  CHECK(entry.amount.unit == change.next.amount.unit);
  CHECK(entry.payment_ref == change.next.provider_ref);
  REQUIRE_FALSE(change.entries.empty());
  CHECK(change.entries.back().kind == timeline_kind::event);
  CHECK(change.entries.back().seq == entry.seq);
  CHECK(change.entries.back().occurred_at == entry.at);
  // The daily totals have counted the same.
  const auto totals = totals_of(before ? &*before : nullptr, change.next, moved);
  REQUIRE_FALSE(totals.empty());
  CHECK(totals.back().what == counter_of(entry.what));
  CHECK(totals.back().amount == entry.amount);
  return text_of(entry);
}

std::string concluded(const payment& p, provider_status status, std::string ref = "x_1") {
  return entered(p, conclude(p, answer(status, std::move(ref)), noon, {}));
}

}  // namespace

TEST_CASE("the money that a provider's answer moves is entered") {
  using enum provider_status;
  const auto authorized_one = standing(authorized, 0), captured_one = standing(captured, 1'000),
             refunded_in_part = standing(partially_refunded, 1'000, 300);
  struct row {
    const char* what;
    payment claimed;
    provider_status status;
    std::string expected;
  };
  const row table[] = {
      {"authorized", begun(), approved, ""},
      {"captured at once", begun({.at_once = true}), approved, "captured 1000: -1000 0 1000 x_1"},
      {"declined", begun(), declined, "failed 1000: 0 0 0 x_1"},
      {"not known", begun(), unknown, ""},
      {"waits for its customer", begun(), pending, ""},
      {"captured", claimed(authorized_one, operation::capture, 1'000), approved, "captured 1000: -1000 0 1000 x_1"},
      {"capture declined", claimed(authorized_one, operation::capture, 1'000), declined, ""},
      {"voided", claimed(authorized_one, operation::void_payment, 1'000), approved, ""},
      {"refunded in part", claimed(captured_one, operation::refund, 300), approved, "refunded 300: 300 0 -300 x_1"},
      {"refunded further", claimed(refunded_in_part, operation::refund, 100), approved, "refunded 100: 100 0 -100 x_1"},
      {"refunded whole", claimed(refunded_in_part, operation::refund, 700), approved, "refunded 700: 700 0 -700 x_1"},
      {"refund declined", claimed(captured_one, operation::refund, 300), declined, ""},
      {"refund not known", claimed(captured_one, operation::refund, 300), unknown, ""},
  };
  for (const auto& each : table) {
    INFO(each.what);
    CHECK(concluded(each.claimed, each.status) == each.expected);
  }
}

TEST_CASE("an outcome that was unknown is entered once it is settled") {
  const auto p = begun({.at_once = true});
  const auto open = conclude(p, answer(provider_status::unknown), noon, {});
  CHECK(entered(p, open).empty());
  CHECK(concluded(open.next, provider_status::approved) == "captured 1000: -1000 0 1000 x_1");
}

TEST_CASE("a customer's payment on a page is entered, and so is its failure") {
  for (const auto how : {flow::redirect, flow::embedded}) {
    const auto waiting = conclude(begun({.how = how}), answer(provider_status::pending), noon, {}).next;
    REQUIRE(waiting.state == processing);
    CHECK(entered(waiting, *settle_hosted(waiting, hosted_signal::paid, noon)) == "captured 1000: -1000 0 1000 ");
    CHECK(entered(waiting, *settle_hosted(waiting, hosted_signal::declined, noon)) == "failed 1000: 0 0 0 ");
    const auto reported = [&](provider_status status) {
      return entered(waiting, *settle_wait(waiting, answer(status, "ch_1"), false, noon, {}));
    };
    CHECK(reported(provider_status::approved) == "captured 1000: -1000 0 1000 ch_1");
    CHECK(reported(provider_status::declined) == "failed 1000: 0 0 0 ");
    CHECK(reported(provider_status::pending).empty());
  }
}

TEST_CASE("a subscription's cycles are entered: the failure once, and the payment once") {
  cycle_charge c;
  c.payment = payment_key(merchant_id{"merch_1"}, environment::live, payment_id{"pay_in_1"});
  c.provider = provider_kind::stripe;
  c.account = "acct_1";
  c.invoice.id = "in_1";
  c.invoice.amount = {900, hkd};
  std::optional<payment> p;
  std::vector<std::string> all;
  for (const auto result :
       {cycle_result::failed, cycle_result::failed, cycle_result::paid, cycle_result::paid, cycle_result::failed}) {
    c.result = result;
    const auto change = settle_cycle(p, c, noon);
    REQUIRE(change);
    all.push_back(entered(p, *change));
    p = change->next;
  }
  CHECK(all == std::vector<std::string>{"failed 900: 0 0 0 ", "", "captured 900: -900 0 900 ", "", ""});
}

TEST_CASE("the money belongs to the merchant with an account of its own, and otherwise to the provider to pay out") {
  struct row {
    provider_kind provider;
    std::string account;
    std::string expected;
  };
  const row table[] = {
      {provider_kind::stripe, "acct_1", "captured 1000: -1000 0 1000 "},
      {provider_kind::stripe, "", "captured 1000: -1000 1000 0 "},
      {provider_kind::sandbox, "acct_sandbox", "captured 1000: -1000 0 1000 "},
      // Wallets collect into the operator's account, under any account id.
      {provider_kind::jazzcash, "MC1", "captured 1000: -1000 1000 0 "},
      {provider_kind::sandbox_wallet, "acct_sandbox", "captured 1000: -1000 1000 0 "},
  };
  for (const auto& each : table) {
    INFO(to_string(each.provider) << ' ' << each.account);
    auto p = standing(captured, 1'000);
    p.provider = each.provider;
    p.account = each.account;
    const movement moved{ledger_kind::captured, 1'000};
    CHECK(text_of(entry_of(moved, p, {})) == each.expected);
    // Refunds use the accounts of the capture.
    const auto back = accounts_of({ledger_kind::refunded, 1'000}, has_own_account(p));
    const auto there = accounts_of(moved, has_own_account(p));
    CHECK(back.customer == -there.customer);
    CHECK(back.provider == -there.provider);
    CHECK(back.merchant == -there.merchant);
  }
}

TEST_CASE("a refund that comes back, and each step of a dispute, is entered") {
  const auto with_dispute = [](dispute_status status, std::int64_t amount = 400) {
    auto p = standing(captured, 1'000);
    p.records.disputes.push_back({"dp_1", amount, {}, status, {}, noon, {}, "d_1"});
    return p;
  };
  using enum dispute_status;
  const auto plain = standing(captured, 1'000);
  struct row {
    const char* what;
    payment before, after;
    std::vector<movement> expected;
  };
  const row table[] = {
      {"a refund fails", standing(partially_refunded, 1'000, 300), plain, {{ledger_kind::refund_failed, 300}}},
      {"one of two fails",
       standing(refunded, 1'000, 1'000),
       standing(partially_refunded, 1'000, 300),
       {{ledger_kind::refund_failed, 700}}},
      {"a warning", plain, with_dispute(warning), {}},
      {"opened", plain, with_dispute(needs_response), {{ledger_kind::dispute_opened, 400}}},
      {"opened after a warning",
       with_dispute(warning),
       with_dispute(needs_response),
       {{ledger_kind::dispute_opened, 400}}},
      {"under review", with_dispute(needs_response), with_dispute(under_review), {}},
      {"won", with_dispute(under_review), with_dispute(won), {{ledger_kind::dispute_won, 400}}},
      {"lost", with_dispute(under_review), with_dispute(lost), {{ledger_kind::dispute_lost, 400}}},
      {"a warning is closed", with_dispute(warning), with_dispute(won), {}},
      {"of more",
       with_dispute(needs_response),
       with_dispute(needs_response, 900),
       {{ledger_kind::dispute_opened, 500}}},
      {"of less", with_dispute(needs_response, 900), with_dispute(needs_response), {{ledger_kind::dispute_won, 500}}},
      {"another change of a payment with a lost dispute", with_dispute(lost), with_dispute(lost), {}},
  };
  for (const auto& each : table) {
    INFO(each.what);
    CHECK(movements_of(&each.before, each.after) == each.expected);
  }
}

TEST_CASE("every kind of entry says what the customer pays, and its accounts add up to nothing") {
  const std::map<ledger_kind, std::int64_t> paid{{ledger_kind::captured, 7},        {ledger_kind::refunded, -7},
                                                 {ledger_kind::failed, 0},          {ledger_kind::refund_failed, 7},
                                                 {ledger_kind::dispute_opened, -7}, {ledger_kind::dispute_won, 7},
                                                 {ledger_kind::dispute_lost, 0}};
  REQUIRE(paid.size() == enum_count<ledger_kind>);
  for (const auto& [kind, expected] : paid) {
    INFO(to_string(kind));
    const movement moved{kind, 7};
    CHECK(paid_by_customer(moved) == expected);
    CHECK(accounts_of(moved, true) == ledger_accounts{-expected, 0, expected});
    CHECK(accounts_of(moved, false) == ledger_accounts{-expected, expected, 0});
  }
}
