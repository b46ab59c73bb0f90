#include "merchants.hpp"

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "encode_merchants.hpp"
#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::int64_t most_listed_merchants = 100, usual_merchants = 50;
constexpr std::size_t most_searched = 255, longest_merchant_cursor = 128;
/// Limits the time of a search with few matches among very many merchants.
constexpr int most_merchant_questions = 100;

/// `ms/merchant`.
std::string merchant_cursor(const merchant_position& behind) {
  return std::to_string(to_unix_ms(behind.created_at)).append("/").append(behind.merchant.value);
}

std::optional<merchant_position> parse_merchant_cursor(std::string_view text) {
  const auto at = parse_whole(cut_before(text, '/'), 0, std::numeric_limits<std::int64_t>::max());
  if (!at || text.empty()) return std::nullopt;
  return merchant_position{from_unix_ms(*at), merchant_id{std::string{text}}};
}

decoded<find_merchants> decode_list_merchants(std::string_view body, std::size_t json_depth) {
  return decode_with<find_merchants>(body, json_depth, [](field_reader& fields, find_merchants& query) {
    query.search = fields.text("search", most_searched);
    query.limit =
        static_cast<std::uint32_t>(fields.integer("limit", 1, most_listed_merchants).value_or(usual_merchants));
    const auto after = fields.text("after", longest_merchant_cursor);
    query.after = parse_merchant_cursor(after);
    if (!after.empty() && !query.after) fields.reject("after", "must be the `next` of a list");
  });
}

decoded<merchant_id> decode_merchant(std::string_view body, std::size_t json_depth) {
  return decode_with<merchant_id>(body, json_depth,
                                  [](field_reader& fields, merchant_id& id) { id = read_named_merchant(fields); });
}

decoded<named_owner> decode_owner_of_keys(std::string_view body, std::size_t json_depth) {
  return decode_with<named_owner>(body, json_depth, [](field_reader& fields, named_owner& owner) {
    owner = read_owner(fields);
    if (owner.id.empty()) fields.reject("merchant_id", "is missing");
  });
}

using found_entry = std::variant<directory_lookup, response>;

/// The whole stored entry of a merchant or a platform.
boost::asio::awaitable<found_entry> entry_of(call& c, named_owner whose) {
  const bool is_merchant = whose.kind == destination_kind::merchant;
  find_directory query;
  query.of.push_back({is_merchant ? directory_name::kind::merchant : directory_name::kind::platform, whose.id});
  auto op = ask(c.here, std::move(query));
  auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  if (is_merchant ? found->merchants.empty() : found->platforms.empty())
    co_return error_response(no_such(is_merchant ? "merchant" : "platform", whose.id));
  co_return std::move(*found);
}

using write_entry = std::string (*)(const directory_lookup&);

boost::asio::awaitable<response> show_entry(call& c, decoded<named_owner> body, write_entry encode) {
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto reading = entry_of(c, std::get<named_owner>(std::move(body)));
  auto found = co_await std::move(reading);
  if (auto* failed = std::get_if<response>(&found)) co_return std::move(*failed);
  co_return answer_with(encode(std::get<directory_lookup>(found)));
}

boost::asio::awaitable<response> show_entry_of_merchant(call& c, write_entry encode) {
  auto body = decode_merchant(c.in.body, c.here.shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) return show_entry(c, std::move(*wrong), encode);
  return show_entry(c, named_owner{destination_kind::merchant, std::get<merchant_id>(body).value}, encode);
}

}  // namespace

boost::asio::awaitable<response> list_merchants(call& c) {
  auto body = decode_list_merchants(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto query = std::get<find_merchants>(std::move(body));
  const auto limit = query.limit;
  std::vector<save_merchant> all;
  // One row more than a page holds shows whether there is a next page.
  for (int asked = 0; asked < most_merchant_questions; ++asked) {
    query.limit = limit + 1 - static_cast<std::uint32_t>(all.size());
    auto part = query;
    auto op = ask(c.here, std::move(part));
    const auto found = co_await std::move(op);
    if (!found) co_return error_response(code_of(found.error()));
    all.insert(all.end(), found->merchants.begin(), found->merchants.end());
    query.after = found->next;
    if (!query.after || all.size() > limit) break;
  }
  auto next = query.after;
  if (all.size() > limit) {
    all.resize(limit);
    next = merchant_position{all.back().created_at, all.back().id};
  }
  co_return answer_with(encode_merchants(all, next ? merchant_cursor(*next) : std::string{}));
}

boost::asio::awaitable<response> show_merchant(call& c) { return show_entry_of_merchant(c, encode_merchant_entry); }
boost::asio::awaitable<response> list_routes(call& c) { return show_entry_of_merchant(c, encode_routes); }
boost::asio::awaitable<response> list_connections(call& c) { return show_entry_of_merchant(c, encode_connections); }
boost::asio::awaitable<response> list_users(call& c) { return show_entry_of_merchant(c, encode_users); }

boost::asio::awaitable<response> list_keys(call& c) {
  return show_entry(c, decode_owner_of_keys(c.in.body, c.here.shared.config.http.json_depth), encode_keys);
}

}  // namespace gateway::http
