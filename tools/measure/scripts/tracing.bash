# Measures the cost of a create with tracing, compared with a gateway without it, in processor time of the gateways. Sourced by
# tools/bench.
#
# One gateway traces one create in ten, which is the default; another traces all. Their spans are sent to an nginx on this machine that
# answers as a collector does. Each gateway has its own store and runs all the time; in each round they are measured one after the
# other, and the next round begins with the last one.
source tools/measure/scripts/measures.bash

low_rate=500 spans_of_a_create=5 target=1.03 # of the gateway that traces one in ten
declare -A cost_us ratios exported lost

packages=(jq)
[ "$store" = sqlite ] || packages+=(mariadb-server mariadb-client)
tools/install "${packages[@]}"
build gatewayd gatewayctl gateway-load
make_stand

# start_collector: sets collector_url.
start_collector() {
  local at=$stand/collector port
  mkdir -p "$at"
  # nginx does not report a port that the kernel chose, so this picks a free one below the kernel's own range.
  while port=$((20000 + RANDOM % 11000)); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  cat >"$at/nginx.conf" <<CONF
daemon off;
master_process off;
pid $at/pid;
error_log $at/error.log warn;
events { worker_connections 64; }
http {
  client_body_temp_path $at/body;
  proxy_temp_path $at/proxy;
  fastcgi_temp_path $at/fastcgi;
  uwsgi_temp_path $at/uwsgi;
  scgi_temp_path $at/scgi;
  access_log off;
  client_max_body_size 16m;
  client_body_buffer_size 2m;
  keepalive_requests 100000000;
  server {
    listen 127.0.0.1:$port;
    default_type application/json;
    location /v1/traces { return 200 '{}'; }
  }
}
CONF
  "$(tools/nginx)" -c "$at/nginx.conf" -p "$at" 2>"$stand/collector.log" &
  server_pid[collector]=$!
  until [ -s "$at/pid" ]; do
    kill -0 "${server_pid[collector]}" 2>/dev/null || fail "the collector does not start: $(tail -n 1 "$stand/collector.log")"
    sleep 0.05
  done
  collector_url=http://127.0.0.1:$port/v1/traces
}

# used_by GATEWAY: processor time of its threads in microseconds.
used_by() {
  cat /proc/"${server_pid[$1]}"/task/*/schedstat | awk '{ ns += $1 } END { printf "%d", ns / 1000 }'
}

# measure_tracing off|on|all low|full: the first second warms up and does not count.
measure_tracing() {
  local gateway=$1 name=$1-$2 how=(--closed) from spans dropped
  [ "$2" = full ] || how=(--rate=$low_rate)
  how+=(--connections="$connections" --no-verify)
  load "$gateway" create "${how[@]}" --duration=1s
  sleep 2 # until the queued spans have been sent
  from=$(used_by "$gateway")
  spans=$(sample "$gateway" gateway_trace_spans_exported_total) dropped=$(sample "$gateway" gateway_trace_spans_dropped_total)
  load "$gateway" create "${how[@]}" --duration="${seconds}s"
  sleep 2
  cost_us[$name]+=" $((($(used_by "$gateway") - from) / requests))"
  spans=$(($(sample "$gateway" gateway_trace_spans_exported_total) - spans))
  dropped=$(($(sample "$gateway" gateway_trace_spans_dropped_total) - dropped))
  exported[$name]+=" $spans" lost[$name]+=" $dropped"
  if [ "$gateway" = all ]; then
    expect "$name: spans" $((spans_of_a_create * requests)) $((spans + dropped))
  elif [ "$gateway" = on ]; then
    # Creates are chosen at random: nearly a tenth of thousands, each with all its spans.
    if [ $(((spans + dropped) % spans_of_a_create)) -ne 0 ] || [ $((spans + dropped)) -lt $((spans_of_a_create * requests / 15)) ]; then
      fail "of $requests creates $((spans + dropped)) spans were made"
    fi
  elif [ $((spans + dropped)) -ne 0 ]; then
    fail "the gateway without tracing has made $((spans + dropped)) spans"
  fi
  record "$name"
}

tracing_row() {
  printf '%-44s %10s %11s %8s %8s %8s\n' "$@"
}

start_collector
start_gateway off "$store" gateway_off
gateway_options=(--tracing-endpoint="$collector_url")
start_gateway on "$store" gateway_on
gateway_options+=(--tracing-one-in=1)
start_gateway all "$store" gateway_all
echo "the gateways are up"
wait_until_rows_are_kept 62

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections, $store, $(nproc) cores"
  order=(off on all)
  [ $((round % 2)) -eq 1 ] || order=(all on off)
  for amount in low full; do
    for gateway in "${order[@]}"; do measure_tracing "$gateway" $amount; done
    for gateway in on all; do
      ratios[$gateway-$amount]+=" $(awk -v on="${cost_us[$gateway-$amount]##* }" -v off="${cost_us[off-$amount]##* }" 'BEGIN { printf "%.3f", on / off }')"
    done
  done
done

echo
echo "Medians of $rounds rounds on $store; ratios are the medians of the rounds' ratios"
tracing_row "the gateway's processor time of a create, us" off "one in ten" ratio all ratio
for amount in low full; do
  text="  at $low_rate/s"
  [ $amount = low ] || text="  over $connections connections"
  tracing_row "$text" "$(middle "${cost_us[off-$amount]}")" "$(middle "${cost_us[on-$amount]}")" "$(middle "${ratios[on-$amount]}")" \
    "$(middle "${cost_us[all-$amount]}")" "$(middle "${ratios[all-$amount]}")"
done
tracing_row "creates a second, $connections connections" "$(median_of "${rates[off-full]}")" "$(median_of "${rates[on-full]}")" '' \
  "$(median_of "${rates[all-full]}")" ''
for what in exported lost; do
  for amount in low full; do
    declare -n counted=$what
    tracing_row "spans $what ($amount)" '' "$(middle "${counted[on-$amount]}")" '' "$(middle "${counted[all-$amount]}")" ''
  done
done

[ "$wrong" -eq 0 ] || fail "$wrong counts or answers were wrong: see above"
missed=0
for amount in low full; do
  if awk -v r="$(middle "${ratios[on-$amount]}")" -v t=$target 'BEGIN { exit !(r > t) }'; then
    echo "missed: with tracing a create takes $(middle "${ratios[on-$amount]}") times the processor time ($amount; target: $target)" >&2
    missed=1
  fi
done
[ $check = no ] || [ $missed -eq 0 ] || exit 1
