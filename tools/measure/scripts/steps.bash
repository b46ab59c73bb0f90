# Measures what each step of a request costs alone. Sourced by tools/bench.

tools/install mariadb-server
build request_path
make_stand
GATEWAY_BENCH_STORE=$(tools/mariadb start "$stand/mariadb-server" --buffer-pool=1G --redo-log=1G)
export GATEWAY_BENCH_STORE
# The program makes its SQLite store in its working directory.
(cd "$stand" && "$root/build/bench/request_path" --benchmark-samples 50)
