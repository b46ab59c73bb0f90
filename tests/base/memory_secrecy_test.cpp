#include <catch2/catch.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gateway/base/memory_secrecy.hpp"

TEST_CASE("a process that forbids dumps cannot be dumped, and neither can its children") {
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    gateway::forbid_dumps();
    const auto grandchild = ::fork();
    if (grandchild == 0) ::_exit(::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
    int inner = 1;
    ::waitpid(grandchild, &inner, 0);
    ::_exit(::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 && inner == 0 ? 0 : 1);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
