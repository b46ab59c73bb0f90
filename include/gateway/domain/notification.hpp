// A notification: a signed post by a provider. It is stored as received before the provider is answered, and applied
// later, because its subject may not be known yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

enum class notification_state : unsigned char {
  waiting,  ///< not applied yet: it is new, or its subject is unknown or could not be determined
  applied,
  ignored,  ///< the gateway need not act on it
  expired,  ///< it waited too long: a day for an unknown subject, or a week to be applied at all
};

template <>
inline constexpr auto enum_table<notification_state> =
    enum_names<notification_state>({{notification_state::waiting, "waiting"},
                                    {notification_state::applied, "applied"},
                                    {notification_state::ignored, "ignored"},
                                    {notification_state::expired, "expired"}});
inline constexpr auto parse_notification_state = parse_name<notification_state>;

/// How long a notification about an unknown subject waits.
inline constexpr std::chrono::hours notification_patience{24};
/// How long a notification waits, whatever prevents it from being applied: for example, the provider no longer accepts
/// the key. An outage is over by then. Any other cause requires an operator, who can have the notification applied
/// again.
inline constexpr std::chrono::hours longest_notification_wait{7 * 24};
/// A larger body is rejected.
inline constexpr std::size_t most_notification_bytes = 256 * 1024;

struct notification {
  entity_key key;  ///< notification_key
  std::int64_t version = 0;
  provider_kind provider = provider_kind::sandbox;
  std::string event_id;  ///< the provider's: each counts once
  std::string type;  ///< the provider's name for what happened
  std::string account;  ///< the provider's id of the merchant's account; empty: not stated
  std::string body;  ///< as signed. Holds personal data: never logged
  notification_state state = notification_state::waiting;
  std::string about;  ///< its subject, as a text for an operator; empty: not known yet
  unsigned attempts = 0;  ///< attempts to apply it
  time_point received_at{};
  std::optional<time_point> settled_at;  ///< when it stopped waiting
  std::optional<time_point> due_at;  ///< while it waits: the next attempt

  bool operator==(const notification&) const = default;
};

entity_key notification_key(provider_kind provider, environment env, std::string_view event_id);

/// The entity as a text for an operator, for notification::about.
std::string in_words_of(const entity_key& what);

// ---- commands -----------------------------------------------------------------------------------

/// A provider has posted it with a valid signature. An existing notification of the same event stays unchanged.
struct receive_notification {
  provider_kind provider = provider_kind::sandbox;
  std::string event_id;
  std::string type;
  std::string account;
  std::string body;
};

/// From operators: applies it again, whatever its state.
struct replay_notification {};

}  // namespace gateway
