// JazzCash's side: the hosted page, to which a customer's browser posts the signed form, and the status inquiry. Strict
// in every field. Sources: actors/providers/jazzcash/README.md.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "tests/stand_ins/common/server.hpp"
#include "transactions.hpp"

namespace gateway::jazzcash_stand_in {

using stand_in::answer;
using stand_in::request;

inline answer answer_of(int status, std::string content_type, std::string body) {
  return {status, std::move(body), {{"Content-Type", std::move(content_type)}}};
}

struct merchant {
  std::string id;
  std::string password;
  std::string salt;
};

class pages {
 public:
  static constexpr auto form_path = "/CustomerPortal/transactionmanagement/merchantform/";
  static constexpr auto inquiry_path = "/ApplicationAPI/API/PaymentInquiry/Inquire";

  pages(transactions& all, merchant who) : all_{all}, who_{std::move(who)} {}

  answer serve(const request& asked);
  /// The inquiry's fields, unsigned, so that a fault can change them before they are signed.
  fields inquire(const request& asked);
  /// The notification that JazzCash would post about a transaction, signed; empty if the transaction has not ended.
  std::optional<fields> notification_of(const std::string& ref) const;
  /// JazzCash or its merchant reverses a paid transaction; false if it is not paid.
  bool reverse(const std::string& ref) { return all_.reverse(ref); }
  const merchant& who() const { return who_; }

 private:
  answer take_form(const request& asked);
  answer act(const std::string& ref, const request& asked);
  /// Ends a transaction whose time has passed without an outcome.
  void expire(const std::string& ref);
  answer way_back(const std::string& ref);
  /// What is wrong with a form; empty if it is valid.
  std::string fault_of(const fields& form) const;

  transactions& all_;
  merchant who_;
};

}  // namespace gateway::jazzcash_stand_in
