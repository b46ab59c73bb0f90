// The witness of the database: a number that the database and a small file outside of it both hold. It counts up within
// a second of a commit, first in the database and then in the file. A database whose number is below the file's has
// lost commits, because an older copy of it was restored.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <caf/actor_system.hpp>

#include "gateway/base/metrics.hpp"
#include "gateway/base/write_gate.hpp"
#include "gateway/domain/time.hpp"
#include "gateway/messages/actors.hpp"
#include "gateway/ports/membership.hpp"
#include "process/runs_on.hpp"

namespace gateway::actors {

/// What a start finds.
struct witness_state {
  std::filesystem::path file;
  std::string name;  ///< under which the database keeps the number
  std::int64_t number = 0;  ///< the greater of the two
  bool has_file = false;
  bool is_copy = false;  ///< the database is a copy that `gatewayctl backup` made
  std::string why_old{};  ///< in words for an operator; not empty: the database may lack what has been answered
};

/// Reads a fact about the database; nothing if it has none of that name.
using fact_reader = std::function<std::optional<std::string>(std::string_view name)>;

/// Compares the file with the database. `is_new`: the database was just made on purpose, and no file counts. A file
/// that is missing proves nothing, except that a restored copy is then taken to be old. Throws std::runtime_error if
/// the file cannot be read.
witness_state compare_with_witness(const std::filesystem::path& file, std::string_view node, const fact_reader& facts,
                                   bool is_new);

inline constexpr std::chrono::seconds between_witnesses{1};

/// Writes a file, so it has its own thread. While the gate is closed it only waits for accept_database. Everything
/// referred to must outlive it.
database_witness_actor spawn_database_witness(caf::actor_system& system, store_writer recorder, witness_state found,
                                              const wall_clock& clock, metrics& counts, write_gate& gate,
                                              const membership& nodes = membership::alone(),
                                              runs_on where = runs_on::own_thread);

}  // namespace gateway::actors
