# Bare trees of Debian, each an overlay of its own, for the scripts beside this file, which source it
# as root. They set: bare, the folder of the trees; title, for messages. Those that were made stay there,
# as does what apt-get has fetched.
# Environment: MIRROR.
# shellcheck shell=sh disable=SC2154

MIRROR=${MIRROR:-http://deb.debian.org/debian}
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD

say() {
	echo "$title: $*"
}

fail() {
	say "$*" >&2
	exit 1
}

# apart SCRIPT: once more, with mounts that nobody else sees and that go with it
apart() {
	[ "$(id -u)" -eq 0 ] || fail 'only root can make a bare Debian'
	exec env BUILD="${bare%/bare}" unshare --mount --propagation private sh "$1" --apart
}

# debian SUITE: a tree of packages that are always there
debian() {
	mkdir -p "$bare/archives/partial"
	[ ! -e "$bare/$1.done" ] || return 0
	say "making a bare Debian, $1, from $MIRROR"
	rm -rf "${bare:?}/$1"
	debootstrap --variant=minbase "$1" "$bare/$1" "$MIRROR" >"$bare/log" 2>&1 || {
		tail -n 50 "$bare/log" >&2
		fail 'debootstrap fails'
	}
	touch "$bare/$1.done"
}

# root NAME LOWER...: an empty overlay over the trees, as $root, with what programs expect to find
root() {
	root=$bare/$1
	shift
	umount -R -l "$root/tree" 2>/dev/null || :
	rm -rf "$root"
	mkdir -p "$root/new" "$root/work" "$root/tree"
	lower=$(printf ':%s' "$@")
	mount -t overlay overlay -o "lowerdir=${lower#:},upperdir=$root/new,workdir=$root/work" "$root/tree"
	root=$root/tree
	mount -t proc proc "$root/proc"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	mount --bind "$bare/archives" "$root/var/cache/apt/archives"
	cp /etc/resolv.conf "$root/etc/resolv.conf"
}

# inside USER COMMAND
inside() {
	chroot --userspec="$1" "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
		HOME=/tmp DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
		sh -ec "cd /tmp; umask 022; $2" </dev/null
}

# quietly USER COMMAND: what it says is shown if it fails
quietly() {
	inside "$@" >"$bare/log" 2>&1 || {
		tail -n 50 "$bare/log" >&2
		fail "fails: $2"
	}
}
