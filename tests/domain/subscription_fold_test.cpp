// The outcome of a provider's history does not depend on the order in which it arrives: seeded histories, each
// delivered in many orders, late and more than once, alone and around a cancel.
#include <catch2/catch.hpp>

#include "subscription_histories.hpp"

using namespace gateway;
using namespace gateway::testing;

namespace {

using generator = std::mt19937_64;
using history = std::vector<subscription_notification>;

constexpr int histories = 200;
constexpr int orders_of_each = 20;

/// 0 … limit - 1.
std::uint64_t below(generator& random, std::uint64_t limit) { return random() % limit; }
bool one_in(generator& random, std::uint64_t n) { return below(random, n) == 0; }

struct invoice_state {
  unsigned number = 0;
  unsigned attempt = 0;
};

/// A consistent history, oldest first: one creation, at most one end, and after it only notifications that keep its
/// status. Several may share a second, and some providers have no sequence numbers.
history made_by_provider(generator& random) {
  using enum notification_kind;
  using enum subscription_status;
  history made;
  const bool numbers = one_in(random, 2);
  int second = 0;
  invoice_state invoice;
  auto status = one_in(random, 3) ? trialing : active;
  const auto add = [&](notification_kind kind) -> subscription_notification& {
    const auto n = std::to_string(made.size() + 1);
    made.push_back(notification("evt_" + n, kind, status, second, numbers ? made.size() + 1 : 0));
    return made.back();
  };
  add(created);
  const auto length = below(random, 14);
  for (std::uint64_t i = 0; i < length; ++i) {
    if (!numbers || one_in(random, 2)) second += 1 + static_cast<int>(below(random, 5));
    const bool ended = is_final(status);
    switch (below(random, ended ? 3 : 6)) {
      case 0: add(updated); break;
      case 1:
      case 2: {
        // An attempt at the open invoice, or at a new one. Only a failed invoice gets another attempt.
        if (invoice.attempt == 0) ++invoice.number;
        ++invoice.attempt;
        const bool paid = one_in(random, 2);
        if (!ended) status = paid ? active : past_due;
        auto& n = add(paid ? invoice_paid : invoice_failed);
        n.invoice->id = "in_9_" + std::to_string(invoice.number);
        n.invoice->attempt = invoice.attempt;
        if (!paid && one_in(random, 2)) n.invoice->hosted_url = "https://pay.example/" + n.invoice->id;
        if (paid) invoice.attempt = 0;
        break;
      }
      case 3: {
        status = one_in(random, 2) ? paused : active;
        add(updated).status_changed = true;
        break;
      }
      case 4:
        status = canceled;
        add(deleted);
        break;
      case 5:
        status = one_in(random, 2) ? canceled : incomplete_expired;
        add(updated).status_changed = true;
        break;
    }
  }
  return made;
}

/// Each notification one to three times, in any order.
history as_it_arrives(const history& made, generator& random) {
  history reported;
  for (const auto& n : made)
    for (auto copies = 1 + below(random, 3); copies > 0; --copies) reported.push_back(n);
  std::ranges::shuffle(reported, random);
  return reported;
}

fold of(const history& reported) {
  fold f;
  f.row = pending_checkout();
  for (const auto& n : reported) f.hear(n);
  return f;
}

const subscription_notification* end_of(const history& made) {
  const auto end = std::ranges::find_if(made, ends_subscription);
  return end == made.end() ? nullptr : &*end;
}

/// The events that must have been published, computed from the history alone.
std::vector<std::string> owed(const history& made) {
  std::vector<std::string> ids;
  const auto add = [&](std::string_view type, const std::string& event) {
    ids.push_back(std::string{"evt_sandbox_"}.append(type).append("_").append(event));
  };
  for (const auto& n : made) {
    switch (n.kind) {
      case notification_kind::created: add("subscription_activated", n.event_id); break;
      case notification_kind::updated:
        add(&n == end_of(made) ? "subscription_canceled" : "subscription_updated", n.event_id);
        break;
      case notification_kind::deleted: add("subscription_canceled", n.event_id); break;
      case notification_kind::invoice_paid:
        add("subscription_invoice_paid", n.event_id);
        add("payment_captured", n.event_id);
        break;
      case notification_kind::invoice_failed:
        add("subscription_invoice_failed", n.event_id);
        add("payment_failed", n.event_id);
        break;
    }
  }
  return sorted(std::move(ids));
}

std::map<std::string, std::pair<payment_state, std::int64_t>> owed_payments(const history& made) {
  std::map<std::string, std::pair<payment_state, std::int64_t>> states;
  for (const auto& n : made) {
    if (!n.invoice) continue;
    auto& state = states.try_emplace("pay_" + n.invoice->id, payment_state::failed, 0).first->second;
    if (n.kind == notification_kind::invoice_paid) state = {payment_state::captured, n.invoice->amount.minor};
  }
  return states;
}

}  // namespace

