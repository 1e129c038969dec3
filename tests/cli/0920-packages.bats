# make deb: packages for Debian, built twice with equal bytes, clean for lintian, and installed, used
# and purged in a bare Debian. The program is compiled twice for that, and the first run fetches that
# Debian (into build/debian-*.tar), so this file takes minutes. RPM and Arch: the files can be read.

load lib

setup_file() {
	load lib
	prepare build_packages
}

build_packages() {
	need dpkg-buildpackage dh lintian
	cd "$BATS_FILE_TMPDIR"
	SECONDS=0
	"$ROOT/docs/packaging/build_deb" first >log 2>&1 || {
		tail -n 50 log
		return 1
	}
	echo $SECONDS >build_took
}

setup() {
	skip_unprepared
	cd "$BATS_FILE_TMPDIR"
	bare=$BATS_FILE_TMPDIR/debian
}

list_files() { # list_files PACKAGE
	dpkg-deb -c first/"$1"_*.deb | awk '$1 !~ /^d/ { print $6 }' | sort
}

in_bare() {
	unshare --mount --pid --fork sh -c 'bare=$1
		shift
		mount -t proc proc "$bare/proc" && mount -t sysfs sysfs "$bare/sys" &&
			exec chroot "$bare" env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' \
		sh "$bare" "$@"
}

