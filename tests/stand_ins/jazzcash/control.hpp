// The inquiry with the faults that a test has asked for, and the port at which it asks.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "pages.hpp"

namespace gateway::jazzcash_stand_in {

class control {
 public:
  explicit control(pages& of) : pages_{of} {}

  /// An inquiry, as it is or as the fault has it.
  answer inquire(const request& asked);
  /// POST /control, GET /control/requests, GET /control/notification/{pp_TxnRefNo}.
  answer serve(const request& asked);

 private:
  pages& pages_;
  std::string fault_;
  std::int64_t next_ = 0;  ///< how many inquiries it is for
  std::chrono::milliseconds wait_{0};
  std::int64_t inquiries_ = 0;
};

}  // namespace gateway::jazzcash_stand_in
