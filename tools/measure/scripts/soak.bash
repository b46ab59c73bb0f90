# The load and the samples of tools/soak on one store. Sourced, not run.

# Reads for each request of the load. A payment takes two reads, one of them for its timeline, and in the usual mix every fifth request
# begins a payment, so that at this rate a section has been read back when the next one ends.
reads_each_request=0.5

# Sampling starts few programs, so that the samples are on time on a busy machine.

# look_at_clock: sets elapsed_ms, the time since the load began, and elapsed, the same in seconds.
look_at_clock() {
  elapsed_ms=$((${EPOCHREALTIME/[.,]/} / 1000 - begun_ms))
  printf -v elapsed '%d.%03d' $((elapsed_ms / 1000)) $((elapsed_ms % 1000))
}

pause_until() {
  local left
  look_at_clock
  left=$(($1 * 1000 - elapsed_ms))
  [ $left -le 0 ] || sleep "$((left / 1000)).$(printf %03d $((left % 1000)))"
}

# A file may vanish after it has been listed.
bytes_of() {
  local all=0 size
  while read -r size; do all=$((all + size)); done < <(stat --format=%s "$@" 2>/dev/null)
  echo "$all"
}

# files_of STORE: database, log, table of keys, system tablespaces, in bytes. Fields that a store does not have are empty.
files_of() {
  local data=$stand/soak_$1 server=$stand/mariadb-server/data
  if [ "$1" = sqlite ]; then
    echo "$(bytes_of "$data/gateway.sqlite"),$(bytes_of "$data/gateway.sqlite-wal"),,"
  else
    echo "$(bytes_of "$server"/gateway_soak_mariadb/*.ibd),$(bytes_of "$server"/ib_logfile*),$(bytes_of "$server/gateway_soak_mariadb/commands.ibd"),$(
      bytes_of "$server"/ibdata1 "$server"/undo*)"
  fi
}

sample_header=at_s,resident_kb,open_files,database,log,commands,system,keys_taken,keys_kept,purge_overdue_s,webhook_pending,webhook_oldest_s,arrival_p99_ms,deliveries_kept,events_age_s

# rows_of STORE: settled and open deliveries, and the age in seconds of the oldest event that can be read from the log.
rows_of() {
  local ask="SELECT COUNT(*), (SELECT value FROM meta WHERE name = 'events_kept_from') FROM deliveries" deliveries from
  if [ "$1" = sqlite ]; then
    IFS='|' read -r deliveries from < <(sqlite3 -readonly "$stand/soak_$1/gateway.sqlite" "$ask" 2>/dev/null) || true
  else
    read -r deliveries from < <(mariadb_sql "${ask//FROM /FROM gateway_soak_mariadb.}" 2>/dev/null | tail -n 1) || true
  fi
  # A position in the log is microseconds since 1970, with eight more bits.
  if [[ ${from-} =~ ^[0-9]+$ ]]; then from=$((${EPOCHREALTIME/[.,]/} / 1000000 - from / 256000000)); else from=; fi
  echo "${deliveries-},$from"
}

