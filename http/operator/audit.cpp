#include "audit.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gateway/base/crypto.hpp"
#include "gateway/domain/text.hpp"
#include "gateway/ports/store/audit_check.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/call/reply.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::int64_t most_audit_entries = 1'000;
constexpr std::int64_t usual_audit_entries = 100;
constexpr std::int64_t most_audit_number = (std::int64_t{1} << 53) - 1;
constexpr std::size_t hash_digits = 64;
/// The most entries of a chain that one request verifies.
constexpr std::uint32_t entries_of_part = 512;
/// Sorts after every entry's id.
constexpr std::string_view after_every_id = "~";

// ---- the list --------------------------------------------------------------------------------------

std::string audit_cursor(const save_audit& last) {
  return crypto::base64url(std::to_string(to_unix_ms(last.at)).append(1, '.').append(last.id));
}

std::optional<find_audit_entries::position> parse_audit_cursor(std::string_view cursor) {
  const auto text = crypto::from_base64url(cursor);
  if (!text) return std::nullopt;
  const auto dot = text->find('.');
  if (dot == text->npos) return std::nullopt;
  const auto ms = parse_whole(std::string_view{*text}.substr(0, dot), 0, most_audit_number);
  if (!ms) return std::nullopt;
  return find_audit_entries::position{from_unix_ms(*ms), text->substr(dot + 1)};
}

decoded<find_audit_entries> decode_list_audit(std::string_view body, std::size_t json_depth) {
  constexpr std::size_t most_cursor = 256;
  return decode_with<find_audit_entries>(body, json_depth, [](field_reader& fields, find_audit_entries& query) {
    query.merchant = merchant_id{fields.text("merchant_id", most_operator_id)};
    query.from = read_time(fields, "from");
    query.until = read_time(fields, "to");
    query.oldest_first = fields.boolean("oldest_first", false);
    query.limit =
        static_cast<std::uint32_t>(fields.integer("limit", 1, most_audit_entries).value_or(usual_audit_entries));
    const auto after = fields.text("after", most_cursor);
    if (after.empty()) return;
    query.after = parse_audit_cursor(after);
    if (!query.after) fields.reject("after", "must be `next` of the page before");
  });
}

std::string_view kind_of_actor(std::string_view user) {
  if (user.starts_with("operator")) return "operator";
  if (user.starts_with("plat_")) return "platform";
  return user == gateway_on_audit_log ? "gateway" : "person";
}

std::string_view name_of_actor(const audit_entry& entry) {
  const std::string_view user{entry.what.user.value};
  if (user.starts_with(operator_on_audit_log)) return user.substr(operator_on_audit_log.size());
  return entry.email.empty() ? user : std::string_view{entry.email};
}

void write_text_or_null(json_object& into, std::string_view name, std::string_view text) {
  if (text.empty())
    into.member(name) += "null";
  else
    into.text(name, text);
}

/// Writes the stored object unchanged. Text that is not a JSON object, because the row was altered, is written as a
/// string.
void write_state(json_object& into, std::string_view name, const std::string& state, std::size_t json_depth) {
  const auto parsed = state.empty() ? decoded<simdjson::dom::object>{rejection{}} : parse_object(state, json_depth);
  if (std::holds_alternative<simdjson::dom::object>(parsed))
    into.member(name) += state;
  else
    write_text_or_null(into, name, state);
}

