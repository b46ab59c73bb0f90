#include "gateway/domain/person.hpp"

#include <algorithm>

namespace gateway {

std::string email_key_of(std::string_view email) {
  std::string key{email};
  std::ranges::transform(key, key.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return key;
}

}  // namespace gateway
