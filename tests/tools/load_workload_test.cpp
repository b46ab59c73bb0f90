// The workload finds each fault of a faulty gateway, and no violation by a correct one, even if requests fail often.
#include <catch2/catch.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "workload/model.hpp"
#include "workload/parsed_answer.hpp"
#include "workload/verifier.hpp"
#include "workload/workload.hpp"

using namespace gateway::load;
namespace json = boost::json;

namespace {

enum class fault {
  none,
  executes_a_key_twice,
  executes_twice_and_calls_it_a_replay,
  forgets_to_mark_replays,
  replays_other_bytes,
  calls_a_first_answer_a_replay,
  loses_a_refund,
  counts_a_refund_twice,
  refunds_more_than_was_captured,
  refuses_a_refund_that_fits,
  accepts_a_reused_key,
  takes_the_amount_of_a_reused_key,
  creates_the_payment_of_a_reused_key,
  captures_by_a_reused_key,
  denies_a_key_that_is_the_same,
  loses_a_payment,
  authorizes_twice,
  approves_what_it_should_decline,
  shows_no_hosted_page,
  answers_with_another_payment,
  fails_after_it_said_authorized,
  tells_no_event_in_the_timeline,
  charges_a_saved_method_twice,
  captures_what_should_wait,
  calls_a_charge_by_another_status,
  makes_a_customer_twice,
  gives_two_customers_one_name,
  forgets_a_customer,
  finds_another_customer,
};

/// How many of a hundred requests fail in each way that violates no promise.
struct failure_rates {
  int lost_before = 0, lost_after = 0, overloaded = 0, in_progress = 0, unknown = 0, store_unavailable = 0;
};

struct fake_answer {
  int status = 0;
  std::string body;
  bool replayed = false;
};

struct fake_payment {
  std::string id, state;
  std::int64_t amount = 0, refunded = 0;
  json::array timeline;
};

/// A gateway that keeps its payments in a map. It has at most one fault, which shows on every seventh occasion.
class fake_gateway {
 public:
  explicit fake_gateway(fault what = fault::none, failure_rates rates = {}) : fault_{what}, rates_{rates} {}

  fake_answer serve(const request& asked) {
    if (asked.body.empty()) return by_chance(rates_.overloaded) ? overloaded() : show(asked);
    if (by_chance(rates_.lost_before)) return {};
    if (by_chance(rates_.overloaded)) return overloaded();
    if (by_chance(rates_.store_unavailable)) return {503, R"({"error":"store_unavailable","message":"x"})"};
    const auto fingerprint = asked.path + asked.body;
    if (const auto known = keys_.find(asked.idempotency_key); known != keys_.end()) {
      if (by_chance(rates_.lost_after)) return {};
      return known->second.fingerprint == fingerprint ? again(asked, known->second) : reused(asked, known->second);
    }
    if (by_chance(rates_.in_progress)) return {409, R"({"error":"request already processing","message":"x"})"};
    auto made = execute(asked);
    keys_[asked.idempotency_key] = {fingerprint, made};
    if (fault_ == fault::calls_a_first_answer_a_replay && occasion()) made.replayed = true;
    if (by_chance(rates_.lost_after)) return {};
    return made;
  }

  /// The events of its webhooks, each once.
  std::vector<received_event> events() const { return events_; }
  const std::map<std::string, fake_payment>& payments() const { return payments_; }
  const std::map<std::string, std::string>& customers() const { return customers_; }
  std::size_t executions() const { return executions_; }

 private:
  struct finished {
    std::string fingerprint;
    fake_answer reply;
  };

  bool by_chance(int in_a_hundred) { return in_a_hundred > 0 && static_cast<int>(random_() % 100) < in_a_hundred; }
  bool occasion() { return ++occasions_ % 7 == 0; }
  static fake_answer not_found() { return {404, R"({"error":"payment_not_found","message":"x"})"}; }
  static fake_answer overloaded() { return {503, R"({"error":"overloaded","message":"x"})"}; }

  fake_answer again(const request& asked, finished& known) {
    auto reply = known.reply;
    reply.replayed = true;
    switch (fault_) {
      case fault::executes_a_key_twice:
        if (occasion()) return execute(asked);
        break;
      case fault::executes_twice_and_calls_it_a_replay:
        if (occasion()) execute(asked);
        break;
      case fault::forgets_to_mark_replays:
        if (occasion()) reply.replayed = false;
        break;
      case fault::replays_other_bytes:
        if (occasion()) reply.body += ' ';
        break;
      case fault::denies_a_key_that_is_the_same:
        if (occasion()) return {409, R"({"error":"IDEMPOTENCY_KEY_REUSED","message":"x"})"};
        break;
      default: break;
    }
    return reply;
  }