# A bare Debian, with the lists and the packages that dendro depends on.
need_bare() {
	need_root
	need debootstrap unshare
	[ -e "$bare" ] && return
	local kept
	kept=$ROOT/build/debian-$(for package in first/*.deb; do dpkg-deb -f "$package" Depends; done |
		md5sum | cut -c 1-8).tar
	mkdir "$bare"
	if [ -e "$kept" ]; then
		tar -C "$bare" -xf "$kept"
		return
	fi
	debootstrap --variant=minbase "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$bare" \
		>debootstrap.log 2>&1 || skip "debootstrap fails: $(tail -n 1 debootstrap.log)"
	cp /etc/resolv.conf "$bare/etc/"
	cp first/*.deb "$bare/tmp/"
	# shellcheck disable=SC2016
	in_bare sh -c 'apt-get update -q && apt-get install -y -q --download-only \
		--no-install-recommends libcap2-bin $(ls /tmp/*.deb)' >download.log 2>&1 ||
		skip "packages can't be fetched: $(tail -n 1 download.log)"
	rm "$bare"/tmp/*.deb
	tar -C "$bare" -cf "$kept.new" .
	mv "$kept.new" "$kept"
}

files_in_bare() { # of the system, without the package manager's own notes
	(cd "$bare" && find . -xdev ! -path './var/lib/dpkg/*' ! -path './var/cache/*' \
		! -path './var/log/*' ! -path './var/lib/apt/*' ! -path './tmp/*' \
		! -path './proc/*' ! -path './sys/*' | sort)
}

@test "the packages are those, and every file is in one of them" {
	expect_equal packages "$(cd first && printf '%s\n' *.deb | sed 's/_.*//' | sort | tr '\n' ' ')" \
		"dendro dendro-agent dendro-agent-dbgsym dendro-dbgsym dendro-doc libdendro-dev libdendro0 libdendro0-dbgsym python3-dendro "
	# What is loaded late, no file says.
	dpkg-deb -f first/dendro_*.deb Depends >depends
	grep -q '\blibcapstone[0-9]' depends
	grep -q '\blibpfm4\b' depends
	make -s -C "$ROOT" install DESTDIR="$PWD/installed" prefix=/usr \
		unitdir=/lib/systemd/system
	list_files dendro >main
	list_files dendro-agent >agent
	list_files libdendro0 >library
	list_files libdendro-dev >header
	list_files python3-dendro >module
	cat main agent library header module |
		sed 's|\.gz$||; s|zsh/vendor-completions|zsh/site-functions|; s|/lib/[^/]*-linux-gnu/|/lib/|' |
		sort >packaged
	(cd installed && find . ! -type d | sort) | comm -23 - packaged >left
	expect_equal "files in none" "$(cat left)" ""
	grep -q sysusers.d/dendro.conf main
	grep -qx ./lib/systemd/system/dendro-agent.service agent
	grep -qx ./usr/libexec/dendro/dendro-send agent
	list_files dendro-doc | grep -q QUESTIONS.md
	list_files dendro-doc | grep -q decisions/0001
	# What programs need to run is in one package, what their compilation needs in the other.
	expect_equal library "$(sed '/.usr.share/d; s|.*/||' library | tr '\n' ' ')" "libdendro.so.0 libdendro.so.0.1 "
	expect_equal header "$(sed '/.usr.share/d; s|.*/||' header | tr '\n' ' ')" "dendro.h libdendro.so dendro.pc "
	dpkg-deb -x first/dendro-agent_*.deb unit
	grep -qx 'ExecStart=/usr/bin/dendro agent --no-send' unit/lib/systemd/system/dendro-agent.service
}

@test "lintian finds nothing" {
	lintian --allow-root --fail-on error,warning,info --display-info first/*.changes | tee found
	expect_equal findings "$(cat found)" ""
}

# Continuous integration has no time for it on a slow machine.
@test "another build gives the same bytes" {
	[ -z "${TESTS_UNTIL-}" ] || [ "$(cat build_took)" -le 600 ] ||
		skip "the first build took $(cat build_took) s, and there is no time for another one"
	umask 027
	TZ=Asia/Tokyo LANG=C.UTF-8 TMPDIR=$BATS_TEST_TMPDIR "$ROOT/docs/packaging/build_deb" second >log 2>&1
	local package
	for package in first/*.deb; do
		cmp "$package" "second/${package#first/}"
	done
}

@test "in a bare Debian they are installed, record, report, and are purged without a trace" {
	need_events
	need_bare
	files_in_bare >before
	cp first/dendro_*.deb first/dendro-agent_*.deb first/dendro-doc_*.deb "$bare/tmp/"
	# What is recommended may be recommended by a package that stays, and would stay, too.
	in_bare sh -c 'apt-get install -y -q --no-install-recommends /tmp/*.deb libcap2-bin' \
		>install.log 2>&1 || {
		tail install.log
		false
	}
	in_bare dendro record -q -o /tmp/d.data -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'
	in_bare dendro report /tmp/d.data >report
	grep -q 'sh' report
	in_bare dendro browse --help >help
	# The file of settings is the administrator's: upgrades keep it.
	in_bare dpkg-query -W -f '${Conffiles}\n' dendro | grep -q '^ /etc/dendro.conf '
	printf '[report]\nview = processes\n' >>"$bare/etc/dendro.conf"
	in_bare env -u DENDRO_CONFIG dendro doctor settings >settings
	grep -Eqx '  \[report\] view = processes, of /etc/dendro.conf:[0-9]+' settings
	in_bare sh -c 'dendro push --retry-for 0 --to otlp+http://127.0.0.1:1 /tmp/d.data' >pushed 2>&1 || true
	grep -q "can't be reached" pushed
	rm -rf "$bare/var/lib/dendro"
	in_bare stat -c '%U:%G %a' /usr/bin/dendro | tee rights
	grep -qx 'root:root 755' rights
	[ -e "$bare/lib/systemd/system/dendro-agent.service" ]
	# What the question offers, and that it is taken back.
	in_bare sh -c 'echo dendro dendro/group-records boolean true | debconf-set-selections
		rm -f /var/cache/debconf/config.dat-old
		dpkg-reconfigure dendro
		stat -c "%U:%G %a" /usr/bin/dendro
		getcap /usr/bin/dendro
		dpkg-statoverride --list' >offered 2>&1
	cat offered
	grep -qx 'root:dendro 750' offered
	grep -q cap_perfmon offered
	grep -q cap_sys_ptrace offered
	# setpriv has rights of root until it runs another program.
	in_bare setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'dendro version' >refused 2>&1 || true
	cat refused
	grep -q 'Permission denied' refused
	in_bare setpriv --reuid=65534 --regid=65534 --groups "$(grep ^dendro: "$bare/etc/group" | cut -d: -f3)" \
		dendro record -q -a -d 0.2 -o /tmp/all.data
	in_bare sh -c 'apt-get install -y -q --reinstall /tmp/dendro_*.deb >/tmp/log 2>&1
		getcap /usr/bin/dendro' | grep -q cap_perfmon
	grep -qx 'view = processes' "$bare/etc/dendro.conf"
	in_bare sh -c 'apt-get purge -y -q --autoremove dendro dendro-agent dendro-doc libcap2-bin &&
		dpkg-statoverride --list' >purge.log 2>&1 || true
	lacks 'root dendro' purge.log
	files_in_bare >after
	# The group stays, as Debian's policy wants it: files may have it.
	diff before after | grep '^[<>]' | grep -vE 'etc/(group|gshadow|passwd|shadow|subgid|subuid)-$' >left || true
	cat left
	[ ! -s left ]
}

@test "Fedora's and Arch's say the same" {
	local version
	version=$("$DENDRO" version | sed -n '1s/dendro //p')
	grep -qx "pkgver=$version" "$ROOT/docs/packaging/arch/PKGBUILD"
	grep -Eqx "Version: +$version" "$ROOT/docs/packaging/rpm/dendro.spec"
	bash -c '. "$1"; for name in "${pkgname[@]}"; do declare -F "package_$name" || exit; done' \
		sh "$ROOT/docs/packaging/arch/PKGBUILD"
	need rpmspec
	rpmspec -q --qf '%{name}\n' "$ROOT/docs/packaging/rpm/dendro.spec" | tee names
	local name
	for name in dendro dendro-agent dendro-doc dendro-libs dendro-devel python3-dendro; do
		grep -qx $name names
	done
}
