// The erasure of personal data: replacements of texts that are otherwise never changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/domain/webhook.hpp"
#include "gateway/ports/store/entity_rows.hpp"

namespace gateway {

/// Which text is replaced.
enum class erased_column : unsigned char {
  event_data,       ///< of the event `seq` of `of`
  attempt_message,  ///< of the attempt `seq` of `of`
  answer,           ///< the stored answer of the command `principal`, `command`; its reason is also emptied
  notification_body,  ///< of the notification `of`
  /// The texts of the audit log's entries about the payment `of` that contain a text of an operator.
  /// base/audit_chain.hpp permits this.
  audit_texts,
};

/// Replaces a stored text. Safe to repeat; a row that has been purged needs none.
struct replace_text {
  erased_column in = erased_column::event_data;
  entity_key of{};
  std::uint32_t seq = 0;
  std::string principal{};
  std::string command{};
  std::string text{};

  bool operator==(const replace_text&) const = default;
};

/// Replaces the stored details of a payment by this payment's.
struct replace_details {
  payment_ptr of;
};

/// The replacements that an entity's actor commits together with its row without personal data. They were read while
/// the row had this version, so no text has been added since.
struct erasure {
  std::int64_t version = 0;
  std::vector<replace_text> texts;
  std::vector<delivery> deliveries;  ///< without the receivers' answers, each as its next version

  bool operator==(const erasure&) const = default;
};

// Commands to entities. Each is answered with the row; request_in_progress if the entity has changed since its texts
// were read, and payment_outcome_pending if its data are still needed.

struct erase_payment_data {
  erasure what;
};
struct erase_subscription_data {
  erasure what;
};
/// For the sandbox's side of a subscription.
struct erase_enrollment_data {};

}  // namespace gateway