  fake_answer reused(const request& asked, finished& known) {
    if (by_chance(rates_.in_progress)) return {409, R"({"error":"request already processing","message":"x"})"};
    if (fault_ == fault::accepts_a_reused_key && occasion()) {
      auto reply = known.reply;
      reply.replayed = true;
      return reply;
    }
    const bool capture = asked.path.ends_with("/capture");
    const auto id = capture ? id_in(asked.path) : std::string{json::parse(asked.body).at("payment_id").as_string()};
    if (fault_ == fault::takes_the_amount_of_a_reused_key && !capture && payments_.contains(id))
      payments_[id].amount = json::parse(asked.body).at("amount").as_int64();
    if (fault_ == fault::creates_the_payment_of_a_reused_key && !payments_.contains(id)) create(asked);
    if (fault_ == fault::captures_by_a_reused_key && capture && payments_[id].state == "authorized") execute(asked);
    return {409, R"({"error":"IDEMPOTENCY_KEY_REUSED","message":"x"})"};
  }

  static std::string id_in(const std::string& path) {
    const std::string prefix = "/v1/payment_intents/";
    return path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size());
  }

  fake_answer execute(const request& asked) {
    executions_ += 1;
    if (asked.path == "/v1/payment_intents") return create(asked);
    if (asked.path == "/v1/charges/saved") return charge(asked);
    const auto found = payments_.find(id_in(asked.path));
    if (found == payments_.end()) return not_found();
    auto& payment = found->second;
    if (payment.state == "unknown") return {409, R"({"error":"payment outcome pending","message":"x"})"};
    return asked.path.ends_with("/capture") ? capture(payment)
                                            : refund(payment, json::parse(asked.body).at("amount").as_int64());
  }

  fake_answer create(const request& asked) {
    const auto body = json::parse(asked.body).as_object();
    const std::string id{body.at("payment_id").as_string()};
    auto& payment = payments_[id];
    payment.id = id;
    payment.amount = body.at("amount").as_int64();
    if (body.contains("customer_ref")) add_customer(std::string{body.at("customer_ref").as_string()});
    if (by_chance(rates_.unknown)) return unknown(payment, "authorize", by_chance(50) ? "authorized" : "processing");
    const bool hosted = body.contains("flow");
    const auto* method = body.if_contains("payment_method");
    const bool declined = method && method->as_string() == "pm_card_chargeDeclined" &&
                          !(fault_ == fault::approves_what_it_should_decline && occasion());
    payment.state = hosted ? "processing" : declined ? "failed" : "authorized";
    attempt(payment, hosted ? "hosted_session" : "authorize", hosted ? "pending" : declined ? "declined" : "approved");
    if (fault_ == fault::authorizes_twice && occasion()) attempt(payment, "authorize", "approved");
    if (declined) event(payment, "payment.failed");
    auto reply = success(payment, hosted && fault_ != fault::shows_no_hosted_page);
    if (fault_ == fault::fails_after_it_said_authorized && occasion()) payment.state = "failed";
    if (fault_ == fault::loses_a_payment && occasion()) payments_.erase(id);
    return reply;
  }

  /// The provider makes a customer for each ref.
  void add_customer(const std::string& ref) {
    auto& id = customers_[ref];
    const bool fresh = id.empty();
    if (fresh || (fault_ == fault::makes_a_customer_twice && occasion()))
      id = "cus_" + std::to_string(++customers_made_);
    if (fresh && fault_ == fault::gives_two_customers_one_name && occasion()) id = "cus_everyone";
    if (fresh && fault_ == fault::forgets_a_customer && occasion()) id = "forgotten";
  }

  fake_answer find(const std::string& path) const {
    const auto ref = path.substr(path.find('=') + 1);
    const auto found = customers_.find(ref);
    if (found == customers_.end() || found->second == "forgotten")
      return {404, R"({"error":"customer_not_found","message":"x"})"};
    const bool another = fault_ == fault::finds_another_customer;
    return {200, json::serialize(json::object{{"customer_ref", another ? "reader-of-someone-else" : ref},
                                              {"provider_customer_id", found->second},
                                              {"merchant_id", "merch_1"}})};
  }

