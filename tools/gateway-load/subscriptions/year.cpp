#include "year.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

#include <boost/json/serialize.hpp>

#include "workload/json_members.hpp"

namespace gateway::load {

using namespace std::chrono_literals;
using boost::json::object;

namespace {

constexpr auto success_url = "https://shop.example/thanks";
constexpr auto cancel_url = "https://shop.example/back";

/// The numbers of a subscription's idempotency keys. Each subscription has `key_numbers` of them.
enum key_number : std::uint64_t { opening, refunding, canceling, canceling_again, key_numbers };

}  // namespace

year::year(const year_options& options, const target& to, const signer& sign)
    : options_{options}, to_{to}, sign_{sign}, names_{options.run}, months_(options.months) {
  all_.resize(options.subscriptions);
  for (std::uint64_t i = 0; i < all_.size(); ++i) all_[i].plan = plan_of(options.seed, i, options.months);
}

void year::for_each(const std::atomic<bool>& stop, const std::function<void(std::uint64_t)>& show, const step& does) {
  std::atomic<std::uint64_t> next{0}, done{0};
  std::atomic<bool> failed{false};
  std::exception_ptr fault;
  std::mutex of_fault;
  const caller_options how{options_.data_dir, options_.timeout, clock::now()};
  std::vector<std::unique_ptr<caller>> callers;
  const auto count = std::min<std::uint64_t>(options_.at_once, all_.size());
  callers.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) callers.push_back(std::make_unique<caller>(to_, sign_, how));
  const auto work = [&](caller& by) {
    try {
      for (auto i = next++; i < all_.size() && !stop && !failed; i = next++, ++done) does(by, i);
    } catch (...) {
      const std::lock_guard lock{of_fault};
      if (!failed.exchange(true)) fault = std::current_exception();
    }
    by.finish();
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(count);
    for (auto& one : callers) threads.emplace_back([&] { work(*one); });
    while (show && done < all_.size() && !stop && !failed) {
      show(done);
      std::this_thread::sleep_for(200ms);
    }
  }
  if (fault) std::rethrow_exception(fault);
  std::vector<const tally*> tallies;
  tallies.reserve(callers.size());
  for (const auto& one : callers) tallies.push_back(&one->counted());
  // Reading back counts no requests, so it must not replace the measurement.
  if (auto sum = tally::sum(tallies, 0); sum.sent() > 0) measured_ = std::move(sum);
}

request year::keyed(operation kind, std::string path, std::string body, std::uint64_t key) {
  request made;
  made.kind = kind;
  made.path = std::move(path);
  made.body = std::move(body);
  const std::lock_guard lock{naming_};
  made.idempotency_key = names_.key(key);
  return made;
}

// ---- executing the plans ------------------------------------------------------------------------

void year::live(const std::atomic<bool>& stop, const std::function<void(std::uint64_t)>& show) {
  for_each(stop, show, [this](caller& by, std::uint64_t number) { live_one(by, number); });
}

void year::live_one(caller& by, std::uint64_t number) {
  auto& mine = all_[number];
  std::string hosted_url;
  if (!open(by, number, hosted_url) || !pay(by, number, hosted_url)) return;
  if (mine.plan.ends != ending::abandoned && !learn_provider_id(by, number)) return;
  for (const auto to : moves_of(mine.plan))
    if (!move(by, number, to)) return;
  if (mine.plan.refunded > 0 && !refund(by, number)) return;
  if (mine.plan.ends == ending::merchant && !cancel(by, number)) return;
  mine.lived = true;
}

bool year::open(caller& by, std::uint64_t number, std::string& hosted_url) {
  const auto& plan = all_[number].plan;
  object body{{"subscription_id", id_of(number)},
              {"customer_ref", names_.customer(number)},
              {"amount", plan.amount},
              {"currency", options_.currency},
              {"interval", "month"},
              {"success_url", success_url},
              {"cancel_url", cancel_url}};
  if (plan.trial_days > 0) body["trial_period_days"] = plan.trial_days;
  const auto response = by.ask(keyed(operation::checkout, "/v1/subscription_checkouts", boost::json::serialize(body),
                                     number * key_numbers + opening));
  const auto read = response.read();
  hosted_url = text_member_of(read, "hosted_url");
  return expect(response.status == 200 && text_member_of(read, "status") == "pending" && !hosted_url.empty(), number,
                "its checkout was answered " + response.text(), response);
}

/// Opens the page and presses its button as a new browser, without cookies.
bool year::pay(caller& by, std::uint64_t number, const std::string& hosted_url) {
  by.forget_cookies();
  const auto page = by.open_page(hosted_url);
  if (!expect(page.status == 200, number, "its page was answered " + page.text(), page)) return false;
  const bool pays = all_[number].plan.ends != ending::abandoned;
  const auto pressed = by.press(pays ? "pay" : "decline");
  return expect(pressed.location == (pays ? success_url : cancel_url), number,
                "its page did not lead back: " + pressed.text(), pressed);
}

