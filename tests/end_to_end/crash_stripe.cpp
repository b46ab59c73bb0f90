#include "crash_stripe.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gateway::e2e {

using namespace std::chrono_literals;

// ---- requests -------------------------------------------------------------------------------------

std::optional<reply> final_answer(const gateway_process& gateway, const credentials& key, const std::string& target,
                                  const std::string& body) {
  const call same{new_uuid(), {}};
  const auto deadline = std::chrono::steady_clock::now() + 120s;
  while (std::chrono::steady_clock::now() < deadline) {
    try {
      auto reported = api{gateway, key}.post(target, body, same);
      const bool busy = reported.status == 409 && json::parse(reported.body)["error"] == "request already processing";
      if (reported.status != 503 && !busy) return reported;
    } catch (const connection_failed&) {
      // The gateway is down: killed, or starting again.
    }
    std::this_thread::sleep_for(50ms);
  }
  return std::nullopt;
}

std::string random_faults(unsigned seed) {
  return R"([{"fault":["error_500_before","error_500_after","cut_before","cut_after","slow","garbage","rate_limited"],)"
         R"("probability":0.15,"ms":300,"seed":)" +
         std::to_string(seed) + "}]";
}

// ---- what happens at Stripe -----------------------------------------------------------------------

outside_events::outside_events(const stripe_process& stripe, std::string account, unsigned seed)
    : stripe_{stripe}, account_{std::move(account)}, random_{seed}, thread_{[this] { run(); }} {}

void outside_events::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void outside_events::run() {
  while (!stopping_) {
    try {
      act_on_newest();
    } catch (const std::exception&) {
      // Stripe is down, or its answer is faulty.
    }
    std::this_thread::sleep_for(20ms);
  }
}

/// Several acts for each reading of the lists. What has changed since then is refused.
void outside_events::act_on_newest() {
  const auto intents = newest("payment_intents"), refunds = newest("refunds"), disputes = newest("disputes");
  for (int acts = 0; acts < 10 && !stopping_; ++acts) {
    std::this_thread::sleep_for(std::chrono::milliseconds{pick(20)});
    const auto kind = pick(5);
    std::optional<object> what;
    if (kind < 3) {
      if (const auto* one = any_of(intents)) what = act_on_payment(*one);
    } else if (kind == 3) {
      if (const auto* one = any_of(refunds)) what = act_on_refund(*one);
    } else if (const auto* one = any_of(disputes)) {
      what = act_on_dispute(*one);
    }
    if (what) attempt(*std::move(what));
  }
}

std::vector<json> outside_events::newest(const std::string& kind) const {
  return stripe_.read(account_, "/v1/" + kind + "?limit=40")["data"].items();
}

const json* outside_events::any_of(const std::vector<json>& all) {
  return all.empty() ? nullptr : &all[pick(static_cast<unsigned>(all.size()))];
}

std::int64_t outside_events::part_of(std::int64_t amount) {
  return 1 + static_cast<std::int64_t>(random_()) % std::max<std::int64_t>(amount, 1);
}

std::optional<object> outside_events::act_on_payment(const json& intent) {
  const auto status = intent["status"].text();
  object what;
  what.set("payment_intent", intent["id"].text());
  if (status == "requires_payment_method") return what.set("act", "pay").set("capture", pick(3) > 0);
  if (status == "requires_capture") {
    constexpr const char* acts[]{"capture", "capture", "cancel", "expire"};
    const auto chosen = pick(4);
    what.set("act", acts[chosen]);
    if (chosen == 0) what.set("amount", part_of(intent["amount_capturable"].number()));
    return what;
  }
  if (status != "succeeded") return std::nullopt;
  const auto received = intent["amount_received"].number();
  if (pick(3) == 0) {
    what.set("act", "dispute").set("status", pick(3) == 0 ? "warning_needs_response" : "needs_response");
    if (pick(2) == 0) what.set("amount", part_of(received));
    return what;
  }
  what.set("act", "refund").set("status", pick(3) == 0 ? "pending" : "succeeded");
  if (pick(4) != 0) what.set("amount", part_of(received / 3));
  return what;
}

