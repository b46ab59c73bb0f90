# Judges how little of an attack, an overload or a neighbour clients notice. Sourced by tools/bench. The cases are end-to-end tests
# with the tag [speed]: tools/test runs these, too, but judges there only what does not depend on the machine's speed.

tools/install mariadb-server
tools/build gatewayd gatewayctl sandbox-provider gateway-load

declare -A programs=()
for source in $(cd tests/end_to_end && grep -l '"\[speed\]"' ./*.cpp); do
  source=${source#./}
  # tests/end_to_end/CMakeLists.txt decides which program a source belongs to.
  program=$(ninja -C build -t targets all | sed -n "s|^tests/end_to_end/CMakeFiles/\([a-z_]*\)\.dir/${source//./\\.}\.o: .*|\1|p" | head -1)
  [ -n "$program" ] || { echo "tools/bench: no program has $source" >&2; exit 1; }
  programs[$program]=1
done
tools/build "${!programs[@]}"

failed=0
for program in "${!programs[@]}"; do
  GATEWAY_JUDGE_SPEED=1 "build/$program" '[speed]' || failed=1
done
exit $failed
