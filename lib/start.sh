# Sourced by the launchers, of a clone (cloche) and of an archive (bin/cloche): replaces the shell by the JVM. Only built-in
# commands, because each program that it started would cost a millisecond. The launcher has set
#   launcher  its own path, absolute, links resolved
#   java      the home of the JDK or of its part
#   app       the directory with the jars (lib/), the native libraries, the JVM's options and the ahead-of-time cache
#   jars      the names of the jars in the order of the class path
#   share     what VMs are made with
# and calls: . lib/start.sh

classpath=
for jar in $jars; do
    classpath=$classpath:$app/lib/$jar
done
# The JVM would open its own files under the number of a stream that the caller closed, and the guest would read them.
true 9>&2 || exec 2>/dev/null
{ true 9<&0; } 2>/dev/null || exec </dev/null
{ true 9>&1; } 2>/dev/null || exec >/dev/null
# The JVM reads its arguments in the charset of the locale, and C's is ASCII: every ü would become three question marks.
case ${LC_ALL:-${LC_CTYPE:-$LANG}} in
    '' | C | POSIX)
        if [ -n "$LC_ALL" ]; then export LC_ALL=C.UTF-8; else export LC_CTYPE=C.UTF-8; fi
        ;;
esac
# A command is over before the better compiler would pay: what a pull hashes and unpacks, libraries of the host do. Where
# they are not, SHA-256 by the processor's own instructions needs that compiler (docs/decisions/0048-native-hashes.md).
tiers=-XX:TieredStopAtLevel=1
case ${1-} in
    pull | image) [ -e /lib/x86_64-linux-gnu/libcrypto.so.3 ] || tiers=-XX:TieredStopAtLevel=4 ;;
esac
exec "$java/bin/java" "@$app/jvm.options" $tiers "-XX:AOTCache=$app/cloche.aot" \
    "-Dcloche.share=$share" "-Dcloche.launcher=$launcher" \
    "-Dorg.sqlite.lib.path=$app/native" -Dorg.sqlite.lib.name=libsqlitejdbc.so \
    "-DZstdNativePath=$app/native/libzstd-jni.so" \
    -cp "${classpath#:}" dev.cloche.cli.Main "$@"
