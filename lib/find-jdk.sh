# Sourced by the scripts that need a JDK: sets JAVA_HOME to a JDK 25 or newer, or ends the script with advice.
# JAVA_HOME wins when it is new enough, then /usr/lib/jvm; the `java` on the PATH is often older.

jdk_release() { # JAVA_HOME → its feature release, or 0
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null | grep . || echo 0
}

find_jdk() {
    local wanted=25 home
    for home in "${JAVA_HOME:-}" /usr/lib/jvm/*; do
        if [ -n "$home" ] && [ -x "$home/bin/javac" ] && [ "$(jdk_release "$home")" -ge "$wanted" ]; then
            export JAVA_HOME="$home"
            return 0
        fi
    done
    echo "Cloche needs JDK $wanted or newer, and none was found in JAVA_HOME or /usr/lib/jvm." >&2
    echo "Install one (for example Temurin $wanted) and set JAVA_HOME to it." >&2
    return 1
}
