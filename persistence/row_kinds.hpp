// The kinds of rows that units of work hold: one table that says how each is written, and what a failure of it means. A
// new kind of row is an alternative in gateway/store.hpp, an entry here, and its cells in rows.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "gateway/store.hpp"
#include "persistence/rows.hpp"
#include "persistence/statements.hpp"

namespace gateway::persistence {

/// In the order in which a batch writes them. It decides which failure of a unit counts: a taken idempotency key before
/// a taken id.
enum class row_kind : unsigned char {
  command,
  payment,
  payment_claim,
  command_finish,
  attempt,
  event,
  delivery,
  delivery_claim,
  merchant,
  api_key,
  user,
  connection,
  route,
  setup_token,
  destination,
  api_key_revocation,
};

inline constexpr std::size_t row_kind_count = 16;

struct row_writing {
  const write_shape* shape;  ///< many rows at once
  const statement* each;  ///< without a shape: run for each row, whether or not it finds one
  std::size_t each_width;  ///< its parameters
  commit_outcome of_duplicate;  ///< its key is taken
};

const row_writing& writing_of(row_kind kind) noexcept;

/// The rows of several units, by kind.
class gathered_rows {
 public:
  void gather(const unit_of_work& unit);
  /// Null if there are none.
  const row_buffer* of(row_kind kind) const noexcept {
    const auto& rows = rows_[static_cast<std::size_t>(kind)];
    return rows ? &*rows : nullptr;
  }
  row_buffer& add_to(row_kind kind);

 private:
  std::array<std::optional<row_buffer>, row_kind_count> rows_;
};

/// Appends a hash for each thing that the unit's rows name. Two units that touch the same thing have one in common.
void append_touched(std::vector<std::size_t>& hashes, const unit_of_work& unit);

/// About as many bytes as the unit's rows will have.
std::size_t estimated_bytes(const unit_of_work& unit) noexcept;

}  // namespace gateway::persistence
