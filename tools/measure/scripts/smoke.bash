# Runs every mode of tools/bench for a second or so, and tools/soak, tools/crash-test and the programs of tools/measure, so that none
# breaks unnoticed. The measured figures are meaningless. Sourced by tools/bench.

tools/install wrk jq curl sqlite3 valgrind openssl mariadb-server mariadb-client
build gatewayd gatewayctl gateway-load sandbox-provider stripe-stand-in bare_server bare_database presign request_path store_bench \
  soak_report end_to_end_webhook_speed end_to_end_crash

logs=$root/build/bench/smoke
rm -rf "$logs"
mkdir -p "$logs"
failed=()

# try NAME COMMAND…: its output is written to build/bench/smoke/NAME.txt.
try() {
  local name=$1 began=$SECONDS
  shift
  wanted "$name" || return 0
  # A mode that hangs must not hold up the others.
  if timeout --kill-after=30 900 "$@" >"$logs/$name.txt" 2>&1 </dev/null; then
    echo "$name: done in $((SECONDS - began)) s"
  else
    echo "$name: FAILED with status $? after $((SECONDS - began)) s: $*"
    tail -n 5 "$logs/$name.txt" | sed 's/^/    /'
    failed+=("$name")
  fi
}

bench=(tools/bench --no-build --brief --seconds=1 --rounds=1 --connections=16)
try speed "${bench[@]}"
try growth "${bench[@]}" growth --payments=2000
try growth_mariadb "${bench[@]}" growth --payments=2000 --store=mariadb
try curves "${bench[@]}" curves --payments=1
try memory "${bench[@]}" memory --payments=12000
try cost "${bench[@]}" cost
try platforms "${bench[@]}" platforms
try customers "${bench[@]}" customers
try merchants "${bench[@]}" merchants --merchants=1000
try nodes "${bench[@]}" nodes
try portal "${bench[@]}" portal --payments=10000
try providers "${bench[@]}" providers
try limits "${bench[@]}" limits
try fairness "${bench[@]}" fairness --deliveries=2000
try events "${bench[@]}" events --payments=2000
try tracing "${bench[@]}" tracing
try ledger "${bench[@]}" ledger --against=build/gatewayd
try instructions "${bench[@]}" instructions
try steps "${bench[@]}" steps
try webhooks "${bench[@]}" webhooks
try peers "${bench[@]}" peers

# In so short a run something always grows or is not sampled often enough, which is status 1; a broken promise ends the run before the verdict.
soak_for_a_moment() {
  tools/soak "$@" || grep --quiet -E '^(something grows$|soak_report: too few samples)' "$logs/soak.txt"
}
export -f soak_for_a_moment
export logs
try soak bash -c 'soak_for_a_moment "$@"' soak --no-build --seconds=10 --section=5 --measure=2 --every=1 --connections=8 --output="$logs/soak"
try crash tools/crash-test --no-build --rounds=1 --store=sqlite --deliveries=200
try store_bench build/bench/store_bench --store=sqlite --data-dir="$logs/store" --payments=500 --old-keys=1000

if [ ${#failed[@]} -gt 0 ]; then fail "failed: ${failed[*]}; see build/bench/smoke"; fi
echo "all of them run"
