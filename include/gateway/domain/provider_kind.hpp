// The provider kinds that this gateway can route to, and what each can do.
// A new kind is one row here, one folder in actors/providers/ and one test row: docs/providers.md.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string_view>

#include "gateway/domain/enum_names.hpp"

namespace gateway {

enum class flow : unsigned char { server, redirect, embedded };

template <>
inline constexpr auto enum_table<flow> =
    enum_names<flow>({{flow::server, "server"}, {flow::redirect, "redirect"}, {flow::embedded, "embedded"}});
inline constexpr auto parse_flow = parse_name<flow>;

enum class provider_kind : unsigned char { sandbox, sandbox_hosted, sandbox_wallet, stripe, jazzcash };

struct provider_traits {
  provider_kind kind;
  std::string_view name;          ///< as stored and shown
  std::string_view public_id;     ///< prov_<name>
  std::string_view display_name;
  bool sandbox;                   ///< moves no money; in live mode only under --dev
  bool server_flow;
  bool redirect_flow;
  bool embedded_flow;
  bool separate_capture;          ///< false: captures at authorization, so neither capture nor void
  bool refunds;
  bool voids;
  bool wallet;                    ///< its identity and native diagnostics are hidden
  bool customers;                 ///< keeps customers and their payment methods
  bool subscriptions;
  bool accounts;                  ///< each merchant has its own account there, which every payment must name
  std::string_view test_currency; ///< the only currency in test; empty: every one
  std::string_view live_currency;
};

inline constexpr std::array<provider_traits, 5> provider_catalogue{{
    {.kind = provider_kind::sandbox,
     .name = "sandbox",
     .public_id = "prov_sandbox",
     .display_name = "Sandbox cards",
     .sandbox = true,
     .server_flow = true,
     .redirect_flow = true,
     .embedded_flow = true,
     .separate_capture = true,
     .refunds = true,
     .voids = true,
     .wallet = false,
     .customers = true,
     .subscriptions = true,
     .accounts = true,
     .test_currency = "",
     .live_currency = ""},
    {.kind = provider_kind::sandbox_hosted,
     .name = "sandbox_hosted",
     .public_id = "prov_sandbox_hosted",
     .display_name = "Sandbox hosted cards",
     .sandbox = true,
     .server_flow = false,
     .redirect_flow = true,
     .embedded_flow = false,
     .separate_capture = false,
     .refunds = true,
     .voids = false,
     .wallet = false,
     .customers = false,
     .subscriptions = false,
     .accounts = true,
     .test_currency = "HKD",
     .live_currency = ""},
    {.kind = provider_kind::sandbox_wallet,
     .name = "sandbox_wallet",
     .public_id = "prov_sandbox_wallet",
     .display_name = "Sandbox wallet",
     .sandbox = true,
     .server_flow = false,
     .redirect_flow = true,
     .embedded_flow = true,
     .separate_capture = false,
     .refunds = false,
     .voids = false,
     .wallet = true,
     .customers = false,
     .subscriptions = false,
     .accounts = true,
     .test_currency = "PKR",
     .live_currency = "PKR"},
    {.kind = provider_kind::stripe,
     .name = "stripe",
     .public_id = "prov_stripe",
     .display_name = "Stripe",
     .sandbox = false,
     .server_flow = true,
     .redirect_flow = true,
     .embedded_flow = true,
     .separate_capture = true,
     .refunds = true,
     .voids = true,
     .wallet = false,
     .customers = true,
     .subscriptions = true,
     .accounts = true,
     .test_currency = "",
     .live_currency = ""},
    {.kind = provider_kind::jazzcash,
     .name = "jazzcash",
     .public_id = "prov_jazzcash",
     .display_name = "JazzCash",
     .sandbox = false,
     .server_flow = false,
     .redirect_flow = true,
     .embedded_flow = true,
     .separate_capture = false,
     .refunds = false,
     .voids = false,
     .wallet = true,
     .customers = false,
     .subscriptions = false,
     .accounts = false,
     .test_currency = "PKR",
     .live_currency = "PKR"},
}};

constexpr const provider_traits& traits_of(provider_kind kind) noexcept {
  return provider_catalogue[static_cast<std::size_t>(kind)];
}

template <>
inline constexpr auto enum_table<provider_kind> = enum_names(provider_catalogue, &provider_traits::kind);
inline constexpr auto parse_provider_kind = parse_name<provider_kind>;

constexpr bool supports(const provider_traits& provider, flow how) noexcept {
  return how == flow::server     ? provider.server_flow
         : how == flow::redirect ? provider.redirect_flow
                                 : provider.embedded_flow;
}

/// The high-risk hosted card route refunds for six months after the capture.
inline constexpr std::chrono::months hosted_refund_window{6};

}  // namespace gateway