  fake_answer charge(const request& asked) {
    const auto body = json::parse(asked.body).as_object();
    const std::string id{body.at("payment_id").as_string()};
    if (!customers_.contains(std::string{body.at("customer_ref").as_string()})) return not_found();
    auto& payment = payments_[id];
    payment.id = id;
    payment.amount = body.at("amount").as_int64();
    const auto* waits = body.if_contains("auto_capture");
    const bool at_once = !waits || waits->as_bool() || (fault_ == fault::captures_what_should_wait && occasion());
    const std::string what = at_once ? "charge" : "authorize";
    const std::string becomes = at_once ? "captured" : "authorized";
    if (by_chance(rates_.unknown)) {
      const bool happened = by_chance(50);
      payment.state = happened ? becomes : "processing";
      attempt(payment, what, "unknown");
      if (happened) attempt(payment, what, "approved");
      if (happened && at_once) event(payment, "payment.captured");
      return {502, json::serialize(json::object{
                       {"payment_id", id}, {"state", "processing"}, {"error", "provider outcome unknown"}})};
    }
    payment.state = becomes;
    attempt(payment, what, "approved");
    if (fault_ == fault::charges_a_saved_method_twice && occasion()) attempt(payment, what, "approved");
    if (at_once) event(payment, "payment.captured");
    const bool misnamed = fault_ == fault::calls_a_charge_by_another_status && occasion();
    return {200, json::serialize(json::object{{"payment_id", id},
                                              {"status", misnamed ? "failed" : "succeeded"},
                                              {"state", payment.state},
                                              {"provider", "sandbox"},
                                              {"provider_ref", "ch_1"}})};
  }

  fake_answer capture(fake_payment& payment) {
    if (payment.state != "authorized") return {409, R"({"error":"payment not authorized for capture","message":"x"})"};
    if (by_chance(rates_.unknown)) return unknown(payment, "capture", by_chance(50) ? "captured" : "authorized");
    payment.state = "captured";
    attempt(payment, "capture", "approved");
    event(payment, "payment.captured");
    return success(payment);
  }

  fake_answer refund(fake_payment& payment, std::int64_t amount) {
    const auto left = payment.amount - payment.refunded;
    if (amount == 0) amount = left;
    if (left == 0) return {409, R"({"error":"payment not refundable in current state","message":"x"})"};
    const bool limits = fault_ != fault::refunds_more_than_was_captured;
    if ((amount > left && limits) || (fault_ == fault::refuses_a_refund_that_fits && occasion()))
      return {422, R"({"error":"refund amount exceeds captured amount"})"};
    if (by_chance(rates_.unknown)) {
      const bool happened = by_chance(50);
      if (happened) payment.refunded += amount;
      return unknown(payment, "refund", payment.refunded == 0 ? "captured" : refunded_state(payment), happened);
    }
    payment.refunded += amount;
    payment.state = refunded_state(payment);
    attempt(payment, "refund", "approved");
    event(payment, "payment." + payment.state);
    auto reply = success(payment, false, amount);
    if (fault_ == fault::loses_a_refund && occasion()) payment.refunded -= amount;
    if (fault_ == fault::counts_a_refund_twice && occasion()) payment.refunded += amount;
    return reply;
  }

  static std::string refunded_state(const fake_payment& payment) {
    return payment.refunded >= payment.amount ? "refunded" : "partially_refunded";
  }

  /// The provider did not answer. When the payment is read later, the gateway knows the outcome.
  fake_answer unknown(fake_payment& payment, const std::string& what, const std::string& becomes,
                      bool refunded = false) {
    attempt(payment, what, "unknown");
    const bool happened = becomes == (what == "capture" ? "captured" : "authorized") || refunded;
    payment.state = becomes;
    if (happened) {
      attempt(payment, what, "approved");
      if (what == "capture") event(payment, "payment.captured");
      if (what == "refund") event(payment, "payment." + payment.state);
    }
    return {502, json::serialize(json::object{
                     {"payment_id", payment.id}, {"state", "processing"}, {"error", "provider outcome unknown"}})};
  }

  fake_answer success(const fake_payment& payment, bool hosted = false, std::int64_t refunded = 0) {
    json::object body{{"payment_id", payment.id}, {"state", payment.state}};
    if (fault_ == fault::answers_with_another_payment && occasion()) body["payment_id"] = "pay_of_someone_else";
    if (refunded > 0) {
      body["refunded_amount"] = refunded;
      body["refunded_total"] = payment.refunded;
      body["remaining_amount"] = payment.amount - payment.refunded;
    }
    body["provider"] = json::object{{"status", "approved"}};
    if (hosted) body["provider"].as_object()["hosted_url"] = "https://gateway.example/p/1";
    return {200, json::serialize(body)};
  }

