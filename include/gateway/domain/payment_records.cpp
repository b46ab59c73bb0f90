#include "gateway/domain/payment_records.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gateway {

std::int64_t sum_of(const std::vector<dispute>& disputes, bool (*counts)(dispute_status) noexcept) noexcept {
  std::int64_t sum = 0;
  for (const auto& each : disputes)
    if (counts(each.status)) sum += each.amount;
  return sum;
}

void insert_in_order(std::vector<refund>& refunds, refund one) {
  const auto behind = std::ranges::upper_bound(refunds, one.created_at, {}, &refund::created_at);
  refunds.insert(behind, std::move(one));
}

void insert_in_order(std::vector<dispute>& disputes, dispute one) {
  const auto behind = std::ranges::upper_bound(disputes, one.opened_at, {}, &dispute::opened_at);
  disputes.insert(behind, std::move(one));
}

std::string derived_id(std::string_view prefix, const entity_key& of, std::string_view name) {
  // FNV-1a from two bases, so that the ids are as long as random ones. A collision is of no use to an attacker: the
  // text is made of ids that the gateway and the provider have given.
  std::array<std::uint64_t, 2> hashes{0xcbf29ce484222325ULL, 0x6c62272e07bb0142ULL};
  for (auto& hash : hashes)
    for (const std::string_view part :
         {std::string_view{of.merchant.value}, to_string(of.env), std::string_view{of.id}, name}) {
      for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
      hash *= 0x100000001b3ULL;
    }
  std::string id{prefix};
  for (const auto hash : hashes)
    for (int shift = 60; shift >= 0; shift -= 4) id += "0123456789abcdef"[(hash >> shift) & 0xfU];
  return id;
}

std::string sandbox_event_id(const entity_key& of, std::size_t act) {
  return derived_id("evt_", of, "act " + std::to_string(act));
}

}  // namespace gateway
