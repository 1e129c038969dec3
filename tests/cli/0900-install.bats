# make install installs all files below the given directories, and make uninstall removes them.

load lib

@test "make install installs all files, and make uninstall removes them" {
	need make
	cd "$ROOT"
	local files
	make -s install DESTDIR="$BATS_TEST_TMPDIR" prefix=/usr
	"$BATS_TEST_TMPDIR/usr/bin/dendro" --version
	files=$(find "$BATS_TEST_TMPDIR/usr/share" -name '*.1' -printf '%f\n' | sort | tr '\n' ' ')
	expect_equal "man pages" "$files" "dendro-agent.1 dendro-annotate.1 dendro-archive.1 dendro-branches.1 dendro-browse.1 dendro-build.1 dendro-debug-unwind.1 dendro-diff.1 dendro-doctor.1 dendro-export.1 dendro-fleet.1 dendro-list.1 dendro-merge.1 dendro-push.1 dendro-record.1 dendro-report.1 dendro-script.1 dendro-top.1 dendro-values.1 dendro-version.1 dendro-view.1 dendro.1 "
	[ -s "$BATS_TEST_TMPDIR/usr/share/man/man5/dendro.conf.5" ]
	files=$(cd "$BATS_TEST_TMPDIR/usr/share" && find . -name '*dendro*' ! -name '*.[15]' | sort | tr '\n' ' ')
	expect_equal completion "$files" "./bash-completion/completions/dendro ./fish/vendor_completions.d/dendro.fish ./zsh/site-functions/_dendro "
	files=$(cd "$BATS_TEST_TMPDIR/usr" && find include lib -name '*dendro*' ! -path '*/systemd/*' -printf '%P\n' | sort | tr '\n' ' ')
	expect_equal library "$files" "dendro.h libdendro.so libdendro.so.0 libdendro.so.0.1 pkgconfig/dendro.pc python3/dist-packages/dendro.py "
	local send=$BATS_TEST_TMPDIR/usr/libexec/dendro/dendro-send
	[ ! -e "$(dirname "$DENDRO")/dendro-send" ] || [ -x "$send" ]
	local unit=$BATS_TEST_TMPDIR/usr/lib/systemd/system/dendro-agent.service
	expect_equal "unit" "$(stat -c %a "$unit")" 644
	expect_equal "started" "$(grep ^ExecStart= "$unit")" "ExecStart=/usr/bin/dendro agent --no-send"
	expect_equal "other lines" "$(diff "$unit" "$ROOT/docs/systemd/dendro-agent.service" | grep -c '^[<>]')" 2
	unit=${unit%/*}/dendro-push.service
	expect_equal "that sends" "$(grep ^ExecStart= "$unit")" "ExecStart=/usr/bin/dendro push --quiet --spool /var/lib/dendro/spool"
	[ -s "${unit%.service}.timer" ]
	make -s uninstall DESTDIR="$BATS_TEST_TMPDIR" prefix=/usr
	expect_equal left "$(find "$BATS_TEST_TMPDIR/usr" ! -type d | wc -l)" 0
}

@test "every option of --help is in the man page and the other way round" {
	local command options pages
	for command in agent annotate archive branches browse build debug-unwind diff doctor export fleet list merge push record report script top values version view; do
		# An option is where its line begins.
		options=$("$DENDRO" $command --help 2>&1 |
			grep -oE '^ +(-[^ ]*, )?--[a-z][a-z-]*' | grep -o -- '--[a-z][a-z-]*' |
			grep -v help | sort -u)
		# Other commands' options may be mentioned; its own are where a paragraph begins.
		pages=$(sed 's/\\-/-/g' "$ROOT/docs/man/dendro-$command.1" |
			awk '/^\.TP/ { getline; print }' | grep -o -- '--[a-z][a-z-]*' | sort -u)
		diff <(echo "$options") <(echo "$pages")
	done
}

@test "version --build-options says what this dendro was built with" {
	cd "$BATS_TEST_TMPDIR"
	"$DENDRO" version --build-options | tee options
	expect_equal version "$(sed -n 1p options)" "$("$DENDRO" version)"
	cmp options <("$DENDRO" --version --build-options)
	grep -q "^architecture  $(uname -m | sed s/aarch64/arm64/)$" options
	grep -q '^linked        with shared libraries$' options
	grep -Eq '^compiler      (gcc|Clang) ?[0-9]+\.' options
	# What is left out is refused, and the other way round.
	if grep -q '^sqlite        yes' options; then
		ldd "$DENDRO" | grep -q sqlite
	else
		lacks sqlite <(ldd "$DENDRO")
	fi
	refuses "unexpected 'more'" -- "$DENDRO" version more
	need "$STATIC"
	"$STATIC" version --build-options | grep -q '^linked        statically$'
}