  static void attempt(fake_payment& payment, const std::string& what, const std::string& status) {
    payment.timeline.push_back(json::object{{"kind", "attempt"}, {"operation", what}, {"status", status}});
  }

  void event(fake_payment& payment, const std::string& type) {
    const bool shown = fault_ != fault::tells_no_event_in_the_timeline || !occasion();
    if (shown)
      payment.timeline.push_back(json::object{{"kind", "event"}, {"operation", type}, {"status", "published"}});
    const auto number = std::to_string(events_.size());
    events_.push_back({"evt_" + number, type, payment.id, number, "body " + number, true});
  }

  fake_answer show(const request& asked) const {
    if (asked.path.starts_with("/v1/customers/by_ref")) return find(asked.path);
    const auto found = payments_.find(id_in(asked.path));
    if (found == payments_.end()) return not_found();
    const auto& payment = found->second;
    json::object body{{"payment_id", payment.id}};
    if (asked.path.ends_with("/timeline")) {
      body["timeline"] = payment.timeline;
    } else {
      body["state"] = payment.state;
      body["amount"] = payment.amount;
      body["currency"] = "HKD";
      body["refunded_total"] = payment.refunded;
    }
    return {200, json::serialize(body)};
  }

  fault fault_;
  failure_rates rates_;
  std::mt19937 random_{7};
  unsigned occasions_ = 0;
  std::size_t executions_ = 0;
  std::map<std::string, fake_payment> payments_;
  std::map<std::string, finished> keys_;
  std::map<std::string, std::string> customers_;  // the provider's customer ids, by ref
  std::size_t customers_made_ = 0;
  std::vector<received_event> events_;
};

/// Runs the scenario against the gateway until it gives no more requests, or `most` are sent. Up to 50 requests are in
/// flight, and answers arrive in any order.
std::size_t drive(scenario& driven, fake_gateway& gateway, std::size_t most = 1'000'000) {
  std::mt19937 order{11};
  std::deque<request> in_flight;
  std::vector<request> out;
  std::size_t sent = 0;
  for (;;) {
    out.clear();
    if (sent < most && in_flight.size() < 50) driven.next(out);
    sent += out.size();
    std::ranges::move(out, std::back_inserter(in_flight));
    if (in_flight.empty()) return sent;
    if (!out.empty() && in_flight.size() < 50) continue;
    const auto at = in_flight.begin() + static_cast<std::ptrdiff_t>(order() % in_flight.size());
    const auto one = *at;
    in_flight.erase(at);
    const auto reply = gateway.serve(one);
    static unsigned requests = 0;
    char id[40];
    std::snprintf(id, sizeof id, "req_%032x", ++requests);
    answer got;
    got.status = reply.status;
    got.lost = reply.status == 0 ? loss::timed_out : loss::none;
    got.body = reply.body;
    got.request_id = reply.status == 0 ? "" : id;
    got.replayed = reply.replayed;
    driven.on_answer(one, got);
  }
}

workload_options options_of(const std::string& mix, std::uint64_t count) {
  workload_options options;
  options.mix = read_mix(mix);
  options.run = "r1";
  options.count = count;
  options.keys = 10;
  options.duplicates = 20;
  options.hot_payments = 1;
  options.refunds = 3;
  options.merchant = "merch_1";
  return options;
}

verification checked(const std::string& mix, fake_gateway& gateway, std::uint64_t count = 3000) {
  const auto work = make_workload(options_of(mix, count));
  CHECK(drive(*work, gateway) == count);
  drive(*work->settle(), gateway);
  drive(*work->read_back(), gateway);
  const auto events = gateway.events();
  return work->conclude(events);
}

constexpr const char* every_scenario = "create lifecycle storm reuse hot replay hosted webhooks saved";

/// All scenarios, with most of the weight on this one.
std::string among_all(const std::string& one) {
  std::string mix;
  for (const auto& [name, weight] : read_mix(every_scenario)) mix += name + (name == one ? ":7 " : " ");
  return mix;
}

std::string first_of(const verification& result) { return result.shown.empty() ? "" : result.shown.front().what; }

}  // namespace

