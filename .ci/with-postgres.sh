#!/usr/bin/env bash
# with-postgres.sh COMMAND…: runs COMMAND with a PostgreSQL in NOTELATCH_TEST_POSTGRES_URL, and ends with its status.
#
# The server is the one that the variable names already, else one that answers at 127.0.0.1:5432 and lets postgres in,
# else one of its own: in a temporary folder, on a free loopback port, stopped and removed at the end, whatever the end is.
#
#   NOTELATCH_TEST_POSTGRES_PROBE   where to look for a running server instead of 127.0.0.1:5432
#   NOTELATCH_TEST_POSTGRES_FSYNC   "on" makes the temporary server durable, which benchmarks need and tests do not
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
probe=${NOTELATCH_TEST_POSTGRES_PROBE:-127.0.0.1:5432}
fsync=${NOTELATCH_TEST_POSTGRES_FSYNC:-off}
# The program refuses variables of its name that it does not know, in tests too.
unset NOTELATCH_TEST_POSTGRES_PROBE NOTELATCH_TEST_POSTGRES_FSYNC

say() { printf '.ci: %s\n' "$*" >&2; }

url() { printf 'postgres://postgres@%s/postgres?sslmode=disable' "$1"; }

listens() { (exec 3<>"/dev/tcp/${1%:*}/${1##*:}") 2>/dev/null; }

answers() {
	listens "$1" || return 1
	if ! command -v psql >/dev/null; then
		say "something listens at $1, but there is no psql to try it with"
		return 1
	fi
	PGCONNECT_TIMEOUT=5 psql -w -X -q -o /dev/null -c 'SELECT 1' "$(url "$1")" 2>/dev/null </dev/null
}

if [ -n "${NOTELATCH_TEST_POSTGRES_URL:-}" ]; then
	say "PostgreSQL: the one that NOTELATCH_TEST_POSTGRES_URL names"
	exec "$@"
fi
if answers "$probe"; then
	say "PostgreSQL: the one that answers at $probe"
	NOTELATCH_TEST_POSTGRES_URL=$(url "$probe")
	export NOTELATCH_TEST_POSTGRES_URL
	exec "$@"
fi

# Debian keeps the server's programs out of PATH.
bin_folder() {
	local initdb
	initdb=$(find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1)
	if [ -z "$initdb" ] && ! initdb=$(command -v initdb); then
		return 1
	fi
	dirname "$(readlink -f "$initdb")"
}

if ! bin=$(bin_folder); then
	"$here/need.sh" initdb postgresql || exit
	bin=$(bin_folder)
fi

# initdb refuses root, and may not read the current folder.
if [ "$(id -u)" -ne 0 ]; then
	user=$(id -un)
	unprivileged() { (cd / && "$@"); }
else
	user=nobody
	if id -u postgres >/dev/null 2>&1; then
		user=postgres
	fi
	unprivileged() { (cd / && runuser -u "$user" -- "$@"); }
fi

dir=$(mktemp -d "${TMPDIR:-/tmp}/notelatch-postgres.XXXXXX")
started=
# shellcheck disable=SC2317 # called by trap
finish() {
	if [ -n "$started" ]; then
		unprivileged "$bin/pg_ctl" stop -D "$dir/data" -m immediate -s >/dev/null || say "could not stop the temporary PostgreSQL in $dir"
	fi
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
if [ "$(id -u)" -eq 0 ]; then
	chown "$user" "$dir"
fi

if ! unprivileged "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$dir/initdb.log" 2>&1; then
	cat "$dir/initdb.log" >&2
	say "initdb failed"
	exit 2
fi
for _ in 1 2 3 4 5; do
	port=$((20000 + RANDOM % 10000)) # below what the kernel hands out to clients
	if listens "127.0.0.1:$port"; then
		continue
	fi
	options="-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories= -c max_connections=300 -c fsync=$fsync"
	if unprivileged "$bin/pg_ctl" start -D "$dir/data" -l "$dir/data/server.log" -w -s -o "$options" >/dev/null; then
		started=$port
		break
	fi
done
if [ -z "$started" ]; then
	cat "$dir/data/server.log" >&2 || true
	say "PostgreSQL did not start"
	exit 2
fi

say "PostgreSQL: a temporary one at 127.0.0.1:$started, run by $user"
NOTELATCH_TEST_POSTGRES_URL=$(url "127.0.0.1:$started")
export NOTELATCH_TEST_POSTGRES_URL
status=0
"$@" || status=$?
exit "$status"