TEST_CASE("delivered in order and once, a history ends in the provider's newest statement, or its final one") {
  generator random{1};
  for (int i = 0; i < histories; ++i) {
    CAPTURE(i);
    const auto made = made_by_provider(random);
    const auto f = of(made);
    const auto* end = end_of(made);
    REQUIRE(f.row.state == (end ? *end : made.back()).state);
    REQUIRE(f.row.activated);
    REQUIRE(f.row.waiting.empty());
    REQUIRE(sorted(f.event_ids) == owed(made));
    REQUIRE(states_of(f.payments) == owed_payments(made));
  }
}

TEST_CASE("delivered in any order, and more than once, a history ends in the same row, events and payments") {
  generator random{2};
  for (int i = 0; i < histories; ++i) {
    const auto made = made_by_provider(random);
    const auto expected = comparable(of(made).row);
    const auto events = owed(made);
    const auto payments = owed_payments(made);
    for (int k = 0; k < orders_of_each; ++k) {
      CAPTURE(i, k);
      const auto f = of(as_it_arrives(made, random));
      REQUIRE(comparable(f.row) == expected);
      REQUIRE(f.row.next_seq == of(made).row.next_seq);
      REQUIRE(f.event_ids.front() == "evt_sandbox_subscription_activated_evt_1");
      REQUIRE(sorted(f.event_ids) == events);
      REQUIRE(states_of(f.payments) == payments);
    }
  }
}

TEST_CASE("a cycle needs its customer until it is paid, whatever the order in which that arrives") {
  using enum notification_kind;
  using enum subscription_status;
  auto action = notification("evt_2", invoice_failed, past_due, 1);
  action.invoice->hosted_url = "https://pay.example/in_9_1";
  // Stripe states the same in an event of its own, in whole seconds.
  auto required = notification("evt_3", updated, past_due, 1);
  required.action = invoice_action{"in_9_1", "https://pay.example/in_9_1"};
  auto voided = notification("evt_4", updated, active, 1);
  voided.action = invoice_action{"in_9_1", ""};
  const auto created_first = notification("evt_1", created, active, 0);
  const auto paid = notification("evt_5", invoice_paid, active, 1);
  auto later = notification("evt_6", invoice_failed, past_due, 2);
  later.invoice->id = "in_9_2";
  const auto refused = notification("evt_7", invoice_failed, past_due, 3);
  const auto ended = notification("evt_8", deleted, canceled, 4);
  struct row {
    history made;
    std::string_view url;
  };
  const row rows[] = {
      {{created_first, action}, "https://pay.example/in_9_1"},
      {{created_first, required}, "https://pay.example/in_9_1"},
      {{created_first, action, required, later}, "https://pay.example/in_9_1"},
      {{created_first, action, required, paid}, ""},
      {{created_first, action, voided}, ""},
      {{created_first, action, refused}, ""},
      {{created_first, action, ended}, ""},
  };
  const auto by_id = [](const auto& a, const auto& b) { return a.event_id < b.event_id; };
  for (auto [made, url] : rows) {
    std::ranges::sort(made, by_id);
    const auto expected = comparable(of(made).row);
    do {
      const auto row = of(made).row;
      REQUIRE(comparable(row) == expected);
      REQUIRE(action_url_of(row) == url);
    } while (std::next_permutation(made.begin(), made.end(), by_id));
  }
}

