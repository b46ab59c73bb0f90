#include "load_fake_gateway.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <iterator>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace gateway::load::testing {

namespace json = boost::json;

fake_answer fake_gateway::serve(const request& sent) {
  if (sent.body.empty()) return by_chance(rates_.overloaded) ? overloaded() : show(sent);
  if (by_chance(rates_.lost_before)) return {};
  if (by_chance(rates_.overloaded)) return overloaded();
  if (by_chance(rates_.store_unavailable)) return {503, R"({"error":"store_unavailable","message":"x"})"};
  const auto fingerprint = sent.path + sent.body;
  if (const auto known = keys_.find(sent.idempotency_key); known != keys_.end()) {
    if (by_chance(rates_.lost_after)) return {};
    return known->second.fingerprint == fingerprint ? again(sent, known->second) : reused(sent, known->second);
  }
  if (by_chance(rates_.in_progress)) return {409, R"({"error":"request already processing","message":"x"})"};
  auto made = execute(sent);
  keys_[sent.idempotency_key] = {fingerprint, made};
  if (fault_ == fault::calls_a_first_answer_a_replay && occasion()) made.replayed = true;
  if (by_chance(rates_.lost_after)) return {};
  return made;
}

fake_answer fake_gateway::again(const request& sent, finished& known) {
  auto reply = known.reply;
  reply.replayed = true;
  switch (fault_) {
    case fault::executes_a_key_twice:
      if (occasion()) return execute(sent);
      break;
    case fault::executes_twice_and_calls_it_a_replay:
      if (occasion()) execute(sent);
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

fake_answer fake_gateway::reused(const request& sent, finished& known) {
  if (by_chance(rates_.in_progress)) return {409, R"({"error":"request already processing","message":"x"})"};
  if (fault_ == fault::accepts_a_reused_key && occasion()) {
    auto reply = known.reply;
    reply.replayed = true;
    return reply;
  }
  const bool capture = sent.path.ends_with("/capture");
  const auto id = capture ? id_in(sent.path) : std::string{json::parse(sent.body).at("payment_id").as_string()};
  if (fault_ == fault::takes_the_amount_of_a_reused_key && !capture && payments_.contains(id))
    payments_[id].amount = json::parse(sent.body).at("amount").as_int64();
  if (fault_ == fault::creates_the_payment_of_a_reused_key && !payments_.contains(id)) create(sent);
  if (fault_ == fault::captures_by_a_reused_key && capture && payments_[id].state == "authorized") execute(sent);
  return {409, R"({"error":"IDEMPOTENCY_KEY_REUSED","message":"x"})"};
}

std::string fake_gateway::id_in(const std::string& path) {
  const std::string prefix = "/v1/payment_intents/";
  return path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size());
}

fake_answer fake_gateway::execute(const request& sent) {
  executions_ += 1;
  if (sent.path == "/v1/payment_intents") return create(sent);
  if (sent.path == "/v1/charges/saved") return charge(sent);
  const auto found = payments_.find(id_in(sent.path));
  if (found == payments_.end()) return not_found();
  auto& payment = found->second;
  if (payment.state == "unknown") return {409, R"({"error":"payment outcome pending","message":"x"})"};
  return sent.path.ends_with("/capture") ? capture(payment)
                                         : refund(payment, json::parse(sent.body).at("amount").as_int64());
}

fake_answer fake_gateway::create(const request& sent) {
  const auto body = json::parse(sent.body).as_object();
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
  if (fault_ == fault::fails_after_it_answered_authorized && occasion()) payment.state = "failed";
  if (fault_ == fault::loses_a_payment && occasion()) payments_.erase(id);
  return reply;
}

void fake_gateway::add_customer(const std::string& ref) {
  auto& id = customers_[ref];
  const bool fresh = id.empty();
  if (fresh || (fault_ == fault::makes_a_customer_twice && occasion())) id = "cus_" + std::to_string(++customers_made_);
  if (fresh && fault_ == fault::gives_two_customers_one_name && occasion()) id = "cus_everyone";
  if (fresh && fault_ == fault::forgets_a_customer && occasion()) id = "forgotten";
}

fake_answer fake_gateway::find(const std::string& path) const {
  const auto ref = path.substr(path.find('=') + 1);
  const auto found = customers_.find(ref);
  if (found == customers_.end() || found->second == "forgotten")
    return {404, R"({"error":"customer_not_found","message":"x"})"};
  const bool another = fault_ == fault::finds_another_customer;
  return {200, json::serialize(json::object{{"customer_ref", another ? "reader-of-someone-else" : ref},
                                            {"provider_customer_id", found->second},
                                            {"merchant_id", "merch_1"}})};
}

fake_answer fake_gateway::charge(const request& sent) {
  const auto body = json::parse(sent.body).as_object();
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
    return {502, json::serialize(
                     json::object{{"payment_id", id}, {"state", "processing"}, {"error", "provider outcome unknown"}})};
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

fake_answer fake_gateway::capture(fake_payment& payment) {
  if (payment.state != "authorized") return {409, R"({"error":"payment not authorized for capture","message":"x"})"};
  if (by_chance(rates_.unknown)) return unknown(payment, "capture", by_chance(50) ? "captured" : "authorized");
  payment.state = "captured";
  attempt(payment, "capture", "approved");
  event(payment, "payment.captured");
  return success(payment);
}

fake_answer fake_gateway::refund(fake_payment& payment, std::int64_t amount) {
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

std::string fake_gateway::refunded_state(const fake_payment& payment) {
  return payment.refunded >= payment.amount ? "refunded" : "partially_refunded";
}

fake_answer fake_gateway::unknown(fake_payment& payment, const std::string& what, const std::string& becomes,
                                  bool refunded) {
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

fake_answer fake_gateway::success(const fake_payment& payment, bool hosted, std::int64_t refunded) {
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

void fake_gateway::attempt(fake_payment& payment, const std::string& what, const std::string& status) {
  payment.timeline.push_back(json::object{{"kind", "attempt"}, {"operation", what}, {"status", status}});
}

void fake_gateway::event(fake_payment& payment, const std::string& type) {
  const bool shown = fault_ != fault::leaves_an_event_out_of_the_timeline || !occasion();
  if (shown) payment.timeline.push_back(json::object{{"kind", "event"}, {"operation", type}, {"status", "published"}});
  const auto number = std::to_string(events_.size());
  events_.push_back({"evt_" + number, type, payment.id, number, "body " + number, true});
}

fake_answer fake_gateway::show(const request& sent) const {
  if (sent.path.starts_with("/v1/customers/by_ref")) return find(sent.path);
  const auto found = payments_.find(id_in(sent.path));
  if (found == payments_.end()) return not_found();
  const auto& payment = found->second;
  json::object body{{"payment_id", payment.id}};
  if (sent.path.ends_with("/timeline")) {
    body["timeline"] = payment.timeline;
  } else {
    body["state"] = payment.state;
    body["amount"] = payment.amount;
    body["currency"] = "HKD";
    body["refunded_total"] = payment.refunded;
  }
  return {200, json::serialize(body)};
}

std::size_t drive(scenario& driven, fake_gateway& gateway, std::size_t most) {
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

workload_options mix_options(const std::string& mix, std::uint64_t count) {
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

verification checked(const std::string& mix, fake_gateway& gateway, std::uint64_t count) {
  const auto work = make_workload(mix_options(mix, count));
  CHECK(drive(*work, gateway) == count);
  drive(*work->settle(), gateway);
  drive(*work->read_back(), gateway);
  const auto events = gateway.events();
  return work->conclude(events);
}

std::string among_all(const std::string& one) {
  std::string mix;
  for (const auto& [name, weight] : read_mix(every_scenario)) mix += name + (name == one ? ":7 " : " ");
  return mix;
}

std::string first_of(const verification& result) { return result.shown.empty() ? "" : result.shown.front().what; }

}  // namespace gateway::load::testing
