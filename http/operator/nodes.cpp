#include "nodes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "carry_out.hpp"
#include "decode_lists.hpp"
#include "encode.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"

namespace gateway::http {

boost::asio::awaitable<response> show_nodes(call& c) {
  if (!c.here.shared.keeper) co_return answer_with(encode_nodes({}));
  auto op = ask(c.here, list_nodes{});
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_nodes(found->nodes));
}

namespace {

response node_has_ended(const std::string& name) {
  return error_response(operator_problem{operator_problem::kind::conflict, "The node " + name + " has ended already."});
}

/// Why the node cannot be drained: it never existed, or it has ended. nullopt for a live node.
boost::asio::awaitable<std::optional<response>> no_live_node(call& c, std::string name) {
  auto op = ask(c.here, list_nodes{});
  const auto found = co_await std::move(op);
  if (!found) co_return command_failed(found.error());
  const auto row = std::ranges::find(found->nodes, name, &node_row::name);
  if (row == found->nodes.end()) co_return error_response(no_such("node", name));
  if (row->status == node_status::gone) co_return node_has_ended(name);
  co_return std::nullopt;
}

}  // namespace

boost::asio::awaitable<response> drain_a_node(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_drain_node(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& wanted = std::get<drain_node>(body);
  if (!shared.keeper) co_return error_response(no_such("node", wanted.name));
  auto looking = no_live_node(c, wanted.name);
  if (auto refused = co_await std::move(looking)) co_return *std::move(refused);
  auto noting = commit_note(c, note_of_operator(c, "drain node", wanted.name));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  auto op = ask(c.here, wanted);
  const auto made = co_await std::move(op);
  if (!made) co_return command_failed(made.error());
  if (!made->found) co_return node_has_ended(wanted.name);
  co_return answer_with(encode_drained_node(wanted.name));
}

}  // namespace gateway::http
