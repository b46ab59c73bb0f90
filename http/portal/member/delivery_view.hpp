// One delivery of a webhook: what is sent, and what became of each attempt.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "delivery_table.hpp"

namespace gateway::http {

struct attempt_row {
  shown_time at;
  std::string result;   ///< `Answered 503`
  bool delivered = false;
  std::uint32_t took_ms = 0;
  std::string excerpt;  ///< the answer's first bytes; may be empty
};

/// Action: redeliver.
struct delivery_view {
  member_frame frame;
  delivery_row of;
  std::string event_id;
  shown_time created_at;
  std::vector<attempt_row> attempts;  ///< newest first; the oldest may be missing
  std::string url;                    ///< where it is posted
  std::vector<std::string> headers;   ///< `Name: value`
  std::string body;
  std::string curl;                   ///< posts the same; one command for a shell
  bool is_signed = false;             ///< the headers have a signature that is good now
};
response delivery_page(const delivery_view& view);

}  // namespace gateway::http
