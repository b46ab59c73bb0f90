// Stored data: rows of the store, and the configuration file. The first byte names the row (see the end of this file)
// or `f`, the file. A row's cells are lines in the order of its SELECT; `\N` is NULL.
//
// A row is either refused as corrupt or read as a value that obeys the domain's rules. The store's own INSERT then
// writes the value as a second row, whose cells are put into the order of the SELECT. The numbers of the second row
// must equal those of the first; and when the second row is read and written, the result must equal it in every cell.
#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <string>

#include "config/config_file.hpp"
#include "must.hpp"
#include "persistence/tables/unit_rows.hpp"

namespace gateway::fuzz {
namespace {

using namespace persistence;
using namespace std::string_view_literals;

const entity_key some_payment{merchant_id{"merch_1"}, environment::test, entity_kind::payment, "pay_1"};
const command_key some_command{merchant_id{"merch_1"}, environment::test, "", "0b6f3c1e-54a4-4f1b-9d2c-8e7a6b5c4d3e"};

/// Converts as the drivers do: a text read as a number counts up to its first invalid character.
class row : public result_row {
 public:
  explicit row(std::vector<std::optional<std::string>> cells) : cells_(std::move(cells)) {}

  bool is_null(unsigned column) const override { return !at(column); }
  std::string text(unsigned column) const override { return at(column).value_or(""); }
  std::int64_t integer(unsigned column) const override {
    const auto value = text(column);
    std::int64_t number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
  }
  bool operator==(const row& other) const { return cells_ == other.cells_; }
  const std::vector<std::optional<std::string>>& cells() const { return cells_; }

 private:
  const std::optional<std::string>& at(unsigned column) const {
    static const std::optional<std::string> empty{""};
    return column < cells_.size() ? cells_[column] : empty;
  }

