// The list as a CSV file (RFC 4180). It is streamed, because it may have millions of rows.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/shown_money.hpp"
#include "gateway/domain/text.hpp"
#include "handlers.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/codec/encode_payment.hpp"
#include "http/errors.hpp"
#include "http/html/page.hpp"
#include "http/html/shown_time.hpp"
#include "http/portal/member_page.hpp"
#include "payment_search.hpp"
#include "payments_query.hpp"

namespace gateway::http {
namespace {

// A chunk is limited in bytes, because texts may be long. How many rows the store reads for a chunk depends on how
// many the previous chunk had.
constexpr std::uint32_t least_rows_of_a_chunk = 2;
constexpr std::uint32_t most_rows_of_a_chunk = 128;
constexpr std::uint32_t rows_of_the_first_chunk = 50;
constexpr std::size_t bytes_of_a_chunk = 64 * 1024;
/// Only metadata names of the first chunk's payments have columns.
constexpr std::size_t most_metadata_columns = 20;
constexpr std::size_t most_column_name = 64;  ///< bytes; a longer name has no column
/// Spreadsheets recognise UTF-8 by the byte order mark.
constexpr std::string_view csv_head =
    "\xef\xbb\xbf"
    "payment_id,created_at,state,amount,currency,captured,refunded,provider,provider_ref,description,customer_name,"
    "customer_email,failure_code";

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

/// Spreadsheets execute a cell that begins with one of these signs as a formula, and a customer may have written it. A
/// text has several beginnings, because a spreadsheet that uses another separator, or no quotes, splits it.
void append_cell(std::string& out, std::string_view text, char end = ',') {
  out += '"';
  if (!text.empty() && is_one_of(text.front(), "\t\r")) out += '\'';
  bool begins = true;
  for (const char c : text) {
    if (begins && is_one_of(c, "=+-@")) out += '\'';
    begins = is_one_of(c, ",;|\t\r\n\"") || (begins && c == ' ');
    if (c == '"') out += '"';
    out += c;
  }
  out.append(1, '"').append(1, end);
}

using metadata_columns = std::vector<std::string>;

metadata_columns columns_of(const std::vector<payment_ptr>& payments) {
  metadata_columns names;
  for (const auto& each : payments)
    for (const auto& [name, value] : each->details.metadata) {
      if (names.size() == most_metadata_columns) return names;
      if (name.size() <= most_column_name && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  return names;
}

void append_head(std::string& out, const metadata_columns& names) {
  out.append(csv_head).append(1, ',');
  for (const auto& name : names) append_cell(out, "metadata " + name);
  append_cell(out, "other metadata", '\r');
  out += '\n';
}

/// One column for each name, and one for the rest, with `name: value` lines.
void append_metadata(std::string& out, const metadata_map& metadata, const metadata_columns& names) {
  const auto value_of = [&](const std::string& name) {
    const auto at = std::ranges::find(metadata, name, &metadata_map::value_type::first);
    return at == metadata.end() ? std::string_view{} : std::string_view{at->second};
  };
  for (const auto& name : names) append_cell(out, value_of(name));
  std::string rest;
  for (const auto& [name, value] : metadata) {
    if (std::ranges::find(names, name) != names.end()) continue;
    if (!rest.empty()) rest += '\n';
    rest.append(name).append(": ").append(value);
  }
  append_cell(out, rest, '\r');
}

void append_row(std::string& out, const payment& each, const metadata_columns& names) {
  const auto decimal = [&](std::int64_t minor) { return decimal_text({minor, each.amount.unit}); };
  const bool shows = !each.hides_provider;
  append_cell(out, each.key.id);
  append_cell(out, format_millis(each.created_at));
  append_cell(out, to_string(each.state));
  append_cell(out, decimal(each.amount.minor));
  append_cell(out, each.amount.unit.code());
  append_cell(out, decimal(each.captured));
  append_cell(out, decimal(each.refunded));
  append_cell(out, shows ? traits_of(each.provider).display_name : std::string_view{});
  append_cell(out, shows ? each.provider_ref : std::string{});
  append_cell(out, each.details.description);
  append_cell(out, each.details.customer_name);
  append_cell(out, each.details.customer_email);
  append_cell(out, each.error ? (shows ? *each.error : neutral_error(*each.error)).code : std::string{});
  append_metadata(out, each.details.metadata, names);
  out += '\n';
}

/// The state of one file. Its connection requests the chunks one after another.
struct csv_file {
  worker& here;
  find_payments next;
  metadata_columns names{};
  bool has_head = false;
  bool at_end = false;
};

boost::asio::awaitable<std::optional<std::string>> next_rows(std::shared_ptr<csv_file> file) {
  if (file->at_end) co_return std::nullopt;
  auto query = file->next;
  auto asking = ask(file->here, std::move(query));
  const auto found = co_await std::move(asking);
  // A partial file must not look complete.
  if (!found) throw std::runtime_error("the store did not answer while a list was sent");
  std::string out;
  if (!std::exchange(file->has_head, true)) {
    file->names = columns_of(found->payments);
    append_head(out, file->names);
  }
  for (const auto& each : found->payments) append_row(out, *each, file->names);
  // Empty if the remaining payments have left the filtered state since the last chunk.
  file->at_end = !found->more || found->payments.empty();
  if (file->at_end) co_return out;
  file->next.before = position_of(*found->payments.back());
  file->next.limit =
      std::clamp(2 * static_cast<std::uint32_t>(found->payments.size()), least_rows_of_a_chunk, most_rows_of_a_chunk);
  co_return out;
}

/// Keeps ASCII letters and digits, in lower case, and replaces everything between them by a hyphen.
std::string name_for_file(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string made;
  for (const char c : text) {
    if (made.size() == most) break;
    if (is_letter(c) || is_digit(c))
      made += to_lower(c);
    else if (!made.empty() && made.back() != '-')
      made += '-';
  }
  while (!made.empty() && made.back() == '-') made.pop_back();
  return made;
}

/// `payments-lantern-books-live-2026-11-01-to-2026-11-24.csv`. A missing first day is left out; a missing last day is
/// today.
std::string file_name(const call& c, const payments_query& wanted) {
  const auto& who = *c.visit->who;
  auto merchant = name_for_file(who.name);
  if (merchant.empty()) merchant = name_for_file(who.id.value);
  auto last = wanted.until.value;
  if (last.empty()) last = day_name(c.here.shared.clock.now(), c.visit->person.who.time_zone);
  std::string name = "payments-" + merchant + '-';
  name.append(to_string(c.visit->env)).append(1, '-');
  if (!wanted.from.value.empty()) name.append(wanted.from.value).append("-");
  return name.append("to-").append(last).append(".csv");
}

response csv_response(const std::string& name) {
  response out;
  out.content_type = "text/csv; charset=utf-8";
  out.headers.emplace_back("Content-Disposition", "attachment; filename=\"" + name + '"');
  out.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return out;
}

}  // namespace

boost::asio::awaitable<response> show_payments_csv(call& c) {
  auto wanted = read_payments_query(c);
  // A file cannot show a message, so an unknown state is refused here.
  if (wanted.is_faulty() || wanted.has_unknown_state()) co_return error_page(page_error::malformed_form);
  auto out = csv_response(file_name(c, wanted));
  if (!wanted.q.empty()) {
    auto searching = search_payments(c, std::move(wanted.q), std::move(wanted.filter));
    const auto found = co_await std::move(searching);
    if (!found) co_return error_page(page_error::busy);
    const auto names = columns_of(found->payments);
    append_head(out.body, names);
    for (const auto& each : found->payments) append_row(out.body, *each, names);
    co_return out;
  }
  wanted.filter.limit = rows_of_the_first_chunk;
  wanted.filter.most_bytes = bytes_of_a_chunk;
  auto file = std::make_shared<csv_file>(csv_file{c.here, std::move(wanted.filter)});
  out.next_chunk = [file = std::move(file)] { return next_rows(file); };
  co_return out;
}

}  // namespace gateway::http
