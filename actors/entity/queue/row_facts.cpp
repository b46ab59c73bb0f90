#include "row_facts.hpp"

#include <memory>
#include <variant>

namespace gateway::actors {

bool exists(const entity_row& row) noexcept {
  return std::visit([](const auto& held) { return held != nullptr; }, row);
}

std::int64_t version_of(const entity_row& row) noexcept {
  return std::visit([](const auto& held) { return held ? held->version : 0; }, row);
}

std::optional<operation_on_row> operation_on(const entity_row& row) noexcept {
  return std::visit(
      [](const auto& held) -> std::optional<operation_on_row> {
        if constexpr (requires { held->open; })
          if (held && held->open)
            return operation_on_row{&held->open->command, &held->open->node, held->open->answered};
        return std::nullopt;
      },
      row);
}

std::optional<time_point> due_at_of(const entity_row& row) noexcept {
  return std::visit(
      [](const auto& held) -> std::optional<time_point> {
        if constexpr (requires { held->due_at; })
          if (held) return held->due_at;
        return std::nullopt;
      },
      row);
}

bool is_of_sandbox(const entity_row& row) {
  return std::visit(
      [](const auto& held) {
        if constexpr (requires {
                        held->open;
                        held->provider;
                      })
          return held && traits_of(held->provider).sandbox;
        else
          return false;
      },
      row);
}

entity_row with_next_version(const entity_row& row) {
  return std::visit(
      []<class Row>(const std::shared_ptr<const Row>& held) -> entity_row {
        auto next = std::make_shared<Row>(*held);
        next->version += 1;
        return std::shared_ptr<const Row>{std::move(next)};
      },
      row);
}

timeline_ptr timeline_of(const entity_row& row, const std::vector<timeline_entry>& entries) {
  auto seen = std::make_shared<timeline_view>();
  std::visit(
      [&](const auto& held) {
        if constexpr (requires {
                        held->open;
                        held->provider;
                      }) {
          seen->key = held->key;
          seen->provider = held->provider;
        }
        if constexpr (requires { held->hides_provider; }) seen->hides_provider = held->hides_provider;
      },
      row);
  seen->entries = entries;
  return seen;
}

}  // namespace gateway::actors
