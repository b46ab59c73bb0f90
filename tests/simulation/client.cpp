#include "client.hpp"

#include <algorithm>
#include <utility>

namespace gateway::simulation {

namespace {

std::string_view name_of(const entity_request& request) {
  if (command_if<create_payment>(request.what)) return "create";
  if (command_if<capture_payment>(request.what)) return "capture";
  if (command_if<refund_payment>(request.what)) return "refund";
  if (command_if<void_payment>(request.what)) return "void";
  return command_if<view_timeline>(request.what) ? "timeline" : "view";
}

/// The gateway has not decided: the same key may be sent again.
bool undecided(const entity_reply& reply) {
  const auto* why = std::get_if<problem>(&reply.what);
  return why && (*why == problem::store_unavailable || *why == problem::overloaded ||
                 *why == problem::request_in_progress || *why == problem::outcome_pending_timeout);
}

std::string shown(const entity_reply& reply) {
  if (const auto* result = std::get_if<finished>(&reply.what))
    return (result->replayed ? "again \"" : "\"") + result->result->body + '"';
  if (const auto* seen = std::get_if<entity_row>(&reply.what)) {
    const auto& row = *std::get<payment_ptr>(*seen);
    return std::string{to_string(row.state)} + " v" + std::to_string(row.version);
  }
  if (const auto* timeline = std::get_if<timeline_ptr>(&reply.what))
    return std::to_string((*timeline)->entries.size()) + " entries";
  constexpr std::string_view names[] = {"not found",
                                        "exists already",
                                        "not charge capable",
                                        "no eligible provider",
                                        "platform key required",
                                        "wallet not available",
                                        "currency not supported",
                                        "in progress",
                                        "key reused",
                                        "overloaded",
                                        "store unavailable",
                                        "no answer",
                                        "invalid grant",
                                        "not granted",
                                        "not covered",
                                        "platform suspended"};
  return "refused: " + std::string{names[static_cast<std::size_t>(std::get<problem>(reply.what))]};
}

}  // namespace

client::client(std::string name, std::string principal, const world_plan& plan, virtual_time& time,
               random_source& random, const fault_rates& faults, promises& held, journal& log, send_function send)
    : name_{std::move(name)},
      principal_{std::move(principal)},
      plan_{plan},
      time_{time},
      random_{random},
      faults_{faults},
      promises_{held},
      log_{log},
      send_{std::move(send)},
      left_{plan.requests} {
  time_.in(duration_ms{random_.between(0, 2'000)}, [this] { next(); });
}

entity_key client::any_payment() {
  return payment_key(merchant_id{"merch_1"}, environment::test,
                     payment_id{"pay_" + std::to_string(random_.between(1, plan_.payments))});
}

entity_request client::draw_request() {
  entity_request request{any_payment(), std::nullopt, view_entity{}};
  std::string content = request.key.id;
  const auto which = random_.below(100);
  if (which < 12) return request;
  if (which < 18) {
    request.what = view_timeline{};
    return request;
  }
  if (which < 45) {
    create_payment c;
    const bool page = random_.chance(0.25), high_risk = page && random_.chance(0.5);
    c.amount = {100 * random_.between(1, 3), *currency::parse(high_risk ? "HKD" : "EUR")};
    c.how = page ? flow::redirect : flow::server;
    if (!page) c.details.payment_method = "pm_card_visa";
    content +=
        " create " + std::to_string(c.amount.minor) + to_string(c.how).data() + std::string{c.amount.unit.code()};
    request.what = std::move(c);
  } else if (which < 67) {
    content += " capture";
    request.what = capture_payment{};
  } else if (which < 90) {
    const refund_payment refund{random_.chance(0.3) ? 0 : 50 * random_.between(1, 4), "why"};
    content += " refund " + std::to_string(refund.amount);
    request.what = refund;
  } else {
    content += " void";
    request.what = void_payment{};
  }
  std::string key = name_ + '#' + std::to_string(++keys_);
  if (!past_.empty() && random_.chance(faults_.reuses_key)) key = random_.pick(past_).write->key.key;
  request.write = idempotency{{request.key.merchant, request.key.env, principal_, std::move(key)}, std::move(content)};
  return request;
}

void client::next() {
  if (current_) return;
  if (!to_repeat_.empty()) {
    auto request = std::move(to_repeat_.back());
    to_repeat_.pop_back();
    return start(std::move(request));
  }
  if (left_ == 0) return;
  --left_;
  // Sometimes repeats an earlier request.
  if (!past_.empty() && random_.chance(0.1)) return start(random_.pick(past_));
  start(draw_request());
}

void client::start(entity_request request) {
  if (request.write) past_.push_back(request);
  current_ = pending_request{std::move(request)};
  send(random_.chance(faults_.sends_twice) ? 2 : 1);
}

void client::send(unsigned copies) {
  const auto attempt = ++attempt_;
  ++current_->tries;
  const auto request = current_->request;
  if (request.write) promises_.asked(request);
  log_.write(name_, "asks: ", name_of(request), ' ', request.key.id, request.write ? " key " : "",
             request.write ? request.write->key.key : std::string{}, copies > 1 ? ", twice" : "");
  for (unsigned i = 0; i < copies; ++i)
    send_(request, [this, attempt, request](entity_reply& reply) { on_reply(attempt, request, reply); });
  time_.in(faults_.answer_timeout, [this, attempt] {
    if (!current_ || attempt != attempt_) return;
    log_.write(name_, "hears nothing");
    try_again();
  });
}

void client::on_reply(std::uint64_t attempt, const entity_request& request, const entity_reply& reply) {
  log_.write(name_, "is told: ", name_of(request), ' ', request.key.id, ' ', shown(reply));
  if (!current_ || attempt != attempt_) return;
  if (!undecided(reply)) return finish();
  ++attempt_;  // the answer to the other copy is ignored
  time_.in(duration_ms{random_.between(1, 1'000) * std::min(current_->tries, 10U)}, [this, attempt = attempt_] {
    if (current_ && attempt == attempt_) try_again();
  });
}

void client::try_again() {
  // Reads are not retried.
  if (!never_gives_up_ && (!current_->request.write || random_.chance(faults_.gives_up) || current_->tries > 20)) {
    log_.write(name_, "gives up");
    return finish();
  }
  send(1);
}

void client::finish() {
  ++attempt_;
  current_.reset();
  time_.in(duration_ms{random_.between(0, faults_.pause.count())}, [this] { next(); });
}

void client::ask_all_again() {
  never_gives_up_ = true;
  to_repeat_.clear();
  for (const auto& request : past_) {
    const auto known = std::ranges::any_of(to_repeat_, [&](const entity_request& r) {
      return r.write->key == request.write->key && r.write->fingerprint == request.write->fingerprint;
    });
    if (!known) to_repeat_.push_back(request);
  }
  past_.clear();
  left_ = 0;
  time_.in(duration_ms{1}, [this] { next(); });
}

}  // namespace gateway::simulation
