#include "model.hpp"

#include <limits>
#include <stdexcept>

namespace gateway::load {
namespace {

constexpr std::string_view payments_path = "/v1/payment_intents";
constexpr std::string_view charges_path = "/v1/charges/saved";
constexpr std::string_view customers_path = "/v1/customers/by_ref";
constexpr std::string_view declined_method = "pm_card_chargeDeclined";

std::string text_of(std::int64_t number) { return std::to_string(number); }

/// The status and the code of an answer, for a violation: "409 payment already exists".
std::string shown(const answer& got, const parsed_answer& parsed) {
  auto text = std::to_string(got.status);
  if (!parsed.error.empty()) text.append(1, ' ').append(parsed.error.substr(0, 100));
  return text;
}

}  // namespace

model::model(const workload_options& options)
    : names_{options.run, options.payment_ids},
      payment_method_{options.payment_method},
      currency_{options.currency},
      merchant_{options.merchant},
      seed_{options.seed},
      callers_{options.callers},
      first_caller_{static_cast<std::uint32_t>(splitmix64(options.seed, 0) % options.callers)},
      always_approved_{options.payment_method == "pm_card_visa" || options.payment_method == "ctoken_card_visa"} {}

std::uint32_t model::begin_payment(std::uint8_t scenario, payment_kind kind, std::int64_t amount,
                                   std::uint32_t customer) {
  if (payments_.size() >= std::numeric_limits<std::uint32_t>::max())
    throw std::runtime_error("a run has four billion payments at most");
  auto& made = payments_.emplace_back();
  made.scenario = scenario;
  made.kind = kind;
  made.amount = amount;
  made.customer = customer;
  return static_cast<std::uint32_t>(payments_.size() - 1);
}

std::uint32_t model::begin_customer(std::uint8_t scenario) {
  customers_.emplace_back().scenario = scenario;
  return static_cast<std::uint32_t>(customers_.size() - 1);
}

std::int64_t model::usual_amount() const noexcept {
  return 1000 + static_cast<std::int64_t>(random(payments_.size()) % 9000);
}

// ---- requests -------------------------------------------------------------------------------------

request model::create(std::uint32_t payment) {
  const auto kind = payments_[payment].kind;
  const auto what = kind == payment_kind::hosted ? operation::hosted
                    : charges_saved(kind)        ? operation::charge
                                                 : operation::create;
  return open(payment, what, 0, false);
}

request model::find_customer(std::uint32_t customer) const {
  request made;
  made.kind = operation::by_ref;
  made.path.append(customers_path).append("?ref=").append(names_.customer(customer));
  made.subject = customer;
  return made;
}

request model::capture(std::uint32_t payment) {
  payments_[payment].captured = capture_outcome::unanswered;
  return open(payment, operation::capture, 0, false);
}

request model::refund(std::uint32_t payment, std::int64_t amount, bool takes_the_rest) {
  payments_[payment].open_refunds += 1;
  payments_[payment].open_refunded += amount;
  return open(payment, operation::refund, amount, takes_the_rest);
}

request model::open(std::uint32_t payment, operation what, std::int64_t amount, bool takes_the_rest) {
  auto& key = keys_.emplace_back();
  key.payment = payment;
  key.kind = what;
  key.amount = static_cast<std::uint32_t>(amount);
  key.takes_the_rest = takes_the_rest;
  return under(keys_.size() - 1, first);
}

std::string model::create_body(std::uint32_t payment, const std::string& id, std::int64_t amount) const {
  const auto& record = payments_[payment];
  std::string body =
      R"({"payment_id":")" + id + R"(","amount":)" + text_of(amount) + R"(,"currency":")" + currency_ + '"';
  if (record.kind == payment_kind::hosted) {
    body +=
        R"(,"flow":"redirect","success_url":"https://shop.example/thanks","cancel_url":"https://shop.example/basket")";
  } else if (record.kind != payment_kind::saved_last) {
    const auto method = record.kind == payment_kind::declined_card ? declined_method : payment_method_;
    body.append(charges_saved(record.kind) ? R"(,"payment_method_id":")" : R"(,"payment_method":")");
    body.append(method).append(1, '"');
  }
  switch (record.kind) {
    case payment_kind::saving_card:
    case payment_kind::saved_last: body += R"(,"setup_future_usage":"off_session")"; [[fallthrough]];
    case payment_kind::saved_charge:
    case payment_kind::saved_authorize:
      body.append(R"(,"customer_ref":")").append(names_.customer(record.customer)).append(1, '"');
      break;
    default: break;
  }
  if (record.kind == payment_kind::saved_authorize) body += R"(,"auto_capture":false)";
  return body.append(R"(,"description":"Two books","metadata":{"order":")")
      .append(std::to_string(payment))
      .append(R"("}})");
}

