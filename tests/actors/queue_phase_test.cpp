// The states of an entity's queue and of its memory, as tables over state and event: a new state or event fails here
// until its row or column is decided.

#include <catch2/catch.hpp>

#include <array>
#include <cstddef>
#include <optional>

#include "entity/queue/queue_phase.hpp"
#include "entity/queue/row_knowledge.hpp"

using namespace gateway::actors;

namespace {

constexpr std::size_t phases = 5;
constexpr std::size_t queue_events = 6;
static_assert(static_cast<std::size_t>(queue_phase::suspended) + 1 == phases);
static_assert(static_cast<std::size_t>(queue_event::exhaust) + 1 == queue_events);

constexpr std::size_t knowledges = 4;
constexpr std::size_t row_events = 7;
static_assert(static_cast<std::size_t>(row_knowledge::known_in_doubt) + 1 == knowledges);
static_assert(static_cast<std::size_t>(row_event::doubt_ended) + 1 == row_events);

}  // namespace

TEST_CASE("an entity's queue: each phase after each event") {
  constexpr auto idle = std::optional{queue_phase::idle};
  constexpr auto advancing = std::optional{queue_phase::advancing};
  constexpr auto starting = std::optional{queue_phase::starting};
  constexpr auto running = std::optional{queue_phase::running};
  constexpr auto suspended = std::optional{queue_phase::suspended};
  constexpr std::optional<queue_phase> never;
  // clang-format off
  constexpr std::array<std::array<std::optional<queue_phase>, queue_events>, phases> table{{
      //             begin     suspend    resume   end        unwind     exhaust
      /* idle      */ {running,  never,     never,   never,     never,     never},
      /* advancing */ {starting, never,     never,   never,     never,     idle},
      /* starting  */ {never,    suspended, never,   advancing, running,   never},
      /* running   */ {never,    suspended, never,   advancing, never,     never},
      /* suspended */ {never,    never,     running, never,     suspended, never},
  }};
  // clang-format on
  for (std::size_t phase = 0; phase < phases; ++phase)
    for (std::size_t event = 0; event < queue_events; ++event) {
      INFO("phase " << phase << ", event " << event);
      CHECK((after(static_cast<queue_phase>(phase), static_cast<queue_event>(event)) == table[phase][event]));
    }
}

TEST_CASE("an entity's queue begins a request only while none is in progress") {
  for (std::size_t phase = 0; phase < phases; ++phase) {
    const auto now = static_cast<queue_phase>(phase);
    CHECK(is_free(now) == after(now, queue_event::begin).has_value());
  }
}

TEST_CASE("an entity's row: what is known of it after each event") {
  using enum row_knowledge;
  // clang-format off
  constexpr std::array<std::array<row_knowledge, row_events>, knowledges> table{{
      //                    read            committed unanswered        forgotten         request_ended     without a row     doubt_ended
      /* unknown          */ {known,          known,    unknown_in_doubt, unknown,          unknown,          unknown,          unknown},
      /* known            */ {known,          known,    unknown_in_doubt, unknown,          known,            unknown,          known},
      /* unknown_in_doubt */ {known_in_doubt, known,    unknown_in_doubt, unknown_in_doubt, unknown_in_doubt, unknown_in_doubt, unknown},
      /* known_in_doubt   */ {known_in_doubt, known,    unknown_in_doubt, unknown_in_doubt, unknown_in_doubt, unknown_in_doubt, unknown},
  }};
  // clang-format on
  for (std::size_t state = 0; state < knowledges; ++state)
    for (std::size_t event = 0; event < row_events; ++event) {
      INFO("state " << state << ", event " << event);
      CHECK((after(static_cast<row_knowledge>(state), static_cast<row_event>(event)) == table[state][event]));
    }
}

TEST_CASE("only a commit or the end of the doubt ends a doubt, and a doubtful row serves one request") {
  for (std::size_t event = 0; event < row_events; ++event) {
    const auto what = static_cast<row_event>(event);
    const bool ends = what == row_event::committed || what == row_event::doubt_ended;
    CHECK(is_in_doubt(after(row_knowledge::known_in_doubt, what)) != ends);
    CHECK(is_in_doubt(after(row_knowledge::unknown_in_doubt, what)) != ends);
  }
  CHECK_FALSE(is_known(after(row_knowledge::known_in_doubt, row_event::request_ended)));
  CHECK(is_known(after(row_knowledge::known, row_event::request_ended)));
}
