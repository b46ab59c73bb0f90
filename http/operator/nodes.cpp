#include "nodes.hpp"

#include <algorithm>
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

/// The answer for a node that cannot be drained: distinguishes a node that existed once.
boost::asio::awaitable<response> no_live_node(call& c, std::string name) {
  auto op = ask(c.here, list_nodes{});
  const auto found = co_await std::move(op);
  if (!found) co_return command_failed(found.error());
  if (std::ranges::find(found->nodes, name, &node_row::name) == found->nodes.end())
    co_return error_response(no_such("node", name));
  co_return error_response(
      operator_problem{operator_problem::kind::conflict, "The node " + name + " has ended already."});
}

}  // namespace

boost::asio::awaitable<response> drain_a_node(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_drain_node(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& wanted = std::get<drain_node>(body);
  if (!shared.keeper) co_return error_response(no_such("node", wanted.name));
  auto noting = commit_note(c, note_of_operator(c, "drain node", wanted.name));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  auto op = ask(c.here, wanted);
  const auto made = co_await std::move(op);
  if (!made) co_return command_failed(made.error());
  if (!made->found) {
    auto telling = no_live_node(c, wanted.name);
    co_return co_await std::move(telling);
  }
  co_return answer_with(encode_drained_node(wanted.name));
}

}  // namespace gateway::http