TEST_CASE("only the invoices with the latest statements are kept") {
  auto made = history{notification("evt_0", notification_kind::created, subscription_status::active, 0)};
  for (int i = 1; i <= 9; ++i) {
    made.push_back(
        notification("evt_" + std::to_string(i), notification_kind::invoice_failed, subscription_status::past_due, i));
    made.back().invoice->id = "in_9_" + std::to_string(i);
  }
  const auto kept = of(made).row.invoices;
  REQUIRE(kept.size() == most_seen_invoices);
  CHECK(kept.front().id == "in_9_6");
  CHECK(kept.back().id == "in_9_9");
  std::ranges::reverse(made);
  CHECK(of(made).row.invoices == kept);
}

TEST_CASE("every order of a short history ends in the same row and events") {
  using enum notification_kind;
  using enum subscription_status;
  history made{notification("evt_1", created, trialing, 0), notification("evt_2", invoice_failed, past_due, 0),
               notification("evt_3", updated, past_due, 0), notification("evt_4", invoice_paid, active, 7),
               notification("evt_5", updated, paused, 7),   notification("evt_6", deleted, canceled, 7)};
  const auto expected = comparable(of(made).row);
  const auto events = owed(made);
  const auto by_id = [](const auto& a, const auto& b) { return a.event_id < b.event_id; };
  do {
    const auto f = of(made);
    REQUIRE(comparable(f.row) == expected);
    REQUIRE(sorted(f.event_ids) == events);
  } while (std::next_permutation(made.begin(), made.end(), by_id));
}

TEST_CASE("around a cancel, in any order, the row ends the same with one event of the cancellation") {
  generator random{3};
  for (int i = 0; i < histories; ++i) {
    auto made = made_by_provider(random);
    if (!end_of(made)) {
      const auto last = made.back();
      made.push_back(notification("evt_end", notification_kind::deleted, subscription_status::canceled, 1'000,
                                  last.sequence == 0 ? 0 : last.sequence + 1));
    }
    const auto& end = *end_of(made);
    auto expected = comparable(of(made).row);
    for (int k = 0; k < orders_of_each; ++k) {
      CAPTURE(i, k);
      const auto reported = as_it_arrives(made, random);
      // The caller's DELETE, and the provider's answer to it, occur at any place among the notifications.
      const auto asked = below(random, reported.size() + 1);
      const auto answered = asked + below(random, reported.size() + 1 - asked);
      fold f;
      f.row = pending_checkout();
      for (std::size_t at = 0; at <= reported.size(); ++at) {
        if (at == asked) {
          const auto d = decide(f.row, cancel_subscription{}, command, now, timing);
          if (const auto* c = std::get_if<subscription_claim>(&d)) f.row = c->claimed;
        }
        if (at == answered && f.row.open) {
          subscription_answer answer;
          answer.status = provider_status::approved;
          answer.seen = subscription_statement{provider_sub, end.state, position_of(end)};
          const auto t = conclude(f.row, answer, now, timing);
          REQUIRE_FALSE(t.result.failure);
          REQUIRE(is_final(t.result.after.state.status));
          f.row = t.next;
        }
        if (at < reported.size()) f.hear(reported[at]);
      }
      REQUIRE(comparable(f.row) == expected);
      REQUIRE(sorted(f.event_ids) == owed(made));
    }
  }
}

TEST_CASE(
    "a provider that contradicts itself changes no final state, and causes at most one event of the cancellation") {
  generator random{4};
  for (int i = 0; i < histories; ++i) {
    CAPTURE(i);
    history reported;
    for (int n = 0; n < 30; ++n) {
      const auto kind = static_cast<notification_kind>(below(random, enum_count<notification_kind>));
      const auto status = static_cast<subscription_status>(2 + below(random, enum_count<subscription_status> - 2));
      auto each = notification("evt_" + std::to_string(n), kind, status, static_cast<int>(below(random, 10)));
      each.status_changed = one_in(random, 2);
      reported.push_back(each);
    }
    fold f;
    f.row = pending_checkout();
    for (const auto& n : reported) {
      const auto before = f.row.state.status;
      f.hear(n);
      if (is_final(before)) REQUIRE(f.row.state.status == before);
    }
    const auto of_type = [&](std::string_view type) {
      return std::ranges::count_if(f.event_ids, [&](const auto& id) { return id.find(type) != id.npos; });
    };
    REQUIRE(of_type("_canceled_") <= 1);
    REQUIRE(of_type("_activated_") <= 1);
    REQUIRE(std::set(f.event_ids.begin(), f.event_ids.end()).size() == f.event_ids.size());
  }
}
