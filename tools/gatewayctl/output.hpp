// Formats an answer for a terminal: a list as a table, anything else as aligned `name: value` lines.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace gateway::ctl {

inline constexpr std::size_t widest_cell = 60;

/// A column of a table: a member of its rows.
struct column {
  const char* member;
  const char* title;
  std::size_t widest = widest_cell;  ///< longer cells are cut
  bool is_money = false;  ///< minor units of the row's `currency`, shown as `HKD 42.00`
};

/// A column of amounts.
constexpr column money_column(const char* member, const char* title) { return {member, title, widest_cell, true}; }

/// A title line and one line for each row, with aligned columns and no trailing blanks.
std::string as_table(std::span<const column> columns, const boost::json::array& rows);
/// Returns a table if the answer's first member is a list whose columns gatewayctl knows; otherwise lines.
std::string as_text(const boost::json::object& answer);
std::string as_lines(const boost::json::object& answer);

/// 1 if the answer is a check that found something to correct (`"ok": false`), else 0.
int exit_status_of(const boost::json::object& answer);

/// The message of an error body, or a text for the status if there is none.
std::string message_of(unsigned status, const std::string& body);

}  // namespace gateway::ctl
