// The transactions: each is a form that a customer's browser posted, and its outcome. Each change is a line of JSON on
// the disk before it is answered; all are read back at the start.
#pragma once

#include <map>
#include <string>

#include "wire.hpp"

namespace gateway::jazzcash_stand_in {

struct transaction {
  fields form;
  std::string code;  ///< pp_PaymentResponseCode; empty while it waits for its customer
  std::string number;  ///< pp_RetreivalReferenceNo
};

class transactions {
 public:
  /// Throws std::runtime_error if the file cannot be opened.
  explicit transactions(std::string ledger);
  ~transactions();
  transactions(const transactions&) = delete;
  transactions& operator=(const transactions&) = delete;

  /// Null if there is none.
  const transaction* find(const std::string& ref) const;
  void open(const std::string& ref, const fields& form);
  void end(const std::string& ref, const std::string& code);
  /// The customer gets the money of a paid transaction back. False if it is not paid.
  bool reverse(const std::string& ref);

 private:
  void write(const std::string& line);
  void apply(const std::string& line);

  std::map<std::string, transaction> all_;
  int file_ = -1;
};

}  // namespace gateway::jazzcash_stand_in
