// One webhook delivery: what is sent, and the result of each attempt.
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

/// The page's action: redeliver.
struct delivery_view {
  member_frame frame;
  delivery_row of;
  std::string event_id;
  shown_time created_at;
  std::vector<attempt_row> attempts;  ///< newest first; the oldest may be missing
  std::string url;                    ///< the URL it is posted to
  std::vector<std::string> headers;   ///< `Name: value`
  std::string body;
  std::string curl;                   ///< a shell command that sends the same request
  bool is_signed = false;             ///< the headers have a signature that is valid now
};
response delivery_page(const delivery_view& view);

}  // namespace gateway::http
