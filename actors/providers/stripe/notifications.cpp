#include "notifications.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/subscription_notification.hpp"
#include "gateway/domain/text.hpp"
#include "object_reader.hpp"
#include "requests.hpp"
#include "settings.hpp"

namespace gateway::actors::stripe {

namespace {

constexpr std::size_t most_signature_header = 4096, most_signatures = 16, hex_of_hmac = 64;
constexpr std::size_t most_type = 100, most_merchant_id = 100;

/// docs.stripe.com/api/events/types. Of the two events of a paid invoice, `invoice.paid` is sent once per invoice;
/// `invoice.payment_succeeded` concerns an attempt, and is not sent for payments outside Stripe. `charge.updated` is
/// left out: every other change of a charge has its own event.
constexpr auto event_types = [] {
  using enum event_object;
  return std::array{
      event_type_row{"account.application.deauthorized", application},
      event_type_row{"account.updated", account},
      event_type_row{"capability.updated", capability},
      event_type_row{"charge.captured", of_payment},
      event_type_row{"charge.dispute.closed", of_payment},
      event_type_row{"charge.dispute.created", of_payment},
      event_type_row{"charge.dispute.funds_reinstated", of_payment},
      event_type_row{"charge.dispute.funds_withdrawn", of_payment},
      event_type_row{"charge.dispute.updated", of_payment},
      event_type_row{"charge.expired", of_payment},
      event_type_row{"charge.refund.updated", of_payment},
      event_type_row{"charge.refunded", of_payment},
      event_type_row{"checkout.session.async_payment_failed"},
      event_type_row{"checkout.session.async_payment_succeeded"},
      event_type_row{"checkout.session.completed"},
      event_type_row{"checkout.session.expired"},
      event_type_row{"customer.deleted", customer},
      event_type_row{"customer.subscription.created", subscription, notification_kind::created},
      event_type_row{"customer.subscription.deleted", subscription, notification_kind::deleted},
      event_type_row{"customer.subscription.paused", subscription},
      event_type_row{"customer.subscription.resumed", subscription},
      event_type_row{"customer.subscription.trial_will_end", subscription},
      event_type_row{"customer.subscription.updated", subscription},
      event_type_row{"invoice.finalization_failed", invoice},
      event_type_row{"invoice.marked_uncollectible", invoice},
      event_type_row{"invoice.paid", invoice, notification_kind::invoice_paid},
      event_type_row{"invoice.payment_action_required", invoice},
      event_type_row{"invoice.payment_failed", invoice, notification_kind::invoice_failed},
      event_type_row{"invoice.voided", invoice},
      event_type_row{"payment_intent.amount_capturable_updated"},
      event_type_row{"payment_intent.canceled"},
      event_type_row{"payment_intent.payment_failed"},
      event_type_row{"payment_intent.processing"},
      event_type_row{"payment_intent.requires_action"},
      event_type_row{"payment_intent.succeeded"},
      event_type_row{"payment_method.detached", method},
      event_type_row{"radar.early_fraud_warning.created", of_payment},
      event_type_row{"refund.created", of_payment},
      event_type_row{"refund.failed", of_payment},
      event_type_row{"refund.updated", of_payment},
  };
}();
static_assert(std::ranges::is_sorted(event_types, {}, &event_type_row::type));

constexpr auto names_of_event_types = [] {
  std::array<std::string_view, event_types.size()> names;
  std::ranges::transform(event_types, names.begin(), &event_type_row::type);
  return names;
}();

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

}  // namespace

const event_type_row* find_event_type(std::string_view type) noexcept {
  const auto at = std::ranges::lower_bound(event_types, type, {}, &event_type_row::type);
  return at == event_types.end() || at->type != type ? nullptr : &*at;
}

std::span<const std::string_view> notification_types() noexcept { return names_of_event_types; }

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
               std::string{word(about, "id")},
               id_in(about, "payment_intent")};
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

std::optional<entity_key> marked_payment(std::string_view merchant, std::string_view payment, environment env) {
  if (!is_merchant_id(merchant) || !is_payment_id(payment)) return std::nullopt;
  return payment_key(merchant_id{std::string{merchant}}, env, payment_id{std::string{payment}});
}

notification_subject subject_of_account(const event& event_read, event_object object) {
  if (event_read.account.empty()) return no_subject{};
  // A capability has no metadata, and a disconnected account can no longer be read: the event holds only the account's
  // id. The gateway knows the merchant itself.
  if (object != event_object::account) return about_account{merchant_id{}, event_read.account};
  if (!is_merchant_id(event_read.merchant) || event_read.object_id != event_read.account) return no_subject{};
  return about_account{merchant_id{event_read.merchant}, event_read.account};
}

}  // namespace gateway::actors::stripe
