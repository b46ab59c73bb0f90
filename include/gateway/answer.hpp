// The bytes of an operation's result: what is stored under its idempotency key and sent, and sent again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gateway/domain/payment.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

struct answer {
  std::uint16_t status = 0;  ///< HTTP status
  std::string body;          ///< JSON

  bool operator==(const answer&) const = default;
};

using answer_ptr = std::shared_ptr<const answer>;

/// Port: how results and events are written as JSON. The room that speaks HTTP implements it; the payment
/// actor calls it, because the bytes must be durable before they are sent.
class result_encoder {
 public:
  virtual ~result_encoder() = default;
  virtual answer encode(const outcome& result) const = 0;
  /// The `data` object of an event about this payment. `type` is the event's type.
  virtual std::string event_data(const payment& subject, std::string_view type) const = 0;
  /// An event's whole envelope as that kind of destination receives it. The same bytes whenever it is called.
  virtual std::string event_envelope(const event_record& event, destination_kind to, const entity_id& entity) const = 0;
};

}  // namespace gateway
