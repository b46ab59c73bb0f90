// The gateway's ledger beside a provider's settlement report, entry by entry and line by line. The report is held in
// memory, some 150 bytes for each line; the ledger streams by.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/domain/ledger.hpp"
#include "settlement_file.hpp"

namespace gateway::ctl {

enum class difference_kind : unsigned char {
  missing,  ///< in the ledger, not in the report
  extra,    ///< in the report, not in the ledger
  differs,  ///< in both, under one reference, and not the same
};

constexpr std::string_view to_string(difference_kind k) noexcept {
  constexpr std::string_view names[] = {"missing", "extra", "differs"};
  return names[static_cast<std::size_t>(k)];
}

/// A movement as one side has it.
struct told_movement {
  ledger_kind what = ledger_kind::captured;
  std::int64_t minor = 0;
  std::string unit;  ///< empty: not told
};

struct difference {
  difference_kind kind = difference_kind::missing;
  std::string ref;
  std::optional<ledger_entry> entry;    ///< of missing and differs
  std::uint64_t line = 0;               ///< of extra and differs
  std::optional<told_movement> report;  ///< as `line`
};

/// Days, UTC, the last one too.
struct reconciled_period {
  std::chrono::sys_days from{}, to{};

  bool holds(time_point at) const noexcept {
    return at >= time_point{from} && at < time_point{to + std::chrono::days{1}};
  }
};

struct reconciliation_counts {
  std::uint64_t agree = 0, missing = 0, extra = 0, differs = 0;
  std::uint64_t outside = 0;    ///< lines outside the period that are in no entry
  std::uint64_t untold = 0;     ///< entries of which the provider makes no report
  bool all_agree() const noexcept { return missing == 0 && extra == 0 && differs == 0; }
};

class reconciliation {
 public:
  using teller = std::function<void(const difference&)>;

  /// First all lines of the report. Throws bad_file where there are too many.
  void add(const settlement_line& line);
  /// The days of the report's lines; nothing if it tells no times.
  std::optional<reconciled_period> period_of_report() const;

  /// Then the ledger's entries, by time, also some before and behind the period: what is on one side of midnight here
  /// may be on the other there.
  void begin(reconciled_period period, teller tell);
  void compare(const ledger_entry& entry);
  /// At last the lines that no entry has met.
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
  /// The best of the rows of that name which no entry has met; null if there is none.
  row* find(const std::vector<name>& names, std::string_view ref, const ledger_entry& entry, bool any_kind);
  row* row_of(const ledger_entry& entry);
  static bool agrees(const row& r, const ledger_entry& entry);
  told_movement told(const row& r) const;

  std::string texts_;
  std::vector<row> rows_;
  std::vector<name> by_ref_, by_payment_;
  reconciled_period period_;
  teller tell_;
  reconciliation_counts counts_;
};

}  // namespace gateway::ctl
