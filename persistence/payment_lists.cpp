// The lists of a merchant's payments, and the totals by day: no list reads a merchant's history
// (docs/decisions/0033-lists-read-their-page.md).

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "gateway/base/log.hpp"
#include "persistence/queries.hpp"
#include "persistence/rows.hpp"

namespace gateway::persistence {

namespace {

using statements::ranges_at_once;

/// A range of the index payments_by_state.
struct state_range {
  std::string_view state;
  std::string currency;  ///< empty: a range without payments
};

/// What all ranges of a list have in common: the merchant, the two positions and the limit.
class payment_page {
 public:
  /// `what` must outlive this object.
  explicit payment_page(const find_payments& what) : what_(what) {
    if (what.before) upper_ = {to_unix_ms(what.before->created_at), what.before->payment_id};
    if (what.after) lower_ = {to_unix_ms(what.after->created_at), what.after->payment_id};
    // The empty id makes a position before all payments of that time, because no payment's id is empty.
    if (what.until) upper_ = std::min(upper_, position{to_unix_ms(*what.until), {}});
    if (what.from) lower_ = std::max(lower_, position{to_unix_ms(*what.from), {}});
  }

  /// Whether the page is read from its oldest payment on, to page back.
  bool back() const noexcept { return what_.after && !what_.before; }
  /// One more than requested, to detect whether there are more.
  std::int64_t limit() const noexcept { return std::int64_t{what_.limit} + 1; }

  std::vector<cell> by_age() const {
    std::vector<cell> to;
    add_merchant(to);
    add_positions(to);
    return to;
  }
  void add_range(std::vector<cell>& to, const state_range& range) const {
    add_merchant(to);
    to.emplace_back(range.state);
    to.emplace_back(std::string_view{range.currency});
    add_positions(to);
  }

 private:
  using position = std::tuple<std::int64_t, std::string_view>;

  void add_merchant(std::vector<cell>& to) const {
    to.emplace_back(std::string_view{what_.merchant.value});
    to.emplace_back(to_string(what_.env));
  }
  void add_positions(std::vector<cell>& to) const {
    for (const auto& [at, id] : {upper_, lower_}) to.insert(to.end(), {at, at, id});
    to.emplace_back(limit());
  }

  const find_payments& what_;
  position upper_{std::numeric_limits<std::int64_t>::max(), {}};
  position lower_{std::numeric_limits<std::int64_t>::min(), {}};
};

/// The currencies of the payments in this state. Takes one look-up in the index for each currency, however many
/// payments there are.
std::vector<std::string> currencies_of(db_connection& db, const find_payments& what, std::string_view state) {
  std::vector<std::string> found;
  for (std::string last;;) {
    const cell parameters[] = {std::string_view{what.merchant.value}, to_string(what.env), state,
                               std::string_view{last}};
    const auto known = found.size();
    db.read(statements::read_next_currency, parameters, [&](const result_row& row) { found.push_back(row.text(0)); });
    if (found.size() == known) return found;
    last = found.back();
  }
}

std::vector<state_range> ranges_of(db_connection& db, const find_payments& what) {
  std::vector<state_range> ranges;
  if (!what.state) {
    for (std::size_t i = 0; i < enum_count<payment_state>; ++i)
      ranges.push_back({to_string(static_cast<payment_state>(i)), what.currency});
    return ranges;
  }
  const auto state = to_string(*what.state);
  if (!what.currency.empty()) return {{state, what.currency}};
  for (auto& currency : currencies_of(db, what, state)) ranges.push_back({state, std::move(currency)});
  return ranges;
}

/// How many rows were read, corrupt ones included.
std::size_t add_listed(db_connection& db, const statement& sql, std::span<const cell> parameters,
                       const merchant_id& merchant, environment env, std::vector<payment_ptr>& to) {
  std::size_t rows = 0;
  db.read(sql, parameters, [&](const result_row& row) {
    ++rows;
    try {
      to.push_back(std::make_shared<const payment>(listed_payment_from(row, merchant, env)));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
    }
  });
  return rows;
}

std::size_t add_ranges(db_connection& db, const find_payments& what, const payment_page& page,
                       std::vector<payment_ptr>& found) {
  const auto ranges = ranges_of(db, what);
  if (ranges.size() == 1) {
    std::vector<cell> parameters;
    page.add_range(parameters, ranges.front());
    const auto& sql = page.back() ? statements::read_payments_of_range_back : statements::read_payments_of_range;
    return add_listed(db, sql, parameters, what.merchant, what.env, found);
  }
  const auto& sql = page.back() ? statements::read_payments_of_ranges_back : statements::read_payments_of_ranges;
  const state_range none;
  std::size_t rows = 0;
  for (std::size_t from = 0; from < ranges.size(); from += ranges_at_once) {
    std::vector<cell> parameters;
    for (std::size_t i = from; i < from + ranges_at_once; ++i)
      page.add_range(parameters, i < ranges.size() ? ranges[i] : none);
    parameters.emplace_back(page.limit());
    rows += add_listed(db, sql, parameters, what.merchant, what.env, found);
  }
  return rows;
}

auto position_of(const payment_ptr& p) { return std::tie(p->created_at, p->key.id); }

}  // namespace

payments_lookup run(db_connection& db, const find_payments& what) {
  const payment_page page{what};
  payments_lookup answer;
  auto& found = answer.payments;
  std::size_t rows = 0;
  if (what.state || !what.currency.empty()) {
    rows = add_ranges(db, what, page, found);
  } else {
    const auto& sql = page.back() ? statements::read_payments_by_age_back : statements::read_payments_by_age;
    rows = add_listed(db, sql, page.by_age(), what.merchant, what.env, found);
  }
  std::ranges::sort(found, [&](const payment_ptr& a, const payment_ptr& b) {
    return page.back() ? position_of(a) < position_of(b) : position_of(b) < position_of(a);
  });
  answer.more = rows > what.limit && !found.empty();
  if (found.size() > what.limit) found.resize(what.limit);
  if (page.back()) std::ranges::reverse(found);
  if (what.most_bytes > 0) cut_to_bytes(answer, what.most_bytes);
  return answer;
}

payments_lookup run(db_connection& db, const find_payments_by_ref& what) {
  const cell parameters[] = {std::string_view{what.merchant.value}, to_string(what.env),
                             std::string_view{what.provider_ref}, std::int64_t{what.limit} + 1};
  payments_lookup answer;
  auto& found = answer.payments;
  const auto rows = add_listed(db, statements::read_payments_by_ref, parameters, what.merchant, what.env, found);
  std::ranges::sort(found, [](const auto& a, const auto& b) { return position_of(b) < position_of(a); });
  answer.more = rows > what.limit && !found.empty();
  if (found.size() > what.limit) found.resize(what.limit);
  return answer;
}

payment_key_lookup run(db_connection& db, const find_payment_key& what) {
  const cell parameters[] = {to_string(what.provider), to_string(what.env), std::string_view{what.provider_ref}};
  payment_key_lookup answer;
  db.read(statements::read_payment_key, parameters,
          [&](const result_row& row) { answer.found = key_from(row, entity_kind::payment); });
  return answer;
}

daily_totals_lookup run(db_connection& db, const find_daily_totals& what) {
  const cell parameters[] = {std::string_view{what.merchant.value}, to_string(what.env), day_number(what.from_day),
                             day_number(what.until_day)};
  daily_totals_lookup answer;
  db.read(statements::read_daily_totals, parameters,
          [&](const result_row& row) { answer.totals.push_back(daily_total_from(row)); });
  return answer;
}

}  // namespace gateway::persistence
