# Sourced by .ci/run: ends a run that hangs, after it has said what it was doing.

descendants() { # PID → its children, their children and so on, without those of EXCEPT
    ps -e -o pid=,ppid= | awk -v root="$1" -v except="$2" '
        { parent[$1] = $2 }
        END {
            for (pid in parent) {
                for (p = pid; p in parent && p != root && p != except; p = parent[p]);
                if (p == root && pid != root) print pid
            }
        }'
}

# Waits SECONDS; then prints what runs below this shell, the threads of all JVMs among it, makes FILE, and ends all that.
watch_over() { # SECONDS FILE
    local pid all self=$BASHPID
    sleep "$1" >/dev/null 2>&1 &
    trap "kill $! 2>/dev/null; exit" TERM
    wait $!
    all=$(descendants $$ "$self")
    : >"$2"
    {
        echo
        echo "ci: this is not over after $(($1 / 60)) minutes, and is ended. What runs:"
        ps -o pid=,ppid=,etime=,time=,args= -p "$(echo "$all" | paste -sd,)" | cut -c1-200
        for pid in $all; do
            if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = java ]; then
                echo
                echo "ci: the threads of process $pid:"
                timeout 30 "$JAVA_HOME/bin/jcmd" "$pid" Thread.print -l || true
            fi
        done
    } >&2
    kill $all 2>/dev/null
    sleep 10
    kill -KILL $(descendants $$ "$self") 2>/dev/null
}