bool year::learn_provider_id(caller& by, std::uint64_t number) {
  request what;
  what.kind = operation::status;
  what.path = "/v1/subscriptions/" + id_of(number);
  const auto response = by.ask(what);
  all_[number].provider_id = text_member_of(response.read(), "provider_subscription_id");
  return expect(response.status == 200 && !all_[number].provider_id.empty(), number,
                "paid, and the provider's subscription is not known: " + response.text(), response);
}

bool year::move(caller& by, std::uint64_t number, std::string_view to) {
  const auto& plan = all_[number].plan;
  const auto response = by.operate("/operator/sandbox/subscription", {{"subscription_id", id_of(number)},
                                                                      {"merchant_id", options_.merchant_id},
                                                                      {"move", to},
                                                                      {"repeat", plan.repeat},
                                                                      {"reorder", plan.reorder}});
  return expect(response.status == 200, number, "the move '" + std::string{to} + "' was answered " + response.text());
}

/// Waits for the cycle's payment, which may be created a moment after the move is answered.
bool year::refund(caller& by, std::uint64_t number) {
  const auto& mine = all_[number];
  const auto path = "/v1/payment_intents/" + payment_of(mine, mine.plan.refunded);
  const auto last = clock::now() + options_.timeout;
  while (by.read(path).status == 404 && clock::now() < last) std::this_thread::sleep_for(20ms);
  const auto response =
      by.ask(keyed(operation::refund, path + "/refund", boost::json::serialize(object{{"amount", mine.plan.refund}}),
                   number * key_numbers + refunding));
  return expect(response.status == 200, number, "the refund of a cycle was answered " + response.text(), response);
}

/// Cancels twice: the second request finds the subscription canceled and must get the same answer.
bool year::cancel(caller& by, std::uint64_t number) {
  const auto path = "/v1/subscriptions/" + id_of(number);
  const auto first = by.ask(keyed(operation::cancel, path, {}, number * key_numbers + canceling));
  if (!expect(first.status == 200 && text_member_of(first.read(), "status") == "canceled", number,
              "its cancel was answered " + first.text(), first))
    return false;
  const auto second = by.ask(keyed(operation::cancel, path, {}, number * key_numbers + canceling_again));
  return expect(second.status == 200 && second.body == first.body, number,
                "a second cancel was answered otherwise than the first: " + second.text(), second);
}

// ---- checking -----------------------------------------------------------------------------------

std::uint64_t year::events_expected() const {
  std::uint64_t all = 0;
  for (const auto& one : all_)
    if (one.lived) all += events_of(one.plan).all();
  return all;
}

void year::check(const subject_events& events, const std::atomic<bool>& stop) {
  checked_.done = true;
  for_each(stop, {}, [&](caller& by, std::uint64_t number) {
    if (all_[number].lived) check_one(by, events, number);
  });
  std::uint64_t subjects = 0;
  bool all_lived = true;
  for (const auto& one : all_) {
    all_lived = all_lived && one.lived;
    if (!one.lived || one.provider_id.empty()) continue;
    subjects += 1 + one.plan.cycles + (one.plan.ends == ending::exhausted ? 1 : 0);
  }
  if (all_lived && events.subjects() != subjects)
    found_.add("events are about " + std::to_string(events.subjects()) +
                   " subscriptions and payments, of which there are " + std::to_string(subjects),
               {});
  for (const auto& fault : events.faults()) found_.add(fault, {});
  checked_.events = events.events();
  checked_.violations = found_.count();
  checked_.shown = found_.shown();
}

void year::check_one(caller& by, const subject_events& events, std::uint64_t number) {
  const auto& mine = all_[number];
  const auto response = by.read("/v1/subscriptions/" + id_of(number));
  const auto read = response.read();
  const auto status = text_member_of(read, "status");
  expect(status == status_of(mine.plan), number,
         "its status is '" + status + "' and not " + std::string{status_of(mine.plan)}, response);
  expect(number_member_of(read, "amount") == mine.plan.amount, number, "its amount is another", response);
  if (mine.provider_id.empty()) {
    expect(text_member_of(read, "provider_subscription_id").empty(), number, "nobody paid it, but the provider has it",
           response);
  } else {
    check_events(events, number);
    check_periods(events, number);
    for (std::uint32_t cycle = 1; cycle <= mine.plan.cycles; ++cycle) check_cycle(by, events, number, cycle);
    check_no_further_cycle(by, number);
  }
  const std::lock_guard lock{guard_};
  checked_.subscriptions += 1;
  if (mine.plan.ends != ending::none && mine.plan.cycles > 0) months_[mine.plan.cycles - 1].ended += 1;
}

