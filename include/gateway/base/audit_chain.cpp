#include "gateway/base/audit_chain.hpp"

#include <initializer_list>

#include "gateway/base/crypto.hpp"

namespace gateway {

namespace {

constexpr std::size_t salt_bytes = 16;

/// Each text is preceded by its length, so that no two lists of texts have the same bytes.
std::string hash_of_fields(std::initializer_list<std::string_view> texts) {
  std::string bytes;
  for (const auto text : texts) bytes.append(std::to_string(text.size())).append(1, ':').append(text).append(1, ',');
  return crypto::hex(crypto::sha256(bytes));
}

std::string hash_of_details(std::string_view salt, const audit_fields& entry) {
  return hash_of_fields({"audit details 1", salt, entry.subject, entry.before, entry.after});
}

std::string hash_of_entry(const audit_link& link, const audit_fields& entry) {
  return hash_of_fields({"audit entry 1", std::to_string(link.chain), std::to_string(link.number), link.previous_hash,
                         entry.id, entry.user, std::to_string(entry.at_ms), entry.address, entry.action, entry.merchant,
                         entry.environment, link.details_hash});
}

}  // namespace

audit_link audit_link_after(std::int64_t chain, std::int64_t previous_number, std::string_view previous_hash,
                            const audit_fields& entry) {
  audit_link link;
  link.chain = chain;
  link.number = previous_number + 1;
  link.previous_hash = previous_hash;
  link.details_salt = crypto::random_hex(salt_bytes);
  link.details_hash = hash_of_details(link.details_salt, entry);
  link.hash = hash_of_entry(link, entry);
  return link;
}

bool matches(const audit_link& link, const audit_fields& entry) {
  const bool are_erased =
      link.details_salt.empty() && entry.subject.empty() && entry.before.empty() && entry.after.empty();
  if (!are_erased && hash_of_details(link.details_salt, entry) != link.details_hash) return false;
  return hash_of_entry(link, entry) == link.hash;
}

}  // namespace gateway
