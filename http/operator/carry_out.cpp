#include "carry_out.hpp"

#include "encode.hpp"
#include "http/call/ask.hpp"
#include "http/call/call.hpp"
#include "http/call/reply.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"

namespace gateway::http {
namespace {

/// Only a setup link's page redeems its token, so this result is unexpected here.
response to_response(const spent_setup_token&) { return error_response(error_code::internal_error); }

response to_response(const operator_problem& why) { return error_response(why); }

template <class Made>
response to_response(const Made& made) {
  return answer_with(encode(made));
}

}  // namespace

boost::asio::awaitable<response> carry_out(call& c, operator_command wanted) {
  auto note = note_of_command(c, wanted);
  noted_command noted{std::move(wanted), std::move(note)};
  auto op = ask(c.here, std::move(noted));
  const auto reply = co_await std::move(op);
  if (!reply) co_return command_failed(reply.error());
  co_return std::visit([](const auto& made) { return to_response(made); }, *reply);
}

response command_failed(const caf::error& failure) {
  const auto code = code_of(failure);
  if (code == error_code::overloaded)
    return error_response(code, "The gateway is busy; nothing was changed. Repeat the command.");
  return error_response(code, "The command may or may not have taken effect: look, then repeat it.");
}

}  // namespace gateway::http
