#include "recovery.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "decode_payments.hpp"
#include "gateway/domain/provider_kind.hpp"
#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/call/reply.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::size_t longest_recovery_cursor = 256;
constexpr std::uint32_t payments_of_part = 16;
/// A part ends after this time, because gatewayctl waits 30 s for an answer.
constexpr std::chrono::seconds time_of_part{8};
/// An operation that began before the backup may have been committed after it.
constexpr std::chrono::minutes overlap_of_ledger{10};
/// Longer than any line of the sandbox's ledger.
constexpr std::size_t ledger_part_bytes = 128 * 1024;

// ---- begin and finish ------------------------------------------------------------------------------

struct recovery_start {
  time_point from{};
};

decoded<recovery_start> decode_recovery_start(std::string_view body, std::size_t json_depth, time_point now) {
  return decode_with<recovery_start>(body, json_depth, [now](field_reader& fields, recovery_start& wanted) {
    const auto from = read_time(fields, "from");
    if (!from) fields.reject("from", "is required: a time, as 2026-11-20T09:30:00Z");
    if (from && *from > now)
      fields.reject("from", "must be the time at which the database was copied, and not in the future");
    wanted.from = from.value_or(time_point{});
  });
}

bool keeps_events(const services& shared, provider_kind kind) {
  const auto* adapter = shared.adapters ? (*shared.adapters)[static_cast<std::size_t>(kind)].get() : nullptr;
  return traits_of(kind).sandbox || (adapter && adapter->lists_events());
}

void append_provider(std::string& list, provider_kind kind, environment env) {
  if (list.size() > 1) list += ',';
  json_object each{list};
  each.text("provider", to_string(kind));
  each.text("mode", to_string(env));
}

struct recovery_end {
  time_point from{};
  std::int64_t refreshed = 0, changed = 0, unanswered = 0, unknown = 0;
};

decoded<recovery_end> decode_recovery_end(std::string_view body, std::size_t json_depth) {
  return decode_with<recovery_end>(body, json_depth, [](field_reader& fields, recovery_end& wanted) {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    wanted.from = read_time(fields, "from").value_or(time_point{});
    wanted.refreshed = fields.integer("refreshed", 0, most).value_or(0);
    wanted.changed = fields.integer("changed", 0, most).value_or(0);
    wanted.unanswered = fields.integer("unanswered", 0, most).value_or(0);
    wanted.unknown = fields.integer("unknown", 0, most).value_or(0);
  });
}

std::string counts_of(const recovery_end& end) {
  std::string out;
  {
    json_object body{out};
    body.text("from", format_millis(end.from));
    body.number("refreshed", end.refreshed);
    body.number("changed", end.changed);
    body.number("unanswered", end.unanswered);
    body.number("unknown", end.unknown);
  }
  return out;
}

// ---- payments --------------------------------------------------------------------------------------

/// A part of the payments: those in one state by age, or those with an unknown outcome by key.
struct recovered_part {
  std::optional<payment_state> state;  ///< nullopt: those with an unknown outcome
  std::string after;
};

decoded<recovered_part> decode_recovered_part(std::string_view body, std::size_t json_depth) {
  return decode_with<recovered_part>(body, json_depth, [](field_reader& fields, recovered_part& wanted) {
    const auto state = fields.text("state", most_operator_id);
    wanted.state = parse_payment_state(state);
    if (!state.empty() && !wanted.state) fields.reject("state", "is not a state of payments");
    wanted.after = fields.text("after", longest_recovery_cursor);
    if (wanted.state && !wanted.after.empty() && !parse_list_cursor(wanted.after))
      fields.reject("after", "must be `next` of the part before");
  });
}

struct payments_to_ask {
  std::vector<payment_ptr> payments;
  bool has_more = false;
};

std::string place_of(const payment_ptr& p) {
  return std::string{p->key.merchant.value}.append("/").append(to_string(p->key.env)).append("/").append(p->key.id);
}

/// Where the next part begins: after this payment.
std::string cursor_behind(const payment_ptr& p, bool by_state) {
  return by_state ? list_cursor({p->key.merchant, p->key.env, {p->created_at, p->key.id}}) : place_of(p);
}

