# Sourced by .ci/run: what the reports of surefire and failsafe say. Each report is one test class.

minutes() { # SECONDS → minutes and seconds
    printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

gather() { # STAMP → a line for each class that ran since: module, class, seconds, tests, failures, errors, skipped
    find modules -path '*/target/*-reports/TEST-*.xml' -newer "$1" -exec grep -H -m 1 '<testsuite ' {} + 2>/dev/null |
        awk '
            function of(name) {
                if (!match($0, " " name "=\"[^\"]*\"")) return 0
                return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
            }
            {
                split($0, path, "/")
                seconds = of("time")
                gsub(",", "", seconds)
                print path[2], of("name"), seconds, of("tests"), of("failures"), of("errors"), of("skipped")
            }' || true
}

total() { # FILE... → their sum, in the words of the test runner
    cat "$@" | awk '
        { tests += $4; failures += $5; errors += $6; skipped += $7 }
        END { printf "Tests run: %d, Failures: %d, Errors: %d, Skipped: %d\n", tests, failures, errors, skipped }'
}

by_module() { # FILE
    local module
    for module in modules/*/; do
        module=$(basename "$module")
        awk -v module="$module" '$1 == module' "$1" >"$work/module"
        printf '%-24s %6s  %s\n' "$module" "$(minutes "$(awk '{ s += $3 } END { printf "%d", s }' "$work/module")")" \
            "$(total "$work/module")"
    done
}

slowest() { # COUNT FILE...
    local count=$1
    shift
    echo "The $count classes that took longest, in seconds:"
    cat "$@" | sort -k3,3 -rn | head -n "$count" | awk '{ printf "%8.1f  %-16s %s\n", $3, $1, $2 }'
}

hangs() { # STAMP: what HangWatch has written since
    find modules -path '*/target/hang-*.txt' -newer "$1" -print -exec head -c 100000 {} ';'
}

# Where the tests hung, in a few lines: the test, and the lines of our tests that some thread was at.
report_hung() { # STAMP
    local file
    find modules -path '*/target/hang-*.txt' -newer "$1" | sort | while read -r file; do
        echo "A run of tests hung ($file):"
        sed -n '1p' "$file" | cut -c1-1000 | sed 's/^/  /'
        grep -E '\((.*(Test|IT|Contract))\.java:[0-9]+\)' "$file" | sed 's/^ *at /  /' | awk '!seen[$0]++' | head -n 12
        echo
    done
}

skipped() { # STAMP → a line for each test that was skipped since: its name, a tab, the reason
    find modules -path '*/target/*-reports/TEST-*.xml' -newer "$1" -exec awk '
        function of(name) {
            if (!match($0, " " name "=\"[^\"]*\"")) return ""
            return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
        }
        /<testcase / { test = of("classname") "." of("name") }
        /<skipped/ {
            reason = of("message")
            if (match($0, /Exception: .*/)) reason = substr($0, RSTART + 11)
            sub(/\]\]>.*/, "", reason)
            sub(/^Assumption failed: /, "", reason)
            sub(/^skipped: /, "", reason)
            print test "\t" (reason == "" ? "no reason given" : reason)
        }' {} + || true
}

failed() { # STAMP → a line for each test that failed since: its name, the outermost line of a test, and the beginning of the message
    find modules -path '*/target/*-reports/TEST-*.xml' -newer "$1" -exec awk '
        function of(name) {
            if (!match($0, " " name "=\"[^\"]*\"")) return ""
            return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
        }
        function tell() {
            if (open) print test " (" (place == "" ? "no line" : place) "): " substr(message, 1, 400)
            open = 0
        }
        /<testcase / { tell(); test = of("classname") "." of("name"); }
        /<(failure|error)[ >]/ {
            tell(); open = 1; place = ""; message = of("message")
            if (message == "") { message = $0; sub(/^ *<(failure|error)[^>]*>(<!\[CDATA\[)?/, "", message) }
            gsub(/&#10;/, " ", message)
        }
        open && match($0, /\([A-Za-z]+(Test|IT|Contract)\.java:[0-9]+\)/) { place = substr($0, RSTART + 1, RLENGTH - 2) }
        /<\/(failure|error)>/ { tell() }' {} + || true
}

# Reads what ran since, before another run writes the reports of the same classes anew.
read_reports() { # NAME of the stamp in $work
    gather "$work/$1" >"$work/$1.tests"
    touch "$work/skipped"
    skipped "$work/$1" | sort -u -o "$work/skipped" - "$work/skipped"
    failed "$work/$1" >>"$work/failed"
}

report_failed() { # FILE
    [ -s "$1" ] || return 0
    echo "Failed tests, where, and why:"
    sed 's/^/  /' "$1"
    echo
}

unexpected() { # FILE of lines of `skipped` → those whose reason is not in .ci/may-be-skipped
    grep -vE '^(#|$)' .ci/may-be-skipped | sed 's/^/\t(/; s/$/)$/' >"$work/reasons"
    grep -vEf "$work/reasons" "$1"
}

report_skipped() { # FILE; fails if one should have run
    local code=0
    if [ -s "$1" ]; then
        echo "Skipped tests, and why:"
        sed 's/^/  /; s/\t/: /' "$1"
        echo
    fi
    if unexpected "$1" >"$work/unexpected"; then
        echo "Skipped, though continuous integration has what they need (.ci/may-be-skipped has the reasons that count):"
        sed 's/^/  /; s/\t/: /' "$work/unexpected"
        echo
        code=1
    fi
    return $code
}
