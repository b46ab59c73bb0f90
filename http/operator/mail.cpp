#include "mail.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gateway/domain/text.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/json_writer.hpp"
#include "http/errors.hpp"
#include "read_fields.hpp"

namespace gateway::http {
namespace {

constexpr std::int64_t most_listed_mails = 100, usual_mails = 50;
constexpr std::size_t longest_mail_cursor = 128;
/// A retried notice stays valid at least this long.
constexpr duration_ms retried_for = std::chrono::hours{24};

decoded<find_mail> decode_list_mail(std::string_view body, std::size_t json_depth) {
  return decode_with<find_mail>(body, json_depth, [](field_reader& fields, find_mail& query) {
    const auto status = fields.text("status", most_operator_id);
    query.status = parse_mail_status(status);
    if (!status.empty() && !query.status) fields.reject("status", "must be pending, sent or failed");
    query.limit = static_cast<std::uint32_t>(fields.integer("limit", 1, most_listed_mails).value_or(usual_mails));
    const auto after = fields.text("after", longest_mail_cursor);
    std::string_view rest{after};
    const auto at = parse_whole(cut_before(rest, '/'), 0, std::numeric_limits<std::int64_t>::max());
    if (after.empty()) return;
    if (!at || rest.empty()) return fields.reject("after", "must be the `next` of a list");
    query.before = from_unix_ms(*at);
    query.before_id = rest;
  });
}

decoded<std::string> decode_retry_mail(std::string_view body, std::size_t json_depth) {
  return decode_with<std::string>(body, json_depth, [](field_reader& fields, std::string& id) {
    id = fields.required_text("mail_id", most_operator_id);
  });
}

void mail_time(json_object& into, std::string_view name, const std::optional<time_point>& at) {
  if (at)
    into.text(name, format_millis(*at));
  else
    into.member(name) += "null";
}

void append_mail(std::string& out, const queued_mail& mail) {
  json_object object{out};
  const bool is_pending = mail.status == mail_status::pending;
  object.text("mail_id", mail.id);
  object.text("kind", to_string(mail.kind));
  object.text("to", mail.to);
  object.text("status", to_string(mail.status));
  object.number("attempts", mail.attempts);
  object.text("created_at", format_millis(mail.created_at));
  mail_time(object, "next_attempt_at", is_pending ? std::optional{mail.due_at} : std::nullopt);
  mail_time(object, "ended_at", mail.ended_at);
  object.text("last_error", mail.last_error);
}

std::string encode_mails(const std::vector<queued_mail>& mails, bool has_more) {
  std::string out;
  {
    json_object body{out};
    auto& list = body.member("mails");
    list += '[';
    for (std::size_t i = 0; i < mails.size(); ++i) {
      if (i > 0) list += ',';
      append_mail(list, mails[i]);
    }
    list += ']';
    if (has_more)
      body.text("next", std::to_string(to_unix_ms(mails.back().created_at)) + '/' + mails.back().id);
    else
      body.member("next") += "null";
  }
  return out;
}

std::string encode_retried(const queued_mail& mail) {
  std::string out;
  {
    json_object body{out};
    body.text("mail_id", mail.id);
    body.text("status", to_string(mail_status::pending));
  }
  return out;
}

response cannot_retry(const queued_mail& mail, time_point now) {
  if (mail.status == mail_status::sent) return error_response(error_code::conflict, "This mail was sent.");
  if (holds_link(mail.kind) && mail.expires_at <= now)
    return error_response(error_code::conflict, "The link in this mail has expired. Make a new one.");
  return error_response(error_code::conflict, "What this mail says is deleted.");
}

}  // namespace

boost::asio::awaitable<response> list_mail(call& c) {
  auto body = decode_list_mail(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& query = std::get<find_mail>(body);
  const auto limit = query.limit++;  // the additional row shows whether there is a next page
  auto asking = ask(c.here, std::move(query));
  auto found = co_await std::move(asking);
  if (!found) co_return error_response(code_of(found.error()));
  auto& mails = found->mails;
  const bool has_more = mails.size() > limit;
  if (has_more) mails.resize(limit);
  co_return answer_with(encode_mails(mails, has_more));
}

boost::asio::awaitable<response> retry_a_mail(call& c) {
  auto body = decode_retry_mail(c.in.body, c.here.shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& shared = c.here.shared;
  if (!shared.mails)
    co_return error_response(error_code::conflict, "No mail is configured: set mail-url and mail-from.");
  find_mail query;
  query.id = std::get<std::string>(std::move(body));
  auto asking = ask(c.here, query);
  const auto found = co_await std::move(asking);
  if (!found) co_return error_response(code_of(found.error()));
  if (found->mails.empty()) co_return error_response(no_such("mail", query.id));
  const auto& mail = found->mails.front();
  const auto now = shared.clock.now();
  const bool has_expired = holds_link(mail.kind) && mail.expires_at <= now;
  if (mail.status == mail_status::sent || mail.sealed.empty() || has_expired) co_return cannot_retry(mail, now);
  unit_of_work unit;
  const auto expires = holds_link(mail.kind) ? mail.expires_at : std::max(mail.expires_at, now + retried_for);
  unit.claims.push_back(retry_mail{mail.id, now, expires});
  auto committing = commit(c.here, std::move(unit));
  const auto outcome = co_await std::move(committing);
  if (!outcome) co_return error_response(code_of(outcome.error()));
  if (*outcome == commit_outcome::lost_claim)
    co_return error_response(error_code::conflict, "This mail was sent meanwhile.");
  if (*outcome != commit_outcome::committed) co_return error_response(error_code::store_unavailable);
  co_return answer_with(encode_retried(mail));
}

}  // namespace gateway::http
