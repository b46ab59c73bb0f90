// The stores of the contract suite: each database, and the memory store that replaces a database in other tests.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "memory_store.hpp"
#include "persistence/tables/queries.hpp"
#include "persistence/units/unit_batch.hpp"
#include "samples.hpp"
#include "stores.hpp"

namespace gateway::persistence::test {

enum class contract_kind { sqlite, mysql, memory };

constexpr std::string_view to_string(contract_kind kind) noexcept {
  constexpr std::string_view names[] = {"SQLite", "MySQL", "the memory store"};
  return names[static_cast<std::size_t>(kind)];
}

class contract_store {
 public:
  explicit contract_store(contract_kind kind) {
    if (kind == contract_kind::memory) {
      memory_ = std::make_unique<testing::memory_store>();
    } else {
      database_ =
          std::make_unique<migrated_store>(kind == contract_kind::sqlite ? store_kind::sqlite : store_kind::mysql);
    }
  }

  std::vector<commit_outcome> commit(std::span<const unit_of_work> units) {
    return memory_ ? memory_->commit(units) : commit_units(*database_->writer, units, 0, purged_ids::refused);
  }
  std::vector<commit_outcome> commit(const std::vector<unit_parts>& units) {
    return commit(std::vector<unit_of_work>{units.begin(), units.end()});
  }
  commit_outcome commit(const unit_of_work& unit) { return commit({&unit, 1}).front(); }

  std::optional<time_point> last_seen() {
    if (memory_) return memory_->last_seen;
    const auto text = read_meta(*database_->reader, last_seen_name);
    return text ? std::optional{from_unix_ms(std::stoll(*text))} : std::nullopt;
  }

  std::optional<std::string> fact(const std::string& name) {
    if (!memory_) return read_meta(*database_->reader, name);
    const auto at = memory_->facts.find(name);
    return at == memory_->facts.end() ? std::nullopt : std::optional{at->second};
  }

  template <class Query>
  auto run(const Query& what) {
    if (memory_) return memory_->run(what);
    return persistence::run(writes<Query> ? *database_->writer : *database_->reader, what);
  }

 private:
  template <class Query>
  static constexpr bool writes = std::is_same_v<Query, purge_commands> || std::is_same_v<Query, redeliver_rows>;

  std::unique_ptr<testing::memory_store> memory_;
  std::unique_ptr<migrated_store> database_;
};

/// The entries of these merchants, in the store's order, and of all platforms. An entry is found only for an existing
/// merchant, so missing merchants are inserted first.
inline directory_lookup entries_of(contract_store& store, const std::vector<merchant_id>& merchants) {
  find_directory wanted{{}, true};
  for (const auto& id : merchants) {
    unit_parts unit;
    unit.records = {save_merchant{id, entity_id{"ent_" + id.value}, "Shop", merchant_kind::standard, "", at(1)}};
    store.commit(unit);
    wanted.of.push_back({directory_name::kind::merchant, id.value});
  }
  return store.run(wanted);
}

}  // namespace gateway::persistence::test

/// Runs the rest of the test once for each store that implements the contract.
#define FOR_EACH_CONTRACT_STORE(kind)                                                                               \
  const auto kind =                                                                                                 \
      GENERATE(gateway::persistence::test::contract_kind::sqlite, gateway::persistence::test::contract_kind::mysql, \
               gateway::persistence::test::contract_kind::memory);                                                  \
  INFO("over " << to_string(kind))
