// The entity key of a platform's customer, and the idempotency key for creating the customer at its provider.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/ids.hpp"

namespace gateway {

/// The entity's id is a hash, so that the id has the same length and characters for every customer_ref, and two refs
/// are the same customer only if their bytes are equal.
inline entity_key customer_key(merchant_id merchant, environment env, const platform_id& platform,
                               std::string_view ref) {
  std::string text = platform.value;
  text.append(1, '\n').append(ref);
  return {std::move(merchant), env, entity_kind::customer, crypto::hex(crypto::sha256(text))};
}

/// The idempotency key for creating the customer at the provider. All payments of the customer share it, so that two
/// payments, and all retries, create one customer. After the provider has deleted the customer, the next generation has
/// another key, because for the old key the provider would return the deleted customer.
inline std::string provider_key_of_customer(const entity_key& customer, unsigned generation) {
  std::string text = customer.merchant.value;
  text.append(1, '\n').append(to_string(customer.env)).append(1, '\n').append(customer.id);
  if (generation > 0) text.append(1, '\n').append(std::to_string(generation));
  const auto hash = crypto::sha256(text);
  return "ck_" + crypto::hex(std::span{hash}.first(16));
}

}  // namespace gateway