boost::asio::awaitable<caf::expected<payments_to_ask>> read_by_state(call& c, recovered_part part) {
  find_payments_of_merchants query{{}, {}, part.state};
  query.after = parse_list_cursor(part.after);
  query.limit = payments_of_part;
  auto op = ask(c.here, std::move(query));
  auto found = co_await std::move(op);
  if (!found) co_return found.error();
  const bool has_more = found->next.has_value();
  // A page may be empty although more follow: continue after it.
  if (has_more && found->payments.empty()) {
    part.after = list_cursor(*found->next);
    auto next = read_by_state(c, std::move(part));
    co_return co_await std::move(next);
  }
  co_return payments_to_ask{std::move(found->payments), has_more};
}

boost::asio::awaitable<caf::expected<payments_to_ask>> read_unknown(call& c, recovered_part part) {
  auto op = ask(c.here, find_unknown_payments{});
  auto found = co_await std::move(op);
  if (!found) co_return found.error();
  auto& all = found->payments;
  std::erase_if(all, [&](const payment_ptr& p) { return place_of(p) <= part.after; });
  std::ranges::sort(all, {}, place_of);
  const bool has_more = all.size() > payments_of_part;
  if (has_more) all.resize(payments_of_part);
  co_return payments_to_ask{std::move(all), has_more};
}

/// The result of asking the provider about one payment.
struct asked_payment {
  bool changed = false;
  std::string failure{};  ///< in words; empty: the provider answered
};

/// Compares what a merchant sees. Versions do not count, because asking alone raises a row's version.
bool differs(const payment& a, const payment& b) {
  return a.state != b.state || a.captured != b.captured || a.refunded != b.refunded ||
         a.records.disputes.size() != b.records.disputes.size() || a.open.has_value() != b.open.has_value();
}

boost::asio::awaitable<asked_payment> ask_about(call& c, payment_ptr before) {
  entity_request question{before->key, std::nullopt, payment_command{ask_provider{}}};
  auto op = ask(c, std::move(question));
  const auto reply = co_await std::move(op);
  if (!reply) co_return asked_payment{false, std::string{row_of(code_of(reply.error())).message}};
  if (const auto* why = std::get_if<problem>(&reply->what))
    co_return asked_payment{false, std::string{row_of(code_of(*why)).message}};
  const auto* row = std::get_if<entity_row>(&reply->what);
  const auto* after = row ? std::get_if<payment_ptr>(row) : nullptr;
  co_return asked_payment{after && differs(**after, *before)};
}

void append_unanswered(std::string& list, const payment& about, std::string_view why) {
  if (list.size() > 1) list += ',';
  json_object one{list};
  one.text("payment_id", about.key.id);
  one.text("merchant_id", about.key.merchant.value);
  one.text("mode", to_string(about.key.env));
  one.text("message", why);
}

// ---- the sandbox's ledger --------------------------------------------------------------------------

struct ledger_place {
  std::string from;
  std::int64_t offset = 0;
};

decoded<ledger_place> decode_ledger_place(std::string_view body, std::size_t json_depth) {
  return decode_with<ledger_place>(body, json_depth, [](field_reader& fields, ledger_place& wanted) {
    wanted.from = format_millis(read_time(fields, "from").value_or(time_point{overlap_of_ledger}) - overlap_of_ledger);
    wanted.offset = fields.integer("offset", 0, std::int64_t{1} << 53).value_or(0);
  });
}

struct ledger_part {
  std::vector<entity_key> payments;  ///< each once
  std::int64_t next = 0;             ///< 0: this was the last part
};

std::string text_in(const simdjson::dom::object& object, std::string_view name) {
  std::string_view found;
  return object.at_key(name).get(found) == simdjson::SUCCESS ? std::string{found} : std::string{};
}

/// The payments in a part of the file, from lines whose operation began at `from` or later.
ledger_part read_ledger_part(const std::filesystem::path& file, const ledger_place& place, std::size_t json_depth) {
  ledger_part part;
  std::ifstream in{file, std::ios::binary};
  if (!in.seekg(place.offset)) return part;
  std::string bytes(ledger_part_bytes, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  const auto end = bytes.rfind('\n');
  if (end == bytes.npos) return part;
  if (bytes.size() == ledger_part_bytes) part.next = place.offset + static_cast<std::int64_t>(end) + 1;
  std::set<std::string> seen;
  for (std::string_view left = std::string_view{bytes}.substr(0, end); !left.empty();) {
    const auto line = cut_before(left, '\n');
    const auto parsed = parse_object(line, json_depth);
    const auto* object = std::get_if<simdjson::dom::object>(&parsed);
    if (!object || text_in(*object, "begun_at") < place.from) continue;
    const auto id = text_in(*object, "payment_id"), merchant = text_in(*object, "merchant");
    const auto env = parse_environment(text_in(*object, "environment"));
    if (id.empty() || merchant.empty() || !env || !seen.insert(merchant + '/' + id).second) continue;
    part.payments.push_back(payment_key(merchant_id{merchant}, *env, payment_id{id}));
  }
  return part;
}

}  // namespace

