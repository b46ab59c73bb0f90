// Reads of an entity, from memory or from the store.

#include <memory>
#include <utility>

#include <caf/send.hpp>

#include "entity/asks/entity_store.hpp"
#include "entity_queue.hpp"
#include "row_facts.hpp"

namespace gateway::actors {

void entity_queue::view(job work) {
  auto& what = work->request.what;
  if (!is_common<view_timeline>(what)) what = common_command{view_entity{}};
  if (auto seen = read_from_memory(what)) return deliver(*work, std::move(*seen));
  find_entries(self_, reader(), key_, [this, work = std::move(work)](timeline_lookup* rows) mutable {
    if (!rows) return fail(*work, problem::store_unavailable);
    memory_.learn_timeline(std::move(rows->entries));
    view(std::move(work));
  });
}

/// Answers a read from memory, if possible.
std::optional<entity_reply> entity_queue::read_from_memory(const entity_command& wanted) {
  const bool of_timeline = is_common<view_timeline>(wanted);
  if (!of_timeline && !is_common<view_entity>(wanted)) return std::nullopt;
  if (!exists(any_row()) || (of_timeline && !rules_.has_timeline)) return entity_reply{rules_.not_found};
  if (!of_timeline) return entity_reply{any_row()};
  const auto& seen = memory_.timeline();
  if (!seen) return std::nullopt;
  return entity_reply{seen};
}

bool entity_queue::is_read(const entity_request& request) {
  return !request.write && (is_common<view_entity>(request.what) || is_common<view_timeline>(request.what));
}

void entity_queue::load(job work) {
  read_row(std::move(work), [this](job loaded) { step(std::move(loaded)); });
}

void entity_queue::read_row(job work, next_step then) {
  memory_.begin_read(monotonic_now());
  find_row(self_, reader(), key_, [this, work = std::move(work), then = std::move(then)](entity_lookup* found) mutable {
    if (!found) {
      read_failed();
      return fail(*work, problem::store_unavailable);
    }
    memory_.learn_read(found->found ? std::move(*found->found) : entity_row{});
    known();
    then(std::move(work));
  });
}

/// Answers a read from the store, regardless of this actor's memory and of the operation in progress.
caf::result<entity_reply> entity_queue::read_from_store(const entity_request& request) {
  auto promise = self_->make_response_promise<entity_reply>();
  const bool of_timeline = is_common<view_timeline>(request.what);
  ++reads_;  // until it is answered, this actor may not be stopped
  find_row(self_, reader(), key_, [this, promise, of_timeline](entity_lookup* found) mutable {
    if (!found) return answer_read(promise, entity_reply{problem::store_unavailable});
    if (!found->found || (of_timeline && !rules_.has_timeline))
      return answer_read(promise, entity_reply{rules_.not_found});
    if (!of_timeline) return answer_read(promise, entity_reply{std::move(*found->found)});
    find_entries(self_, reader(), key_, [this, promise, row = std::move(*found->found)](timeline_lookup* rows) mutable {
      if (!rows) return answer_read(promise, entity_reply{problem::store_unavailable});
      answer_read(promise, entity_reply{timeline_of(row, rows->entries)});
    });
  });
  return promise;
}

void entity_queue::read_later(std::chrono::nanoseconds pause) {
  caf::delayed_anon_send(entity_actor{self_}, pause, entity_request{key_, std::nullopt, common_command{view_entity{}}});
}

void entity_queue::answer_read(entity_promise& promise, entity_reply&& reply) {
  --reads_;
  resolve(promise, std::move(reply));
}

}  // namespace gateway::actors
