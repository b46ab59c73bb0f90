#include "model.hpp"

#include <limits>
#include <stdexcept>

namespace gateway::load {
namespace {

constexpr std::string_view payments_path = "/v1/payment_intents";
constexpr std::string_view declined_method = "pm_card_chargeDeclined";

std::string text_of(std::int64_t number) { return std::to_string(number); }

/// "409 payment already exists", for a line that tells what came.
std::string shown(const answer& got, const reading& said) {
  auto text = std::to_string(got.status);
  if (!said.error.empty()) text.append(1, ' ').append(said.error.substr(0, 100));
  return text;
}

}  // namespace

model::model(const workload_options& options)
    : names_{options.run, options.payment_ids},
      payment_method_{options.payment_method},
      currency_{options.currency},
      seed_{options.seed},
      callers_{options.callers},
      first_caller_{static_cast<std::uint32_t>(scattered(options.seed, 0) % options.callers)},
      surely_approved_{options.payment_method == "pm_card_visa" || options.payment_method == "ctoken_card_visa"} {}

std::uint32_t model::begin_payment(std::uint8_t course, payment_kind kind, std::int64_t amount) {
  if (payments_.size() >= std::numeric_limits<std::uint32_t>::max())
    throw std::runtime_error("a run has four billion payments at most");
  auto& made = payments_.emplace_back();
  made.course = course;
  made.kind = kind;
  made.amount = amount;
  return static_cast<std::uint32_t>(payments_.size() - 1);
}

std::int64_t model::usual_amount() const noexcept {
  return 1000 + static_cast<std::int64_t>(random(payments_.size()) % 9000);
}

// ---- requests -------------------------------------------------------------------------------------

request model::create(std::uint32_t payment) {
  const auto kind = payments_[payment].kind;
  return open(payment, kind == payment_kind::hosted ? operation::hosted : operation::create, 0, false);
}

request model::capture(std::uint32_t payment) {
  payments_[payment].captured = capture_fate::perhaps;
  return open(payment, operation::capture, 0, false);
}

request model::refund(std::uint32_t payment, std::int64_t amount, bool takes_the_rest) {
  payments_[payment].perhaps_refunds += 1;
  payments_[payment].perhaps_refunded += amount;
  return open(payment, operation::refund, amount, takes_the_rest);
}

request model::open(std::uint32_t payment, operation what, std::int64_t amount, bool takes_the_rest) {
  auto& key = keys_.emplace_back();
  key.payment = payment;
  key.what = what;
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
  } else {
    const auto method = record.kind == payment_kind::declined_card ? declined_method : payment_method_;
    body.append(R"(,"payment_method":")").append(method).append(1, '"');
  }
  return body.append(R"(,"description":"Two books","metadata":{"order":")")
      .append(std::to_string(payment))
      .append(R"("}})");
}

request model::under(std::uint64_t number, step which) {
  const auto& key = keys_[number];
  auto& record = payments_[key.payment];
  const auto id = names_.payment(key.payment);
  request made;
  made.kind = key.what;
  made.idempotency_key = names_.key(number);
  made.subject = number;
  made.step = which;
  made.caller = caller_of(key.payment);
  made.path = payments_path;
  if (which >= wrong_amount) record.impostors = true;
  if (which == wrong_path) {
    made.kind = operation::capture;
    made.path.append(1, '/').append(id).append("/capture");
    made.body = "{}";
    return made;
  }
  switch (key.what) {
    case operation::capture:
      made.path.append(1, '/').append(id).append("/capture");
      made.body = "{}";
      break;
    case operation::refund:
      made.path.append(1, '/').append(id).append("/refund");
      made.body = R"({"amount":)" + text_of(key.takes_the_rest ? 0 : key.amount) + '}';
      break;
    default:
      made.body = create_body(key.payment, which == wrong_payment ? names_.impostor(key.payment) : id,
                              record.amount + (which == wrong_amount ? 1 : 0));
  }
  return made;
}

// ---- answers --------------------------------------------------------------------------------------

std::string model::name_of(const key_record& key) const {
  return std::string{to_string(key.what)} + " of " + names_.payment(key.payment);
}

void model::violate(key_record& key, const std::string& what, const answer& got) {
  key.set(key_record::faulty);
  findings_.add(name_of(key) + ": " + what, {request_id_of(key.request_id), got.request_id});
}

told model::take(const request& sent, const answer& got) {
  auto& key = keys_[sent.subject];
  if (sent.step >= wrong_amount) return take_wrong(key, got);
  if (got.status == 0) {
    key.set(key_record::doubted);
    return {meaning::doubtful, key.has(key_record::answered), {}};
  }
  const auto hash = hash_(got.body);
  if (key.has(key_record::answered) && got.status == key.status && hash == key.hash) {
    answer_again(key, got);
    return {meaning::success, true, {}};
  }
  auto said = read(got);
  switch (said.what) {
    case meaning::doubtful:
    case meaning::in_progress: key.set(key_record::doubted); break;
    case meaning::turned_away:
      if (got.status >= 429) key.set(key_record::overloaded);
      break;
    case meaning::missing: violate(key, "404, although it was created", got); break;
    case meaning::reused: violate(key, "409 IDEMPOTENCY_KEY_REUSED to a request that is the same", got); break;
    case meaning::unexpected: violate(key, "an answer that is not allowed: " + shown(got, said), got); break;
    case meaning::success:
    case meaning::refusal:
    case meaning::unknown:
      if (key.has(key_record::answered))
        violate(key,
                "another answer than the first one under its key: " + shown(got, said) +
                    (got.replayed ? ", as a replay" : ", no replay") + ", after " + std::to_string(key.status),
                got);
      else
        first_answer(key, said, got, hash);
  }
  return {said.what, key.has(key_record::answered), std::move(said.error)};
}

