// The lists of a merchant's payments: none reads a merchant's history
// (docs/decisions/0033-lists-read-their-page.md).

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "gateway/base/log.hpp"
#include "gateway/domain/payment_machine.hpp"
#include "persistence/tables/filtered_payments.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

using statements::many_ranges_at_once;
using statements::more_ranges_at_once;
using statements::ranges_at_once;

/// The same list from its oldest payment on, to page back.
std::string oldest_first(std::string_view text) {
  std::string made{text};
  for (auto at = made.find(" DESC"); at != std::string::npos; at = made.find(" DESC", at)) made.replace(at, 5, " ASC");
  return made;
}

// A page of a list of payments is read in the order of a named index, and no rows beyond the page are read. The page
// lies between two positions, which need not be those of payments.
constexpr std::string_view page_by_age = R"sql(
  SELECT {columns}, payment_id FROM payments {by payments_by_age} WHERE merchant_id = ? AND environment = ?
  AND created_at <= ? AND (created_at < ? OR payment_id < ?)
  AND created_at >= ? AND (created_at > ? OR payment_id > ?)
  ORDER BY created_at DESC, payment_id DESC LIMIT ?
)sql";

constexpr std::string_view page_of_range = R"sql(
  SELECT {columns}, payment_id FROM payments {by payments_by_state} WHERE merchant_id = ? AND environment = ?
  AND state = ? AND currency = ?
  AND created_at <= ? AND (created_at < ? OR payment_id < ?)
  AND created_at >= ? AND (created_at > ? OR payment_id > ?)
  ORDER BY created_at DESC, payment_id DESC LIMIT ?
)sql";

/// Reads a page of index entries from each range, merges them into one page, and reads only the rows of that page.
std::string page_of_ranges(std::size_t count) {
  std::string keys;
  for (std::size_t i = 1; i <= count; ++i) {
    keys += i == 1 ? "" : " UNION ALL ";
    keys += R"sql(
      SELECT * FROM (
        SELECT merchant_id AS m, environment AS e, created_at AS at, payment_id AS id
        FROM payments {by payments_by_state} WHERE merchant_id = ? AND environment = ? AND state = ? AND currency = ?
        AND created_at <= ? AND (created_at < ? OR payment_id < ?)
        AND created_at >= ? AND (created_at > ? OR payment_id > ?)
        ORDER BY created_at DESC, payment_id DESC LIMIT ?) AS r)sql" +
            std::to_string(i);
  }
  return "SELECT {columns}, payment_id FROM (" + keys + R"sql( ORDER BY at DESC, id DESC LIMIT ?) AS chosen
    JOIN payments ON merchant_id = chosen.m AND environment = chosen.e AND payment_id = chosen.id
    ORDER BY chosen.at DESC, chosen.id DESC)sql";
}

}  // namespace

namespace statements {

const statement read_payments_by_age = sql(page_by_age, payments_table());
const statement read_payments_by_age_back = sql(oldest_first(page_by_age), payments_table());
const statement read_payments_of_range = sql(page_of_range, payments_table());
const statement read_payments_of_range_back = sql(oldest_first(page_of_range), payments_table());
const statement read_payments_of_ranges = sql(page_of_ranges(ranges_at_once), payments_table());
const statement read_payments_of_ranges_back = sql(oldest_first(page_of_ranges(ranges_at_once)), payments_table());
const statement read_payments_of_more_ranges = sql(page_of_ranges(more_ranges_at_once), payments_table());
const statement read_payments_of_many_ranges = sql(page_of_ranges(many_ranges_at_once), payments_table());

// SQLite's partial index leaves out empty references; a statement can use it only if it excludes them, too.
const statement read_payments_by_ref = sql(R"sql(
  SELECT {columns}, payment_id FROM payments {by payments_by_provider_ref}
  WHERE merchant_id = ? AND environment = ? AND provider_ref = ? AND provider_ref <> '' LIMIT ?
)sql",
                                           payments_table());