request model::under(std::uint64_t number, step which) {
  const auto& key = keys_[number];
  auto& record = payments_[key.payment];
  const auto id = names_.payment(key.payment);
  request made;
  made.kind = key.kind;
  made.idempotency_key = names_.key(number);
  made.subject = number;
  made.step = which;
  made.caller = caller_of(key.payment);
  made.path = key.kind == operation::charge ? charges_path : payments_path;
  if (which >= wrong_amount) record.wrong_requests_sent = true;
  if (which == wrong_path) {
    made.kind = operation::capture;
    made.path.append(1, '/').append(id).append("/capture");
    made.body = "{}";
    return made;
  }
  switch (key.kind) {
    case operation::capture:
      made.path.append(1, '/').append(id).append("/capture");
      made.body = "{}";
      break;
    case operation::refund:
      made.path.append(1, '/').append(id).append("/refund");
      made.body = R"({"amount":)" + text_of(key.takes_the_rest ? 0 : key.amount) + '}';
      break;
    default:
      made.body = create_body(key.payment, which == wrong_payment ? names_.wrong_payment(key.payment) : id,
                              record.amount + (which == wrong_amount ? 1 : 0));
  }
  return made;
}

// ---- answers --------------------------------------------------------------------------------------

std::string model::name_of(const key_record& key) const {
  return std::string{to_string(key.kind)} + " of " + names_.payment(key.payment);
}

void model::violate(key_record& key, const std::string& what, const answer& got) {
  key.set(key_record::faulty);
  findings_.add(name_of(key) + ": " + what, {request_id_of(key.request_id), got.request_id});
}

answer_outcome model::take_customer(const request& sent, const answer& got) {
  auto& customer = customers_[sent.subject];
  auto parsed = parse(got);
  const auto ref = names_.customer(sent.subject);
  const auto wrong = [&](const std::string& what) {
    findings_.add(ref + ": " + what, {request_id_of(customer.request_id), got.request_id});
  };
  if (parsed.kind == meaning::success) {
    parsed_customer answered;
    if (!read_customer(got.body, answered) || answered.ref != ref ||
        (!merchant_.empty() && answered.merchant != merchant_))
      wrong("its answer is no customer, or another one");
    const auto id = hash_(answered.provider_id);
    if (customer.provider_id == hash128{}) {
      customer.provider_id = id;
      customer.request_id = packed_request_id(got.request_id);
    } else if (customer.provider_id != id) {
      wrong("is another customer of the provider than before: " + answered.provider_id.substr(0, 100));
    }
  } else if (parsed.kind == meaning::missing) {
    if (customer.has_paid || customer.provider_id != hash128{}) wrong("is not there (404), although it was made");
  } else if (parsed.kind != meaning::in_doubt && got.status < 429) {
    wrong("an answer that is not allowed: " + shown(got, parsed));
  }
  return {parsed.kind, parsed.kind == meaning::success || parsed.kind == meaning::missing, std::move(parsed.error)};
}