void model::answer_again(key_record& key, const answer& got) {
  if (got.replayed) return;
  if (key.has(key_record::executed))
    return violate(key, "two executions of one key: neither answer says that it is a replay", got);
  key.set(key_record::executed);
  key.request_id = packed_request_id(got.request_id);
}

void model::first_answer(key_record& key, const reading& said, const answer& got, const hash128& hash) {
  key.set(key_record::answered);
  if (!got.replayed) key.set(key_record::executed);
  key.status = static_cast<std::uint16_t>(got.status);
  key.hash = hash;
  const auto id = names_.payment(key.payment);
  if (said.what == meaning::success && said.payment_id != id)
    violate(key, "its answer is of another payment: " + said.payment_id.substr(0, 100), got);
  switch (key.what) {
    case operation::capture: learn_capture(key, said, got); break;
    case operation::refund: learn_refund(key, said, got); break;
    default: learn_creation(key, said, got);
  }
  // After what it shows is told, lest the answer be named twice.
  key.request_id = packed_request_id(got.request_id);
}

void model::learn_creation(key_record& key, const reading& said, const answer& got) {
  auto& payment = payments_[key.payment];
  if (said.what == meaning::unknown) {
    payment.created = creation::unknown;
    return;
  }
  if (said.what == meaning::refusal) return violate(key, "an answer that is not allowed: " + shown(got, said), got);
  bool fits = true;
  switch (said.now) {
    case state::authorized:
      payment.created = creation::authorized;
      fits = payment.kind == payment_kind::card;
      break;
    case state::captured:
      payment.created = creation::captured;
      fits = payment.kind == payment_kind::card;
      break;
    case state::failed:
      payment.created = creation::failed;
      fits = payment.kind == payment_kind::declined_card || (payment.kind == payment_kind::card && !surely_approved_);
      break;
    case state::processing:
      payment.created = creation::processing;
      fits = said.has_hosted_url &&
             (payment.kind == payment_kind::hosted || (payment.kind == payment_kind::card && !surely_approved_));
      break;
    default: fits = false;
  }
  if (!fits)
    violate(key, "created as '" + said.state_text.substr(0, 100) + "', which does not follow from what was asked for",
            got);
}

void model::learn_capture(key_record& key, const reading& said, const answer& got) {
  auto& payment = payments_[key.payment];
  if (said.what == meaning::unknown) {
    payment.captured = capture_fate::unknown;
  } else if (said.what == meaning::refusal) {
    payment.captured = capture_fate::refused;
    // Captures are asked for once, of payments that were told to be authorized: only a provider's doubt stands in the
    // way.
    if (said.error != "payment outcome pending")
      violate(key, "refused although the payment is authorized: " + shown(got, said), got);
  } else if (said.now == state::captured) {
    payment.captured = capture_fate::captured;
  } else {
    payment.captured = capture_fate::rejected;
    if (said.now != state::authorized || !said.has_provider_error || surely_approved_)
      violate(key, "answered 200 as '" + said.state_text.substr(0, 100) + '\'', got);
  }
}

void model::learn_refund(key_record& key, const reading& said, const answer& got) {
  auto& payment = payments_[key.payment];
  if (said.what == meaning::unknown) {
    payment.unknown_refunds += 1;
    return;
  }
  payment.perhaps_refunds -= 1;
  payment.perhaps_refunded -= key.amount;
  if (said.what == meaning::refusal) {
    if (said.error == "refund rejected by provider") payment.rejected_refunds += 1;
    if (said.error == "refund amount exceeds captured amount" ||
        said.error == "payment not refundable in current state") {
      // Nothing left means that not even one unit is.
      const auto refused = said.error.starts_with("payment") ? 1u : key.amount;
      payment.least_refused = payment.least_refused == 0 ? refused : std::min(payment.least_refused, refused);
    }
    return;
  }
  payment.refunds += 1;
  payment.refunded += key.amount;
  const auto total = said.refunded_total;
  if (said.refunded_amount != key.amount)
    violate(key, "refunded " + text_of(said.refunded_amount) + " instead of " + text_of(key.amount), got);
  else if (total < key.amount || total > payment.amount || said.remaining_amount != payment.amount - total)
    violate(key,
            "its sums are wrong: refunded_total " + text_of(total) + ", remaining_amount " +
                text_of(said.remaining_amount) + ", of " + text_of(payment.amount),
            got);
  else if (said.now != (total == payment.amount ? state::refunded : state::partially_refunded))
    violate(key,
            "answered as '" + said.state_text.substr(0, 100) + "' with " + text_of(total) + " of " +
                text_of(payment.amount) + " refunded",
            got);
}

/// Another request under a finished key. Whether it changed anything is seen when the payment is read back. The same
/// wrong request may be under way a second time: then it is told that one with its key is being processed, which
/// promises nothing.
told model::take_wrong(key_record& key, const answer& got) {
  auto said = read(got);
  const bool allowed = said.what == meaning::reused || said.what == meaning::in_progress ||
                       said.what == meaning::turned_away || said.what == meaning::doubtful;
  if (!allowed)
    violate(key,
            "its key was used for another request, which was answered " + shown(got, said) +
                " instead of 409 IDEMPOTENCY_KEY_REUSED",
            got);
  return {said.what, true, std::move(said.error)};
}

}  // namespace gateway::load