/// The list also has the release of a partial capture, for which the stand-in refuses both acts.
std::optional<object> outside_events::act_on_refund(const json& refund) {
  const bool waits = refund["status"] == "pending";
  if (!waits && (!(refund["status"] == "succeeded") || pick(3) != 0)) return std::nullopt;
  return object{}.set("refund", refund["id"].text()).set("act", waits && pick(2) == 0 ? "succeed" : "fail");
}

std::optional<object> outside_events::act_on_dispute(const json& dispute) {
  static const std::map<std::string, std::vector<std::string>> moves{
      {"warning_needs_response", {"respond", "escalate", "close"}},
      {"warning_under_review", {"escalate", "close"}},
      {"needs_response", {"respond", "win", "lose"}},
      {"under_review", {"win", "lose"}},
  };
  const auto known = moves.find(dispute["status"].text());
  if (known == moves.end()) return std::nullopt;
  const auto& all = known->second;
  return object{}.set("dispute", dispute["id"].text()).set("act", all[pick(static_cast<unsigned>(all.size()))]);
}

void outside_events::attempt(object what) {
  what.set("notify", pick(2) == 0);
  const auto name = json::parse(what.text())["act"].text();
  try {
    stripe_.act(what);
  } catch (const std::exception&) {
    return;  // refused, or Stripe is down
  }
  ++by_act_[name];
  ++count_;
}

// ---- the payments as Stripe has them --------------------------------------------------------------

namespace {

std::vector<json> whole_list(const stripe_process& stripe, const std::string& account, const std::string& kind) {
  std::vector<json> all;
  for (std::string after;;) {
    const auto page = stripe.read(account, "/v1/" + kind + "?limit=100" + after);
    for (auto& each : page["data"].items()) all.push_back(std::move(each));
    if (!(page["has_more"] == true) || all.empty()) return all;
    after = "&starting_after=" + all.back()["id"].text();
  }
}

/// The gateway's word for a dispute's status.
std::string dispute_status_here(const std::string& status) {
  if (status == "warning_closed") return "won";
  return status.starts_with("warning_") ? "warning" : status;
}

movement_at_stripe movement_of(const json& from) {
  movement_at_stripe read;
  read.id = from["id"].text();
  read.amount = from["amount"].number();
  read.by_gateway = from["metadata.gateway_key"].is_string();
  for (const auto& each : from["balance_transactions"].items()) read.balance.push_back(each["amount"].number());
  const auto status = from["status"].text();
  read.status = from["object"] == "dispute" ? dispute_status_here(status) : status;
  return read;
}

}  // namespace

std::int64_t movement_at_stripe::net() const { return std::accumulate(balance.begin(), balance.end(), std::int64_t{}); }

std::int64_t payment_at_stripe::refunded() const {
  std::int64_t sum = 0;
  for (const auto& each : refunds)
    if (each.status != "failed") sum += each.amount;
  return sum;
}

std::int64_t payment_at_stripe::disputed(const std::vector<std::string>& statuses) const {
  std::int64_t sum = 0;
  for (const auto& each : disputes)
    if (std::ranges::count(statuses, each.status) > 0) sum += each.amount;
  return sum;
}

std::vector<payment_at_stripe> payments_at(const stripe_process& stripe, const std::string& account) {
  std::map<std::string, payment_at_stripe> all;
  for (const auto& each : whole_list(stripe, account, "payment_intents")) {
    auto& one = all[each["id"].text()];
    one.payment = each["metadata.gateway_payment"].text();
    one.intent = each["id"].text();
    one.status = each["status"].text();
    if (one.status == "succeeded") one.captured = each["amount_received"].number();
  }
  for (const auto& each : whole_list(stripe, account, "refunds")) {
    // Without a balance transaction no money has moved: it is what an authorization no longer holds.
    if (each["balance_transaction"].is_string())
      all[each["payment_intent"].text()].refunds.push_back(movement_of(each));
  }
  for (const auto& each : whole_list(stripe, account, "disputes"))
    all[each["payment_intent"].text()].disputes.push_back(movement_of(each));
  std::vector<payment_at_stripe> found;
  for (auto& [intent, one] : all) found.push_back(std::move(one));
  return found;
}

}  // namespace gateway::e2e