boost::asio::awaitable<response> begin_recovery(call& c) {
  const auto& shared = c.here.shared;
  const auto body = decode_recovery_start(c.in.body, shared.config.http.json_depth, shared.clock.now());
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto note = note_of_operator(c, "begin recovery", format_millis(std::get<recovery_start>(body).from));
  auto noting = commit_note(c, std::move(note));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  std::string lists = "[", others = "[";
  for (const auto& row : provider_catalogue)
    for (const auto env : {environment::test, environment::live}) {
      const bool is_there = shared.providers && shared.providers->state_of(row.kind, env) != provider_state::absent;
      if (is_there) append_provider(keeps_events(shared, row.kind) ? lists : others, row.kind, env);
    }
  std::string out;
  {
    json_object answer{out};
    answer.boolean("required", shared.gate->is_closed());
    answer.member("lists") += lists + ']';
    answer.member("without_list") += others + ']';
  }
  co_return answer_with(std::move(out));
}

boost::asio::awaitable<response> recover_payments(call& c) {
  auto body = decode_recovered_part(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& part = std::get<recovered_part>(body);
  const bool by_state = part.state.has_value();
  auto reading = by_state ? read_by_state(c, std::move(part)) : read_unknown(c, std::move(part));
  const auto found = co_await std::move(reading);
  if (!found) co_return error_response(code_of(found.error()));
  const auto& all = found->payments;
  const auto until = std::chrono::steady_clock::now() + time_of_part;
  std::size_t asked = 0;
  std::int64_t changed = 0;
  std::string unanswered = "[";
  while (asked < all.size() && (asked == 0 || std::chrono::steady_clock::now() < until)) {
    const auto& each = all[asked++];
    auto asking = ask_about(c, each);
    const auto about = co_await std::move(asking);
    if (about.changed) ++changed;
    if (!about.failure.empty()) append_unanswered(unanswered, *each, about.failure);
  }
  std::string out;
  {
    json_object answer{out};
    answer.number("refreshed", static_cast<std::int64_t>(asked));
    answer.number("changed", changed);
    answer.member("unanswered") += unanswered + ']';
    if (asked < all.size() || found->has_more) answer.text("next", cursor_behind(all[asked - 1], by_state));
  }
  co_return answer_with(std::move(out));
}

boost::asio::awaitable<response> compare_sandbox_ledger(call& c) {
  const auto& config = c.here.shared.config;
  const auto body = decode_ledger_place(c.in.body, config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  ledger_part part;
  if (!config.sandbox_ledger.empty())
    part = read_ledger_part(config.sandbox_ledger, std::get<ledger_place>(body), config.http.json_depth);
  std::string missing = "[";
  for (const auto& key : part.payments) {
    auto looking = ask(c.here, find_entity{key});
    const auto seen = co_await std::move(looking);
    if (!seen) co_return error_response(code_of(seen.error()));
    if (seen->found) continue;
    if (missing.size() > 1) missing += ',';
    json_object one{missing};
    one.text("payment_id", key.id);
    one.text("merchant_id", key.merchant.value);
    one.text("mode", to_string(key.env));
  }
  std::string out;
  {
    json_object answer{out};
    answer.member("missing") += missing + ']';
    if (part.next > 0) answer.number("next", part.next);
  }
  co_return answer_with(std::move(out));
}

boost::asio::awaitable<response> finish_recovery(call& c) {
  const auto body = decode_recovery_end(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& end = std::get<recovery_end>(body);
  accept_database wanted{note_of_operator(c, "accept database", format_millis(end.from))};
  wanted.note.after = counts_of(end);
  auto op = ask(c.here, std::move(wanted));
  const auto outcome = co_await std::move(op);
  if (!outcome) co_return error_response(code_of(outcome.error()));
  if (*outcome == commit_outcome::rejected) co_return error_response(error_code::overloaded, "Repeat the command.");
  if (*outcome != commit_outcome::committed)
    co_return error_response(error_code::store_unavailable,
                             "The database did not confirm the recovery: repeat the command.");
  co_return answer_with(R"({"recovered":true})");
}

}  // namespace gateway::http
