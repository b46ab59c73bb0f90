// Searches over several merchants: people, payments by id or reference, writes by the id of their HTTP request.
#include <algorithm>

#include "gateway/base/log.hpp"
#include "gateway/domain/folded_text.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace statements {

// A row for each membership, or one row whose merchant is null.
const statement read_people_by_id = sql(R"sql(
  SELECT p.user_id, p.email, m.merchant_id
  FROM (SELECT user_id, email FROM people WHERE user_id > ? ORDER BY user_id LIMIT ?) AS p
  LEFT JOIN memberships AS m ON m.user_id = p.user_id ORDER BY p.user_id, m.merchant_id
)sql");

// No index has the payments of all merchants by id or reference, because each index makes a create more expensive. So
// there is one look-up for each merchant; the order of the joins is prescribed to both databases.
const statement read_payments_of_id = sql(R"sql(
  SELECT {columns p}, p.merchant_id, p.environment, p.payment_id FROM merchants AS m
  {CROSS JOIN|STRAIGHT_JOIN} payments AS p ON p.merchant_id = m.merchant_id AND p.environment = ? AND p.payment_id = ?
  WHERE m.merchant_id > ? AND m.merchant_id <= ? LIMIT ?
)sql",
                                          payments_table());
const statement search_payments_of_ref = sql(R"sql(
  SELECT {columns p}, p.merchant_id, p.environment, p.payment_id FROM merchants AS m
  {CROSS JOIN|STRAIGHT_JOIN} payments AS p {by payments_by_provider_ref}
  ON p.merchant_id = m.merchant_id AND p.environment = ? AND p.provider_ref = ? AND p.provider_ref <> ''
  WHERE m.merchant_id > ? AND m.merchant_id <= ? LIMIT ?
)sql",
                                             payments_table());
const statement read_payments_of_dispute = sql(R"sql(
  SELECT {columns p}, p.merchant_id, p.environment, p.payment_id FROM merchants AS m
  {CROSS JOIN|STRAIGHT_JOIN} disputes AS d ON d.merchant_id = m.merchant_id AND d.environment = ? AND d.dispute_id = ?
  {CROSS JOIN|STRAIGHT_JOIN} payments AS p
  ON p.merchant_id = d.merchant_id AND p.environment = d.environment AND p.payment_id = d.payment_id
  WHERE m.merchant_id > ? AND m.merchant_id <= ? LIMIT ?
)sql",
                                               payments_table());

const statement read_requests = sql(R"sql(
  SELECT merchant_id, environment, operation, subject_kind, subject_id, created_at FROM commands {by commands_by_age}
  WHERE created_at >= ? AND created_at <= ? AND request_id = ? LIMIT ?
)sql");

}  // namespace statements

namespace {

/// The last of the next merchants, and how many there are.
const statement read_merchant_range = sql(R"sql(
  SELECT MAX(merchant_id), COUNT(*) FROM (
    SELECT merchant_id FROM merchants WHERE merchant_id > ? ORDER BY merchant_id LIMIT ?) AS r
)sql");

struct merchant_range {
  std::string last;  ///< empty: there are none
  bool is_full = false;
};

merchant_range merchants_behind(db_connection& db, std::string_view after, std::uint32_t most) {
  const cell parameters[] = {after, std::int64_t{most}};
  merchant_range found;
  db.read(read_merchant_range, parameters, [&](const result_row& row) {
    if (!row.is_null(0)) found.last = row.text(0);
    found.is_full = row.integer(1) == std::int64_t{most};
  });
  return found;
}

payment_ptr searched_payment_from(const result_row& row) {
  static const auto merchant_column = payments_table().selected_count();
  const auto env = parse_environment(row.text(merchant_column + 1));
  if (!env) throw corrupt_row("unknown environment");
  return std::make_shared<const payment>(payment_from(
      row, payment_key(merchant_id{row.text(merchant_column)}, *env, payment_id{row.text(merchant_column + 2)})));
}

void add_once(std::vector<payment_ptr>& to, payment_ptr found) {
  if (std::ranges::none_of(to, [&](const payment_ptr& other) { return other->key == found->key; }))
    to.push_back(std::move(found));
}

found_request found_request_from(const result_row& row) {
  cursor in{row};
  found_request r;
  r.merchant = merchant_id{in.text()};
  r.env = in.named(parse_environment, "environment");
  r.operation = in.text();
  r.subject_kind = in.text();
  r.subject_id = in.text();
  r.begun_at = in.time();
  return r;
}

}  // namespace

people_lookup run(db_connection& db, const find_people& what) {
  const cell parameters[] = {std::string_view{what.after.value}, std::int64_t{what.compared}};
  const auto searched = folded_text(what.search);
  people_lookup answer;
  std::uint32_t people = 0;
  user_id last;
  bool is_found = false;
  db.read(statements::read_people_by_id, parameters, [&](const result_row& row) {
    const user_id id{row.text(0)};
    if (id != last) {
      const bool is_full = answer.people.size() == what.limit;
      if (is_full && !answer.next) answer.next = last;
      ++people;
      last = id;
      is_found = !is_full && contains_folded(row.text(1), searched);
      if (is_found) answer.people.push_back({id, std::string{row.text(1)}, {}});
    }
    if (is_found && !row.is_null(2)) answer.people.back().of.emplace_back(std::string{row.text(2)});
  });
  if (people == what.compared && !answer.next) answer.next = last;
  return answer;
}

payments_everywhere_lookup run(db_connection& db, const find_payments_everywhere& what) {
  payments_everywhere_lookup answer;
  const auto range = merchants_behind(db, what.after.value, what.merchants);
  if (range.last.empty() || what.text.empty()) return answer;
  for (const auto* each :
       {&statements::read_payments_of_id, &statements::search_payments_of_ref, &statements::read_payments_of_dispute})
    for (const auto env : {environment::live, environment::test}) {
      const cell parameters[] = {to_string(env), std::string_view{what.text}, std::string_view{what.after.value},
                                 std::string_view{range.last}, std::int64_t{what.limit}};
      db.read(*each, parameters, [&](const result_row& row) {
        try {
          add_once(answer.payments, searched_payment_from(row));
        } catch (const corrupt_row& error) {
          log::error("store.corrupt_row", {{"why", error.what()}});  // the other payments are still shown
        }
      });
    }
  if (range.is_full) answer.next = merchant_id{range.last};
  return answer;
}

requests_lookup run(db_connection& db, const find_requests& what) {
  const cell parameters[] = {to_unix_ms(what.from), to_unix_ms(what.until), std::string_view{what.request_id},
                             std::int64_t{what.limit}};
  requests_lookup answer;
  read_into(db, statements::read_requests, parameters, answer.requests, found_request_from);
  return answer;
}

}  // namespace gateway::persistence