TEST_CASE("a correct gateway has no violation in any scenario") {
  const std::string mix = GENERATE(as<std::string>{}, "create", "lifecycle", "storm", "reuse", "hot", "replay",
                                   "hosted", "webhooks", "saved", every_scenario);
  CAPTURE(mix);
  fake_gateway gateway;
  const auto result = checked(mix, gateway, 4000);
  CAPTURE(first_of(result));
  CHECK(result.done);
  CHECK(result.violations == 0);
  CHECK(result.keys == gateway.executions());
  CHECK(result.payments == gateway.payments().size());
  CHECK(result.customers == gateway.customers().size());
  CHECK(result.events == gateway.events().size());
  CHECK(result.settled == 0);
}

TEST_CASE("lost answers, overload, and unknown outcomes are no violations, and lost answers are settled") {
  const std::string mix = GENERATE(as<std::string>{}, "create", "lifecycle", "storm", "reuse", "hot", "replay",
                                   "hosted", "webhooks", "saved", every_scenario);
  CAPTURE(mix);
  const failure_rates frequent{
      .lost_before = 5, .lost_after = 5, .overloaded = 5, .in_progress = 10, .unknown = 5, .store_unavailable = 3};
  fake_gateway gateway{fault::none, frequent};
  const auto result = checked(mix, gateway, 4000);
  CAPTURE(first_of(result));
  CHECK(result.violations == 0);
  // replay and reuse repeat the requests of their pools themselves, and storm repeats its duplicates.
  if (mix != "replay" && mix != "reuse" && mix != "storm") CHECK(result.settled > 0);
  CHECK(result.payments >= gateway.payments().size());
  CHECK(result.events == gateway.events().size());
}

TEST_CASE("saved pays once for each customer, and charges the saved method in every way") {
  fake_gateway gateway;
  const auto work = make_workload(options_of("saved", 4000));
  std::map<std::string, int> asked;
  /// Counts the requests that leave the workload.
  struct counting : scenario {
    scenario& inner;
    std::function<void(const request&)> count;
    counting(scenario& in, std::function<void(const request&)> by) : inner{in}, count{std::move(by)} {}
    void next(std::vector<request>& out) override {
      const auto before = out.size();
      inner.next(out);
      for (auto at = before; at < out.size(); ++at) count(out[at]);
    }
    void on_answer(const request& sent, const answer& got) override { inner.on_answer(sent, got); }
  } counted{
      *work, [&](const request& one) {
        if (one.path == "/v1/charges/saved")
          asked[json::parse(one.body).as_object().contains("auto_capture") ? "authorize" : "charge"] += 1;
        else if (one.path == "/v1/payment_intents" && json::parse(one.body).as_object().contains("payment_method"))
          asked["save"] += 1;
        else if (one.path == "/v1/payment_intents")
          asked["off session"] += 1;
        else
          asked[std::string{to_string(one.kind)}] += 1;
      }};
  CHECK(drive(counted, gateway) == 4000);
  for (const auto* what : {"charge", "authorize", "capture", "off session", "save", "by_ref"}) {
    CAPTURE(what);
    CHECK(asked[what] > 100);
  }
  CHECK(asked["charge"] > asked["off session"] + asked["save"]);
  // Two payments leave at once for every second customer.
  CHECK(static_cast<std::size_t>(asked["save"]) == gateway.customers().size() * 3 / 2);
}

