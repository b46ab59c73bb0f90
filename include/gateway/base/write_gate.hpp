// Whether this gateway accepts writes. The gate is closed while the database may lack commits that were answered
// (docs/decisions/0065-a-backup-is-proved-and-an-old-database-is-noticed.md). Concurrency: any thread.
#pragma once

#include <atomic>

namespace gateway {

class write_gate {
 public:
  bool is_closed() const noexcept { return closed_.load(std::memory_order_relaxed); }
  void close() noexcept { closed_.store(true); }
  void open() noexcept { closed_.store(false); }

  /// For parts that are used without a database.
  static const write_gate& always_open() {
    static const write_gate gate;
    return gate;
  }

 private:
  std::atomic<bool> closed_{false};
};

}  // namespace gateway
