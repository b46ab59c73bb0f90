#include "row_memory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "row_facts.hpp"

namespace gateway::actors {

void row_memory::learn(entity_row&& row, row_event how) {
  knowledge_ = after(knowledge_, how);
  known_in_ = asked_in_;
  row_ = std::move(row);
  seen_timeline_.reset();
}

void row_memory::learn_read(entity_row&& row) {
  known_as_of_ = read_begun_at_;
  learn(std::move(row), row_event::read);
}

void row_memory::learn_committed(entity_row&& row, moment now) {
  known_as_of_ = now;
  learn(std::move(row), row_event::committed);
}

void row_memory::doubt(moment until) {
  doubt_until_ = until;
  knowledge_ = after(knowledge_, row_event::unanswered);
  clear();
}

void row_memory::forget() noexcept {
  knowledge_ = after(knowledge_, row_event::forgotten);
  clear();
}

void row_memory::clear() noexcept {
  row_ = {};
  timeline_.reset();
  seen_timeline_.reset();
}

void row_memory::end_request(moment now) {
  knowledge_ = after(knowledge_, exists(row_) ? row_event::request_ended : row_event::request_ended_without_row);
  if (!in_doubt()) return;
  clear();
  if (now >= doubt_until_) knowledge_ = after(knowledge_, row_event::doubt_ended);
}

void row_memory::add_to_timeline(std::vector<timeline_entry>&& entries) {
  if (timeline_) std::ranges::move(entries, std::back_inserter(*timeline_));
}

const timeline_ptr& row_memory::timeline() {
  if (timeline_ && !seen_timeline_) seen_timeline_ = timeline_of(row_, *timeline_);
  return seen_timeline_;
}

}  // namespace gateway::actors
