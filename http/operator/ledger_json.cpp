#include "ledger_json.hpp"

#include <chrono>
#include <limits>
#include <utility>

#include "http/codec/decode.hpp"
#include "http/codec/json_body.hpp"
#include "http/codec/json_writer.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t longest_name = 64;
constexpr std::int64_t most_ledger_entries = 1'000;

environment ledger_mode_in(field_reader& fields) {
  const auto mode = parse_environment(fields.required_text("mode", longest_name));
  if (!mode) fields.reject("mode", "must be test or live");
  return mode.value_or(environment::test);
}

struct ledger_days {
  std::chrono::sys_days from{}, until{};
};

/// `from` and `to`: the first and the last day, both included.
ledger_days ledger_days_in(field_reader& fields) {
  const auto read = [&](std::string_view name) {
    const auto text = fields.required_text(name, longest_name);
    const auto day = parse_day(text);
    if (!day && !text.empty()) fields.reject(name, "must be a day, as 2026-11-20");
    return day.value_or(std::chrono::sys_days{});
  };
  const auto from = read("from"), to = read("to");
  if (to < from) fields.reject("to", "must not be before from");
  return {from, to + std::chrono::days{1}};
}

std::optional<ledger_position> ledger_position_in(field_reader& fields) {
  ledger_position at;
  at.merchant = merchant_id{fields.text("after_merchant_id", longest_name)};
  if (at.merchant.empty()) return std::nullopt;
  at.at = from_unix_ms(fields.integer("after_at", 0, std::numeric_limits<std::int64_t>::max()).value_or(0));
  at.payment_id = fields.text("after_payment_id", longest_name);
  at.seq =
      static_cast<std::uint32_t>(fields.integer("after_seq", 0, std::numeric_limits<std::uint32_t>::max()).value_or(0));
  return at;
}

/// Returns the query that `read` fills, or the first fault.
template <class What, class Read>
decoded<What> read_ledger_query(std::string_view body, std::size_t json_depth, Read read) {
  const auto parsed = parse_object(body, json_depth);
  if (const auto* wrong = std::get_if<rejection>(&parsed)) return *wrong;
  field_reader fields{std::get<simdjson::dom::object>(parsed)};
  What what;
  read(fields, what);
  if (!fields.ok()) return fields.take_rejection();
  return what;
}

/// `[…]`; `append` writes one row into its object.
template <class Rows, class Append>
void write_ledger_rows(std::string& out, const Rows& rows, Append append) {
  out += '[';
  bool first = true;
  for (const auto& row : rows) {
    if (!std::exchange(first, false)) out += ',';
    json_object object{out};
    append(object, row);
  }
  out += ']';
}

void append_ledger_sum(json_object& object, const ledger_sum& sum) {
  object.text("day", format_day(sum.day));
  object.text("currency", sum.amount.unit.code());
  object.text("provider", to_string(sum.provider));
  object.text("kind", to_string(sum.what));
  object.number("count", sum.count);
  object.number("amount", sum.amount.minor);
}

void append_ledger_entry(json_object& object, const ledger_entry& e) {
  object.text("merchant_id", e.payment.merchant.value);
  object.text("payment_id", e.payment.id);
  object.number("seq", e.seq);
  object.text("occurred_at", format_millis(e.at));
  object.text("kind", to_string(e.what));
  object.number("amount", e.amount.minor);
  object.text("currency", e.amount.unit.code());
  object.number("customer", e.accounts.customer);
  object.number("provider_holds", e.accounts.provider);
  object.number("merchant_has", e.accounts.merchant);
  object.text("provider", to_string(e.provider));
  object.text("account", e.account);
  object.text("payment_ref", e.payment_ref);
  object.text("movement_ref", e.movement_ref);
}

}  // namespace

decoded<find_ledger_sums> decode_find_ledger_sums(std::string_view body, std::size_t json_depth) {
  return read_ledger_query<find_ledger_sums>(body, json_depth, [](field_reader& fields, find_ledger_sums& what) {
    what.env = ledger_mode_in(fields);
    const auto days = ledger_days_in(fields);
    what.from_day = days.from;
    what.until_day = days.until;
    if (days.until - days.from > std::chrono::days{most_days_at_once})
      fields.reject("to", "must be at most 31 days behind from");
    what.merchant = merchant_id{fields.text("merchant_id", longest_name)};
    what.after = merchant_id{fields.text("after", longest_name)};
    if (!what.merchant.empty() && !what.after.empty()) fields.reject("after", "may not stand beside merchant_id");
  });
}

decoded<find_ledger> decode_find_ledger(std::string_view body, std::size_t json_depth) {
  return read_ledger_query<find_ledger>(body, json_depth, [](field_reader& fields, find_ledger& what) {
    what.env = ledger_mode_in(fields);
    const auto kind = parse_provider_kind(fields.required_text("provider", longest_name));
    if (!kind) fields.reject("provider", "is not a provider of this gateway");
    what.provider = kind.value_or(provider_kind::sandbox);
    const auto days = ledger_days_in(fields);
    what.from = time_point{days.from};
    what.until = time_point{days.until};
    what.merchant = merchant_id{fields.text("merchant_id", longest_name)};
    what.after = ledger_position_in(fields);
    if (what.after && !what.merchant.empty() && what.after->merchant != what.merchant)
      fields.reject("after_merchant_id", "must be merchant_id");
    what.limit =
        static_cast<std::uint32_t>(fields.integer("limit", 1, most_ledger_entries).value_or(most_ledger_entries));
  });
}

std::string encode_ledger_sums(const ledger_sums_lookup& found) {
  std::string out;
  {
    json_object body{out};
    write_ledger_rows(body.member("sums"), found.sums, append_ledger_sum);
    body.text_if("next", found.next.value);
  }
  return out;
}

std::string encode_ledger(const ledger_lookup& found) {
  std::string out;
  {
    json_object body{out};
    write_ledger_rows(body.member("entries"), found.entries, append_ledger_entry);
    if (found.next) {
      json_object next{body.member("next")};
      next.text("after_merchant_id", found.next->merchant.value);
      next.number("after_at", to_unix_ms(found.next->at));
      next.text("after_payment_id", found.next->payment_id);
      next.number("after_seq", found.next->seq);
    }
  }
  return out;
}

}  // namespace gateway::http