# sample_once STORE: prints one row, with the sums over all nodes. The 99th percentile of the webhooks' arrivals is of those since the last
# sample.
sample_once() {
  local name resident=0 word value files=()
  for name in ${nodes_of[soak_$1]}; do
    while read -r word value _; do
      if [ "$word" = VmRSS: ]; then resident=$((resident + value)); fi
    done <"/proc/${server_pid[$name]}/status"
    files+=("/proc/${server_pid[$name]}/fd"/*)
  done
  look_at_clock
  for name in ${nodes_of[soak_$1]}; do curl --silent --fail --max-time 10 "${metrics[$name]}/metrics"; done >"$stand/metrics.txt"
  printf '%s,%s,%s,%s,%s,%s\n' "$elapsed" "$resident" "${#files[@]}" "$(files_of "$1")" \
    "$(awk -v before="$stand/arrivals.txt" -f tools/measure/scripts/soak_metrics.awk "$stand/metrics.txt")" "$(rows_of "$1")"
}

# Runs until it is killed. A gateway that does not answer within 10 s loses samples, and gateway-load reports it.
sample_all() {
  local next=0
  : >"$stand/arrivals.txt"
  while :; do
    sample_once "$1" || true
    next=$((next + every))
    pause_until "$next"
  done
}

# load STORE OPTION…: one run of gateway-load.
load() {
  local name=soak_$1 first
  read -r first _ <<<"${nodes_of[$name]}"
  shift
  # shellcheck disable=SC2086 # the mix is several words
  build/gateway-load run $mix --data-dir="$stand/$first" --target="${url[$name]}" --insecure --duplicates="$duplicates" --connections="$connections" --keys=10 "$@"
}

# closed STORE FOLDER NAME SECONDS OPTION…: one run in which each connection sends its next request when it has its answer.
closed() {
  local on=$1 to=$2 name=$3 lasts=$4
  shift 4
  load "$on" --closed --warm-up=1s --duration="${lasts}s" --json="$to/$name.json" "$@" >"$to/$name.out" 2>"$to/$name.err" ||
    fail "gateway-load, closed: $(tail -n 12 "$to/$name.out" "$to/$name.err")"
}

rate_of() {
  build/bench/soak_report --rate-of="$1"
}

reads_beside() {
  awk -v r="$1" -v e="$reads_each_request" 'BEGIN { n = r * e; print (n < 1 ? 1 : n) }'
}

# measure_highest STORE FOLDER: the highest rate under the conditions of the soak: one run is read back while the next one is measured. A
# first, short run determines the number of reads.
measure_highest() {
  local on=$1 to=$2 verifier
  closed "$on" "$to" first $(((measure + 5) / 6)) --no-verify
  closed "$on" "$to" read_back "$measure" --read-rate="$(reads_beside "$(rate_of "$to/first.json")")" &
  verifier=$!
  sleep $((measure + 1))
  closed "$on" "$to" highest "$measure" --no-verify
  wait "$verifier"
  rate_of "$to/highest.json"
}

# start_soaked STORE: as the server soak_STORE.
start_soaked() {
  if [ "$nodes" -gt 1 ]; then
    start_nodes "soak_$1" "$nodes" "${kept_options[@]}"
  else
    gateway_options=("${kept_options[@]}")
    start_gateway "soak_$1" "$1" "gateway_soak_$1"
    nodes_of[soak_$1]=soak_$1
  fi
}

# soak STORE FOLDER
soak() {
  local on=$1 to=$2 name=soak_$1 highest begun_ms elapsed_ms elapsed sampler number=0 at=0 lasts reads gap failed=0 all=$total this_rate=$rate node
  local -A verifier=()
  rm -rf "$to"
  mkdir -p "$to"
  start_soaked "$on"
  if [ -z "$this_rate" ]; then
    highest=$(measure_highest "$on" "$to")
    this_rate=$(awk -v h="$highest" -v s="$share" 'BEGIN { r = int(h * s); print (r > 0 ? r : 1) }')
    echo "$on: $highest requests/s closed, beside the reads; the load is $this_rate/s for $total s"
  else
    echo "$on: the load is $this_rate/s for $total s"
  fi
  reads=$(reads_beside "$this_rate")

  begun_ms=$((${EPOCHREALTIME/[.,]/} / 1000))
  echo "$sample_header" >"$to/samples.csv"
  echo "at_s,file" >"$to/sections.csv"
  sample_all "$on" >>"$to/samples.csv" &
  sampler=$!
  server_pid[sampler]=$sampler
  while [ "$at" -lt "$all" ]; do
    lasts=$((all - at < section ? all - at : section))
    # Three at a time, so that memory stays bounded: one loads, the other two are verified.
    pause_until "$at"
    if [ "$number" -ge 3 ]; then
      while kill -0 "${verifier[$((number - 3))]}" 2>/dev/null; do sleep 0.1; done
      look_at_clock
      gap=$(((elapsed_ms - at * 1000 + 999) / 1000))
      if [ $gap -gt 1 ]; then
        echo "$on: a gap of $gap s in the load at $at s: section $((number - 3)) was still being verified" | tee -a "$to/gaps.txt"
        at=$((at + gap)) all=$((all + gap))
        pause_until "$at"
      fi
    fi
    look_at_clock
    echo "$elapsed,section-$number.json" >>"$to/sections.csv"
    load "$on" --rate="$this_rate" --duration="${lasts}s" --read-rate="$reads" --seed=$((number + 1)) \
      --json="$to/section-$number.json" >"$to/section-$number.out" 2>"$to/section-$number.err" &
    verifier[$number]=$!
    server_pid[section_$number]=$!
    at=$((at + lasts)) number=$((number + 1))
  done
  pause_until "$all"
  kill "$sampler" && wait "$sampler" 2>/dev/null || true
  unset 'server_pid[sampler]'
  for ((number = 0; number < ${#verifier[@]}; number++)); do
    wait "${verifier[$number]}" || failed=$((failed + 1))
    unset "server_pid[section_$number]"
  done
  for node in ${nodes_of[$name]}; do stop_gateway "$node"; done
  grep -h -E 'gateway-load:|no violation|violation' "$to"/section-*.out "$to"/section-*.err | sort | uniq -c | sort -rn | head -n 20 || true
  [ "$failed" -eq 0 ] || fail "on $on $failed of ${#verifier[@]} sections failed or broke a promise: see $to"
}
