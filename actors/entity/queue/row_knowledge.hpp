// What an entity's actor knows about its row in the store. Pure.
//
// While a commit without an answer may still take effect, the row is in doubt: a row that is read then serves only the
// request that read it.
#pragma once

namespace gateway::actors {

enum class row_knowledge : unsigned char {
  unknown,  ///< the next request reads the row
  known,  ///< the row is known, and serves requests until it is forgotten
  unknown_in_doubt,  ///< the next request reads the row
  known_in_doubt,  ///< the row is known, and serves the request in progress
};

enum class row_event : unsigned char {
  read,  ///< the store has answered a read
  committed,  ///< this actor has committed the row
  unanswered,  ///< a commit of this actor got no answer
  forgotten,  ///< the memory may be out of date
  request_ended,  ///< a request has ended, and the row exists or is not known
  request_ended_without_row,  ///< a request has ended that found no row
  doubt_ended,  ///< the commit without an answer cannot take effect any more
};

constexpr bool is_known(row_knowledge now) noexcept {
  return now == row_knowledge::known || now == row_knowledge::known_in_doubt;
}
constexpr bool is_in_doubt(row_knowledge now) noexcept {
  return now == row_knowledge::unknown_in_doubt || now == row_knowledge::known_in_doubt;
}

constexpr row_knowledge after(row_knowledge now, row_event event) noexcept {
  using enum row_knowledge;
  const bool doubted = is_in_doubt(now);
  switch (event) {
    case row_event::read: return doubted ? known_in_doubt : known;
    // Any other commit in flight has lost its claim to this one.
    case row_event::committed: return known;
    case row_event::unanswered: return unknown_in_doubt;
    case row_event::forgotten: return doubted ? unknown_in_doubt : unknown;
    case row_event::request_ended: return doubted ? unknown_in_doubt : now;
    // A missing entity may be created at any time, perhaps through another node.
    case row_event::request_ended_without_row: return doubted ? unknown_in_doubt : unknown;
    // The row may have been read before the commit took effect.
    case row_event::doubt_ended: return doubted ? unknown : now;
  }
  return now;
}

}  // namespace gateway::actors
