#include "grants.hpp"

#include <utility>

#include "http/call/ask.hpp"
#include "http/call/reply.hpp"

namespace gateway::http {

boost::asio::awaitable<std::optional<rejection>> revoke_grant_as(call& c, grant_id id, std::string reason,
                                                                 std::optional<merchants_side> only_of,
                                                                 std::shared_ptr<const save_audit> note) {
  auto look = ask(c.here, find_grant{id});
  auto found = co_await std::move(look);
  if (!found) co_return rejection{code_of(found.error()), {}};
  const bool theirs =
      found->binding &&
      (!only_of || (found->binding->merchant == only_of->merchant && found->binding->env == only_of->env));
  if (!theirs) co_return rejection{error_code::grant_not_found, {}};
  grant_command wanted{revoke_request{{std::move(id), std::move(reason)}, found->past}};
  entity_request request{*std::move(found->binding), std::nullopt, std::move(wanted), nullptr};
  request.note = std::move(note);
  auto op = ask(c, std::move(request));
  const auto reply = co_await std::move(op);
  if (!reply) co_return rejection{code_of(reply.error()), {}};
  if (const auto* why = std::get_if<problem>(&reply->what)) co_return rejection{code_of(*why), {}};
  co_return std::nullopt;
}

}  // namespace gateway::http