TEST_CASE("each fault is found") {
  const auto [what, mix, shows] = GENERATE(table<fault, const char*, const char*>({
      {fault::executes_a_key_twice, "replay", "two executions of one key"},
      {fault::executes_a_key_twice, "storm", "two executions of one key"},
      {fault::executes_twice_and_calls_it_a_replay, "replay", "its creation was not executed once"},
      {fault::executes_twice_and_calls_it_a_replay, "storm", "its creation was not executed once"},
      {fault::forgets_to_mark_replays, "replay", "two executions of one key"},
      {fault::replays_other_bytes, "replay", "another answer than the first one"},
      {fault::replays_other_bytes, "storm", "another answer than the first one"},
      {fault::replays_other_bytes, "hosted", "another answer than the first one"},
      {fault::calls_a_first_answer_a_replay, "create", "every answer says that it is a replay"},
      {fault::loses_a_refund, "lifecycle", "instead of"},
      {fault::loses_a_refund, "hot", "refunded_total is"},
      {fault::counts_a_refund_twice, "hot", "refunded_total is"},
      {fault::refunds_more_than_was_captured, "hot", "its sums are wrong"},
      {fault::refuses_a_refund_that_fits, "hot", "was refused as too much"},
      {fault::accepts_a_reused_key, "reuse", "its key was used for another request"},
      {fault::takes_the_amount_of_a_reused_key, "reuse", "instead of"},
      {fault::creates_the_payment_of_a_reused_key, "reuse",
       "exists, although it was only asked for under the key of another payment"},
      {fault::captures_by_a_reused_key, "reuse", "capture"},
      {fault::denies_a_key_that_is_the_same, "replay", "409 IDEMPOTENCY_KEY_REUSED to a request that is the same"},
      {fault::loses_a_payment, "create", "is not there (404)"},
      {fault::authorizes_twice, "create", "its creation was not executed once"},
      {fault::approves_what_it_should_decline, "webhooks", "which does not follow from what was asked for"},
      {fault::shows_no_hosted_page, "hosted", "which does not follow from what was asked for"},
      {fault::answers_with_another_payment, "create", "its answer is of another payment"},
      {fault::fails_after_it_said_authorized, "create", "which does not follow from what its operations were answered"},
      {fault::tells_no_event_in_the_timeline, "webhooks", "do not follow from the attempts"},
      {fault::charges_a_saved_method_twice, "saved", "its creation was not executed once"},
      {fault::captures_what_should_wait, "saved", "which does not follow from what was asked for"},
      {fault::calls_a_charge_by_another_status, "saved", "which does not follow from what was asked for"},
      {fault::executes_a_key_twice, "saved", "two executions of one key"},
      {fault::replays_other_bytes, "saved", "another answer than the first one"},
      {fault::makes_a_customer_twice, "saved", "is another customer of the provider than before"},
      {fault::gives_two_customers_one_name, "saved", "is the same customer of the provider as"},
      {fault::forgets_a_customer, "saved", "is not there (404)"},
      {fault::finds_another_customer, "saved", "its answer is no customer, or another one"},
  }));
  CAPTURE(mix, shows);
  // Alone, in the mix of all scenarios, and with losses that are not faults and must not hide it.
  const bool failing_often = GENERATE(false, true);
  const bool mixed = GENERATE(false, true);
  fake_gateway gateway{
      what, failing_often ? failure_rates{.lost_before = 3, .lost_after = 3, .overloaded = 3} : failure_rates{}};
  const auto result = checked(mixed ? among_all(mix) : mix, gateway, mixed ? 5'000 : 4'000);
  CHECK(result.violations > 0);
  CHECK(result.shown.size() == std::min<std::uint64_t>(result.violations, 100));
  if (!mixed && !failing_often) {
    const auto tells = [&, text = std::string{shows}](const violation& one) {
      return one.what.find(text) != std::string::npos;
    };
    CAPTURE(first_of(result));
    const auto found = std::ranges::find_if(result.shown, tells);
    REQUIRE(found != result.shown.end());
    CHECK_FALSE(found->request_ids.empty());
    CHECK(std::ranges::all_of(found->request_ids,
                              [](const auto& id) { return id.size() == 36 && id.starts_with("req_"); }));
  }
}

TEST_CASE("two executions are reported with the Request-Ids of both answers") {
  fake_gateway gateway{fault::executes_a_key_twice};
  const auto result = checked("replay", gateway, 100);
  REQUIRE(result.violations > 0);
  REQUIRE(result.shown.front().request_ids.size() == 2);
  CHECK(result.shown.front().request_ids[0] != result.shown.front().request_ids[1]);
  CHECK(result.shown.front().what.starts_with("create of pay_r1_"));
}

namespace {

struct workload_events {
  std::unique_ptr<workload> work;
  std::vector<received_event> events;
};

workload_events honest_events() {
  fake_gateway gateway;
  workload_events made{make_workload(options_of("webhooks lifecycle", 1000)), {}};
  drive(*made.work, gateway);
  drive(*made.work->settle(), gateway);
  drive(*made.work->read_back(), gateway);
  made.events = gateway.events();
  REQUIRE(made.work->events_expected() == made.events.size());
  return made;
}

}  // namespace

TEST_CASE("repeated events, in any order, and those of other payments are no violations") {
  auto honest = honest_events();
  const auto count = honest.events.size();
  honest.events.push_back(honest.events[3]);
  std::ranges::reverse(honest.events);
  honest.events.push_back({"evt_x", "payment.captured", "pay_of_another_run_1", "x", "x", false});
  const auto result = honest.work->conclude(honest.events);
  CAPTURE(first_of(result));
  CHECK(result.violations == 0);
  CHECK(result.events == count);
}

