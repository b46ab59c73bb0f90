// The ledger and the daily totals. Each read is a few ranges of the primary key, and none reads a merchant's history.

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Entry>
void ledger_columns(Columns& v, Entry& e) {
  v.given("merchant_id", e.payment.merchant);
  v.given("environment", e.payment.env);
  v.key("occurred_at", e.at);
  v.key("payment_id", e.payment.id);
  v.key("seq", e.seq);
  v.fixed("kind", e.what);
  v.fixed("amount", e.amount.minor, 1);
  v.fixed("currency", e.amount.unit);
  v.fixed("customer_amount", e.accounts.customer, -max_amount, max_amount);
  v.fixed("provider_amount", e.accounts.provider, -max_amount, max_amount);
  v.fixed("merchant_amount", e.accounts.merchant, -max_amount, max_amount);
  v.fixed("provider", e.provider);
  v.fixed("account", e.account);
  v.fixed("payment_ref", e.payment_ref);
  v.fixed("movement_ref", e.movement_ref);
}

template <class Columns, class Total>
void daily_total_columns(Columns& v, Total& t) {
  v.key("merchant_id", t.merchant);
  v.key("environment", t.env);
  v.key("day", t.day);
  v.key("currency", t.currency);
  v.key("what", t.what);
  v.key("lane", t.lane);
  v("counted", t.counted);
  v("amount", t.amount);
}

const table_columns ledger_table{"ledger", [](column_names& v) {
                                   const ledger_entry any{};
                                   ledger_columns(v, any);
                                 }};
const table_columns daily_totals_table{"daily_totals", [](column_names& v) {
                                         const added_total any{};
                                         daily_total_columns(v, any);
                                       }};

const statement read_ledger_sums = sql(R"sql(
  SELECT {occurred_at / 86400000|occurred_at DIV 86400000}, currency, provider, kind, COUNT(*),
  CAST(SUM(amount) AS {INTEGER|SIGNED}) FROM ledger
  WHERE merchant_id = ? AND environment = ? AND occurred_at >= ? AND occurred_at < ?
  GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
)sql");
/// The next merchant that has any entries.
const statement read_next_ledger_merchant =
    sql("SELECT merchant_id FROM ledger WHERE merchant_id > ? ORDER BY merchant_id LIMIT 1");

}  // namespace

namespace statements {

const write_shape insert_ledger_entry = ledger_table.insert();
const write_shape add_daily_total = daily_totals_table.add();

/// Entries from a time on, without those up to a position.
const statement read_ledger = sql(R"sql(
  SELECT {columns} FROM ledger
  WHERE merchant_id = ? AND environment = ? AND occurred_at >= ? AND occurred_at < ?
  AND (occurred_at > ? OR payment_id > ? OR (payment_id = ? AND seq > ?))
  ORDER BY occurred_at, payment_id, seq LIMIT ?
)sql",
                                  ledger_table);

// A sum is a DECIMAL on MySQL.
const statement read_daily_totals = sql(R"sql(
  SELECT day, currency, what, CAST(SUM(counted) AS {INTEGER|SIGNED}), CAST(SUM(amount) AS {INTEGER|SIGNED})
  FROM daily_totals WHERE merchant_id = ? AND environment = ?
  AND day >= ? AND day < ? GROUP BY day, currency, what ORDER BY day, currency, what
)sql");

}  // namespace statements

namespace {

/// How many merchants one answer about all merchants covers, so that it does not take long.
constexpr std::size_t most_merchants = 64;

std::optional<merchant_id> merchant_behind(db_connection& db, const merchant_id& last) {
  std::optional<merchant_id> next;
  const cell parameters[] = {std::string_view{last.value}};
  db.read(read_next_ledger_merchant, parameters, [&](const result_row& row) { next.emplace(row.text(0)); });
  return next;
}

std::int64_t first_ms_of(std::chrono::sys_days day) noexcept { return to_unix_ms(time_point{day}); }

ledger_entry ledger_entry_from(const result_row& row, const merchant_id& merchant, environment env) {
  column_reader v{row};
  ledger_entry e;
  e.payment = payment_key(merchant, env, {});
  ledger_columns(v, e);
  return e;
}

ledger_sum ledger_sum_from(const result_row& row) {
  cursor in{row};
  ledger_sum s;
  get(in, s.day, "day");
  get(in, s.amount.unit, "currency");
  get(in, s.provider, "provider");
  get(in, s.what, "kind");
  s.count = in.number("count");
  s.amount.minor = in.number("amount");
  return s;
}

daily_total daily_total_from(const result_row& row) {
  cursor in{row};
  daily_total t;
  get(in, t.day, "day");
  get(in, t.amount.unit, "currency");
  get(in, t.what, "what");
  t.count = in.number("counted");
  t.amount.minor = in.number("amount");
  return t;
}

/// Adds up the sums of several merchants by day, currency, provider and kind.
class added_sums {
 public:
  void add(const ledger_sum& one) {
    auto& sum = by_key_[{one.day, std::string{one.amount.unit.code()}, one.provider, one.what}];
    sum = {
        one.day, one.provider, one.what, sum.count + one.count, {sum.amount.minor + one.amount.minor, one.amount.unit}};
  }
  std::vector<ledger_sum> all() const {
    std::vector<ledger_sum> sums;
    sums.reserve(by_key_.size());
    for (const auto& [key, sum] : by_key_) sums.push_back(sum);
    return sums;
  }

