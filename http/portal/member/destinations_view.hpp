// The endpoints that a merchant's events are sent to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/domain/destination_health.hpp"
#include "gateway/domain/webhook.hpp"
#include "http/portal/member_frame.hpp"

namespace gateway::http {

inline constexpr std::size_t most_url_bytes = 2'048;

struct destination_row {
  std::string id;
  std::string url;
  std::vector<std::string> events;  ///< empty: all except those that must be selected explicitly
  destination_status status = destination_status::enabled;
  std::string disabled_reason;
  std::uint64_t failed = 0;  ///< deliveries that have failed for good
  std::string name{};        ///< chosen by the owner; may be empty
  destination_condition condition = destination_condition::healthy;
  std::uint32_t attempts = 0;  ///< of the last day
  std::uint32_t failures = 0;  ///< failed attempts of the last day
  std::string waiting{};       ///< `12 events, the oldest for 3 hours`; empty: none
  bool standard_webhooks = false;
};
/// The fields: `name`, `url`, `standard_webhooks` (`on` if checked), and `events`, once per checked box. Without
/// `events`: all except those that must be selected explicitly.
struct add_destination_form {
  field url;
  std::vector<std::string> events;
  std::string events_fault;
  field name{};
  bool standard_webhooks = false;
};
struct destinations_view {
  member_frame frame;
  std::vector<destination_row> rows;
  add_destination_form add;
};
response destinations_page(const destinations_view& view);

/// The answer to `add` and to `rotate`: the secret is shown only once.
struct destination_secret_view {
  member_frame frame;
  std::string id;
  std::string url;
  std::string secret;
  bool rotated = false;
  shown_time old_until;  ///< until when the previous secret also signs
};
response destination_secret_page(const destination_secret_view& view);

blocks::badge destination_badge(destination_condition condition);
/// `3 hours`, in the largest unit.
std::string words_of_age(duration_ms age);
/// A count that stopped at `most`: `24`, `100 or more`.
std::string words_of_count(std::uint64_t count, std::uint64_t most);
std::string event_list(const std::vector<std::string>& events);
/// The boxes that select the events to send.
blocks::input event_boxes(const std::vector<std::string>& chosen, std::string fault);

}  // namespace gateway::http