TEST_CASE("each fault of a webhook is found") {
  auto honest = honest_events();
  auto& events = honest.events;
  std::string shows;
  SECTION("an event is missing") {
    events.erase(events.begin() + 5);
    shows = "did not arrive";
  }
  SECTION("an event is signed wrongly") {
    events[5].rightly_signed = false;
    shows = "signature";
  }
  SECTION("a delivery is repeated with another body") {
    events.push_back(events[5]);
    events.back().body_hash = "other";
    shows = "came with different bodies";
  }
  SECTION("a payment's event is sent as two") {
    events.push_back(events[5]);
    events.back().event_id = "evt_second";
    events.back().delivery_id = "second";
    shows = "but its timeline tells of";
  }
  SECTION("an event has another type") {
    events[5].type = "payment.voided";
    shows = "an event that was not asked for";
  }
  SECTION("an event is about a payment that was never requested") {
    events.push_back({"evt_stray", "payment.captured", "pay_r1_999999", "stray", "stray", true});
    shows = "never asked for";
  }
  const auto result = honest.work->conclude(events);
  CHECK(result.violations > 0);
  CHECK(std::ranges::any_of(result.shown,
                            [&](const violation& one) { return one.what.find(shows) != std::string::npos; }));
}

TEST_CASE("without a receiver events are not checked") {
  auto honest = honest_events();
  const auto result = honest.work->conclude(std::nullopt);
  CHECK(result.violations == 0);
  CHECK(result.events == 0);
}

TEST_CASE("payments that could not be read back are reported, not ignored") {
  fake_gateway gateway;
  const auto work = make_workload(options_of("create", 50));
  drive(*work, gateway);
  const auto reads = work->read_back();
  drive(*reads, gateway, 20);
  const auto result = work->conclude(std::nullopt);
  CHECK(result.payments == 10);
  REQUIRE(result.violations == 1);
  CHECK(first_of(result) == "40 payments could not be read back");
}

TEST_CASE("a request that is never answered is given up, and reported") {
  const auto options = options_of("create", 0);
  model knows{options};
  progress_of_verification progress;
  const auto lost = knows.create(knows.begin_payment(0, payment_kind::card, 1000));
  knows.take(lost, {});
  const auto settlement = settle_in_doubt(knows, progress, {.tries = 3, .time = {}});
  std::vector<request> out;
  for (int i = 0; i < 3; ++i) {
    out.clear();
    settlement->next(out);
    REQUIRE(out.size() == 1);
    CHECK(out.front().idempotency_key == lost.idempotency_key);
    CHECK(out.front().body == lost.body);
    settlement->on_answer(out.front(), {});
  }
  out.clear();
  settlement->next(out);
  CHECK(out.empty());
  CHECK(knows.found().count() == 1);
  CHECK(progress.settled == 0);
}

TEST_CASE("the same seed makes the same requests, and keys are UUIDs that occur once") {
  std::set<std::string> keys;
  const auto one = make_workload(options_of(every_scenario, 2000)),
             other = make_workload(options_of(every_scenario, 2000));
  fake_gateway first, second;
  std::vector<request> a, b;
  for (int i = 0; i < 300; ++i) {
    one->next(a);
    other->next(b);
  }
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CHECK(std::tie(a[i].path, a[i].body, a[i].idempotency_key) == std::tie(b[i].path, b[i].body, b[i].idempotency_key));
    const auto& key = a[i].idempotency_key;
    CHECK((key.size() == 36 && key[8] == '-' && key[13] == '-' && key[18] == '-' && key[23] == '-'));
    CHECK((key[14] == '8' && std::string{"89ab"}.find(key[19]) != std::string::npos));
    keys.insert(key + a[i].body);
  }
  CHECK(keys.size() > 50);
}

TEST_CASE("a storm's duplicates leave together, and no more keys are in use than configured") {
  auto options = options_of("storm", 0);
  options.keys = 2;
  const auto work = make_workload(options);
  std::vector<request> out;
  work->next(out);
  CHECK(out.size() == 20);
  const auto same = [&](const request& one) {
    return one.idempotency_key == out[0].idempotency_key && one.body == out[0].body;
  };
  CHECK(std::ranges::all_of(out, same));
  work->next(out);
  CHECK(out.size() == 40);
  work->next(out);
  CHECK(out.size() == 40);
}

