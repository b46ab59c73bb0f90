#include "exploration.hpp"

#include <map>
#include <ostream>
#include <string>

#include "gateway/base/log.hpp"

namespace gateway::simulation {

namespace {

constexpr std::chrono::minutes between_lines{1};
/// Higher than every logged level.
constexpr auto silence = static_cast<log::level>(static_cast<unsigned char>(log::level::error) + 1);

/// Simulates the seed's world again, this time with its journal.
void tell_again(std::uint64_t seed, guard missing, std::ostream& out) {
  log::start(log::level::error);
  simulate(seed, missing, &out);
  out.flush();
  log::start(silence);
}

}  // namespace

std::uint64_t explore(const exploration& what, std::ostream& out,
                      const std::function<std::chrono::steady_clock::time_point()>& now) {
  std::uint64_t steps = 0, crashes = 0, broken = 0, done = 0;
  std::map<std::string, std::uint64_t> occurrences;
  const auto start = now();
  auto next_line = start + between_lines;
  log::start(silence);
  for (; done < what.seeds; ++done) {
    if (const auto at = now(); at >= next_line) {
      next_line = at + between_lines;
      out << done << " of " << what.seeds << " seeds, " << broken << " broken, "
          << std::chrono::floor<std::chrono::seconds>(at - start).count() << " s" << std::endl;
    }
    const auto seed = what.from + done;
    const auto result = simulate(seed, what.missing);
    steps += result.steps;
    crashes += result.crashes;
    for (const auto& [name, times] : result.occurrences) occurrences[name] += times;
    if (!result.broken) continue;
    ++broken;
    if (broken <= most_stories) tell_again(seed, what.missing, out);
    out << "seed " << seed << ": " << *result.broken << std::endl;  // at once: a long run may be cut off
    if (what.missing != guard::none) break;
  }
  log::start(log::level::error);
  out << what.seeds << " seeds from " << what.from << ": " << broken << " broken, " << steps << " steps, " << crashes
      << " crashes, " << std::chrono::duration<double>(now() - start).count() << " s\n";
  for (const auto& [name, times] : occurrences) out << "  " << name << ": " << times << '\n';
  return broken;
}

}  // namespace gateway::simulation
