// Compares the gateway's ledger with a provider's settlement report, entry by entry and line by line. The report is
// held in memory, some 150 bytes for each line; the ledger is streamed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/enum_names.hpp"
#include "gateway/domain/ledger.hpp"
#include "settlement_file.hpp"

namespace gateway::ctl {

enum class difference_kind : unsigned char {
  missing,  ///< in the ledger, not in the report
  extra,    ///< in the report, not in the ledger
  differs,  ///< in both, under the same reference, with different values
};

}  // namespace gateway::ctl

template <>
inline constexpr auto gateway::enum_table<gateway::ctl::difference_kind> =
    gateway::enum_names<gateway::ctl::difference_kind>({{gateway::ctl::difference_kind::missing, "missing"},
                                                        {gateway::ctl::difference_kind::extra, "extra"},
                                                        {gateway::ctl::difference_kind::differs, "differs"}});

namespace gateway::ctl {

/// A movement as reported.
struct reported_movement {
  ledger_kind what = ledger_kind::captured;
  std::int64_t minor = 0;
  std::string unit;  ///< empty: not reported
};

struct difference {
  difference_kind kind = difference_kind::missing;
  std::string ref;
  std::optional<ledger_entry> entry;    ///< of missing and differs
  std::uint64_t line = 0;               ///< of extra and differs
  std::optional<reported_movement> report;  ///< of extra and differs
};

/// Days in UTC, including the last one.
struct reconciled_period {
  std::chrono::sys_days from{}, to{};

  bool holds(time_point at) const noexcept {
    return at >= time_point{from} && at < time_point{to + std::chrono::days{1}};
  }
};

struct reconciliation_counts {
  std::uint64_t agree = 0, missing = 0, extra = 0, differs = 0;
  std::uint64_t outside = 0;    ///< lines outside the period that match no entry
  std::uint64_t not_reported = 0;     ///< entries that the provider does not report
  bool all_agree() const noexcept { return missing == 0 && extra == 0 && differs == 0; }
};

class reconciliation {
 public:
  using difference_listener = std::function<void(const difference&)>;

  /// Adds a line of the report. To be called for all lines before begin(). Throws bad_file if there are too many.
  void add(const settlement_line& line);
  /// The days of the report's lines; nullopt if it has no times.
  std::optional<reconciled_period> period_of_report() const;

  /// Begins the comparison. Entries of the ledger then come in the order of time, also some from before and after the
  /// period, because the two sides may date a movement to different days.
  void begin(reconciled_period period, difference_listener on_difference);
  void compare(const ledger_entry& entry);
  /// Reports the lines that matched no entry. To be called last.
  reconciliation_counts end();

 private:
  struct row {
    std::uint64_t line;
    std::int64_t minor;
    std::int64_t at_ms;
    std::uint64_t ref_at;
    std::uint32_t ref_size;
    currency unit;
    ledger_kind what;
    bool has_unit, has_time, met;
  };
  struct name {
    std::uint64_t at;
    std::uint32_t size;
    std::uint32_t row;
  };

  std::string_view text(std::uint64_t at, std::uint32_t size) const { return {texts_.data() + at, size}; }
  std::string_view text(const name& n) const { return text(n.at, n.size); }
  name keep(std::string_view ref);
  void sort(std::vector<name>& names);
  /// Subtracts each line that reduces a charge from that charge.
  void reduce_charges();
  /// The best unmatched row with that reference; null if there is none.
  row* find(const std::vector<name>& names, std::string_view ref, const ledger_entry& entry, bool any_kind);
  row* row_of(const ledger_entry& entry);
  static bool agrees(const row& r, const ledger_entry& entry);
  reported_movement reported(const row& r) const;

  std::string texts_;
  std::vector<row> rows_;
  std::vector<name> by_ref_, by_payment_, reductions_;
  reconciled_period period_;
  difference_listener on_difference_;
  reconciliation_counts counts_;
};

}  // namespace gateway::ctl