void write_entry(json_object& into, const audit_entry& entry, std::size_t json_depth) {
  const auto& what = entry.what;
  into.text("audit_id", what.id);
  into.text("occurred_at", format_millis(what.at));
  into.text("actor", name_of_actor(entry));
  into.text("actor_kind", kind_of_actor(what.user.value));
  into.text("actor_id", what.user.value);
  into.text("address", what.address);
  into.text("action", what.action);
  write_text_or_null(into, "subject", what.subject);
  write_text_or_null(into, "merchant_id", what.merchant.value);
  write_text_or_null(into, "mode", what.env ? to_string(*what.env) : std::string_view{});
  write_state(into, "before", what.before, json_depth);
  write_state(into, "after", what.after, json_depth);
  into.boolean("linked", entry.link.has_value());
  if (!entry.link) {
    for (const auto* name : {"chain", "number", "previous_hash", "hash", "details_salt", "details_hash"})
      into.member(name) += "null";
    return;
  }
  into.number("chain", entry.link->chain);
  into.number("number", entry.link->number);
  write_text_or_null(into, "previous_hash", entry.link->previous_hash);
  into.text("hash", entry.link->hash);
  write_text_or_null(into, "details_salt", entry.link->details_salt);
  into.text("details_hash", entry.link->details_hash);
}

/// `entries` may have one more than `limit`: then there is a next page.
std::string encode_audit_entries(std::vector<audit_entry> entries, std::uint32_t limit, std::size_t json_depth) {
  const bool has_more = entries.size() > limit;
  if (has_more) entries.resize(limit);
  std::string out;
  {
    json_object body{out};
    auto& list = body.member("entries");
    list += '[';
    bool first = true;
    for (const auto& entry : entries) {
      if (!std::exchange(first, false)) list += ',';
      json_object each{list};
      write_entry(each, entry, json_depth);
    }
    list += ']';
    if (has_more) body.text("next", audit_cursor(entries.back().what));
  }
  return out;
}

// ---- the check -------------------------------------------------------------------------------------

struct audit_check_request {
  find_audit_chain part;
  audit_progress progress;
};

decoded<audit_check_request> decode_verify_audit(std::string_view body, std::size_t json_depth) {
  return decode_with<audit_check_request>(body, json_depth, [](field_reader& fields, audit_check_request& wanted) {
    wanted.part.chain = fields.integer("chain", 0, most_audit_number);
    wanted.progress.number = fields.integer("number", 0, most_audit_number).value_or(0);
    wanted.progress.id = fields.text("id", most_operator_id);
    wanted.progress.hash = fields.text("hash", hash_digits);
    if (!wanted.part.chain && wanted.progress.number != 0) fields.reject("number", "goes with chain");
    wanted.part.after = wanted.progress.number;
    wanted.part.after_id = wanted.progress.id;
    wanted.part.limit = entries_of_part;
  });
}

void write_findings(json_object& body, const std::vector<audit_finding>& found) {
  auto& list = body.member("problems");
  list += '[';
  bool first = true;
  for (const auto& each : found) {
    if (!std::exchange(first, false)) list += ',';
    json_object one{list};
    one.text("problem", to_string(each.fault));
    one.number("chain", each.chain);
    one.number("number", each.number);
    write_text_or_null(one, "audit_id", each.id);
    one.text("message", each.words);
  }
  list += ']';
}

void write_next(json_object& body, std::int64_t chain, const audit_progress& progress) {
  json_object next{body.member("next")};
  next.number("chain", chain);
  next.number("number", progress.number);
  next.text("id", progress.id);
  next.text("hash", progress.hash);
}

bool is_erased(const audit_entry& entry) { return entry.link && entry.link->details_salt.empty(); }

std::string encode_audit_check(const audit_chain_lookup& part, const audit_progress& progress, bool is_last,
                               const std::vector<audit_finding>& found, std::int64_t unlinked) {
  std::string out;
  {
    json_object body{out};
    body.boolean("ok", found.empty());
    body.number("entries", static_cast<std::int64_t>(part.entries.size()));
    body.number("erased", std::ranges::count_if(part.entries, is_erased));
    body.number("unlinked", unlinked);
    write_findings(body, found);
    if (part.chain && is_last && part.head) {
      json_object head{body.member("head")};
      head.number("chain", part.head->chain);
      head.number("number", part.head->number);
      head.text("hash", part.head->hash);
      if (part.head->purged_to > 0) head.number("purged_to", part.head->purged_to);
    }
    if (part.chain && !is_last)
      write_next(body, *part.chain, progress);
    else if (part.next)
      write_next(body, *part.next, {});
  }
  return out;
}

