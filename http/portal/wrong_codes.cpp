#include "wrong_codes.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "account_audit.hpp"
#include "gateway/domain/person.hpp"
#include "http/access/sign_in_throttle.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"

namespace gateway::http {
namespace {

constexpr std::string_view wrong_code = "wrong-code";
constexpr std::chrono::hours told_for{7 * 24};

}  // namespace

boost::asio::awaitable<void> note_wrong_code(call& c, user_id who, std::string email) {
  if (!c.here.shared.throttle.notes_wrong_code(email_key_of(email), std::chrono::steady_clock::now())) co_return;
  unit_of_work unit;
  unit.inserts.push_back(note_of(c, who, wrong_code));
  auto committing = commit(c.here, std::move(unit));
  co_await std::move(committing);
}

boost::asio::awaitable<caf::expected<std::optional<save_audit>>> find_wrong_codes(call& c, user_id who) {
  find_audit query;
  query.user = std::move(who);
  auto asking = ask(c.here, std::move(query));
  const auto found = co_await std::move(asking);
  if (!found) co_return found.error();
  std::vector<const save_audit*> wrong;  // newest first
  for (const auto& each : found->entries) {
    if (each.action == "set-password" || each.at + told_for <= c.here.shared.clock.now()) break;
    if (each.action == wrong_code) wrong.push_back(&each);
  }
  for (std::size_t i = most_wrong_codes - 1; i < wrong.size(); ++i)
    if (wrong[i - (most_wrong_codes - 1)]->at - wrong[i]->at <= wrong_code_window)
      co_return std::optional{*wrong.front()};
  co_return std::optional<save_audit>{};
}

}  // namespace gateway::http