// For each merchant that is connected to the provider, one look-up in the index. The order of the join is prescribed to
// both databases, because there are many more payments than connections.
const statement read_payment_key = sql(R"sql(
  SELECT p.merchant_id, p.environment, p.payment_id FROM connections AS c {by connections_by_provider}
  {CROSS JOIN|STRAIGHT_JOIN} payments AS p {by payments_by_provider_ref}
  ON p.merchant_id = c.merchant_id AND p.environment = c.environment AND p.provider = c.provider
  WHERE c.provider = ? AND c.environment = ? AND p.provider_ref = ? AND p.provider_ref <> '' LIMIT 1
)sql");

const statement read_next_currency = sql(R"sql(
  SELECT currency FROM payments {by payments_by_state} WHERE merchant_id = ? AND environment = ?
  AND state = ? AND currency > ? ORDER BY currency LIMIT 1
)sql");

const statement count_payments_of_range = sql(R"sql(
  SELECT COUNT(*) FROM (
    SELECT 1 AS found FROM payments {by payments_by_state} WHERE merchant_id = ? AND environment = ?
    AND state = ? AND currency = ? AND created_at >= ? AND created_at < ? LIMIT ?) AS counted
)sql");

/// The next merchant that has any payments.
const statement read_next_payments_merchant =
    sql("SELECT merchant_id FROM payments WHERE merchant_id > ? ORDER BY merchant_id LIMIT 1");

// An unknown outcome is always due. Of the payments that wait for their customer, those without an error are left out.
const statement read_unknown_payments = sql(R"sql(
  SELECT {columns}, merchant_id, environment, payment_id FROM payments {by payments_due} WHERE due_at IS NOT NULL
  AND (open_command IS NOT NULL OR (state = 'processing' AND error IS NOT NULL))
  AND (? = '' OR merchant_id = ?) AND environment IN (?, ?) ORDER BY due_at LIMIT ?
)sql",
                                            payments_table());

}  // namespace statements

