// The request of JazzCash's status inquiry, and the meaning of its answer. Sources: README.md beside it.
#pragma once

#include <string_view>

#include "fields.hpp"
#include "gateway/ports/http_client.hpp"
#include "gateway/ports/provider.hpp"

namespace gateway::actors::jazzcash {

/// The meaning of pp_PaymentResponseCode.
enum class transaction_state : unsigned char {
  paid,
  returned,     ///< reversed or refunded: it was paid, and the customer has the money back
  pending,      ///< waits for its customer or for the wallet
  failed,       ///< failed for good
  refused,      ///< this try failed, and the customer can try again until the form ends
  interrupted,  ///< the same by a timeout or a fault on the way: the try itself may still be in progress
  given_up,     ///< failed by a timeout or a fault on the way: final once it cannot be in progress any more
  expired,      ///< its expiry time has passed
  dropped,      ///< its customer left: final once it cannot be in progress any more
  not_found,    ///< no such transaction: its customer has not come yet
  unclear,      ///< the code tells neither that it is paid nor that it cannot be paid any more
};
transaction_state state_of_code(std::string_view code) noexcept;

/// A try that the customer began more recently may still be in progress. Source: Status Inquiry Guide, 2026.
inline constexpr std::chrono::minutes settling_time{10};

struct inquiry_access {
  std::string_view url;
  std::string_view merchant_id;
  std::string_view password;
  std::string_view salt;
};

http_request inquiry_request(std::string_view txn_ref_no, const inquiry_access& with);

/// `now`: when the inquiry was sent. `asked.closes`: the form has ended.
provider_result read_inquiry(const http_outcome& outcome, const provider_inquiry& asked, const inquiry_access& with,
                             time_point now);

}  // namespace gateway::actors::jazzcash
