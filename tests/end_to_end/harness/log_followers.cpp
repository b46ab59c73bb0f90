#include "log_followers.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "text.hpp"

namespace gateway::e2e {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_faults = 50;

/// The elements of `events`, byte for byte.
std::vector<std::string> envelopes_in(const std::string& page) {
  constexpr std::string_view start = R"({"events":[)";
  if (!page.starts_with(start)) throw std::runtime_error("not a page of the log: " + page.substr(0, 200));
  std::vector<std::string> found;
  std::size_t depth = 0, from = 0;
  bool in_string = false;
  for (auto at = start.size(); at < page.size(); ++at) {
    const char c = page[at];
    if (in_string) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      if (depth++ == 0) from = at;
    } else if (c == '}') {
      if (--depth == 0) found.push_back(page.substr(from, at - from + 1));
    } else if (c == ']' && depth == 0) {
      return found;
    }
  }
  throw std::runtime_error("a page of the log that does not end: " + page.substr(0, 200));
}

/// An event's row.
struct event_row {
  std::string type, payment;
  long seq = 0;
};

std::map<std::string, event_row> event_rows(const gateway_process& gateway, const merchant_account& merchant,
                                            const std::string& mode) {
  std::map<std::string, event_row> rows;  // by event_id
  const auto text = gateway.sql("SELECT event_id, type, subject_id, seq FROM events WHERE merchant_id = '" +
                                merchant.id + "' AND environment = '" + mode + "';");
  for (const auto& line : lines_of(text)) {
    std::istringstream in{line};
    std::string id, seq;
    event_row row;
    std::getline(in, id, '\t');
    std::getline(in, row.type, '\t');
    std::getline(in, row.payment, '\t');
    std::getline(in, seq, '\t');
    row.seq = std::stol(seq);
    rows.emplace(id, row);
  }
  return rows;
}

/// What one follower must have read, and what it read.
class follower_audit {
 public:
  follower_audit(std::size_t number, const log_follower& of, log_audit& into)
      : name_{"follower " + std::to_string(number + 1)}, of_{of}, into_{into} {}

  void run(const std::map<std::string, event_row>& rows, std::map<std::string, std::string>& bodies) {
    for (const auto& each : of_.faults()) fault(each);
    std::map<std::string, unsigned> seen;
    std::map<std::string, long> last;  // seq, by payment
    for (const auto& each : of_.events()) {
      if (++seen[each.id] == 2) fault("read " + each.id + " twice");
      const auto row = rows.find(each.id);
      if (row == rows.end()) {
        fault("read " + each.id + ", which is in no row");
        continue;
      }
      if (each.type != row->second.type || each.payment != row->second.payment)
        fault("read another event than the row " + each.id + ": " + each.body);
      if (!of_.habits().reads(each.type)) fault("read " + each.id + " of type " + each.type);
      if (auto& before = last[row->second.payment]; before >= row->second.seq)
        fault("read " + each.id + " of " + row->second.payment + " behind a later one");
      else
        before = row->second.seq;
      if (const auto first = bodies.emplace(each.id, each.body).first; first->second != each.body)
        fault("read other bytes: " + each.body + " and " + first->second);
    }
    for (const auto& [id, row] : rows)
      if (of_.habits().reads(row.type) && !seen.contains(id)) fault("never read " + id + ", " + row.type);
  }

 private:
  void fault(const std::string& what) {
    if (into_.broken.size() < most_faults) into_.broken.push_back(name_ + ' ' + what);
  }

  const std::string name_;
  const log_follower& of_;
  log_audit& into_;
};

}  // namespace

bool follower_habits::reads(const std::string& type) const {
  return types.empty() || std::ranges::find(types, type) != types.end();
}

log_follower::log_follower(std::vector<const gateway_process*> nodes, credentials key, follower_habits habits,
                           unsigned seed)
    : nodes_{std::move(nodes)},
      key_{std::move(key)},
      habits_{std::move(habits)},
      thread_{[this, seed] { run(seed); }} {}

log_follower::~log_follower() { stop(); }

std::size_t log_follower::count() const {
  const std::lock_guard lock{guard_};
  return events_.size();
}

