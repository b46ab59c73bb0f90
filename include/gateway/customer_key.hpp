// Which entity a platform's customer is, and the key under which its provider makes it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/ids.hpp"

namespace gateway {

/// The id of the entity is a hash, so that every customer_ref has one of the same length, whatever it is made of, and
/// two refs are one only if their bytes are the same.
inline entity_key customer_key(merchant_id merchant, environment env, const platform_id& platform,
                               std::string_view ref) {
  std::string text = platform.value;
  text.append(1, '\n').append(ref);
  return {std::move(merchant), env, entity_kind::customer, crypto::hex(crypto::sha256(text))};
}

/// The idempotency key under which the provider makes the customer: the same for every payment that wants it made, so
/// that two payments, and every retry, make one.
inline std::string provider_key_of_customer(const entity_key& customer) {
  std::string text = customer.merchant.value;
  text.append(1, '\n').append(to_string(customer.env)).append(1, '\n').append(customer.id);
  const auto hash = crypto::sha256(text);
  return "ck_" + crypto::hex(std::span{hash}.first(16));
}

}  // namespace gateway
