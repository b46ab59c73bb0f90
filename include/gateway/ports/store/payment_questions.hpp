// Questions about a merchant's payments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/ports/store/entity_rows.hpp"
#include "gateway/ports/store/reader_kind.hpp"

namespace gateway {

/// Where a list of payments continues.
struct payment_position {
  time_point created_at{};
  std::string payment_id;

  bool operator==(const payment_position&) const = default;
  auto operator<=>(const payment_position&) const = default;
};

/// A page of a merchant's payments, newest first. Reads at most a page of rows, however few payments match. If only the
/// currency is given, it reads up to a page for each state; if only the state, up to a page for each of the merchant's
/// currencies.
struct find_payments {
  using answer = struct payments_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  environment env = environment::live;
  std::optional<payment_state> state{};
  std::string currency{};  ///< ISO 4217; empty: any
  std::optional<time_point> from{};  ///< only payments created then or later
  std::optional<time_point> until{};  ///< only payments created earlier
  /// The last payment of the previous page: only payments behind it, to page on.
  std::optional<payment_position> before{};
  /// Instead of `before`: the page that ends before this payment, to page back.
  std::optional<payment_position> after{};
  std::uint32_t limit = 50;
  /// The page ends before the row with which its texts exceed this many bytes, but has at least one row. 0: no limit.
  /// Not for paging back.
  std::size_t most_bytes = 0;

  // Further filters, not for paging back.
  std::vector<payment_state> any_of{};  ///< not empty: only payments in one of these states; `state` is empty then
  /// Not empty: only payments that show this reference. A payment that hides its provider shows none.
  std::string provider_ref{};
  /// With a non-empty `customer_ref`: only payments for this customer of the platform.
  platform_id platform{};
  std::string customer_ref{};
};

/// Whether the payment satisfies the filters of the question, apart from its bounds of time.
bool is_wanted(const payment& p, const find_payments& what);

/// Most payments of one customer or one reference that a page reads if there are further filters.
inline constexpr std::uint32_t most_filtered_payments = 1'000;

/// How many of a merchant's payments are in each state. For each state at most `most` entries of an index are counted,
/// and one look-up is made for each of the merchant's currencies.
struct count_payments {
  using answer = struct payment_counts;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  environment env = environment::live;
  std::string currency{};  ///< ISO 4217; empty: any
  std::optional<time_point> from{};  ///< only payments created then or later
  std::optional<time_point> until{};  ///< only payments created earlier
  std::uint32_t most = 1'000;
};

struct payment_counts {
  struct count {
    std::uint32_t payments = 0;  ///< not above `most`
    bool more = false;  ///< there are more than `most`

    bool operator==(const count&) const = default;
  };
  std::array<count, enum_count<payment_state>> by_state{};

  const count& of(payment_state state) const { return by_state.at(static_cast<std::size_t>(state)); }
};

/// Where a list of the payments of several merchants continues: behind this payment.
struct merchants_payment_position {
  merchant_id merchant;
  environment env = environment::live;
  payment_position behind;

  bool operator==(const merchants_payment_position&) const = default;
};

/// A page of the payments of one merchant, or of all merchants one after the other by their ids; each merchant's live
/// payments first, newest first. An answer covers a limited number of merchants, so a page may be shorter than its
/// limit, or empty, although there is a next page.
struct find_payments_of_merchants {
  using answer = struct payments_of_merchants_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant{};  ///< empty: all merchants
  std::optional<environment> env{};
  std::optional<payment_state> state{};
  std::optional<time_point> until{};  ///< only payments created earlier
  std::optional<merchants_payment_position> after{};
  std::uint32_t limit = 100;
};

struct payments_of_merchants_lookup {
  std::vector<payment_ptr> payments;
  std::optional<merchants_payment_position> next;  ///< there may be more behind it
};

/// The payments with an unknown outcome (has_unknown_outcome), of one merchant or of all, in the order in which they
/// are due. Reads every payment that is due at some time: those with an open operation, those that wait for their
/// customer, and those that are authorized at a provider over HTTP.
struct find_unknown_payments {
  using answer = struct payments_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant{};  ///< empty: all merchants
  std::optional<environment> env{};
  std::uint32_t limit = 10'000;
};

/// All payments with this reference, newest first. A provider normally gives each reference once.
struct find_payments_by_ref {
  using answer = struct payments_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  environment env = environment::live;
  std::string provider_ref;  ///< an empty reference finds none
  std::uint32_t limit = 50;
};

struct payments_lookup {
  std::vector<payment_ptr> payments;
  bool more = false;  ///< there are more in the direction of paging
  /// The page ends here before it is full, because most_filtered_payments were read: it continues behind this position.
  std::optional<payment_position> read_to{};
};

/// Keeps the first rows whose texts fit into this many bytes, and at least one row (find_payments::most_bytes).
void cut_to_bytes(payments_lookup& page, std::size_t most_bytes);

/// Where a list of disputes continues.
struct dispute_position {
  time_point opened_at{};
  std::string dispute_id;

  bool operator==(const dispute_position&) const = default;
};

/// A page of a merchant's disputes, newest first, each as it stands in its payment.
struct find_disputes {
  using answer = struct disputes_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  merchant_id merchant;
  environment env = environment::live;
  std::string dispute_id{};  ///< not empty: only this one
  std::string payment_id{};  ///< not empty: only those of this payment
  std::optional<dispute_status> status{};
  std::optional<dispute_position> before{};  ///< only disputes behind it, to page on
  std::uint32_t limit = 50;
};

struct disputes_lookup {
  struct found {
    payment_ptr of;
    std::string dispute_id;
  };
  std::vector<found> disputes;
  bool more = false;
};

/// The payment with this reference at that provider, of any merchant connected to it. The read's time grows with the
/// number of those merchants.
struct find_payment_key {
  using answer = struct payment_key_lookup;
  static constexpr auto reader = store_reader_kind::archive;

  environment env = environment::live;
  provider_kind provider = provider_kind::sandbox;
  std::string provider_ref;  ///< an empty reference finds none
};

struct payment_key_lookup {
  std::optional<entity_key> found;
};

/// Whether the payment was purged: its row is gone, and its id is not taken again.
struct find_purged_payment {
  using answer = struct purged_payment_lookup;
  static constexpr auto reader = store_reader_kind::quick;

  entity_key key;
};

struct purged_payment_lookup {
  bool was_purged = false;
};

}  // namespace gateway
