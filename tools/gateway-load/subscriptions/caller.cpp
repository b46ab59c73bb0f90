#include "caller.hpp"

#include <algorithm>
#include <ctime>
#include <thread>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "engine/engine.hpp"

namespace gateway::load {

using namespace std::chrono_literals;

namespace {

constexpr auto most_asking = 60s;
constexpr auto first_pause = 20ms;
constexpr auto longest_pause = 1s;

/// Whether to repeat the request: its effect is unknown, or it had none and may have one later.
bool comes_again(const answer& got) {
  if (got.status == 0 || got.status == 429 || got.status == 503) return true;
  return got.status == 409 && error_code_of(got.body) == "request already processing";
}

kept_answer kept(const answer& got, const std::string& location = {}) {
  return {got.status, std::string{got.body}, std::string{got.request_id}, location};
}

}  // namespace

boost::json::object kept_answer::read() const {
  boost::system::error_code failed;
  auto parsed = boost::json::parse(body, failed);
  return !failed && parsed.is_object() ? std::move(parsed.get_object()) : boost::json::object{};
}

std::string kept_answer::text() const {
  if (status == 0) return "no answer";
  return std::to_string(status) + ' ' + std::string{error_code_of(body)};
}

caller::caller(const target& to, const signer& sign, const caller_options& options)
    : sign_{sign},
      link_{to, options.timeout},
      browser_{to, options.timeout},
      operator_{options.data_dir},
      second_ends_{options.begin + 1s} {
  tally_.begin_at(options.begin);
}

kept_answer caller::ask(const request& what) {
  const auto last = clock::now() + most_asking;
  for (clock::duration pause = first_pause;; pause = std::min<clock::duration>(pause * 2, longest_pause)) {
    sign_.write(what, std::time(nullptr), wire_);
    const auto sent = clock::now();
    const auto& got = link_.send(wire_);
    count(what.kind, sent, got);
    if (!comes_again(got) || clock::now() + pause > last) return kept(got);
    std::this_thread::sleep_for(pause);
  }
}

kept_answer caller::read(const std::string& path) {
  request what;
  what.kind = operation::read;
  what.path = path;
  sign_.write(what, std::time(nullptr), wire_);
  return kept(link_.send(wire_));
}

kept_answer caller::open_page(const std::string& url) {
  const auto sent = clock::now();
  const auto& got = browser_.open(url);
  count(operation::page, sent, got);
  return kept(got, browser_.location());
}

kept_answer caller::press(const std::string& button) {
  const auto sent = clock::now();
  const auto& got = browser_.press(button);
  count(operation::pay, sent, got);
  return kept(got, browser_.location());
}

kept_answer caller::operate(const char* path, const boost::json::object& body) {
  const auto sent = clock::now();
  const auto response = operator_.post(path, boost::json::serialize(body));
  answer got;
  got.status = static_cast<int>(response.status);
  got.body = response.body;
  count(operation::move, sent, got);
  return kept(got);
}

void caller::count(operation kind, clock::time_point sent, const answer& got) {
  const auto now = clock::now();
  pass_seconds(now);
  tally_.count_intended(sent);
  tally_.count_answer(kind, sent, now, got);
}

void caller::pass_seconds(clock::time_point now) {
  for (; now >= second_ends_; second_ends_ += 1s) tally_.finish_second(0);
}

}  // namespace gateway::load
