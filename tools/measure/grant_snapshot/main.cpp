// Prints the cost of the published snapshot for the grants of one platform: bytes on the heap for each grant, and the
// processor time of publishing them one by one and in bulk. The ids are as long as real ones.
#include <malloc.h>

#include <cstdio>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gateway/directory.hpp"

using namespace gateway;

namespace {

std::string padded(const char* prefix, std::size_t number) {
  char text[48];
  std::snprintf(text, sizeof text, "%s%020zx", prefix, number);
  return text;
}

/// Each grant is of another merchant, in live: such grants cost most, because the merchant's listeners are kept, too.
std::vector<grant_news> grants(std::size_t count) {
  const platform_id platform{padded("plat_", 7)};
  std::vector<grant_news> list;
  list.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    list.push_back({{platform, merchant_id{padded("merch_", i)}}, environment::live, {grant_state::active, {3}, 1}});
  return list;
}

/// Processor time, so that other load on the machine matters little.
double ms_since(std::clock_t start) { return static_cast<double>(std::clock() - start) * 1e3 / CLOCKS_PER_SEC; }

void measure(std::size_t count, bool in_bulk) {
  const auto list = grants(count);
  const auto before = mallinfo2().uordblks;
  const auto published = std::make_unique<directory>();
  const auto empty = mallinfo2().uordblks;
  const auto start = std::clock();
  if (in_bulk)
    published->publish(std::span{list});
  else
    for (const auto& one : list) published->publish(one);
  const auto took = ms_since(start);
  const auto bytes = mallinfo2().uordblks - empty;
  std::size_t found = 0;
  const auto look_up = std::clock();
  for (const auto& one : list)
    if (published->find_grants(one.who).live.state == grant_state::active) ++found;
  const auto looked = ms_since(look_up);
  std::printf(
      "%9zu grants %s: %4zu B each (empty: %zu KiB in all), published in %9.1f ms (%.2f us each), look-up %.0f ns%s\n",
      count, in_bulk ? "in bulk   " : "one by one", bytes / count, (empty - before) / 1024, took,
      took * 1e3 / static_cast<double>(count), looked * 1e6 / static_cast<double>(count),
      found == count ? "" : " AND NOT ALL WERE FOUND");
}

}  // namespace

int main() {
  for (const std::size_t count : {std::size_t{10'000}, std::size_t{100'000}}) {
    measure(count, false);
    measure(count, true);
  }
  measure(1'000'000, true);
}
