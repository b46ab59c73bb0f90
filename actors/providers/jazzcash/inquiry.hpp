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
  pending,      ///< waits for the customer or for the wallet
  failed,       ///< failed for good
  refused,      ///< this try failed, and the customer can try again until the form ends
  interrupted,  ///< a timeout or a fault ended this try, which may still be in progress; the customer can try again
  given_up,     ///< a timeout or a fault ended the transaction: final once it can no longer be in progress
  expired,      ///< its expiry time has passed
  dropped,      ///< the customer left: final once it can no longer be in progress
  not_found,    ///< no such transaction: the customer has not posted the form yet
  unclear,      ///< the code shows neither that it is paid nor that it can no longer be paid
};
transaction_state state_of_code(std::string_view code) noexcept;

/// A try that began less than this time ago may still be in progress. Source: Status Inquiry Guide, 2026.
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