/// Checks the events of the subscription itself; those of its payments are checked with the payments.
void year::check_events(const subject_events& events, std::uint64_t number) {
  const auto wanted = events_of(all_[number].plan);
  const auto& received = events.of(public_id(all_[number]));
  const std::pair<std::string_view, std::uint32_t> each[] = {{"subscription.activated", wanted.activated},
                                                             {"subscription.updated", wanted.updated},
                                                             {"subscription.canceled", wanted.canceled},
                                                             {"subscription.invoice_paid", wanted.invoice_paid},
                                                             {"subscription.invoice_failed", wanted.invoice_failed}};
  for (const auto& [type, count] : each) {
    const auto found = std::ranges::count(received, type, &subject_event::type);
    expect(found == count, number,
           std::string{type} + " arrived " + std::to_string(found) + " times, not " + std::to_string(count));
  }
  const bool same =
      std::ranges::all_of(received, [&](const auto& one) { return one.amount == all_[number].plan.amount; });
  expect(same, number, "an event has another amount");
}

/// Each paid cycle begins where the one before it ends.
void year::check_periods(const subject_events& events, std::uint64_t number) {
  std::vector<std::pair<std::string, std::string>> periods;
  for (const auto& one : events.of(public_id(all_[number])))
    if (one.type == "subscription.invoice_paid") periods.emplace_back(one.period_start, one.period_end);
  std::ranges::sort(periods);
  bool follows = true;
  for (std::size_t i = 0; i < periods.size(); ++i)
    follows = follows && periods[i].first < periods[i].second && (i == 0 || periods[i - 1].second == periods[i].first);
  expect(follows, number, "its paid cycles do not follow each other");
}

void year::check_cycle(caller& by, const subject_events& events, std::uint64_t number, std::uint32_t cycle) {
  const auto& plan = all_[number].plan;
  const auto id = payment_of(all_[number], cycle);
  const bool is_refunded = plan.refunded == cycle;
  const std::uint32_t failures = plan.failing == cycle ? plan.failures : 0;

  const auto response = by.read("/v1/payment_intents/" + id);
  const auto read = response.read();
  const auto state = text_member_of(read, "state");
  const bool captured =
      state == (is_refunded ? "partially_refunded" : "captured") && number_member_of(read, "amount") == plan.amount;
  expect(captured, number, id + " is not captured as planned: " + response.text() + state, response);
  const auto given_back = std::max<std::int64_t>(0, number_member_of(read, "refunded_total"));
  expect(given_back == (is_refunded ? plan.refund : 0), number, id + " has another sum of refunds", response);

  const auto timeline = by.read("/v1/payment_intents/" + id + "/timeline");
  std::vector<timeline_entry> entries;
  std::string of;
  std::uint32_t approved = 0, declined = 0;
  if (read_timeline(timeline.body, of, entries))
    for (const auto& one : entries) {
      if (one.operation != "charge") continue;
      if (one.status == "approved") ++approved;
      if (one.status == "declined") ++declined;
    }
  expect(approved == 1 && declined == failures, number,
         id + " was charged " + std::to_string(approved) + " times, and declined " + std::to_string(declined),
         timeline);

  const auto& received = events.of(id);
  const auto count = [&](std::string_view type) { return std::ranges::count(received, type, &subject_event::type); };
  expect(count("payment.succeeded") == 1 && count("payment.failed") == failures &&
             count("payment.partially_refunded") == (is_refunded ? 1 : 0),
         number, id + " has events that do not match what happened");

  const std::lock_guard lock{guard_};
  checked_.payments += 1;
  auto& month = months_[cycle - 1];
  month.failed += declined;
  month.refunded += given_back;
  if (!captured) return;
  month.paid += 1;
  month.charged += plan.amount;
}

void year::check_no_further_cycle(caller& by, std::uint64_t number) {
  const auto& plan = all_[number].plan;
  const auto id = payment_of(all_[number], plan.cycles + 1);
  const auto response = by.read("/v1/payment_intents/" + id);
  if (plan.ends != ending::exhausted) {
    expect(response.status == 404, number, id + " is a cycle too many", response);
    return;
  }
  expect(text_member_of(response.read(), "state") == "failed", number, id + " failed, and is something else", response);
  const std::lock_guard lock{guard_};
  months_[plan.cycles].failed += sandbox_attempts;
}

bool year::expect(bool holds, std::uint64_t number, const std::string& what, const kept_answer& because) {
  if (holds) return true;
  const std::lock_guard lock{guard_};
  found_.add("subscription " + id_of(number) + ": " + what, {because.request_id});
  return false;
}

/// The sandbox calls invoices in_<the subscription>_<the cycle>.
std::string year::payment_of(const lived_subscription& of, std::uint32_t cycle) const {
  return "pay_in_" + of.provider_id.substr(of.provider_id.find('_') + 1) + '_' + std::to_string(cycle);
}

std::string year::public_id(const lived_subscription& of) const {
  return "sub_" + options_.merchant_id + '_' + of.provider_id;
}

run_result year::measured() const {
  auto result = measured_;
  result.checked = checked_;
  result.months = months_;
  // Each subscription waits for its answers, so there is no intended rate.
  result.intended_per_second = 0;
  return result;
}

}  // namespace gateway::load
