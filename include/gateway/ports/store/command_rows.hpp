// Idempotency keys and their stored results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/domain/payment.hpp"
#include "gateway/ports/store/answer.hpp"

namespace gateway {

/// An idempotency key in use; without a result while the operation is open.
struct command_record {
  command_key key;
  std::string fingerprint;  ///< lower-case hex SHA-256 of method, path and body hash
  std::string operation = "create";       ///< the requested operation, at most 16 bytes
  std::string subject_kind = "payment";  ///< the kind of the command's subject: an entity_kind, or `platform_key`
  std::string subject_id;  ///< the id of the command's subject
  std::int64_t amount = 0;  ///< minor units, as requested
  std::string reason;  ///< refunds and voids: the reason that the caller gave, for audit
  time_point created_at{};
  std::optional<answer> result;
  std::optional<time_point> finished_at;
  std::string request_id{};  ///< of the HTTP request that began it; empty: the gateway itself began it

  bool operator==(const command_record&) const = default;
};

struct command_finish {
  command_key key;
  answer_ptr result;
  time_point finished_at{};
};

}  // namespace gateway
