# Measures deliveries to nginx. Sourced by tools/bench. tests/end_to_end/webhook_speed.cpp defines what must arrive, and how fast.

tools/install mariadb-server
build end_to_end_webhook_speed

GATEWAY_NGINX=${GATEWAY_NGINX-$(tools/nginx)}
export GATEWAY_NGINX
# The buffer pool and redo log are sized for such backlogs: with a redo log of 64 MiB the server stalls every few seconds to flush.
make_stand
GATEWAY_TEST_MYSQL_URL=$(tools/mariadb start "$stand/mariadb-server" --buffer-pool=1G --redo-log=1G)
export GATEWAY_TEST_MYSQL_URL
# Without a size the program only shows that all of it works.
[ $brief = yes ] || export GATEWAY_WEBHOOK_SPEED=whole
build/end_to_end_webhook_speed
