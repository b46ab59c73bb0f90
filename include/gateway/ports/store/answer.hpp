// The bytes of an operation's result, as they are stored under its idempotency key, sent, and replayed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/domain/grant.hpp"
#include "gateway/domain/payment.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "gateway/domain/subscription_machine.hpp"
#include "gateway/domain/webhook.hpp"

namespace gateway {

struct answer {
  std::uint16_t status = 0;  ///< HTTP status
  std::string body;          ///< JSON

  bool operator==(const answer&) const = default;
};

using answer_ptr = std::shared_ptr<const answer>;

// Ports: how entities and their events are written as JSON. http/ implements them. The actors call them, because the
// bytes must be durable before they are sent. Concurrency: any thread.

/// Results of payments, and the data of their events.
class payment_encoder {
 public:
  virtual ~payment_encoder() = default;
  virtual answer encode(const outcome& result) const = 0;
  /// The `data` object of an event about this payment. `type` is the event's type; `about`: the id of the refund or the
  /// dispute that it reports, if it reports one.
  virtual std::string event_data(const payment& subject, std::string_view type, std::string_view about = {}) const = 0;
};

/// Results of subscriptions, and the data of their events.
class subscription_encoder {
 public:
  virtual ~subscription_encoder() = default;
  virtual answer encode(const subscription_outcome& result) const = 0;
  /// The `data` object of a subscription's event.
  virtual std::string event_data(const subscription_event_data& what) const = 0;
};

/// Results that platforms get about their grants.
class grant_encoder {
 public:
  virtual ~grant_encoder() = default;
  /// A code was exchanged for the binding's newest grant.
  virtual answer exchanged(const grant_binding& subject, const entity_id& merchants_entity) const = 0;
  /// The grant is revoked, now or earlier.
  virtual answer revoked() const = 0;
};

/// Events of every kind of entity, as destinations receive them.
class event_encoder {
 public:
  virtual ~event_encoder() = default;
  /// The whole body of a delivery to that kind of destination. Repeated calls return the same bytes. `partial`: without
  /// the fields that only the platform that made the payment may see.
  virtual std::string envelope(const event_record& event, destination_kind to, const entity_id& merchants_entity,
                               bool partial) const = 0;
};

}  // namespace gateway
