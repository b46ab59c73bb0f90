# The gateway `counted` under callgrind: its instructions, counted while a command runs. Sourced, not run.

# start_counted: starts it again, with gateway_options, after start_gateway and stop_gateway have made its data. No payment is evicted
# meanwhile, because the eviction would be counted for what is measured at that moment.
start_counted() {
  local start_seconds=1200 # callgrind is slow where other work has the processors
  parts=0
  start_server counted valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$stand/callgrind" "$gateway_program" \
    --listen=127.0.0.1:0 --operator-listen=127.0.0.1:0 --data-dir="$stand/counted" --store=sqlite --log-level=warn --payment-idle=1d \
    --http-idle-timeout=1d "${gateway_options[@]}"
}

control() {
  callgrind_control "$@" "${server_pid[counted]}" >"$stand/control.out" 2>&1 || fail "callgrind_control: $(tail -n 1 "$stand/control.out")"
}

# counted NAME COMMAND…: counts while the command runs. Sets part, the file with the counts, and counted_ms.
counted() {
  local name=$1 from
  shift
  control --instr=on
  from=${EPOCHREALTIME/[.,]/}
  "$@"
  control --instr=off
  counted_ms=$(((${EPOCHREALTIME/[.,]/} - from) / 1000))
  control --dump="$name"
  parts=$((parts + 1))
  part=$stand/callgrind.$parts
  [ -z "${GATEWAY_CALLGRIND_FILES-}" ] || cp "$part" "$GATEWAY_CALLGRIND_FILES/$name"
}
