# The stand on which tools/bench measures: servers that it starts and ends, and one run of wrk. Sourced, not run.

fail() {
  echo "tools/bench: $*" >&2
  exit 1
}

declare -A url metrics key_id key_secret server_pid
threads=2

make_stand() {
  stand=$(mktemp -d "$root/build/bench/stand.XXXXXX")
  trap end_stand EXIT
  trap 'exit 130' INT TERM
}

end_stand() {
  local pid
  for pid in "${server_pid[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${server_pid[@]}"; do wait "$pid" 2>/dev/null || true; done
  [ ! -d "$stand/mariadb-server" ] || tools/mariadb stop "$stand/mariadb-server" || true
  rm -rf "$stand"
}

# A member of the one-line JSON objects that gatewayctl prints.
member() {
  sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p" <<<"$2"
}

# start_server NAME PROGRAM [OPTION…]: waits until it says where it listens.
start_server() {
  local name=$1 deadline=$((SECONDS + 60))
  shift
  "$@" >"$stand/$name.out" 2>"$stand/$name.log" &
  server_pid[$name]=$!
  until url[$name]=$(sed -n 's/^listening on //p' "$stand/$name.out") && [ -n "${url[$name]}" ]; do
    kill -0 "${server_pid[$name]}" 2>/dev/null || fail "$name does not start: $(tail -n 1 "$stand/$name.log")"
    [ $SECONDS -lt $deadline ] || fail "$name does not listen after 60 s"
    sleep 0.05
  done
}

start_bare() {
  start_server bare build/bench/bare_server --threads="$threads"
}

# start_gateway sqlite|mariadb: with a merchant and its test key. Logs of single requests are not what is measured.
start_gateway() {
  local name=$1 where=sqlite merchant key data=$stand/$1
  mkdir "$data"
  if [ "$name" = mariadb ]; then where=$(tools/mariadb start "$stand/mariadb-server" --buffer-pool=1G); fi
  start_server "$name" build/gatewayd --listen=127.0.0.1:0 --operator-listen=127.0.0.1:0 --data-dir="$data" --store="$where" \
    --log-level=warn
  until metrics[$name]=$(sed -n 's/^operator metrics on //p' "$stand/$name.out") && [ -n "${metrics[$name]}" ]; do sleep 0.05; done
  merchant=$(build/gatewayctl --data-dir="$data" --json merchant create --name Bench)
  key=$(build/gatewayctl --data-dir="$data" --json merchant key mint --merchant "$(member merchant_id "$merchant")" --mode test)
  key_id[$name]=$(member key_id "$key")
  key_secret[$name]=$(member secret "$key")
}

# sample NAME METRIC…: the sum of the samples whose names begin so.
sample() {
  local name=$1
  shift
  curl --silent --fail "${metrics[$name]}/metrics" | awk -v prefixes="$*" '
    BEGIN { n = split(prefixes, wanted, " ") }
    { for (i = 1; i <= n; i++) if (index($0, wanted[i]) == 1) sum += $NF }
    END { printf "%d\n", sum }'
}

# presign GATEWAY KIND SERIES FIRST COUNT: writes $stand/requests.N, one for each thread of wrk.
presign() {
  PRESIGN_SECRET=${key_secret[$1]} build/bench/presign --kind="$2" --series="$3" --first="$4" --count="$5" --key-id="${key_id[$1]}" \
    --host="${url[$1]#https://}" --files="$threads" --output="$stand/requests"
}

# drive SERVER once|again SECONDS: sets requests, microseconds, p50, p99, bad, broken, exhausted.
drive() {
  local line
  wrk -t"$threads" -c"$connections" -d"$3s" --timeout 30s -s tools/bench.d/replay.lua "${url[$1]}" -- "$stand/requests" "$2" \
    >"$stand/wrk.out" 2>&1 ||
    fail "wrk failed: $(tail -n 3 "$stand/wrk.out")"
  line=$(grep '^measured ' "$stand/wrk.out") || fail "wrk measured nothing: $(tail -n 3 "$stand/wrk.out")"
  read -r _ requests microseconds p50 p99 bad broken exhausted <<<"$line"
  [ "$requests" -gt 0 ] || fail "$1 answered nothing"
}

rate() {
  echo $((requests * 1000000 / microseconds))
}

median() {
  sort -n | awk '{ row[NR] = $1 } END { print NR % 2 ? row[(NR + 1) / 2] : int((row[NR / 2] + row[NR / 2 + 1]) / 2) }'
}
