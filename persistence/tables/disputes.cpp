// The index of disputes for lists; a dispute's details are in its payment's row.
#include <algorithm>
#include <tuple>

#include "gateway/base/log.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::persistence {

namespace {

template <class Columns, class Entry>
void dispute_columns(Columns& v, Entry& d) {
  v.key("merchant_id", d.merchant);
  v.key("environment", d.env);
  v.key("dispute_id", d.dispute_id);
  v.fixed("payment_id", d.payment_id);
  v("status", d.status);
  v.fixed("opened_at", d.opened_at);
}

const table_columns disputes_table{"disputes", [](column_names& v) {
                                     const dispute_entry any{};
                                     dispute_columns(v, any);
                                   }};

/// Joins each entry of the page with its payment's row, by the primary key.
statement listed_disputes(std::string_view index, std::string_view where) {
  std::string text = "SELECT {columns p}, p.payment_id, d.dispute_id FROM disputes AS d {by ";
  text.append(index).append(R"sql(}
    {CROSS JOIN|STRAIGHT_JOIN} payments AS p ON p.merchant_id = d.merchant_id AND p.environment = d.environment
    AND p.payment_id = d.payment_id WHERE d.merchant_id = ? AND d.environment = ? AND )sql");
  text.append(where).append(R"sql( AND d.opened_at <= ? AND (d.opened_at < ? OR d.dispute_id < ?)
    ORDER BY d.opened_at DESC, d.dispute_id DESC LIMIT ?)sql");
  return sql(text, payments_table());
}

}  // namespace

namespace statements {

const write_shape put_dispute = disputes_table.put();

const statement read_disputes = listed_disputes("disputes_by_age", "d.payment_id >= ?");
const statement read_disputes_of_status = listed_disputes("disputes_by_status", "d.status = ?");
const statement read_dispute = sql(R"sql(
  SELECT {columns p}, p.payment_id, d.dispute_id FROM disputes AS d {CROSS JOIN|STRAIGHT_JOIN} payments AS p
  ON p.merchant_id = d.merchant_id AND p.environment = d.environment AND p.payment_id = d.payment_id
  WHERE d.merchant_id = ? AND d.environment = ? AND d.dispute_id = ?
)sql",
                                   payments_table());

}  // namespace statements

namespace {

/// The disputes of one payment, from its row.
disputes_lookup disputes_of_payment(db_connection& db, const find_disputes& what) {
  disputes_lookup answer;
  const auto row = read_payment_row(db, payment_key(what.merchant, what.env, payment_id{what.payment_id}));
  const auto* of = row ? std::get_if<payment_ptr>(&*row) : nullptr;
  if (!of) return answer;
  std::vector<const dispute*> all;
  for (const auto& each : (*of)->records.disputes)
    if ((!what.status || each.status == *what.status) && (what.dispute_id.empty() || each.id == what.dispute_id))
      all.push_back(&each);
  const auto place = [](const dispute* d) { return std::tie(d->opened_at, d->id); };
  std::ranges::sort(all, [&](const auto* a, const auto* b) { return place(b) < place(a); });
  for (const auto* each : all) {
    if (what.before && std::tie(what.before->opened_at, what.before->dispute_id) <= place(each)) continue;
    if (answer.disputes.size() == what.limit) {
      answer.more = true;
      break;
    }
    answer.disputes.push_back({*of, each->id});
  }
  return answer;
}

}  // namespace

void insert_row(gathered_rows& rows, const dispute_entry& d) {
  column_writer v{rows.add_to(row_kind::dispute_entry)};
  dispute_columns(v, d);
}

disputes_lookup run(db_connection& db, const find_disputes& what) {
  if (!what.payment_id.empty()) return disputes_of_payment(db, what);
  disputes_lookup answer;
  std::size_t rows = 0;
  const auto take = [&](const result_row& row) {
    ++rows;
    static const auto id_column = payments_table().selected_count();
    try {
      auto of = payment_from(row, payment_key(what.merchant, what.env, payment_id{row.text(id_column)}));
      answer.disputes.push_back({std::make_shared<const payment>(std::move(of)), row.text(id_column + 1)});
    } catch (const corrupt_row& error) {
      log::error("store.corrupt_row", {{"why", error.what()}});  // the other rows of the list are still shown
    }
  };
  const std::string_view merchant = what.merchant.value, env = to_string(what.env);
  if (!what.dispute_id.empty()) {
    const cell parameters[] = {merchant, env, std::string_view{what.dispute_id}};
    db.read(statements::read_dispute, parameters, take);
    return answer;
  }
  const auto before = what.before ? to_unix_ms(what.before->opened_at) : no_bound;
  const auto before_id = what.before ? std::string_view{what.before->dispute_id} : std::string_view{};
  const auto status = what.status ? to_string(*what.status) : std::string_view{};
  const cell parameters[] = {merchant, env, status, before, before, before_id, std::int64_t{what.limit} + 1};
  db.read(what.status ? statements::read_disputes_of_status : statements::read_disputes, parameters, take);
  answer.more = rows > what.limit;
  if (answer.disputes.size() > what.limit) answer.disputes.resize(what.limit);
  return answer;
}

}  // namespace gateway::persistence
