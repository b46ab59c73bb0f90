// The days on which keys were last used. Only the first use of a key on a day is added here, and stays until the writer
// of uses (actors/directory/key_use_writer.hpp) has stored it. For the other uses of that day a request only compares
// the day in the published key. Concurrency: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gateway/domain/ids.hpp"

namespace gateway {

/// A key with the first use of a day.
struct key_use {
  key_id id;
  std::string owner;  ///< the id of its merchant or of its platform
  bool of_platform = false;
  std::int32_t day = 0;
};

/// The uses that are not stored yet, one for each key.
class key_uses {
 public:
  static constexpr std::size_t most = 100'000;

  /// The later day counts. False if there is no room: the key's next use is added instead.
  bool add(key_use use);
  /// Removes and returns all of them, ordered by key, so that two nodes write their rows in the same order.
  std::vector<key_use> take();
  std::size_t size() const;

 private:
  mutable std::mutex access_;
  std::map<std::string, key_use> waiting_;  ///< by the key's id
};

}  // namespace gateway
