#include "reconciliation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gateway/domain/sandbox_truth.hpp"

namespace gateway::ctl {

namespace {

constexpr std::size_t most_lines = 20'000'000;

/// Whether the provider does not report this entry. A sandbox reports the calls that it receives. A payment on its
/// pages, which the gateway serves, makes no call, and neither does an act that an operator requests.
bool is_not_reported(const ledger_entry& entry) {
  if (!traits_of(entry.provider).sandbox) return false;
  const bool is_call = entry.what == ledger_kind::captured || entry.what == ledger_kind::refunded;
  return !is_call || entry.movement_ref.empty() || entry.movement_ref.starts_with(sandbox_outside_refund);
}

/// A refund and its failure share a reference, and so do the movements of a dispute: a line of one must not be compared
/// with an entry of the other.
bool are_separate(ledger_kind a, ledger_kind b) noexcept {
  const auto first_of = [](ledger_kind what) {
    if (what == ledger_kind::refund_failed) return ledger_kind::refunded;
    return what == ledger_kind::dispute_won ? ledger_kind::dispute_opened : what;
  };
  return a != b && first_of(a) == first_of(b);
}

}  // namespace

reconciliation::name reconciliation::keep(std::string_view ref) {
  const name kept{texts_.size(), static_cast<std::uint32_t>(ref.size()), static_cast<std::uint32_t>(rows_.size())};
  texts_ += ref;
  return kept;
}

void reconciliation::add(const settlement_line& line) {
  if (rows_.size() == most_lines) throw bad_file("has more than 20 million lines: reconcile it in parts");
  const auto ref = keep(line.ref);
  by_ref_.push_back(ref);
  for (const auto& payment : line.of_payment) by_payment_.push_back(keep(payment));
  if (!line.reduces.empty()) reductions_.push_back(keep(line.reduces));
  rows_.push_back({line.line, line.minor, line.at ? to_unix_ms(*line.at) : 0, ref.at, ref.size,
                   line.unit.value_or(currency{}), line.what, line.unit.has_value(), line.at.has_value(), false});
}

std::optional<reconciled_period> reconciliation::period_of_report() const {
  auto least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
  for (const auto& r : rows_) {
    if (!r.has_time) continue;
    least = std::min(least, r.at_ms);
    most = std::max(most, r.at_ms);
  }
  if (least > most) return std::nullopt;
  using std::chrono::days;
  using std::chrono::floor;
  return reconciled_period{floor<days>(from_unix_ms(least)), floor<days>(from_unix_ms(most))};
}

void reconciliation::sort(std::vector<name>& names) {
  std::ranges::sort(names, [this](const name& a, const name& b) {
    const auto first = text(a), second = text(b);
    return first != second ? first < second : a.row < b.row;
  });
}

void reconciliation::begin(reconciled_period period, difference_listener on_difference) {
  period_ = period;
  on_difference_ = std::move(on_difference);
  sort(by_ref_);
  sort(by_payment_);
  reduce_charges();
}

void reconciliation::reduce_charges() {
  const auto less = [this](const name& n, std::string_view wanted) { return text(n) < wanted; };
  for (const auto& each : reductions_) {
    auto& reduction = rows_[each.row];
    const auto ref = text(each);
    auto at = std::lower_bound(by_ref_.begin(), by_ref_.end(), ref, less);
    for (; at != by_ref_.end() && text(*at) == ref; ++at) {
      auto& charge = rows_[at->row];
      if (charge.what != ledger_kind::captured || charge.minor < reduction.minor || charge.unit != reduction.unit)
        continue;
      charge.minor -= reduction.minor;
      reduction.met = true;
      break;
    }
  }
}

bool reconciliation::agrees(const row& r, const ledger_entry& entry) {
  return r.what == entry.what && r.minor == entry.amount.minor && (!r.has_unit || r.unit == entry.amount.unit);
}

reconciliation::row* reconciliation::find(const std::vector<name>& names, std::string_view ref,
                                          const ledger_entry& entry, bool any_kind) {
  const auto less = [this](const name& n, std::string_view wanted) { return text(n) < wanted; };
  row* second_best = nullptr;
  for (auto at = std::lower_bound(names.begin(), names.end(), ref, less); at != names.end() && text(*at) == ref; ++at) {
    auto& r = rows_[at->row];
    if (r.met || (!any_kind && r.what != entry.what) || are_separate(r.what, entry.what)) continue;
    if (agrees(r, entry)) return &r;
    if (!second_best) second_best = &r;
  }
  return second_best;
}

/// Finds a line of any kind by the movement's reference. If the entry has none, finds one by the payment's reference.
reconciliation::row* reconciliation::row_of(const ledger_entry& entry) {
  if (!entry.movement_ref.empty()) return find(by_ref_, entry.movement_ref, entry, true);
  if (entry.payment_ref.empty()) return nullptr;
  if (auto* own = find(by_ref_, entry.payment_ref, entry, false)) return own;
  return find(by_payment_, entry.payment_ref, entry, false);
}

reported_movement reconciliation::reported(const row& r) const {
  return {r.what, r.minor, r.has_unit ? std::string{r.unit.code()} : std::string{}};
}

void reconciliation::compare(const ledger_entry& entry) {
  if (!moves_money(entry.what)) return;
  auto* found = row_of(entry);
  if (!found) {
    if (!period_.holds(entry.at)) return;
    if (is_not_reported(entry)) {
      ++counts_.not_reported;
      return;
    }
    ++counts_.missing;
    const auto& ref = entry.movement_ref.empty() ? entry.payment_ref : entry.movement_ref;
    return on_difference_({difference_kind::missing, ref, entry, 0, std::nullopt});
  }
  found->met = true;
  if (agrees(*found, entry)) {
    ++counts_.agree;
    return;
  }
  ++counts_.differs;
  on_difference_({difference_kind::differs, std::string{text(found->ref_at, found->ref_size)}, entry, found->line,
                  reported(*found)});
}

reconciliation_counts reconciliation::end() {
  for (const auto& r : rows_) {
    if (r.met) continue;
    if (r.has_time && !period_.holds(from_unix_ms(r.at_ms))) {
      ++counts_.outside;
      continue;
    }
    ++counts_.extra;
    on_difference_(
        {difference_kind::extra, std::string{text(r.ref_at, r.ref_size)}, std::nullopt, r.line, reported(r)});
  }
  return counts_;
}

}  // namespace gateway::ctl
