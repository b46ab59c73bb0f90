// A payment's refunds and disputes, each as a separate object, and the origin of the entries of its timeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ids.hpp"
#include "gateway/domain/time.hpp"

namespace gateway {

/// Who caused an entry of a timeline, or a refund.
enum class entry_origin : unsigned char {
  api,
  portal,
  provider,   ///< at the provider: its dashboard, the cardholder's bank, the customer, or the passage of time
  operator_,  ///< of the gateway
  system,     ///< the gateway itself, such as an expiry
};

template <>
inline constexpr auto enum_table<entry_origin> = enum_names<entry_origin>({{entry_origin::api, "api"},
                                                                           {entry_origin::portal, "portal"},
                                                                           {entry_origin::provider, "provider"},
                                                                           {entry_origin::operator_, "operator"},
                                                                           {entry_origin::system, "system"}});
inline constexpr auto parse_entry_origin = parse_name<entry_origin>;

enum class refund_status : unsigned char {
  pending,  ///< the provider has accepted it: it counts as refunded
  succeeded,
  failed,  ///< after it was accepted: it no longer counts, and its amount may be refunded again
};

template <>
inline constexpr auto enum_table<refund_status> = enum_names<refund_status>(
    {{refund_status::pending, "pending"}, {refund_status::succeeded, "succeeded"}, {refund_status::failed, "failed"}});
inline constexpr auto parse_refund_status = parse_name<refund_status>;

struct refund {
  std::string id;  ///< re_<id>
  std::int64_t amount = 0;  ///< minor units, above 0
  refund_status status = refund_status::succeeded;
  entry_origin by = entry_origin::api;
  time_point created_at{};
  std::string reason;
  std::string failure_code;
  std::string provider_ref;  ///< the provider's reference of it; empty if it gives none
  /// If the refund was found at the provider and was missing in this database: the provider key of the gateway's call
  /// that made it. Empty: the gateway did not make it.
  std::string provider_key{};

  bool operator==(const refund&) const = default;
};

enum class dispute_status : unsigned char {
  warning,  ///< an inquiry of the cardholder's bank: no money has moved
  needs_response,  ///< the amount was taken back; the merchant may send evidence
  under_review,
  won,  ///< the amount was given back, or an inquiry was closed
  lost,  ///< final
};

template <>
inline constexpr auto enum_table<dispute_status> =
    enum_names<dispute_status>({{dispute_status::warning, "warning"},
                                {dispute_status::needs_response, "needs_response"},
                                {dispute_status::under_review, "under_review"},
                                {dispute_status::won, "won"},
                                {dispute_status::lost, "lost"}});
inline constexpr auto parse_dispute_status = parse_name<dispute_status>;

constexpr bool is_closed(dispute_status s) noexcept { return s == dispute_status::won || s == dispute_status::lost; }
/// Whether it is open, and the amount was taken back.
constexpr bool is_open(dispute_status s) noexcept { return !is_closed(s) && s != dispute_status::warning; }

constexpr bool is_lost(dispute_status s) noexcept { return s == dispute_status::lost; }

struct dispute {
  std::string id;  ///< dp_<id>
  std::int64_t amount = 0;  ///< minor units, above 0
  std::string reason;  ///< the provider's name for it
  dispute_status status = dispute_status::needs_response;
  std::optional<time_point> evidence_due_by;
  time_point opened_at{};
  std::optional<time_point> closed_at;
  std::string provider_ref;

  bool operator==(const dispute&) const = default;
};

/// The amounts of the disputes for which `counts` holds.
std::int64_t sum_of(const std::vector<dispute>& disputes, bool (*counts)(dispute_status) noexcept) noexcept;

/// Inserts by time. The lists are oldest first.
void insert_in_order(std::vector<refund>& refunds, refund one);
void insert_in_order(std::vector<dispute>& disputes, dispute one);

/// An operator's instruction to the sandbox, as if the event had happened at a provider. It is stored with the payment,
/// and the sandbox's later answers agree with it.
enum class sandbox_act_kind : unsigned char {
  dispute_open,
  dispute_warn,
  dispute_update,
  dispute_win,
  dispute_lose,
  refund_settle,
  refund_fail,
  refund_outside,
  authorization_expire,
  authorization_cancel,
  capture_outside,
};

template <>
inline constexpr auto enum_table<sandbox_act_kind> =
    enum_names<sandbox_act_kind>({{sandbox_act_kind::dispute_open, "dispute_open"},
                                  {sandbox_act_kind::dispute_warn, "dispute_warn"},
                                  {sandbox_act_kind::dispute_update, "dispute_update"},
                                  {sandbox_act_kind::dispute_win, "dispute_win"},
                                  {sandbox_act_kind::dispute_lose, "dispute_lose"},
                                  {sandbox_act_kind::refund_settle, "refund_settle"},
                                  {sandbox_act_kind::refund_fail, "refund_fail"},
                                  {sandbox_act_kind::refund_outside, "refund_outside"},
                                  {sandbox_act_kind::authorization_expire, "authorization_expire"},
                                  {sandbox_act_kind::authorization_cancel, "authorization_cancel"},
                                  {sandbox_act_kind::capture_outside, "capture_outside"}});
inline constexpr auto parse_sandbox_act_kind = parse_name<sandbox_act_kind>;

struct sandbox_act {
  sandbox_act_kind what = sandbox_act_kind::dispute_open;
  std::int64_t amount = 0;  ///< minor units; 0: all
  std::string refund_id{};  ///< of the refund that settles or fails
  time_point at{};

  bool operator==(const sandbox_act&) const = default;
};

/// Why an authorization ended without a capture: the values of void_reason, which is stored as empty for a requested
/// void.
inline constexpr std::string_view void_requested = "requested", authorization_expired = "authorization_expired",
                                  cancelled_at_provider = "cancelled_at_provider";

struct payment_records {
  std::vector<refund> refunds;  ///< oldest first
  std::vector<dispute> disputes;  ///< oldest first
  std::vector<sandbox_act> acts;  ///< oldest first
  std::string void_reason;
  bool paid_late = false;  ///< it was captured after it had failed

  bool operator==(const payment_records&) const = default;
  bool empty() const noexcept {
    return refunds.empty() && disputes.empty() && acts.empty() && void_reason.empty() && !paid_late;
  }
};

/// A payment with this many accepts no further refund or act, because its row is read and written as a whole.
inline constexpr std::size_t most_refunds = 2'500, most_sandbox_acts = 100;

/// The id of an object that a payment's state machine makes: the prefix and 32 hexadecimal digits, the same for the
/// same payment and name.
std::string derived_id(std::string_view prefix, const entity_key& of, std::string_view name);
/// The id of the sandbox's event about one of the payment's acts, counted from 1.
std::string sandbox_event_id(const entity_key& of, std::size_t act);

}  // namespace gateway
