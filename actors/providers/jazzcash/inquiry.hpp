// What JazzCash's status inquiry is asked, and what its answer means. Sources: README.md beside it.
#pragma once

#include <string_view>

#include "fields.hpp"
#include "gateway/http_client.hpp"
#include "gateway/provider.hpp"

namespace gateway::actors::jazzcash {

/// What stands behind pp_PaymentResponseCode.
enum class transaction_state : unsigned char {
  paid,
  pending,    ///< it waits for its customer, or for the wallet
  failed,     ///< for a reason that stands
  given_up,   ///< it failed by time or by a fault on the way: final once it cannot be under way any more
  expired,    ///< its own time is over
  dropped,    ///< its customer left it: final once it cannot be under way any more
  unheard_of, ///< no such transaction: its customer has not come yet
  unclear,    ///< a code that says neither that it is paid nor that it never will be
};
transaction_state state_of_code(std::string_view code) noexcept;

/// An inquiry younger than this may meet a transaction that is still under way. Source: Status Inquiry Guide, 2026.
inline constexpr std::chrono::minutes settling_time{10};

struct inquiry_access {
  std::string_view url;
  std::string_view merchant_id;
  std::string_view password;
  std::string_view salt;
};

http_request inquiry_request(std::string_view txn_ref_no, const inquiry_access& with);

/// `now`: when it was asked.
provider_result read_inquiry(const http_outcome& heard, const provider_inquiry& asked, const inquiry_access& with,
                             time_point now);

}  // namespace gateway::actors::jazzcash
