// Webhooks: which destinations receive an event, under which name, and when a failed delivery is retried. Pure rules:
// the dispatcher in actors/ applies them, the store keeps their rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/event_type.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

using destination_id = strong_id<struct destination_tag>;  ///< dest_<id>, chosen by the gateway

/// The kind of the owner. A platform receives events of every merchant that granted it access, a merchant its own.
enum class destination_kind : unsigned char { merchant, platform };

template <>
inline constexpr auto enum_table<destination_kind> =
    enum_names<destination_kind>({{destination_kind::merchant, "merchant"}, {destination_kind::platform, "platform"}});

/// A deleted destination is kept, so that its deliveries can still be read. Nothing is due to it, and its owner's lists
/// omit it.
enum class destination_status : unsigned char { enabled, disabled, deleted };

template <>
inline constexpr auto enum_table<destination_status> =
    enum_names<destination_status>({{destination_status::enabled, "enabled"},
                                    {destination_status::disabled, "disabled"},
                                    {destination_status::deleted, "deleted"}});
inline constexpr auto parse_destination_status = parse_name<destination_status>;

/// The longest name that an owner may give a destination.
inline constexpr std::size_t most_destination_name = 60;  ///< characters

/// An endpoint that events are sent to. Its secrets are in webhook_endpoint.
struct destination {
  destination_id id;
  destination_kind kind = destination_kind::merchant;
  std::string owner;  ///< merch_<id> or plat_<id>
  environment env = environment::test;
  std::string url;  ///< absolute, http or https
  std::vector<std::string> events;  ///< event types; empty: all except those that are sent on request only
  destination_status status = destination_status::enabled;
  std::string disabled_reason{};  ///< for the operator; empty while enabled
  time_point created_at{};
  std::string name{};  ///< chosen by the owner; may be empty
  /// When it was last enabled, or given another URL: earlier failures do not count against it. nullopt: at its
  /// creation.
  std::optional<time_point> enabled_at{};
  bool standard_webhooks = false;  ///< its webhooks are also signed in the Standard Webhooks form

  bool operator==(const destination&) const = default;
};

// ---- event types --------------------------------------------------------------------------------

/// The event that tests a destination. A destination cannot subscribe to it.
inline constexpr std::string_view test_event_type = "webhook.test";

/// The name of event_type::payment_captured for platforms.
inline constexpr std::string_view platform_capture_name = "payment.succeeded";

/// The type under which a destination of this kind receives an event that rows call `type`.
constexpr std::string_view type_for(destination_kind kind, std::string_view type) noexcept {
  return kind == destination_kind::platform && type == to_string(event_type::payment_captured) ? platform_capture_name
                                                                                               : type;
}

/// The stored name of a type as an operator may write it; nullopt if there is no such type.
constexpr std::optional<std::string_view> stored_event_type(std::string_view written) noexcept {
  const auto known = written == platform_capture_name ? event_type::payment_captured : parse_event_type(written);
  return known ? std::optional{to_string(*known)} : std::nullopt;
}

/// Whether an event of this stored type, in this environment, is for that destination. Also true for a disabled
/// destination: its deliveries wait until it is enabled again, so that no event is lost.
bool is_for(const destination& to, environment env, std::string_view type);

// ---- deliveries ---------------------------------------------------------------------------------

/// `pending` has a next attempt; `failed` has used up its attempts, or its destination was deleted, and is kept to be
/// read and redelivered.
enum class delivery_status : unsigned char { pending, delivered, failed };

template <>
inline constexpr auto enum_table<delivery_status> =
    enum_names<delivery_status>({{delivery_status::pending, "pending"},
                                 {delivery_status::delivered, "delivered"},
                                 {delivery_status::failed, "failed"}});
inline constexpr auto parse_delivery_status = parse_name<delivery_status>;

/// The result of one attempt.
enum class attempt_result : unsigned char {
  delivered,  ///< 2xx
  rejected,  ///< any other status
  gone,  ///< 410
  answer_timeout,  ///< connected, but no whole answer in time
  connect_timeout,  ///< no connection in time, including name lookup and TLS handshake
  unreachable,  ///< name not found, connection refused or broken
  tls_failed,  ///< the handshake failed, or the certificate is not trusted
  forbidden_address,  ///< the name resolves to an address that may not be sent to
  bad_answer,  ///< not HTTP
};

