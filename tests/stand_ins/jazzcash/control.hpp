// The inquiry with the faults that a test requests, and the control port where it requests them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "pages.hpp"

namespace gateway::jazzcash_stand_in {

class control {
 public:
  explicit control(pages& of) : pages_{of} {}

  /// Answers an inquiry, changed by the current fault if there is one.
  answer inquire(const request& asked);
  /// POST /control, POST /control/reverse/{pp_TxnRefNo}, GET /control/requests, GET
  /// /control/notification/{pp_TxnRefNo}.
  answer serve(const request& asked);

 private:
  pages& pages_;
  std::string fault_;
  std::int64_t next_ = 0;  ///< how many inquiries the fault is for
  std::chrono::milliseconds wait_{0};
  std::int64_t inquiries_ = 0;
};

}  // namespace gateway::jazzcash_stand_in
