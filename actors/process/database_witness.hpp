// The witness of the database: a number that is stored both in the database and in a small file outside of it. Within a
// second of a commit it is incremented, first in the database and then in the file. So if the database's number is
// below the file's, an older copy of the database was restored, and commits are lost.
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

/// The witness as found at the start of the process.
struct witness_state {
  std::filesystem::path file;
  std::string name;  ///< under which the database keeps the number
  std::int64_t number = 0;  ///< the greater of the two
  bool has_file = false;
  bool is_copy = false;  ///< the database is a copy that `gatewayctl backup` made
  std::string why_old{};  ///< text for an operator; not empty: the database may lack answered commits
};

/// Reads the fact of this name about the database; nullopt if there is none.
using fact_reader = std::function<std::optional<std::string>(std::string_view name)>;

/// Compares the file with the database. `is_new`: the operator has just created the database, so the file is ignored.
/// Without a file a database counts as current, unless it is a copy of a backup. Throws std::runtime_error if the file
/// cannot be read.
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
