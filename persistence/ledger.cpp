// The ledger's rows, and its reads: each is a few ranges of the primary key, and none reads a merchant's history.

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "persistence/queries.hpp"
#include "persistence/row_cursor.hpp"
#include "persistence/rows.hpp"

namespace gateway::persistence {

namespace {

/// How many merchants one answer about all merchants covers, so that it does not take long.
constexpr std::size_t most_merchants = 64;

std::optional<merchant_id> merchant_behind(db_connection& db, const merchant_id& last) {
  std::optional<merchant_id> next;
  const cell parameters[] = {std::string_view{last.value}};
  db.read(statements::read_next_ledger_merchant, parameters, [&](const result_row& row) { next.emplace(row.text(0)); });
  return next;
}

std::int64_t first_ms_of(std::chrono::sys_days day) noexcept { return to_unix_ms(time_point{day}); }

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
  db.read(statements::read_ledger_sums, parameters, [&](const result_row& row) { to.add(ledger_sum_from(row)); });
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

void insert_ledger_entry_row(row_buffer& rows, const ledger_entry& e) {
  rows.add(e.payment.merchant.value).add(to_string(e.payment.env)).add(e.at).add(e.payment.id);
  rows.add(std::int64_t{e.seq}).add(to_string(e.what)).add(e.amount.minor).add(e.amount.unit.code());
  rows.add(e.accounts.customer).add(e.accounts.provider).add(e.accounts.merchant).add(to_string(e.provider));
  rows.add(e.account).add(e.payment_ref).add(e.movement_ref);
}

ledger_entry ledger_entry_from(const result_row& row, const merchant_id& merchant, environment env) {
  constexpr auto least = -max_amount;
  cursor in{row};
  ledger_entry e;
  e.at = in.time();
  e.payment = payment_key(merchant, env, payment_id{in.text()});
  e.seq = in.number<std::uint32_t>("seq", 0, std::numeric_limits<std::uint32_t>::max());
  e.what = in.named(parse_ledger_kind, "kind of ledger entry");
  e.amount.minor = in.number("amount", 1);
  e.amount.unit = in.named([](std::string_view text) { return currency::parse(text); }, "currency");
  e.accounts.customer = in.number("customer_amount", least, max_amount);
  e.accounts.provider = in.number("provider_amount", least, max_amount);
  e.accounts.merchant = in.number("merchant_amount", least, max_amount);
  e.provider = in.named(parse_provider_kind, "provider");
  e.account = in.text();
  e.payment_ref = in.text();
  e.movement_ref = in.text();
  return e;
}

ledger_sum ledger_sum_from(const result_row& row) {
  constexpr std::int64_t day_ms = 86'400'000;
  cursor in{row};
  ledger_sum s;
  s.day = std::chrono::sys_days{std::chrono::days{in.number("day", first_ms / day_ms, last_ms / day_ms)}};
  s.amount.unit = in.named([](std::string_view text) { return currency::parse(text); }, "currency");
  s.provider = in.named(parse_provider_kind, "provider");
  s.what = in.named(parse_ledger_kind, "kind of ledger entry");
  s.count = in.number("count");
  s.amount.minor = in.number("amount");
  return s;
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

}  // namespace gateway::persistence