answer_outcome model::take(const request& sent, const answer& got) {
  auto& key = keys_[sent.subject];
  if (sent.step >= wrong_amount) return take_wrong(key, got);
  if (got.status == 0) {
    key.set(key_record::in_doubt);
    return {meaning::in_doubt, key.has(key_record::answered), {}};
  }
  const auto hash = hash_(got.body);
  if (key.has(key_record::answered) && got.status == key.status && hash == key.hash) {
    answer_again(key, got);
    return {meaning::success, true, {}};
  }
  auto parsed = parse(got);
  switch (parsed.kind) {
    case meaning::in_doubt:
    case meaning::in_progress: key.set(key_record::in_doubt); break;
    case meaning::rejection:
      if (got.status >= 429) key.set(key_record::overloaded);
      break;
    case meaning::missing: violate(key, "404, although it was created", got); break;
    case meaning::reused: violate(key, "409 IDEMPOTENCY_KEY_REUSED to a request that is the same", got); break;
    case meaning::unexpected: violate(key, "an answer that is not allowed: " + shown(got, parsed), got); break;
    case meaning::success:
    case meaning::problem:
    case meaning::unknown:
      if (key.has(key_record::answered))
        violate(key,
                "another answer than the first one under its key: " + shown(got, parsed) +
                    (got.replayed ? ", as a replay" : ", no replay") + ", after " + std::to_string(key.status),
                got);
      else
        first_answer(key, parsed, got, hash);
  }
  return {parsed.kind, key.has(key_record::answered), std::move(parsed.error)};
}

void model::answer_again(key_record& key, const answer& got) {
  if (got.replayed) return;
  if (key.has(key_record::executed))
    return violate(key, "two executions of one key: neither answer says that it is a replay", got);
  key.set(key_record::executed);
  key.request_id = packed_request_id(got.request_id);
}

void model::first_answer(key_record& key, const parsed_answer& parsed, const answer& got, const hash128& hash) {
  key.set(key_record::answered);
  if (!got.replayed) key.set(key_record::executed);
  key.status = static_cast<std::uint16_t>(got.status);
  key.hash = hash;
  const auto id = names_.payment(key.payment);
  if (parsed.kind == meaning::success && parsed.payment_id != id)
    violate(key, "its answer is of another payment: " + parsed.payment_id.substr(0, 100), got);
  switch (key.kind) {
    case operation::capture: learn_capture(key, parsed, got); break;
    case operation::refund: learn_refund(key, parsed, got); break;
    default: learn_creation(key, parsed, got);
  }
  // Set last, because violate() reports the earlier answer's request id besides this answer's.
  key.request_id = packed_request_id(got.request_id);
}

void model::learn_creation(key_record& key, const parsed_answer& parsed, const answer& got) {
  auto& payment = payments_[key.payment];
  if (parsed.kind == meaning::unknown) {
    payment.created = creation::unknown;
    return;
  }
  if (parsed.kind == meaning::problem) return violate(key, "an answer that is not allowed: " + shown(got, parsed), got);
  const bool charge = charges_saved(payment.kind);
  const bool asks_for_approval = payment.kind != payment_kind::declined_card && payment.kind != payment_kind::hosted;
  const bool may_go_otherwise = asks_for_approval && !always_approved_;
  std::string_view expected;  // the status of a charge
  bool fits = true;
  switch (parsed.now) {
    case state::authorized:
      payment.created = creation::authorized;
      fits = asks_for_approval && payment.kind != payment_kind::saved_charge;
      expected = "succeeded";
      break;
    case state::captured:
      payment.created = creation::captured;
      fits = asks_for_approval && payment.kind != payment_kind::saved_authorize;
      expected = "succeeded";
      break;
    case state::failed:
      payment.created = creation::failed;
      fits = payment.kind == payment_kind::declined_card || may_go_otherwise;
      expected = "failed";
      break;
    case state::processing:
      payment.created = creation::processing;
      fits = charge ? may_go_otherwise
                    : parsed.has_hosted_url && (payment.kind == payment_kind::hosted || may_go_otherwise);
      expected = "requires_action";
      break;
    default: fits = false;
  }
  if (charge && parsed.charged != expected) fits = false;
  const bool approved = payment.created == creation::authorized || payment.created == creation::captured;
  if (approved && payment.kind == payment_kind::saving_card) customers_[payment.customer].has_paid = true;
  if (!fits)
    violate(key, "created as '" + parsed.state_text.substr(0, 100) + "', which does not follow from the request", got);
}

