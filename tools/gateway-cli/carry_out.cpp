#include "carry_out.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <boost/json/serialize.hpp>

#include "event_page.hpp"
#include "interruption.hpp"
#include "listen.hpp"
#include "output.hpp"

namespace gateway::cli {

namespace {

constexpr std::size_t most_body_bytes = 16 << 20;
constexpr std::int64_t most_of_a_page = 100;

std::string read_limited(std::istream& in, const std::string& name) {
  std::string bytes;
  char block[16 * 1024];
  while (in.read(block, sizeof block) || in.gcount() > 0) {
    bytes.append(block, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > most_body_bytes) throw failure(name + " is larger than 16 MiB");
  }
  if (in.bad()) throw failure("cannot read " + name);
  return bytes;
}

std::string read_body(const std::string& file, std::istream& input) {
  if (file == "-") return read_limited(input, "standard input");
  std::ifstream in{file, std::ios::binary};
  if (!in) throw failure("cannot read " + file + ": " + std::generic_category().message(errno));
  return read_limited(in, file);
}

/// One carried-out command: where it reads and prints.
struct session {
  const command_line& command;
  api_client& client;
  std::ostream& out;
  std::ostream& err;

  void notice(std::string_view line) const { err << "gateway-cli: " << line << std::endl; }
};

std::string target_of_page(const list_request& wanted, std::int64_t left, const std::string& after) {
  auto target = wanted.path;
  add_parameter(target, "limit", std::to_string(std::min(left, most_of_a_page)));
  for (const auto& [name, value] : wanted.filters) {
    // `after` says where events go on, so `from` is for the first page.
    if (after.empty() || std::string_view{name} != "from") add_parameter(target, name, value);
  }
  add_parameter(target, "after", after);
  return target;
}

/// The events keep their bytes.
void print_events(const session& in, std::string& after, std::int64_t& left, bool& more) {
  const auto answer = in.client.send({http_method::get, target_of_page(in.command.list, left, after)});
  if (answer.status == 410)
    throw refused{answer, "the events after this cursor are no longer kept: begin again with --from"};
  auto page = read_event_page(require_success(answer).body);
  for (const auto& event : page.events) print_event(in.out, event, in.command.json);
  left -= static_cast<std::int64_t>(page.events.size());
  more = static_cast<std::int64_t>(page.events.size()) >= most_of_a_page && left > 0;
  after = std::move(page.next);
}

void list_events(const session& in) {
  auto after = in.command.list.after;
  auto left = in.command.list.limit;
  for (bool more = true; more;) print_events(in, after, left, more);
  if (left == 0) in.notice("for what follows: --after " + after);
}

void list_rows(const session& in) {
  const auto& wanted = in.command.list;
  boost::json::array rows;
  auto after = wanted.after;
  for (bool more = true; more;) {
    const auto left = wanted.limit - static_cast<std::int64_t>(rows.size());
    auto answer = object_of(require_success(in.client.send({http_method::get, target_of_page(wanted, left, after)})));
    auto* found = answer.if_contains(boost::json::string_view{wanted.member.data(), wanted.member.size()});
    if (!found || !found->is_array())
      throw failure("the gateway's answer has no list of " + std::string{wanted.member});
    auto& page = found->get_array();
    const bool empty = page.empty();
    std::ranges::move(page, std::back_inserter(rows));
    const auto* next = answer.if_contains("next");
    after = next && next->is_string() ? std::string{next->get_string()} : std::string{};
    more = !after.empty() && !empty && static_cast<std::int64_t>(rows.size()) < wanted.limit;
  }
  print_list(in.out, wanted.member, rows, in.command.json);
  if (!after.empty()) in.notice("there are more: --after " + after);
}

void tail(const session& in) {
  event_feed feed{in.client, in.command.feed, [&in](std::string_view line) { in.notice(line); }};
  feed.begin();
  for (;;) {
    for (const auto& event : feed.next()) print_event(in.out, event, in.command.json);
    if (!in.out.flush()) throw failure("cannot write the events");
  }
}

void send_request(const session& in) {
  const auto answer = in.client.send(in.command.request, in.command.repeats);
  require_success(answer);
  if (in.command.what == action::call)
    print_body(in.out, answer.body);
  else
    print_object(in.out, object_of(answer), in.command.json);
}

int verify(const command_line& command, std::istream& input, std::ostream& out, std::ostream& err) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto seen = verify_webhook(command.verify.secret, command.verify.header, read_body(command.body_file, input),
                                   command.verify.tolerance_s, now.time_since_epoch().count());
  if (command.json) {
    boost::json::object verdict{{"genuine", seen.genuine}};
    if (!seen.genuine) verdict["reason"] = seen.why;
    out << boost::json::serialize(verdict) << '\n';
  } else {
    out << (seen.genuine ? "genuine" : "not genuine: " + seen.why) << '\n';
  }
  if (seen.genuine) return 0;
  err << "gateway-cli: the webhook is not genuine: " << seen.why << '\n';
  return 1;
}

void carry_out_with_key(const session& in) {
  switch (in.command.what) {
    case action::list: return in.command.list.member == "events" ? list_events(in) : list_rows(in);
    case action::tail: return tail(in);
    case action::listen:
      listen(in.client, {in.command.forward_to, in.command.feed, in.command.json}, in.out,
             [&in](std::string_view line) { in.notice(line); });
    case action::trigger: return trigger(in.client, in.command.trigger, in.out);
    case action::call:
    case action::send: return send_request(in);
    case action::verify:
    case action::information:
    case action::usage_error: break;
  }
}

}  // namespace

int carry_out(command_line command, const environment_reader& environment, std::istream& input, std::ostream& out,
              std::ostream& err) try {
  const auto fail = [&err](std::string why) {
    std::ranges::replace(why, '\n', ' ');
    err << "gateway-cli: " << why << '\n';
    return 1;
  };
  try {
    if (command.what == action::verify) return verify(command, input, out, err);
    api_client client{read_access(command.profile, environment), command.scope};
    if (!command.body_file.empty()) command.request.body = read_body(command.body_file, input);
    if (command.what == action::tail || command.what == action::listen) catch_interrupts();
    carry_out_with_key({command, client, out, err});
  } catch (const refused& what) {
    print_body(out, what.answer.body);
    out.flush();
    return fail(refusal_line(what));
  } catch (const std::exception& fault) {
    return fail(fault.what());
  }
  return out.flush() ? 0 : fail("cannot write the answer");
} catch (const was_stopped&) {
  return 0;
}

}  // namespace gateway::cli
