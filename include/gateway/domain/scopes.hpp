// The scopes of keys and grants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gateway {

enum class scope : std::uint32_t {
  payments_write = 1u << 0,
  payments_read = 1u << 1,
  customers_read = 1u << 2,
  refunds_write = 1u << 3,
  payouts_read = 1u << 4,
  customers_write = 1u << 5,
  mcp_read = 1u << 6,
  webhooks_configure = 1u << 7,
  all = 1u << 31,
};

struct scope_name {
  scope value;
  std::string_view name;
};

inline constexpr scope_name scope_names[] = {{scope::payments_write, "payments:write"},
                                             {scope::payments_read, "payments:read"},
                                             {scope::customers_read, "customers:read"},
                                             {scope::refunds_write, "refunds:write"},
                                             {scope::payouts_read, "payouts:read"},
                                             {scope::customers_write, "customers:write"},
                                             {scope::mcp_read, "mcp:read"},
                                             {scope::webhooks_configure, "webhooks:configure"},
                                             {scope::all, "*"}};

struct scope_set {
  std::uint32_t bits = 0;

  constexpr bool permits(scope wanted) const noexcept {
    return (bits & static_cast<std::uint32_t>(scope::all)) != 0 || (bits & static_cast<std::uint32_t>(wanted)) != 0;
  }
  constexpr void add(scope s) noexcept { bits |= static_cast<std::uint32_t>(s); }
  bool operator==(const scope_set&) const = default;
};

/// Parses space-separated names; nullopt if a name is unknown or there is none.
std::optional<scope_set> parse_scopes(std::string_view text);

std::string to_string(scope_set set);

}  // namespace gateway