  std::vector<std::optional<std::string>> cells_;
};

row row_of(std::string_view lines) {
  std::vector<std::optional<std::string>> cells;
  while (!lines.empty()) {
    const auto line = cut(lines, '\n');
    if (line == "\\N")
      cells.emplace_back();
    else
      cells.emplace_back(line);
  }
  return row{std::move(cells)};
}

std::optional<std::string> shown(const cell& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string{*text};
  return std::nullopt;
}

/// The columns that a SELECT of one table names.
std::vector<std::string_view> columns_of(const statement& select) {
  auto text = std::string_view{select.sqlite}.substr("SELECT "sv.size());
  text = text.substr(0, text.find(" FROM "));
  std::vector<std::string_view> names;
  while (!text.empty()) {
    auto name = cut(text, ',');
    if (const auto dot = name.find('.'); dot != name.npos) name.remove_prefix(dot + 1);
    names.push_back(name);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return names;
}

/// The written row as the SELECT would return it. A column that the INSERT does not write is NULL.
row stored(const write_shape& shape, const statement& select, const row_buffer& written,
           std::vector<unsigned>* numbers = nullptr) {
  const auto& cells = written.cells();
  must(cells.size() == shape.columns.size(), "a row has its shape's columns");
  std::vector<std::optional<std::string>> chosen;
  for (const auto name : columns_of(select)) {
    const auto at = std::ranges::find(shape.columns, name);
    if (at == shape.columns.end()) {
      chosen.emplace_back();
      continue;
    }
    const auto& value = cells[static_cast<std::size_t>(at - shape.columns.begin())];
    if (numbers && std::holds_alternative<std::int64_t>(value))
      numbers->push_back(static_cast<unsigned>(chosen.size()));
    chosen.push_back(shown(value));
  }
  return row{std::move(chosen)};
}

/// The cells that a unit's row is written as. The row must outlive them.
template <class Row>
row_buffer cells_of(row_kind kind, const Row& inserted) {
  gathered_rows rows;
  insert_row(rows, inserted);
  return std::move(rows.add_to(kind));
}
template <class Row>
row_buffer changed_cells_of(row_kind kind, const Row& claimed) {
  gathered_rows rows;
  claim_row(rows, claimed);
  return std::move(rows.add_to(kind));
}

/// `read` makes a value of a row, and `as_row` the unit's row of the value.
template <class Read, class AsRow>
auto check_row(const row& given, const write_shape& shape, const statement& select, row_kind kind, Read read,
               AsRow as_row) {
  const auto first = read(given);
  const auto inserted = as_row(first);
  std::vector<unsigned> numbers;
  const auto back = stored(shape, select, cells_of(kind, inserted), &numbers);
  for (const auto column : numbers)
    must(given.is_null(column) || back.integer(column) == given.integer(column),
         "a stored number is read as it stands");
  const auto second = read(back);
  const auto again = as_row(second);
  must(stored(shape, select, cells_of(kind, again)) == back, "a row that was read is written the same");
  if constexpr (requires { first == second; })
    must(first == second, "a row that was read and written is read the same");
  return first;
}

constexpr auto itself = [](const auto& value) { return value; };
constexpr auto shared = []<class Entity>(const Entity& value) { return std::make_shared<const Entity>(value); };

void drive_payment(const row& given) {
  const auto p = check_row(
      given, statements::insert_payment, statements::read_payment, row_kind::payment,
      [](const row& r) { return payment_from(r, some_payment); }, shared);
  must(p.amount.minor >= 0 && p.captured <= p.amount.minor, "no more is captured than was authorized");
  must(p.refunded >= 0 && p.refunded <= p.captured, "no more is refunded than was captured");
  must(currency::parse(p.amount.unit.code()) == p.amount.unit, "its currency is in force");
  must(p.version >= 0, "its version counts up");
  if (p.open) {
    must(p.open->command.merchant == p.key.merchant && p.open->command.env == p.key.env,
         "an operation is its payment's");
    must(p.open->amount >= 0 && p.open->amount <= p.amount.minor, "and moves no more than its amount");
  }
  const auto changed = shared(p);
  must(changed_cells_of(row_kind::payment_claim, changed).cells().size() == statements::update_payment.columns.size(),
       "a change has its shape's columns");
}

void drive_command(const row& given) {
  const auto c = check_row(
      given, statements::insert_command, statements::read_command, row_kind::command,
      [](const row& r) { return command_from(r, some_command); }, itself);
  must(!c.result || (c.result->status >= 200 && c.result->status <= 599), "a stored answer has an HTTP status");
  must(!c.result || c.finished_at, "and a time");
}

void drive_timeline(const row& given) {
  const auto e = timeline_entry_from(given);
  const bool event = e.kind == timeline_kind::event;
  gathered_rows rows;
  constexpr std::int64_t position = 7;
  event ? insert_event(rows, some_payment, e, position) : insert_entry(rows, some_payment, e);
  must(rows.add_to(event ? row_kind::event : row_kind::attempt).cells().size() ==
           (event ? statements::insert_event : statements::insert_attempt).columns.size(),
       "a row has its shape's columns");
  must(e.seq == given.integer(0) && to_unix_ms(e.occurred_at) == given.integer(6),
       "a stored number is read as it stands");
  must(given.integer(1) == (event ? 1 : 0), "an entry is of one kind");
  must(!format_millis(e.occurred_at).empty(), "its time can be shown");
}

void drive_key(const row& given) {
  const auto k = check_row(given, statements::insert_api_key, statements::read_api_keys_of, row_kind::api_key,
                           api_key_from, [](const stored_key& key) { return key.key; });
  must(k.revoked == !given.is_null(8), "a key that was revoked stays so");
}

/// The last five cells are the event's, and how many bytes of its data were left out. A delivery's INSERT does not
/// write them, so they are returned unchanged.
void drive_delivery(const row& given) {
  const auto job = delivery_job_from(given);
  const auto& d = job.row;
  must(d.id > 0 && d.id < std::int64_t{1} << 53, "its number fits JSON");
  must(d.round_from <= d.attempts, "a round begins no later than now");
  must((d.status == delivery_status::pending) == d.next_attempt_at.has_value(),
       "what is pending is tried again, and nothing else");
  must((d.attempts > 0) == d.last.has_value(), "an attempt leaves its trace");
  must(job.event.subject == d.subject && job.event.seq == d.event_seq, "its event is the one that it names");
  auto cells = stored(statements::insert_delivery, statements::read_delivery, cells_of(row_kind::delivery, d)).cells();
  for (unsigned column = 20; column < 25; ++column) cells.at(column) = given.text(column);
  must(delivery_job_from(row{std::move(cells)}) == job, "a row that was read is written the same");
  must(changed_cells_of(row_kind::delivery_claim, d).cells().size() == statements::update_delivery.columns.size(),
       "a change has its shape's columns");
}

void drive_subscription(const row& given) {
  const auto s = check_row(
      given, statements::insert_subscription, statements::read_subscription, row_kind::subscription,
      [](const row& r) { return subscription_from(r, some_payment.merchant); }, shared);
  if (s.open)
    must(s.open->command.key.empty() ? s.open->command == command_key{}
                                     : s.open->command.merchant == s.key.merchant && s.open->command.env == s.key.env,
         "an operation is its subscription's, or the gateway's own");
  for (const auto& owed : s.owed)
    must(owed.payment.merchant == s.key.merchant && owed.payment.env == s.key.env &&
             owed.payment.kind == entity_kind::payment,
         "and so is what it owes");
}

void drive_enrollment(const row& given) {
  const auto key = entity_key{some_payment.merchant, environment::test, entity_kind::enrollment, "sub_1"};
  const auto e = check_row(
      given, statements::insert_enrollment, statements::read_enrollment, row_kind::enrollment,
      [&](const row& r) { return enrollment_from(r, key); }, shared);
  must(!sandbox_machine::bills(e.what) || e.what.failed_attempts <= sandbox_retry_waits.size(),
       "what bills knows when it tries again");
  if (const auto due = sandbox_machine::due_by_its_clock(e.what)) format_millis(*due);
}

void drive_notification(const row& given) {
  const auto n = check_row(given, statements::insert_notification, statements::read_notification,
                           row_kind::notification, notification_from, shared);
  must(n.key == notification_key(n.provider, n.key.env, n.event_id), "a notification is named by its event");
  must(n.due_at.has_value() != n.settled_at.has_value(), "it waits, or is settled");
}

/// The settings are written to a file again, which must read the same.
void drive_file(std::string_view text) {
  std::istringstream in{std::string{text}};
  std::vector<config_entry> entries;
  try {
    entries = read_config(in);
  } catch (const config_error& error) {
    must(error.line >= 1 && error.line <= 1 + static_cast<std::size_t>(std::ranges::count(text, '\n')),
         "a mistake has a line");
    return;
  }
  std::ostringstream out;
  for (const auto& entry : entries) {
    must(!entry.name.empty() &&
             entry.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos,
         "a setting has a name");
    must(std::ranges::count(entries, entry.name, &config_entry::name) == 1, "a setting stands once");
    out << entry.name << " = ";
    if (const auto* flag = std::get_if<bool>(&entry.value)) out << (*flag ? "true" : "false");
    if (const auto* number = std::get_if<std::int64_t>(&entry.value)) out << *number;
    if (const auto* value = std::get_if<std::string>(&entry.value)) {
      out << '"';
      for (const char c : *value) (c == '"' || c == '\\' ? out << '\\' : out) << c;
      out << '"';
    }
    out << '\n';
  }
  std::istringstream again{out.str()};
  const auto same = read_config(again);
  must(std::ranges::equal(entries, same,
                          [](const auto& a, const auto& b) { return a.name == b.name && a.value == b.value; }),
       "a file reads the same");
}

void drive(char what, std::string_view text) {
  if (what == 'f') return drive_file(text);
  const auto given = row_of(text);
  switch (what) {
    case 'p': drive_payment(given); break;
    case 'c': drive_command(given); break;
    case 't': drive_timeline(given); break;
    case 'd': key_from(given, entity_kind::payment); break;
    case 'm':
      check_row(given, statements::insert_merchant, statements::read_merchant, row_kind::merchant, merchant_from,
                itself);
      break;
    case 'k': drive_key(given); break;
    case 'u': user_from(given); break;
    case 'w':
      check_row(given, statements::put_destination, statements::read_destinations_of, row_kind::destination,
                destination_from, itself);
      break;
    case 'l': drive_delivery(given); break;
    case 'b': backlog_from(given); break;
    case 'e': event_from(given); break;
    case 's': drive_subscription(given); break;
    case 'o': drive_enrollment(given); break;
    case 'i': drive_notification(given); break;
    case 'n':
      check_row(
          given, statements::put_connection, statements::read_connections_of, row_kind::connection,
          [](const row& r) {
            auto c = connection_from(r);
            return save_connection{std::move(c.merchant), std::move(c.link), std::move(c.id)};
          },
          itself);
      break;
    case 'v':
      check_row(given, statements::put_provider, statements::read_providers, row_kind::provider, provider_from, itself);
      break;
    case 'r':
      check_row(
          given, statements::put_route, statements::read_routes_of, row_kind::route,
          [](const row& r) {
            auto way = route_from(r);
            return save_route{std::move(way.merchant), std::move(way.way), std::move(way.id)};
          },
          itself);
      break;
    default: break;
  }
}

}  // namespace
}  // namespace gateway::fuzz

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* bytes, std::size_t size) {
  if (size == 0 || std::string_view{"fpctdmkunrwlbesov"}.find(static_cast<char>(bytes[0])) == std::string_view::npos)
    return -1;
  try {
    gateway::fuzz::drive(static_cast<char>(bytes[0]), {reinterpret_cast<const char*>(bytes + 1), size - 1});
  } catch (const gateway::persistence::corrupt_row&) {
    // A row may be refused in this way only: any other exception is a finding.
  }
  return 0;
}
