# The instructions of one request of each kind, and of each of its steps, counted by callgrind: they hardly depend on the machine, and not
# on its other load. One connection sends a fixed number of each kind to a gateway on SQLite. Sourced by tools/bench.
#
# tools/measure/instructions.json has the recorded figures. --record writes it; --check fails if a request takes 2 % more. --only=KIND,… counts
# these kinds only, and neither records nor checks. GATEWAY_CALLGRIND_FILES names a folder for callgrind's files.

source tools/measure/scripts/connect.bash
source tools/measure/scripts/callgrind.bash
tools/install valgrind jq openssl
known=tools/measure/instructions.json
customers=550 warm=${GATEWAY_BENCH_WARM:-50} measured=${GATEWAY_BENCH_MEASURED:-500} threads=1 most_more=1.02
gateway_options+=(--dev)
start_gateway counted sqlite
merchant=${merchant_of[counted]} data=$stand/counted
ctl() { build/gatewayctl --data-dir="$data" --json "$@" >"$stand/ctl.out"; }
ctl connection set --merchant "$merchant" --mode live --provider sandbox --status connected
ctl route set --merchant "$merchant" --mode live --provider sandbox --currencies HKD --methods card
key=$(build/gatewayctl --data-dir="$data" --json merchant key mint --merchant "$merchant" --mode live)
key_id[counted]=$(member key_id "$key") key_secret[counted]=$(member secret "$key")
connect counted live 'payments:write payments:read customers:read'
for_merchant=(--on-behalf-of="$merchant" --environment=live --customers=$customers)
stop_gateway counted

# connect_one: the connection that all requests are sent over.
connect_one() {
  coproc openssl s_client -quiet -connect "${url[counted]#https://}" 2>"$stand/s_client.log"
  server_pid[s_client]=$COPROC_PID
}

# send FIRST COUNT: requests of $stand/requests.0, one after the other; each must be answered 200.
send() {
  local request line length number=0
  while IFS= read -r -d '' request; do
    number=$((number + 1))
    [ $number -gt "$1" ] || continue
    [ $number -le $(($1 + $2)) ] || break
    # In one piece: bash writes line by line, and each line would become a TLS record.
    printf %s "$request" >"$stand/request"
    cat "$stand/request" >&"${COPROC[1]}"
    IFS= read -r -t 120 line <&"${COPROC[0]}" || fail "$name: no answer"
    [[ $line == 'HTTP/1.1 200'* ]] || fail "$name: ${line%$'\r'}"
    length=0
    while IFS= read -r line <&"${COPROC[0]}" && line=${line%$'\r'} && [ -n "$line" ]; do
      case ${line,,} in content-length:*) length=${line##*[!0-9]} ;; esac
    done
    [ "$length" = 0 ] || IFS= read -r -N "$length" line <&"${COPROC[0]}"
  done <"$stand/requests.0"
  [ $number -ge $(($1 + $2)) ] || fail "$name: only $number requests are prepared"
}

# steps_of FILE DIVISOR: the instructions of each step, by the object and the source file of the instructions themselves.
steps_of() {
  awk -v requests="$2" -f tools/measure/scripts/steps_of_request.awk "$1"
}

# count_idle: the gateway's instructions in a second without requests. A slow machine takes longer for a request, so more of them
# fall into it.
count_idle() {
  counted idle sleep 5
  steps_of "$part" 1 | jq --argjson ms $counted_ms '.instructions /= $ms | .steps[] /= $ms' >"$stand/idle.json"
}

# count NAME SIGNER KIND SERIES [OPTION…]
count() {
  local name=$1 signer=$2 kind=$3 series=$4
  wanted "$name" || return 0
  shift 4
  presign "$signer" "$kind" "$series" 0 $((warm + measured)) "$@"
  send 0 $warm
  counted "$name" send $warm $measured
  steps_of "$part" $measured | jq --slurpfile idle "$stand/idle.json" --argjson ms $((counted_ms)) --argjson requests $measured '
    ($ms / $requests) as $each | .instructions = (.instructions - $idle[0].instructions * $each | round)
    | .steps |= with_entries(.key as $key | .value = (.value - ($idle[0].steps[$key] // 0) * $each | round))' >"$stand/$name.json"
  jq --raw-output --arg name "$name" '"  \($name): \(.instructions) instructions",
    ("    " + (.steps | to_entries | sort_by(-.value) | map("\(.key) \(.value)") | join(", ")))' "$stand/$name.json"
  jq --arg name "$name" '{($name): .}' "$stand/$name.json" >>"$stand/found.json"
}

start_counted
url[counted-platform]=${url[counted]}
wait_until_rows_are_kept 62
count_idle
connect_one
count create counted create made
count replay counted create made
count capture counted capture made
count refund counted refund made
count platform_create counted-platform create bought "${for_merchant[@]}"
count timeline counted-platform timeline bought "${for_merchant[@]}"
count save counted-platform save saved "${for_merchant[@]}"
count authorize counted-platform authorize authorized "${for_merchant[@]}"
count charge counted-platform charge charged "${for_merchant[@]}"
count by_ref counted-platform by_ref saved "${for_merchant[@]}"
exec {COPROC[1]}>&-
unset 'server_pid[s_client]'
stop_gateway counted

[ -z "$only" ] || exit 0
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
jq --slurp --sort-keys --arg commit "$commit" '{commit: $commit, requests: add}' "$stand/found.json" >"$stand/instructions.json"
if [ $record = yes ]; then
  cp "$stand/instructions.json" $known
  echo "written: $known"
fi
if [ $check = yes ]; then
  jq --raw-output --slurpfile known $known --argjson most $most_more -f tools/measure/scripts/dearer.jq "$stand/instructions.json" >"$stand/dearer"
  if [ -s "$stand/dearer" ]; then
    cat "$stand/dearer" >&2
    fail "requests take more instructions than $known says: see docs/benchmarks.md, Instructions"
  fi
  echo "no request takes more than $most_more times as many instructions as $known says"
fi
