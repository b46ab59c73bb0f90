#include "notifications.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/subscription_notification.hpp"
#include "gateway/domain/text.hpp"
#include "json.hpp"
#include "requests.hpp"
#include "settings.hpp"

namespace gateway::actors::stripe {

namespace {

constexpr std::size_t most_signature_header = 4096, most_signatures = 16, hex_of_hmac = 64;
constexpr std::size_t most_type = 100, most_merchant_id = 100;

/// After these events the payment is read. All carry the metadata of the payment or of its checkout, which are the
/// same.
constexpr std::array<std::string_view, 10> known_types{
    "checkout.session.async_payment_failed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.completed",
    "checkout.session.expired",
    "payment_intent.amount_capturable_updated",
    "payment_intent.canceled",
    "payment_intent.payment_failed",
    "payment_intent.processing",
    "payment_intent.requires_action",
    "payment_intent.succeeded",
};

bool is_type(std::string_view text) noexcept {
  return !text.empty() && text.size() <= most_type &&
         std::ranges::all_of(text, [](char c) { return is_lower_letter(c) || is_digit(c) || c == '_' || c == '.'; });
}

/// Compares all signatures, so that the time taken does not reveal which one is close.
bool is_signed(const signature_header& by, std::string_view body, const provider_settings& with) {
  std::string signed_text{by.stamp};
  signed_text.append(1, '.').append(body);
  bool right = false;
  for (const auto secret : webhook_secrets(with)) {
    if (secret.empty()) continue;
    const auto expected = crypto::hex(crypto::hmac_sha256(secret, signed_text));
    for (const auto signature : by.signatures) right |= crypto::equal_constant_time(signature, expected);
  }
  return right;
}

bool is_fresh(std::int64_t at, time_point now) noexcept {
  const auto now_s = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  const auto most = signature_tolerance.count();
  return at >= now_s - most && at <= now_s + most;
}

/// The receiver asks Stripe for the account's standing.
notification_subject subject_of_account(const event& event_read) {
  // The owner has disconnected the account: the event holds only its id, and it can no longer be read. The gateway
  // knows the merchant itself.
  if (event_read.type == "account.application.deauthorized" && !event_read.account.empty())
    return about_account{merchant_id{}, event_read.account};
  if (!is_merchant_id(event_read.merchant) || event_read.object_id.empty() ||
      event_read.object_id != event_read.account)
    return no_subject{};
  return about_account{merchant_id{event_read.merchant}, event_read.account};
}

}  // namespace

std::span<const std::string_view> notification_types() noexcept {
  static constexpr std::array<std::string_view, 38> types{
      "account.application.deauthorized",
      "account.updated",
      "capability.updated",
      "charge.captured",
      "charge.dispute.closed",
      "charge.dispute.created",
      "charge.dispute.funds_reinstated",
      "charge.dispute.funds_withdrawn",
      "charge.dispute.updated",
      "charge.expired",
      "charge.refund.updated",
      "charge.refunded",
      "checkout.session.async_payment_failed",
      "checkout.session.async_payment_succeeded",
      "checkout.session.completed",
      "checkout.session.expired",
      "customer.subscription.created",
      "customer.subscription.deleted",
      "customer.subscription.paused",
      "customer.subscription.resumed",
      "customer.subscription.trial_will_end",
      "customer.subscription.updated",
      "invoice.finalization_failed",
      "invoice.marked_uncollectible",
      "invoice.paid",
      "invoice.payment_action_required",
      "invoice.payment_failed",
      "invoice.voided",
      "payment_intent.amount_capturable_updated",
      "payment_intent.canceled",
      "payment_intent.payment_failed",
      "payment_intent.processing",
      "payment_intent.requires_action",
      "payment_intent.succeeded",
      "radar.early_fraud_warning.created",
      "refund.created",
      "refund.failed",
      "refund.updated",
  };
  static_assert(std::ranges::is_sorted(types));
  return types;
}

bool is_merchant_id(std::string_view text) noexcept {
  return text.starts_with("merch_") && text.size() <= most_merchant_id && is_provider_id(text);
}

std::optional<signature_header> read_signature(std::string_view header) {
  if (header.size() > most_signature_header) return std::nullopt;
  signature_header read;
  while (!header.empty()) {
    const auto comma = std::min(header.find(','), header.size());
    auto part = header.substr(0, comma);
    header.remove_prefix(std::min(comma + 1, header.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (part.starts_with("t=")) {
      if (!read.stamp.empty()) return std::nullopt;
      read.stamp = part.substr(2);
      const auto at = parse_whole(read.stamp, 0, std::numeric_limits<std::int64_t>::max());
      if (!at) return std::nullopt;
      read.at = *at;
    } else if (part.starts_with("v1=") && part.size() == 3 + hex_of_hmac) {
      if (read.signatures.size() == most_signatures) return std::nullopt;
      read.signatures.push_back(part.substr(3));
    }
  }
  if (read.stamp.empty() || read.signatures.empty()) return std::nullopt;
  return read;
}

std::optional<event> read_event(std::string_view body) {
  const auto parsed = parse_object(body);
  const auto* object = parsed ? parsed->if_object() : nullptr;
  const auto id = word(object, "id"), type = word(object, "type"), account = word(object, "account");
  const auto* live = value_in(object, "livemode");
  if (!is_provider_id(id) || !id.starts_with("evt_") || !is_type(type) || !live || !live->is_bool())
    return std::nullopt;
  if (!account.empty() && !is_provider_id(account)) return std::nullopt;
  const auto* about = member(member(object, "data"), "object");
  const auto* marks = member(about, "metadata");
  return event{std::string{id},
               std::string{type},
               std::string{account},
               live->get_bool(),
               number(object, "created"),
               std::string{word(marks, merchant_mark)},
               std::string{word(marks, payment_mark)},
               std::string{word(about, "id")}};
}

std::variant<receive_notification, notification_fault> verify_notification(const incoming_notification& in,
                                                                           const provider_settings& with,
                                                                           environment env, time_point now) {
  const auto header = in.header("Stripe-Signature");
  const auto by = header ? read_signature(*header) : std::nullopt;
  if (!by || !is_signed(*by, in.body, with)) return notification_fault::unsigned_;
  if (!is_fresh(by->at, now)) return notification_fault::stale;
  auto event_read = read_event(in.body);
  // As documented for Connect, test events are also sent to a platform's live endpoint: they are accepted and have no
  // effect.
  if (!event_read || (event_read->live && env == environment::test)) return notification_fault::unreadable;
  return receive_notification{provider_kind::stripe, std::move(event_read->id), std::move(event_read->type),
                              std::move(event_read->account), std::string{in.body}};
}

notification_subject subject_of(const notification& what) {
  const auto event_read = read_event(what.body);
  if (!event_read || event_read->live != (what.key.env == environment::live)) return no_subject{};
  if (event_read->type == "account.updated" || event_read->type == "account.application.deauthorized")
    return subject_of_account(*event_read);
  if (!std::ranges::binary_search(known_types, std::string_view{event_read->type})) return no_subject{};
  if (!is_merchant_id(event_read->merchant) || !is_payment_id(event_read->payment)) return no_subject{};
  return about_payment{payment_key(merchant_id{event_read->merchant}, what.key.env, payment_id{event_read->payment})};
}

}  // namespace gateway::actors::stripe
