// Operators' queries and commands about payments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gateway/domain/payment.hpp"
#include "gateway/ports/store/payment_questions.hpp"
#include "http/codec/decoded.hpp"

namespace gateway::http {

/// Which payments to list.
struct payment_filter {
  merchant_id merchant;  ///< empty: all merchants
  std::optional<environment> env;
  std::optional<payment_state> state;
  bool unknown = false;  ///< only those with an unknown outcome
  /// Only payments created at least this long ago; with `unknown`, only outcomes that have been unknown at least this
  /// long.
  std::optional<duration_ms> older_than;
  std::optional<merchants_payment_position> after;  ///< not with `unknown`
  std::uint32_t limit = 100;
};
decoded<payment_filter> decode_list_payments(std::string_view body, std::size_t json_depth);

/// Where a list continues. decode_list_payments() reads this text as `after`.
std::string list_cursor(const merchants_payment_position& at);
std::optional<merchants_payment_position> parse_list_cursor(std::string_view text);

struct named_payment {
  entity_key key;
};
decoded<named_payment> decode_named_payment(std::string_view body, std::size_t json_depth);

struct settled_payment : named_payment {
  settle_payment how;
};
decoded<settled_payment> decode_settle_payment(std::string_view body, std::size_t json_depth);

struct recorded_refund : named_payment {
  record_refund what;
};
decoded<recorded_refund> decode_record_refund(std::string_view body, std::size_t json_depth);

struct acted_payment : named_payment {
  sandbox_act what;
};
decoded<acted_payment> decode_act_in_sandbox(std::string_view body, std::size_t json_depth);

}  // namespace gateway::http
