// The cells of a statement, and the functions that read a row into a value.
#pragma once

#include <cstddef>
#include <forward_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gateway/domain/node.hpp"
#include "gateway/ports/store/store.hpp"
#include "persistence/connection/connection.hpp"

namespace gateway::persistence {

/// The rows of one statement, and the texts that were created for them.
class row_buffer {
 public:
  row_buffer() { cells_.reserve(widest_row); }

  row_buffer& add(std::int64_t number) { return push(number); }
  row_buffer& add(std::string_view text) { return push(text); }
  row_buffer& add(const std::string& text) { return push(std::string_view{text}); }
  row_buffer& add(std::string&&) = delete;  // the text would dangle: use keep()
  row_buffer& add(const char*) = delete;
  row_buffer& add(time_point at) { return push(to_unix_ms(at)); }
  row_buffer& add(std::optional<time_point> at) { return at ? add(*at) : null(); }
  row_buffer& keep(std::string&& text) { return push(std::string_view{kept_.emplace_front(std::move(text))}); }
  row_buffer& null() { return push(std::monostate{}); }

  const std::vector<cell>& cells() const noexcept { return cells_; }
  bool empty() const noexcept { return cells_.empty(); }

 private:
  row_buffer& push(cell value) {
    cells_.push_back(value);
    return *this;
  }

  /// Room for one row: most transactions write one row of a kind, and few tables have more columns.
  static constexpr std::size_t widest_row = 32;

  std::vector<cell> cells_;
  std::forward_list<std::string> kept_;
};

/// A day as it is stored: the number of days since 1970-01-01.
inline std::int64_t day_number(std::chrono::sys_days day) noexcept { return day.time_since_epoch().count(); }

/// A stored row that this program cannot read. The caller is not at fault; an operator has to investigate.
class corrupt_row : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Each reads a row of its table's reads, or of the statement that its comment names. Throw corrupt_row.
payment payment_from(const result_row& row, const entity_key& key);
command_record command_from(const result_row& row, const command_key& key);
timeline_entry timeline_entry_from(const result_row& row);
event_record event_from(const result_row& row);
delivery_job delivery_job_from(const result_row& row);
/// From a row of read_backlog.
destination_backlog backlog_from(const result_row& row);
/// From a row of a read that returns keys.
entity_key key_from(const result_row& row, entity_kind kind);
grant_binding binding_from(const result_row& row, const entity_key& key);
/// From a row of read_bindings_of.
stored_binding stored_binding_from(const result_row& row);
subscription subscription_from(const result_row& row, const merchant_id& merchant);
sandbox_enrollment enrollment_from(const result_row& row, const entity_key& key);
notification notification_from(const result_row& row);
save_merchant merchant_from(const result_row& row);
stored_key api_key_from(const result_row& row);
/// From a row of read_user.
stored_user user_from(const result_row& row);
stored_membership membership_from(const result_row& row);
stored_invitation invitation_from(const result_row& row);
platform platform_from(const result_row& row);
stored_platform_key platform_key_from(const result_row& row);
stored_connection connection_from(const result_row& row);
stored_route route_from(const result_row& row);
save_branding branding_from(const result_row& row);
stored_destination destination_from(const result_row& row);
save_provider provider_from(const result_row& row);

}  // namespace gateway::persistence
