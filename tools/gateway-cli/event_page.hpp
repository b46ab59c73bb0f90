// A page of `GET /v1/events`. The bytes of each event are kept, because a webhook carries the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gateway::cli {

struct received_event {
  std::string bytes;  ///< the envelope as the gateway wrote it
  std::string id;
  std::string type;
  std::string created;
  std::string subject;  ///< the dispute, payment or subscription that it is about; empty if unknown
};

struct event_page {
  std::vector<received_event> events;
  std::string next;
};

/// Throws failure if it is no page of events.
event_page read_event_page(std::string_view body);

}  // namespace gateway::cli