template <>
inline constexpr auto enum_table<attempt_result> =
    enum_names<attempt_result>({{attempt_result::delivered, "delivered"},
                                {attempt_result::rejected, "rejected"},
                                {attempt_result::gone, "gone"},
                                {attempt_result::answer_timeout, "answer_timeout"},
                                {attempt_result::connect_timeout, "connect_timeout"},
                                {attempt_result::unreachable, "unreachable"},
                                {attempt_result::tls_failed, "tls_failed"},
                                {attempt_result::forbidden_address, "forbidden_address"},
                                {attempt_result::bad_answer, "bad_answer"}});
inline constexpr auto parse_attempt_result = parse_name<attempt_result>;

/// One attempt, as operators see it.
struct delivery_attempt {
  time_point at{};  ///< when it began
  attempt_result result = attempt_result::unreachable;
  std::uint16_t status = 0;  ///< HTTP status; 0 without an answer
  std::uint32_t took_ms = 0;
  std::string excerpt;  ///< the answer's first bytes, as valid UTF-8
  std::optional<duration_ms> retry_after;  ///< requested by the answer; not stored

  bool operator==(const delivery_attempt&) const = default;
};

inline constexpr std::size_t most_excerpt_bytes = 256;
/// The attempts before the last one are kept with a shorter excerpt, so that a delivery's row stays small.
inline constexpr std::size_t most_earlier_excerpt_bytes = 128;
inline constexpr std::size_t most_earlier_attempts = 10;

/// The delivery of one event to one destination. Receivers get its number, and detect repeats by it.
struct delivery {
  std::int64_t id = 0;  ///< X-Service-Delivery; below 2^53, unique
  entity_key subject;  ///< with event_seq: the event
  std::uint32_t event_seq = 0;
  destination_id to;
  delivery_status status = delivery_status::pending;
  std::uint32_t attempts = 0;  ///< made in all
  std::uint32_t round_from = 0;  ///< attempts made before the present round (a full retry schedule)
  std::optional<time_point> next_attempt_at;  ///< present while pending
  std::optional<delivery_attempt> last;
  time_point created_at{};
  std::int64_t version = 1;  ///< every change is a compare-and-swap on this
  std::vector<delivery_attempt> earlier{};  ///< those before the last, oldest first: the newest most_earlier_attempts
  bool partial = false;  ///< the platform did not make the payment: the event's private fields are left out

  bool operator==(const delivery&) const = default;
};

/// The delay from the n-th failed attempt of a round (n from 1) to the next one; nothing after the last.
struct retry_schedule {
  std::uint32_t merchant_attempts = 8;

  constexpr std::optional<duration_ms> delay_after(destination_kind kind,
                                                   std::uint32_t failed_attempts) const noexcept {
    using namespace std::chrono_literals;
    if (failed_attempts == 0) return duration_ms{0};
    if (kind == destination_kind::platform) {
      constexpr duration_ms steps[] = {1s, 5s, 30s, 5min, 30min, 2h, 12h};
      if (failed_attempts > std::size(steps)) return std::nullopt;
      return steps[failed_attempts - 1];
    }
    if (failed_attempts >= merchant_attempts) return std::nullopt;
    return doubled(30s, failed_attempts - 1, 1h);
  }
};

/// The upper limit for an answer's Retry-After.
inline constexpr duration_ms longest_retry_after = std::chrono::hours{12};

/// The delivery after an attempt that ended at `now`.
delivery after_attempt(delivery d, delivery_attempt seen, destination_kind kind, const retry_schedule& schedule,
                       time_point now);

/// The delivery after an operator's redelivery: due at once, with a full retry schedule.
delivery redelivered(delivery d, time_point now);

/// The pending delivery after its destination was deleted: no attempt follows.
delivery dropped(delivery d);

/// Immutable text whose copies share one string: all deliveries of an event share its data.
class shared_text {
 public:
  shared_text() = default;
  shared_text(std::string text)
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  shared_text(std::string_view text) : shared_text(std::string{text}) {}
  shared_text(const char* text) : shared_text(std::string{text}) {}

  std::string_view view() const noexcept { return text_ ? std::string_view{*text_} : std::string_view{}; }
  operator std::string_view() const noexcept { return view(); }
  std::size_t size() const noexcept { return view().size(); }

  friend bool operator==(const shared_text& a, const shared_text& b) noexcept { return a.view() == b.view(); }

 private:
  std::shared_ptr<const std::string> text_;
};

/// An event as it is stored.
struct event_record {
  std::string id;  ///< evt_<id>: the same for every destination
  entity_key subject;
  std::uint32_t seq = 0;
  std::string type;  ///< stored name
  time_point created{};
  shared_text data;  ///< JSON object

  bool operator==(const event_record&) const = default;
};

}  // namespace gateway