namespace {

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

/// The states, in the order in which payments pass through them. If several statements read the ranges, a payment whose
/// state changes meanwhile is read twice, but not missed.
constexpr payment_state in_order[] = {
    payment_state::created,  payment_state::processing, payment_state::authorized,         payment_state::failed,
    payment_state::captured, payment_state::voided,     payment_state::partially_refunded, payment_state::refunded};
static_assert(std::size(in_order) == enum_count<payment_state>);

/// One range for each state and each currency of any of them.
std::vector<state_range> ranges_of_states(db_connection& db, const find_payments& what) {
  std::vector<payment_state> states;
  std::ranges::copy_if(in_order, std::back_inserter(states),
                       [&](payment_state each) { return std::ranges::find(what.any_of, each) != what.any_of.end(); });
  std::set<std::string> currencies;
  if (!what.currency.empty())
    currencies.insert(what.currency);
  else
    for (const auto state : states)
      for (auto& each : currencies_of(db, what, to_string(state))) currencies.insert(std::move(each));
  std::vector<state_range> ranges;
  for (const auto state : states)
    for (const auto& currency : currencies) ranges.push_back({to_string(state), currency});
  return ranges;
}

std::vector<state_range> ranges_of(db_connection& db, const find_payments& what) {
  if (!what.any_of.empty()) return ranges_of_states(db, what);
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

/// From a row of a list of payments, which ends with the id.
payment listed_payment_from(const result_row& row, const merchant_id& merchant, environment env) {
  static const auto id_column = payments_table().selected_count();
  return payment_from(row, payment_key(merchant, env, payment_id{row.text(id_column)}));
}

/// Returns how many rows were read, corrupt ones included.
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

/// The statement for this number of ranges, and how many it can take. One statement sees one snapshot.
std::pair<const statement*, std::size_t> statement_for(std::size_t ranges, bool back) {
  if (back) return {&statements::read_payments_of_ranges_back, ranges_at_once};
  if (ranges <= ranges_at_once) return {&statements::read_payments_of_ranges, ranges_at_once};
  if (ranges <= more_ranges_at_once) return {&statements::read_payments_of_more_ranges, more_ranges_at_once};
  return {&statements::read_payments_of_many_ranges, many_ranges_at_once};
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
  const auto [sql, at_once] = statement_for(ranges.size(), page.back());
  const state_range none;
  std::size_t rows = 0;
  for (std::size_t from = 0; from < ranges.size(); from += at_once) {
    std::vector<cell> parameters;
    for (std::size_t i = from; i < from + at_once; ++i)
      page.add_range(parameters, i < ranges.size() ? ranges[i] : none);
    parameters.emplace_back(page.limit());
    rows += add_listed(db, *sql, parameters, what.merchant, what.env, found);
  }
  return rows;
}

auto position_of(const payment_ptr& p) { return std::tie(p->created_at, p->key.id); }

/// Sorts the page newest first, or oldest first to page back. Returns how many rows were left out because another
/// statement had read the same payment.
std::size_t sort_page(std::vector<payment_ptr>& found, bool back) {
  const auto place = [](const payment_ptr& p) { return std::tie(p->created_at, p->key.id, p->version); };
  std::ranges::sort(found, [&](const payment_ptr& a, const payment_ptr& b) {
    return back ? place(a) < place(b) : place(b) < place(a);
  });
  const auto repeated = std::ranges::unique(found, {}, &position_of);
  const auto count = repeated.size();
  found.erase(repeated.begin(), repeated.end());
  return count;
}

}  // namespace

payments_lookup run(db_connection& db, const find_payments& what) {
  if (!what.provider_ref.empty() || !what.customer_ref.empty()) {
    auto filtered = read_filtered_payments(db, what);
    if (what.most_bytes > 0) cut_to_bytes(filtered, what.most_bytes);
    return filtered;
  }
  const payment_page page{what};
  payments_lookup answer;
  auto& found = answer.payments;
  std::size_t rows = 0;
  if (what.state || !what.any_of.empty() || !what.currency.empty()) {
    rows = add_ranges(db, what, page, found);
  } else {
    const auto& sql = page.back() ? statements::read_payments_by_age_back : statements::read_payments_by_age;
    rows = add_listed(db, sql, page.by_age(), what.merchant, what.env, found);
  }
  rows -= sort_page(found, page.back());
  answer.more = rows > what.limit && !found.empty();
  if (found.size() > what.limit) found.resize(what.limit);
  if (page.back()) std::ranges::reverse(found);
  if (what.most_bytes > 0) cut_to_bytes(answer, what.most_bytes);
  return answer;
}

namespace {

std::int64_t count_in_range(db_connection& db, const count_payments& what, std::string_view state,
                            const std::string& currency, std::int64_t most) {
  const auto from = what.from ? to_unix_ms(*what.from) : std::numeric_limits<std::int64_t>::min();
  const auto until = what.until ? to_unix_ms(*what.until) : std::numeric_limits<std::int64_t>::max();
  const cell parameters[] = {
      std::string_view{what.merchant.value}, to_string(what.env), state, std::string_view{currency}, from, until, most};
  std::int64_t found = 0;
  db.read(statements::count_payments_of_range, parameters, [&](const result_row& row) { found = row.integer(0); });
  return found;
}

}  // namespace

payment_counts run(db_connection& db, const count_payments& what) {
  payment_counts answer;
  const std::int64_t most = what.most;
  for (std::size_t i = 0; i < answer.by_state.size(); ++i) {
    find_payments of{what.merchant, what.env, static_cast<payment_state>(i)};
    of.currency = what.currency;
    // One more than is shown, to detect whether there are more.
    std::int64_t found = 0;
    for (const auto& range : ranges_of(db, of)) {
      found += count_in_range(db, what, range.state, range.currency, most + 1 - found);
      if (found > most) break;
    }
    answer.by_state[i] = {static_cast<std::uint32_t>(std::min(found, most)), found > most};
  }
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

namespace {

/// How many merchants one answer about all merchants covers, so that it does not take long.
constexpr std::size_t most_paid_merchants = 64;

merchants_payment_position position_in_list(const payment& p) {
  return {p.key.merchant, p.key.env, {p.created_at, p.key.id}};
}

/// A position after all payments of the merchant.
merchants_payment_position end_of_merchant(const merchant_id& merchant) { return {merchant, environment::test, {}}; }

std::optional<merchant_id> paid_merchant_behind(db_connection& db, const merchant_id& last) {
  std::optional<merchant_id> next;
  const cell parameters[] = {std::string_view{last.value}};
  db.read(statements::read_next_payments_merchant, parameters,
          [&](const result_row& row) { next.emplace(row.text(0)); });
  return next;
}

/// Adds the merchant's payments after `what.after`. Returns where the list continues if its page is full.
std::optional<merchants_payment_position> add_payments_of(db_connection& db, const find_payments_of_merchants& what,
                                                          const merchant_id& of, std::vector<payment_ptr>& to) {
  const bool is_continued = what.after && what.after->merchant == of;
  for (const auto env : {environment::live, environment::test}) {
    if (what.env && *what.env != env) continue;
    if (is_continued && what.after->env == environment::test && env == environment::live) continue;
    if (to.size() == what.limit) return position_in_list(*to.back());
    find_payments page{of, env, what.state};
    page.until = what.until;
    if (is_continued && what.after->env == env) page.before = what.after->behind;
    page.limit = what.limit - static_cast<std::uint32_t>(to.size());
    auto found = run(db, page);
    to.insert(to.end(), found.payments.begin(), found.payments.end());
    if (found.more) return position_in_list(*to.back());
  }
  return std::nullopt;
}

}  // namespace

payments_of_merchants_lookup run(db_connection& db, const find_payments_of_merchants& what) {
  payments_of_merchants_lookup answer;
  if (!what.merchant.empty()) {
    answer.next = add_payments_of(db, what, what.merchant, answer.payments);
    return answer;
  }
  auto of = what.after ? std::optional{what.after->merchant} : paid_merchant_behind(db, {});
  for (std::size_t covered = 0; of; ++covered) {
    answer.next = add_payments_of(db, what, *of, answer.payments);
    if (answer.next) break;
    const auto last = *std::move(of);
    of = paid_merchant_behind(db, last);
    if (of && covered + 1 == most_paid_merchants) {
      answer.next = end_of_merchant(last);
      break;
    }
  }
  return answer;
}

payments_lookup run(db_connection& db, const find_unknown_payments& what) {
  static const auto merchant_column = payments_table().selected_count();
  const std::string_view merchant = what.merchant.value;
  const cell parameters[] = {merchant, merchant, to_string(what.env.value_or(environment::test)),
                             to_string(what.env.value_or(environment::live)), std::int64_t{what.limit} + 1};
  payments_lookup answer;
  std::size_t rows = 0;
  db.read(statements::read_unknown_payments, parameters, [&](const result_row& row) {
    if (++rows > what.limit) return;
    try {
      const auto env = parse_environment(row.text(merchant_column + 1));
      if (!env) throw corrupt_row("unknown environment");
      auto found = payment_from(
          row, payment_key(merchant_id{row.text(merchant_column)}, *env, payment_id{row.text(merchant_column + 2)}));
      if (has_unknown_outcome(found)) answer.payments.push_back(std::make_shared<const payment>(std::move(found)));
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
    }
  });
  answer.more = rows > what.limit;
  return answer;
}

payment_key_lookup run(db_connection& db, const find_payment_key& what) {
  const cell parameters[] = {to_string(what.provider), to_string(what.env), std::string_view{what.provider_ref}};
  payment_key_lookup answer;
  db.read(statements::read_payment_key, parameters,
          [&](const result_row& row) { answer.found = key_from(row, entity_kind::payment); });
  return answer;
}

}  // namespace gateway::persistence
