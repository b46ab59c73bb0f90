// Creates the customer of a payment or a subscription, as the first steps of its dialogue.
//
// Stripe stores a 500 under its idempotency key as it stores any other answer, and repeats it for a day. All requests
// for one customer share a key, so all of them would fail for a day. A repeated 500 therefore leads to the customer's
// next key. The order of the keys is fixed, and a key is skipped only if Stripe repeats a failure for it. So all
// requests for one customer use the same key in the end, and it creates the customer once.
//
// A request that failed may have created the customer anyway. So the customer is searched for before the next key is
// used, and the next key is used only once a search would find a customer that the last key created.
#pragma once

#include <string>
#include <variant>

#include "dialogue.hpp"

namespace gateway::actors::stripe {

enum class customer_fault : unsigned char {
  failed,  ///< the answer to the creation is a failure, and is not yet known to be stored
  unclear,  ///< the customer may exist
};

class customer_creation {
 public:
  struct whose {
    merchant_id merchant;
    std::string key;  ///< provider_call::customer_key
    std::string ref;
  };
  /// The next request, or Stripe's id of the customer, or why there is none.
  using turn = std::variant<http_request, std::string, customer_fault>;

  customer_creation(access as, whose who, key_age age) : as_(std::move(as)), who_(std::move(who)), age_(age) {}

  http_request begin() const;
  turn on_reply(const reply& received);

 private:
  turn on_created(const reply& received);
  turn on_search(const reply& received);
  turn next_key();

  access as_;
  whose who_;
  key_age age_;
  unsigned attempt_ = 0;
  bool searches_ = false;
  bool searched_ = false;
};

}  // namespace gateway::actors::stripe