struct named_audit_head {
  std::int64_t chain = 0, number = 0;
  std::string hash;
};

decoded<named_audit_head> decode_audit_head(std::string_view body, std::size_t json_depth) {
  return decode_with<named_audit_head>(body, json_depth, [](field_reader& fields, named_audit_head& wanted) {
    wanted.chain = fields.integer("chain", 0, most_audit_number).value_or(0);
    wanted.number = fields.integer("number", 1, most_audit_number).value_or(0);
    if (wanted.number == 0) fields.reject("number", "is required");
    wanted.hash = fields.required_text("hash", hash_digits);
  });
}

}  // namespace

boost::asio::awaitable<response> list_audit(call& c) {
  const auto json_depth = c.here.shared.config.http.json_depth;
  auto body = decode_list_audit(c.in.body, json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& query = std::get<find_audit_entries>(body);
  const auto limit = query.limit++;
  auto op = ask(c.here, std::move(query));
  auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_audit_entries(std::move(found->entries), limit, json_depth));
}

boost::asio::awaitable<response> verify_audit(call& c) {
  auto body = decode_verify_audit(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& wanted = std::get<audit_check_request>(body);
  const bool is_first = !wanted.part.chain;
  auto op = ask(c.here, std::move(wanted.part));
  const auto part = co_await std::move(op);
  if (!part) co_return error_response(code_of(part.error()));
  const bool is_last = part->entries.size() < entries_of_part;
  auto progress = std::move(wanted.progress);
  auto found = check_audit_part(progress, *part, is_last);
  std::int64_t unlinked = 0;
  if (is_first) {
    auto counting = ask(c.here, find_audit_heads{true});
    const auto heads = co_await std::move(counting);
    if (!heads) co_return error_response(code_of(heads.error()));
    unlinked = heads->unlinked;
    if (!heads->late_unlinked_id.empty())
      found.push_back({audit_fault::added, 0, 0, heads->late_unlinked_id,
                       "this version of the gateway does not write entries without a hash"});
  }
  co_return answer_with(encode_audit_check(*part, progress, is_last, found, unlinked));
}

boost::asio::awaitable<response> compare_audit_head(call& c) {
  auto body = decode_audit_head(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& wanted = std::get<named_audit_head>(body);
  find_audit_chain one;
  one.chain = wanted.chain;
  one.after = wanted.number - 1;
  one.after_id = after_every_id;
  one.limit = 1;
  auto op = ask(c.here, std::move(one));
  const auto part = co_await std::move(op);
  if (!part) co_return error_response(code_of(part.error()));
  std::vector<audit_finding> found;
  const auto& entries = part->entries;
  const bool is_purged = part->head && wanted.number <= part->head->purged_to;
  if (!is_purged && (entries.empty() || entries.front().link->number != wanted.number))
    found.push_back({audit_fault::missing,
                     wanted.chain,
                     wanted.number,
                     {},
                     "the entry that the process log names cannot be found"});
  else if (!is_purged && entries.front().link->hash != wanted.hash)
    found.push_back({audit_fault::changed, wanted.chain, wanted.number, entries.front().what.id,
                     "the entry is not the one that the process log names"});
  else if (is_purged && wanted.number == part->head->purged_to && wanted.hash != part->head->purged_hash)
    found.push_back({audit_fault::changed,
                     wanted.chain,
                     wanted.number,
                     {},
                     "the last purged entry is not the one that the process log names"});
  std::string out;
  {
    json_object answer{out};
    answer.boolean("ok", found.empty());
    write_findings(answer, found);
  }
  co_return answer_with(std::move(out));
}

}  // namespace gateway::http
