#include "client.hpp"

#include <algorithm>
#include <utility>

#include "gateway/messages/customer_key.hpp"

namespace gateway::simulation {

namespace {

std::string_view name_of(const entity_request& request) {
  if (command_if<create_payment>(request.what)) return "create";
  if (command_if<charge_saved>(request.what)) return "charge";
  if (command_if<capture_payment>(request.what)) return "capture";
  if (command_if<refund_payment>(request.what)) return "refund";
  if (command_if<void_payment>(request.what)) return "void";
  if (command_if<cancel_payment>(request.what)) return "cancel";
  return command_if<view_timeline>(request.what) ? "timeline" : "view";
}

/// The gateway has not decided: the same key may be sent again.
bool undecided(const entity_reply& reply) {
  const auto* why = std::get_if<problem>(&reply.what);
  return why &&
         (*why == problem::store_unavailable || *why == problem::overloaded || *why == problem::provider_unavailable ||
          *why == problem::request_in_progress || *why == problem::outcome_pending_timeout);
}

std::string shown(const entity_reply& reply) {
  if (const auto* result = std::get_if<finished>(&reply.what))
    return (result->replayed ? "again \"" : "\"") + result->result->body + '"';
  if (const auto* seen = std::get_if<entity_row>(&reply.what)) {
    if (const auto* who = std::get_if<customer_ptr>(seen)) return (*who)->ref + " v" + std::to_string((*who)->version);
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
                                        "provider unavailable",
                                        "no such notification",
                                        "account not looked up",
                                        "store unavailable",
                                        "no answer",
                                        "invalid grant",
                                        "not granted",
                                        "not covered",
                                        "platform suspended",
                                        "key revoked",
                                        "grant ended",
                                        "no such customer",
                                        "nothing saved"};
  const auto why = static_cast<std::size_t>(std::get<problem>(reply.what));
  return "refused: " + (why < std::size(names) ? std::string{names[why]} : "problem " + std::to_string(why));
}

}  // namespace

client::client(std::string name, std::optional<customer_book> book, const world_plan& plan, virtual_time& time,
               random_source& random, const fault_rates& faults, promises& held, journal& log, send_function send)
    : name_{std::move(name)},
      book_{std::move(book)},
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
  // A charge and a create need payment ids that are not in use yet.
  const auto most = plan_.payments + (book_ && book_->customers > 0 ? 4 : 0);
  return payment_key(merchant_id{"merch_1"}, environment::test,
                     payment_id{"pay_" + std::to_string(random_.between(1, most))});
}

std::string client::any_ref() { return "ref-" + std::to_string(random_.between(1, book_->customers)); }

create_payment client::draw_creation(std::string& content) {
  constexpr const char* cards[] = {"pm_card_visa", "pm_card_mastercard", "pm_card_amex"};
  create_payment c;
  const bool for_customer = book_ && book_->customers > 0 && random_.chance(0.8);
  const bool page = random_.chance(0.25), high_risk = page && !for_customer && random_.chance(0.5);
  c.amount = {100 * random_.between(1, 3), *currency::parse(high_risk ? "HKD" : "EUR")};
  c.how = page ? flow::redirect : flow::server;
  const bool off_session = for_customer && !page && random_.chance(0.3);
  if (!page && !off_session) c.details.payment_method = for_customer ? random_.pick(cards) : "pm_card_visa";
  content += " create " + std::to_string(c.amount.minor) + to_string(c.how).data() + std::string{c.amount.unit.code()};
  if (for_customer) {
    c.customer = wanted_customer{book_->platform, any_ref(), true, off_session};
    content += ' ' + c.customer->ref + ' ' + c.details.payment_method;
  }
  return c;
}

charge_saved client::draw_charge(std::string& content) {
  charge_saved c;
  c.amount = {100 * random_.between(1, 3), *currency::parse("EUR")};
  c.customer = wanted_customer{book_->platform, any_ref(), false, false};
  const auto saved = book_->saved(c.customer.ref);
  c.details.payment_method = saved.empty() || random_.chance(0.3) ? "pm_card_visa" : random_.pick(saved);
  c.details.captures_at_once = random_.chance(0.5);
  content += " charge " + std::to_string(c.amount.minor) + ' ' + c.customer.ref + ' ' + c.details.payment_method +
             (c.details.captures_at_once ? " at once" : "");
  return c;
}

entity_request client::draw_request() {
  entity_request request{any_payment(), std::nullopt, view_entity{}};
  std::string content = request.key.id;
  const bool has_customers = book_ && book_->customers > 0;
  const auto which = random_.below(100);
  if (which < 12) {
    if (has_customers && random_.chance(0.5))
      request.key = customer_key(request.key.merchant, request.key.env, book_->platform, any_ref());
    return request;
  }
  if (which < 18) {
    request.what = view_timeline{};
    return request;
  }
  if (has_customers && which < 36) {
    request.what = draw_charge(content);
  } else if (which < (has_customers ? 67 : 45)) {
    request.what = draw_creation(content);
  } else if (which < (has_customers ? 77 : 67)) {
    const capture_payment capture{random_.chance(0.7) ? 0 : 50 * random_.between(1, 7)};
    content += " capture " + std::to_string(capture.amount);
    request.what = capture;
  } else if (which < 90) {
    const refund_payment refund{random_.chance(0.3) ? 0 : 50 * random_.between(1, 4), "why"};
    content += " refund " + std::to_string(refund.amount);
    request.what = refund;
  } else if (which < 93) {
    content += " cancel";
    request.what = cancel_payment{};
  } else {
    content += " void";
    request.what = void_payment{};
  }
  const bool again = !past_.empty() && random_.chance(faults_.reuses_key);
  const auto* first = again ? &random_.pick(past_) : nullptr;
  std::string key = first ? first->write->key.key : name_ + '#' + std::to_string(++keys_);
  const auto principal = book_ ? book_->platform.value : std::string{};
  request.write = idempotency{{request.key.merchant, request.key.env, principal, std::move(key)}, std::move(content)};
  if (first)
    request.by = first->by;
  else if (book_)
    request.by = asked_by{random_.pick(book_->keys), book_->platform, scope::payments_write};
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