 private:
  std::map<std::tuple<std::chrono::sys_days, std::string, provider_kind, ledger_kind>, ledger_sum> by_key_;
};

void add_sums(db_connection& db, const find_ledger_sums& what, const merchant_id& of, added_sums& to) {
  const cell parameters[] = {std::string_view{of.value}, to_string(what.env), first_ms_of(what.from_day),
                             first_ms_of(what.until_day)};
  db.read(read_ledger_sums, parameters, [&](const result_row& row) { to.add(ledger_sum_from(row)); });
}

/// Reads up to `limit` entries of a merchant after `after`, and keeps those of the provider. Returns the last position
/// read if the limit was reached.
std::optional<ledger_position> add_entries(db_connection& db, const find_ledger& what, const merchant_id& of,
                                           const std::optional<ledger_position>& after, std::uint32_t& limit,
                                           std::vector<ledger_entry>& to) {
  const auto from = after ? std::max(to_unix_ms(what.from), to_unix_ms(after->at)) : to_unix_ms(what.from);
  // If `after` has the time `from`, the statement leaves out the entries of that time up to `after`; otherwise none.
  const auto left_out = after && to_unix_ms(after->at) == from ? from : std::numeric_limits<std::int64_t>::min();
  const std::string_view id = after ? std::string_view{after->payment_id} : std::string_view{};
  const cell parameters[] = {
      std::string_view{of.value},           to_string(what.env), from, to_unix_ms(what.until), left_out, id, id,
      std::int64_t{after ? after->seq : 0}, std::int64_t{limit}};
  std::optional<ledger_position> last;
  auto left = limit;
  db.read(statements::read_ledger, parameters, [&](const result_row& row) {
    auto entry = ledger_entry_from(row, of, what.env);
    --left;
    last = ledger_position{of, entry.at, entry.payment.id, entry.seq};
    if (entry.provider == what.provider) to.push_back(std::move(entry));
  });
  limit = left;
  return left == 0 ? last : std::nullopt;
}

}  // namespace

void insert_row(gathered_rows& rows, const ledger_entry& e) {
  column_writer v{rows.add_to(row_kind::ledger_entry)};
  ledger_columns(v, e);
}

void insert_row(gathered_rows& rows, const count_daily& c) { rows.count(c); }

void insert_row(gathered_rows& rows, const added_total& t) {
  column_writer v{rows.add_to(row_kind::daily_total)};
  daily_total_columns(v, t);
}

ledger_sums_lookup run(db_connection& db, const find_ledger_sums& what) {
  ledger_sums_lookup answer;
  added_sums sums;
  if (!what.merchant.empty()) {
    add_sums(db, what, what.merchant, sums);
  } else {
    auto last = what.after;
    for (std::size_t looked = 0; looked < most_merchants; ++looked) {
      const auto of = merchant_behind(db, last);
      last = of.value_or(merchant_id{});
      if (!of) break;
      add_sums(db, what, *of, sums);
    }
    answer.next = std::move(last);
  }
  answer.sums = sums.all();
  return answer;
}

ledger_lookup run(db_connection& db, const find_ledger& what) {
  ledger_lookup answer;
  auto limit = what.limit;
  if (!what.merchant.empty()) {
    answer.next = add_entries(db, what, what.merchant, what.after, limit, answer.entries);
    return answer;
  }
  auto after = what.after;
  auto of = after ? std::optional{after->merchant} : merchant_behind(db, {});
  for (std::size_t looked = 0; of; ++looked) {
    if (looked == most_merchants) return answer;
    answer.next = add_entries(db, what, *of, after, limit, answer.entries);
    if (answer.next) return answer;
    // A position after all entries of this merchant.
    answer.next = ledger_position{*of, what.until};
    after.reset();
    of = merchant_behind(db, *of);
  }
  answer.next.reset();
  return answer;
}

daily_totals_lookup run(db_connection& db, const find_daily_totals& what) {
  const cell parameters[] = {std::string_view{what.merchant.value}, to_string(what.env), day_number(what.from_day),
                             day_number(what.until_day)};
  daily_totals_lookup answer;
  read_into(db, statements::read_daily_totals, parameters, answer.totals, daily_total_from);
  return answer;
}

}  // namespace gateway::persistence
