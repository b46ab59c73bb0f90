#include "gateway/domain/person.hpp"

#include <algorithm>

namespace gateway {

std::string email_key_of(std::string_view email) {
  std::string key{email};
  std::ranges::transform(key, key.begin(), to_lower);
  return key;
}

}  // namespace gateway
