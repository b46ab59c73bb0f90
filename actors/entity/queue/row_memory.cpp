#include "row_memory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "row_facts.hpp"

namespace gateway::actors {

void row_memory::learn(entity_row&& row) {
  known_ = true;
  known_in_ = asked_in_;
  row_ = std::move(row);
  seen_timeline_.reset();
}

void row_memory::learn_read(entity_row&& row) {
  known_as_of_ = read_begun_at_;
  learn(std::move(row));
}

void row_memory::learn_committed(entity_row&& row, moment now) {
  doubt_until_ = {};
  known_as_of_ = now;
  learn(std::move(row));
}

void row_memory::forget() noexcept {
  known_ = false;
  row_ = {};
  timeline_.reset();
  seen_timeline_.reset();
}

void row_memory::end_request(moment now) {
  // A missing entity may be created at any time, perhaps through another node.
  if (!exists(row_)) known_ = false;
  if (!in_doubt()) return;
  // Also when the doubt ends with this request: the row may have been read before the commit took effect.
  forget();
  if (now >= doubt_until_) doubt_until_ = {};
}

void row_memory::add_to_timeline(std::vector<timeline_entry>&& entries) {
  if (timeline_) std::ranges::move(entries, std::back_inserter(*timeline_));
}

const timeline_ptr& row_memory::timeline() {
  if (timeline_ && !seen_timeline_) seen_timeline_ = timeline_of(row_, *timeline_);
  return seen_timeline_;
}

}  // namespace gateway::actors
