// Lists are read from the store.
#include "webhooks.hpp"

#include "carry_out.hpp"
#include "decode_directory.hpp"
#include "decode_lists.hpp"
#include "encode.hpp"
#include "http/call/ask.hpp"
#include "http/call/reply.hpp"
#include "http/codec/encode_event.hpp"
#include "http/errors.hpp"
#include "operator_note.hpp"

namespace gateway::http {
namespace {

constexpr std::uint32_t most_destinations_listed = 10'000;

response no_delivery(std::int64_t id) { return error_response(no_such("delivery", std::to_string(id))); }

directory_name owner_of(const set_destination& command) {
  const auto kind =
      command.kind == destination_kind::merchant ? directory_name::kind::merchant : directory_name::kind::platform;
  return {kind, command.owner};
}

bool has_owner(const services& shared, const set_destination& command) {
  return command.kind == destination_kind::merchant
             ? shared.merchants.find_merchant(merchant_id{command.owner}) != nullptr
             : shared.merchants.find_platform(platform_id{command.owner}) != nullptr;
}

}  // namespace

boost::asio::awaitable<response> put_destination(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_set_destination(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& command = std::get<set_destination>(body);
  // Looking up the host takes time, so first check that the owner exists.
  auto making = make_known(c.here, owner_of(command));
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  if (!has_owner(shared, command)) co_return error_response(no_such(to_string(command.kind), command.owner));
  auto checking = check_outbound(c.here, command.url, command.owner);
  const auto verdict = co_await std::move(checking);
  if (!verdict)
    co_return error_response(code_of(verdict.error()), "The URL could not be checked; nothing was changed.");
  if (verdict->fault) co_return error_response(error_code::invalid_request, "url: " + *verdict->fault);
  operator_command wanted{std::move(command)};
  auto op = carry_out(c, std::move(wanted));
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> change_destination_address(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_change_destination_url(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto& command = std::get<change_destination_url>(body);
  auto making = make_known(c.here, directory_name{directory_name::kind::destination, command.id.value});
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  const auto known = shared.merchants.find_destination(command.id);
  if (!known) co_return error_response(no_such("destination", command.id.value));
  auto checking = check_outbound(c.here, command.url, known->what.owner);
  const auto verdict = co_await std::move(checking);
  if (!verdict)
    co_return error_response(code_of(verdict.error()), "The URL could not be checked; nothing was changed.");
  if (verdict->fault) co_return error_response(error_code::invalid_request, "url: " + *verdict->fault);
  operator_command wanted{std::move(command)};
  auto op = carry_out(c, std::move(wanted));
  co_return co_await std::move(op);
}

boost::asio::awaitable<response> list_destinations(call& c) {
  const auto& shared = c.here.shared;
  const auto body = decode_destination_filter(c.in.body, shared.config.http.json_depth);
  if (const auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto& filter = std::get<destination_filter>(body);
  auto op = ask(c.here, find_destinations{filter.owner, filter.env, most_destinations_listed});
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_destinations(*found, shared.clock.now()));
}

boost::asio::awaitable<response> list_deliveries(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_find_deliveries(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  auto op = ask(c.here, std::move(std::get<find_deliveries>(body)));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_deliveries(found->jobs, shared.merchants));
}

boost::asio::awaitable<response> show_delivery(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_show_delivery(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto id = std::get<find_deliveries>(body).id;
  auto op = ask(c.here, std::move(std::get<find_deliveries>(body)));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  if (found->jobs.empty()) co_return no_delivery(id);
  const auto& job = found->jobs.front();
  auto making = make_known(c.here, job.row.subject.merchant);
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  const auto to = shared.merchants.find_destination(job.row.to);
  const auto of = shared.merchants.find_merchant(job.row.subject.merchant);
  const auto envelope = make_event_encoder()->envelope(job.event, to ? to->what.kind : destination_kind::merchant,
                                                       of ? of->entity : entity_id{}, job.row.partial);
  co_return answer_with(encode_delivery(job, shared.merchants, envelope));
}

namespace {

response nothing_is_sent(const destination_id& to) {
  return error_response(
      operator_problem{operator_problem::kind::conflict, to.value + " is deleted: nothing is sent to it"});
}

/// The audit entry of a redelivery, or the refusal if there is no such delivery.
boost::asio::awaitable<std::variant<save_audit, response>> note_of_redelivery(call& c, redeliver wanted) {
  if (wanted.id == 0) {
    const auto known = c.here.shared.merchants.find_destination(wanted.to);
    const bool is_merchants = known && known->what.kind == destination_kind::merchant;
    auto note = note_of_operator(c, "redeliver all failed", wanted.to.value,
                                 is_merchants ? merchant_id{known->what.owner} : merchant_id{});
    if (known) note.env = known->what.env;
    co_return note;
  }
  find_deliveries one;
  one.id = wanted.id;
  one.limit = 1;
  auto look = ask(c.here, std::move(one));
  const auto found = co_await std::move(look);
  if (!found) co_return error_response(code_of(found.error()));
  if (found->jobs.empty()) co_return no_delivery(wanted.id);
  const auto& row = found->jobs.front().row;
  auto making = make_known(c.here, directory_name{directory_name::kind::destination, row.to.value});
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  const auto to = c.here.shared.merchants.find_destination(row.to);
  if (to && to->what.status == destination_status::deleted) co_return nothing_is_sent(row.to);
  const auto& subject = row.subject;
  co_return note_of_operator(c, "redeliver", std::to_string(wanted.id), subject.merchant, subject.env);
}

}  // namespace

boost::asio::awaitable<response> deliver_again(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_redeliver(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto asked_for = std::get<redeliver>(body);
  if (!asked_for.to.empty()) {
    auto making = make_known(c.here, directory_name{directory_name::kind::destination, asked_for.to.value});
    if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
    const auto known = shared.merchants.find_destination(asked_for.to);
    if (!known) co_return error_response(no_such("destination", asked_for.to.value));
    if (known->what.status == destination_status::deleted) co_return nothing_is_sent(asked_for.to);
  }
  auto describing = note_of_redelivery(c, asked_for);
  auto described = co_await std::move(describing);
  if (auto* refused = std::get_if<response>(&described)) co_return std::move(*refused);
  auto noting = commit_note(c, std::get<save_audit>(std::move(described)));
  if (auto refused = co_await std::move(noting)) co_return *std::move(refused);
  auto op = ask(c.here, std::move(std::get<redeliver>(body)));
  const auto done = co_await std::move(op);
  if (!done) co_return command_failed(done.error());
  if (asked_for.id != 0 && done->count == 0) co_return no_delivery(asked_for.id);
  deliveries_lookup now;
  if (asked_for.id != 0) {
    find_deliveries one;
    one.id = asked_for.id;
    auto look = ask(c.here, std::move(one));
    auto found = co_await std::move(look);
    if (found) now = std::move(*found);
  }
  co_return answer_with(encode_redelivered(done->count, asked_for, now.jobs, shared.merchants));
}

boost::asio::awaitable<response> list_events(call& c) {
  const auto& shared = c.here.shared;
  auto body = decode_find_events(c.in.body, shared.config.http.json_depth);
  if (auto* wrong = std::get_if<rejection>(&body)) co_return error_response(*wrong);
  const auto merchant = std::get<find_events>(body).merchant;
  auto making = make_known(c.here, merchant);
  if (const auto unknown = co_await std::move(making)) co_return error_response(*unknown);
  if (!shared.merchants.find_merchant(merchant)) co_return error_response(no_such("merchant", merchant.value));
  auto op = ask(c.here, std::move(std::get<find_events>(body)));
  const auto found = co_await std::move(op);
  if (!found) co_return error_response(code_of(found.error()));
  co_return answer_with(encode_events(found->events));
}

}  // namespace gateway::http
