# The instructions of one request of each kind, counted by callgrind: they do not depend on what else the machine does. The gateway
# runs on SQLite. Sourced by tools/bench.

source tools/measure/scripts/connect.bash
tools/install valgrind
customers=300 connections=16 threads=1
gateway_options+=(--dev)
start_gateway counted sqlite
merchant=${merchant_of[counted]} data=$stand/counted
ctl() { build/gatewayctl --data-dir="$data" --json "$@" >"$stand/ctl.out"; }
ctl connection set --merchant "$merchant" --mode live --provider sandbox --status connected
ctl route set --merchant "$merchant" --mode live --provider sandbox --currencies HKD --methods card
key=$(build/gatewayctl --data-dir="$data" --json merchant key mint --merchant "$merchant" --mode live)
key_id[counted]=$(member key_id "$key") key_secret[counted]=$(member secret "$key")
connect counted live 'payments:write payments:read customers:read'
live_options=(--on-behalf-of="$merchant" --environment=live --customers=$customers)
for kind in create save; do
  presign counted-platform $kind "$kind$run" 0 $customers "${live_options[@]}"
  drive counted-platform again 2
done
stop_gateway counted

# count NAME SIGNER KIND once|again [OPTION…]: a minute after its start, when the gateway believes the rows that it has read.
count() {
  local name=$1 signer=$2 kind=$3 how=$4 file=$stand/callgrind.$1 series=$1$run requests_made=20000 total
  shift 4
  [ "$how" = once ] || series=create$run requests_made=$customers
  start_server counted valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file="$file" build/gatewayd --listen=127.0.0.1:0 \
    --operator-listen=127.0.0.1:0 --data-dir="$data" --store=sqlite --log-level=warn --http-connections-per-address=10000 "${gateway_options[@]}"
  url[counted-platform]=${url[counted]}
  sleep 62
  presign "$signer" "$kind" "warm$series" 0 500 "$@"
  drive "$signer" "$how" 3
  presign "$signer" "$kind" "$series" 0 "$requests_made" "$@"
  callgrind_control -i on "${server_pid[counted]}" >/dev/null 2>&1
  drive "$signer" "$how" 8
  callgrind_control -i off "${server_pid[counted]}" >/dev/null 2>&1
  [ "$bad" -eq 0 ] || fail "$name: $bad wrong answers"
  stop_gateway counted
  total=$(sed -n 's/^\(totals\|summary\): *\([0-9]*\).*/\2/p' "$file" | tail -n 1)
  printf '  %-44s %9d instructions (%d requests)\n' "$name" $((total / requests)) "$requests"
}

count merchant counted create once
count platform counted-platform create once "${live_options[@]}"
count authorize counted-platform authorize once "${live_options[@]}"
count charge counted-platform charge once "${live_options[@]}"
count timeline counted-platform timeline again "${live_options[@]}"
count by_ref counted-platform by_ref again "${live_options[@]}"