TEST_CASE("the count of requests is exact, a storm's duplicates included") {
  const auto work = make_workload(options_of("storm", 25));
  std::vector<request> out;
  for (int i = 0; i < 5; ++i) work->next(out);
  CHECK(out.size() == 25);
}

TEST_CASE("a lifecycle waits for no answer: it begins another payment, and continues the first once it is answered") {
  fake_gateway gateway;
  const auto work = make_workload(options_of("lifecycle", 0));
  std::vector<request> out;
  work->next(out);
  work->next(out);
  CHECK(out[0].path == "/v1/payment_intents");
  CHECK(out[1].path == "/v1/payment_intents");
  CHECK(out[0].body != out[1].body);
  const auto reply = gateway.serve(out[0]);
  answer got;
  got.status = reply.status;
  got.body = reply.body;
  work->on_answer(out[0], got);
  work->next(out);
  CHECK(out[2].path == "/v1/payment_intents/pay_r1_0/capture");
  CHECK(out[2].kind == operation::capture);
}

TEST_CASE("a lifecycle is a create, a capture, and as many refunds as configured, of the whole amount") {
  fake_gateway gateway;
  auto options = options_of("lifecycle", 50);
  options.refunds = 2;
  const auto work = make_workload(options);
  // One after the other: fifty requests are twelve payments and a half.
  std::map<std::string, int> asked;
  std::vector<request> out;
  for (;;) {
    out.clear();
    work->next(out);
    if (out.empty()) break;
    asked[std::string{to_string(out.front().kind)}] += 1;
    const auto reply = gateway.serve(out.front());
    answer got;
    got.status = reply.status;
    got.body = reply.body;
    work->on_answer(out.front(), got);
  }
  CHECK(asked == std::map<std::string, int>{{"create", 13}, {"capture", 13}, {"refund", 24}});
  CHECK(std::ranges::count_if(gateway.payments(), [](const auto& one) { return one.second.state == "refunded"; }) ==
        12);
}

TEST_CASE("weights are the shares of requests") {
  fake_gateway gateway;
  const auto work = make_workload(options_of("create:3 storm:1", 8000));
  std::vector<request> out;
  std::size_t storms = 0, creates = 0;
  while (creates + storms < 8000) {
    out.clear();
    work->next(out);
    REQUIRE_FALSE(out.empty());
    (out.size() > 1 ? storms : creates) += out.size();
    for (const auto& one : out) {
      const auto reply = gateway.serve(one);
      answer got;
      got.status = reply.status;
      got.body = reply.body;
      got.replayed = reply.replayed;
      work->on_answer(one, got);
    }
  }
  CHECK(storms == Approx(2000).margin(40));
}

TEST_CASE("a mix is read from arguments or from the lines of a file") {
  const auto mix = read_mix("create:3 lifecycle:0.5\n# at night\nstorm # and nothing else\n");
  REQUIRE(mix.size() == 3);
  CHECK(mix[0].name == "create");
  CHECK(mix[0].weight == 3);
  CHECK(mix[1].weight == 0.5);
  CHECK(mix[2].name == "storm");
  CHECK(mix[2].weight == 1);
}

TEST_CASE("a wrong mix is refused with one line that names the error") {
  CHECK_THROWS_WITH(read_mix("# nothing"), "no scenario is named");
  CHECK_THROWS_WITH(read_mix("creat:1"), Catch::StartsWith("no scenario is called 'creat'"));
  CHECK_THROWS_WITH(read_mix("create create:2"), "the scenario create stands there twice");
  for (const auto* text :
       {"create:", "create:0", "create:-1", "create:x", "create:1x", "create:inf", "create:nan", "create:1:2"})
    CHECK_THROWS_WITH(read_mix(text), Catch::EndsWith("must be a number above 0"));
}

TEST_CASE("options out of bounds are refused") {
  auto options = options_of("create", 0);
  SECTION("no duplicates") { options.duplicates = 0; }
  SECTION("no keys") { options.keys = 0; }
  SECTION("no hot payments") { options.hot_payments = 0; }
  SECTION("too many refunds") { options.refunds = 1001; }
  SECTION("a run that would not fit into an id") { options.run = "a/b"; }
  SECTION("no run") { options.run = ""; }
  SECTION("a payment method that would break the body") { options.payment_method = "pm_\""; }
  SECTION("an invalid currency") { options.currency = "hkd"; }
  CHECK_THROWS_AS(make_workload(options), std::invalid_argument);
}