void model::learn_capture(key_record& key, const parsed_answer& parsed, const answer& got) {
  auto& payment = payments_[key.payment];
  if (parsed.kind == meaning::unknown) {
    payment.captured = capture_outcome::unknown;
  } else if (parsed.kind == meaning::problem) {
    payment.captured = capture_outcome::problem;
    // Each capture is requested once, of a payment that was answered as authorized. The only problem allowed is that a
    // provider's outcome is unknown.
    if (parsed.error != "payment outcome pending")
      violate(key, "refused although the payment is authorized: " + shown(got, parsed), got);
  } else if (parsed.now == state::captured) {
    payment.captured = capture_outcome::captured;
  } else {
    payment.captured = capture_outcome::declined;
    if (parsed.now != state::authorized || !parsed.has_provider_error || always_approved_)
      violate(key, "answered 200 as '" + parsed.state_text.substr(0, 100) + '\'', got);
  }
}

void model::learn_refund(key_record& key, const parsed_answer& parsed, const answer& got) {
  auto& payment = payments_[key.payment];
  if (parsed.kind == meaning::unknown) {
    payment.unknown_refunds += 1;
    return;
  }
  payment.open_refunds -= 1;
  payment.open_refunded -= key.amount;
  if (parsed.kind == meaning::problem) {
    if (parsed.error == "refund rejected by provider") payment.declined_refunds += 1;
    if (parsed.error == "refund amount exceeds captured amount" ||
        parsed.error == "payment not refundable in current state") {
      // "not refundable" means that not even one unit is left.
      const auto excessive = parsed.error.starts_with("payment") ? 1u : key.amount;
      payment.least_excessive_refund =
          payment.least_excessive_refund == 0 ? excessive : std::min(payment.least_excessive_refund, excessive);
    }
    return;
  }
  payment.refunds += 1;
  payment.refunded += key.amount;
  const auto total = parsed.refunded_total;
  if (parsed.refunded_amount != key.amount)
    violate(key, "refunded " + text_of(parsed.refunded_amount) + " instead of " + text_of(key.amount), got);
  else if (total < key.amount || total > payment.amount || parsed.remaining_amount != payment.amount - total)
    violate(key,
            "its sums are wrong: refunded_total " + text_of(total) + ", remaining_amount " +
                text_of(parsed.remaining_amount) + ", of " + text_of(payment.amount),
            got);
  else if (parsed.now != (total == payment.amount ? state::refunded : state::partially_refunded))
    violate(key,
            "answered as '" + parsed.state_text.substr(0, 100) + "' with " + text_of(total) + " of " +
                text_of(payment.amount) + " refunded",
            got);
}

/// The answer to another request under a finished key. Reading the payment back shows whether it changed anything. The
/// same wrong request may be in flight a second time: the gateway then answers that one with its key is being
/// processed.
answer_outcome model::take_wrong(key_record& key, const answer& got) {
  auto parsed = parse(got);
  const bool allowed = parsed.kind == meaning::reused || parsed.kind == meaning::in_progress ||
                       parsed.kind == meaning::rejection || parsed.kind == meaning::in_doubt;
  if (!allowed)
    violate(key,
            "its key was used for another request, which was answered " + shown(got, parsed) +
                " instead of 409 IDEMPOTENCY_KEY_REUSED",
            got);
  return {parsed.kind, true, std::move(parsed.error)};
}

}  // namespace gateway::load
