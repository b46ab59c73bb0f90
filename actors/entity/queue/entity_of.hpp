// An entity of one kind: entity_queue.hpp with the kind's own row and commands.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "entity_queue.hpp"

namespace gateway::actors {

/// `Entity` derives from this class and has run(job, const Command&) for each alternative of the variant `Commands`.
/// The command lives as long as the job.
template <class Entity, class Row, class Commands>
class entity_of : public entity_queue {
 protected:
  using row_ptr = std::shared_ptr<const Row>;

  /// The row as known to be in the store; null if there is no such entity. Valid only while a request runs.
  const Row* row() const noexcept {
    const auto* held = std::get_if<row_ptr>(&any_row());
    return held ? held->get() : nullptr;
  }
  row_ptr shared_row() const noexcept {
    const auto* held = std::get_if<row_ptr>(&any_row());
    return held ? *held : nullptr;
  }
  static row_ptr shared(Row&& next) { return std::make_shared<const Row>(std::move(next)); }

 private:
  friend Entity;
  entity_of(const entity_rules& rules, const entity_context& context) : entity_queue{rules, context} {}

  void run_own(job work) final {
    const auto* own = std::get_if<Commands>(&work->request.what);
    if (!own) return refuse(std::move(work));
    std::visit([&](const auto& command) { static_cast<Entity&>(*this).run(std::move(work), command); }, *own);
  }
};

}  // namespace gateway::actors
