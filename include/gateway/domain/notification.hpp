// A notification: what a provider has told of its own accord, by a signed post. It is stored as it came before the
// provider is answered, and applied after that: what it is about may not be known yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/ids.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

enum class notification_state : unsigned char {
  waiting,  ///< not applied yet: it has just come, or what it is about is not known, or could not be told
  applied,
  ignored,  ///< nothing that the gateway needs to know
  expired,  ///< it has waited for too long: a day for what it is about, or a week to be applied at all
};

inline constexpr std::size_t notification_state_count = 4;

constexpr std::string_view to_string(notification_state s) noexcept {
  constexpr std::string_view names[] = {"waiting", "applied", "ignored", "expired"};
  return names[static_cast<std::size_t>(s)];
}

constexpr std::optional<notification_state> parse_notification_state(std::string_view text) noexcept {
  for (std::size_t i = 0; i < notification_state_count; ++i)
    if (to_string(static_cast<notification_state>(i)) == text) return static_cast<notification_state>(i);
  return std::nullopt;
}

/// How long one waits that is about something unknown.
inline constexpr std::chrono::hours notification_patience{24};
/// How long one waits whatever keeps it from being applied: the provider does not take the key any more, say. An outage
/// is over by then; what is not has to be mended by somebody, who can have it applied again.
inline constexpr std::chrono::hours longest_notification_wait{7 * 24};
/// A body beyond this is not taken.
inline constexpr std::size_t most_notification_bytes = 256 * 1024;

struct notification {
  entity_key key;  ///< notification_key
  std::int64_t version = 0;
  provider_kind provider = provider_kind::sandbox;
  std::string event_id;  ///< the provider's: each counts once
  std::string type;  ///< the provider's word for what happened
  std::string account;  ///< the provider's name for the merchant's account; empty: it does not say
  std::string body;  ///< as it was signed. Holds personal data: never logged
  notification_state state = notification_state::waiting;
  std::string about;  ///< what it was found to be about, in words for an operator; empty: not known yet
  unsigned attempts = 0;  ///< times that it was tried to apply it
  time_point received_at{};
  std::optional<time_point> settled_at;  ///< once it does not wait any more
  std::optional<time_point> due_at;  ///< while it waits: when it is tried again

  bool operator==(const notification&) const = default;
};

entity_key notification_key(provider_kind provider, environment env, std::string_view event_id);

// ---- commands -----------------------------------------------------------------------------------

/// A provider has posted it, and its signature is right. One of that event that is there already stays as it is.
struct receive_notification {
  provider_kind provider = provider_kind::sandbox;
  std::string event_id;
  std::string type;
  std::string account;
  std::string body;
};

/// From operators: it is applied again, whatever has become of it.
struct replay_notification {};

}  // namespace gateway