void log_follower::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void log_follower::run(unsigned seed) {
  std::mt19937 random{seed};
  std::vector<api> callers;
  for (const auto* node : nodes_) {
    callers.emplace_back(*node, key_);
    // A node that is stopped for seconds must not hold the follower.
    callers.back().client().set_patience(5s + std::chrono::seconds{habits_.wait_seconds});
  }
  const auto give_up = [](std::chrono::steady_clock::time_point since) {
    return std::chrono::steady_clock::now() - since > hang_timeout;
  };
  auto stopped = std::chrono::steady_clock::time_point::max();
  for (bool ends = false; !ends;) {
    // One more page after stop(), which must repeat nothing.
    const bool last = stopping_;
    if (last && stopped == std::chrono::steady_clock::time_point::max()) stopped = std::chrono::steady_clock::now();
    bool read = false;
    try {
      read = read_page(callers[random() % callers.size()]);
    } catch (const connection_failed&) {
      // The gateway is down, or went down meanwhile: the same page again.
    } catch (const std::exception& fault) {
      const std::lock_guard lock{guard_};
      faults_.push_back(std::string{"failed: "} + fault.what());
      return;
    }
    ends = last && (read || give_up(stopped));
    if (!read || habits_.wait_seconds == 0) std::this_thread::sleep_for(50ms);
  }
}

/// Whether there was a page.
bool log_follower::read_page(api& from) {
  std::string target = "/v1/events?limit=" + std::to_string(habits_.limit);
  if (!habits_.types.empty()) {
    target += "&types=";
    for (const auto& each : habits_.types) target += (target.back() == '=' ? "" : ",") + each;
  }
  if (habits_.wait_seconds > 0) target += "&wait=" + std::to_string(stopping_ ? 0 : habits_.wait_seconds);
  if (!position_.empty()) target += "&after=" + percent_encode(position_);
  const auto answer = from.get(target);
  if (answer.status == 200) {
    take(answer.body);
    return true;
  }
  if (answer.status != 503) {
    const std::lock_guard lock{guard_};
    if (faults_.size() < most_faults)
      faults_.push_back("was told " + std::to_string(answer.status) + ' ' + answer.body + " to " + target);
  }
  return false;
}

void log_follower::take(const std::string& page) {
  auto bodies = envelopes_in(page);
  const auto next = json::parse(page)["next"].text();
  if (next.empty()) throw std::runtime_error("a page of the log without next: " + page.substr(0, 200));
  const std::lock_guard lock{guard_};
  for (auto& body : bodies) {
    const auto envelope = json::parse(body);
    events_.push_back({envelope["id"].text(), envelope["type"].text(), envelope["data.payment_id"].text(), body});
  }
  position_ = next;
}

log_followers three_followers(const std::vector<const gateway_process*>& nodes, const credentials& key, unsigned seed) {
  const std::vector<follower_habits> all{
      {.limit = 7},
      {.types = {"payment.captured", "payment.failed", "payment.voided"}},
      {.wait_seconds = 2},
  };
  log_followers made;
  for (const auto& habits : all) made.push_back(std::make_unique<log_follower>(nodes, key, habits, seed++));
  return made;
}

log_audit audit_followers(const gateway_process& gateway, const merchant_account& merchant, const std::string& mode,
                          const log_followers& followers, const webhook_receiver& sink) {
  const auto rows = event_rows(gateway, merchant, mode);
  log_audit found;
  found.events = rows.size();
  for (const auto& each : followers) {
    const auto wanted =
        std::ranges::count_if(rows, [&](const auto& row) { return each->habits().reads(row.second.type); });
    // Where one is missing for good, the audit reports it.
    eventually([&] { return each->count() >= static_cast<std::size_t>(wanted); });
  }
  for (const auto& each : followers) each->stop();
  std::map<std::string, std::string> bodies;  // by event
  for (const auto& post : sink.posts()) bodies.emplace(post.event(), post.body);
  for (std::size_t i = 0; i < followers.size(); ++i) follower_audit{i, *followers[i], found}.run(rows, bodies);
  return found;
}

}  // namespace gateway::e2e
