// The entity of a platform's customer, and the idempotency key for making the customer at its provider.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/ids.hpp"

namespace gateway {

/// The entity's id is a hash, so that every customer_ref gives an id of the same length, whatever characters it holds,
/// and two refs are the same customer only if their bytes are equal.
inline entity_key customer_key(merchant_id merchant, environment env, const platform_id& platform,
                               std::string_view ref) {
  std::string text = platform.value;
  text.append(1, '\n').append(ref);
  return {std::move(merchant), env, entity_kind::customer, crypto::hex(crypto::sha256(text))};
}

/// The idempotency key for making the customer at the provider. All payments that need the customer share it, so that
/// two payments, and all retries, make one customer. After the provider has deleted it, the next generation has another
/// key: under the old one the provider would answer with the customer that it deleted.
inline std::string provider_key_of_customer(const entity_key& customer, unsigned generation) {
  std::string text = customer.merchant.value;
  text.append(1, '\n').append(to_string(customer.env)).append(1, '\n').append(customer.id);
  if (generation > 0) text.append(1, '\n').append(std::to_string(generation));
  const auto hash = crypto::sha256(text);
  return "ck_" + crypto::hex(std::span{hash}.first(16));
}

}  // namespace gateway
