# What projects outside of this build are compiled and run with, sourced in the root of the repository after find-jdk.sh: our
# jars from a repository of its own, and nothing of ours from the user's Maven repository; what others made may come from there,
# instead of being fetched again. CLOCHE_REPOSITORY names a directory that has our jars already, such as dist/repository; then
# none are published. All of it is below $work, which is removed at the end.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
readonly NATIVE=--enable-native-access=ALL-UNNAMED
repository=${CLOCHE_REPOSITORY-}
tail=$work/tail
projects=$work/integration
unset JAVA_TOOL_OPTIONS # which the JVM mentions on standard error
export MAVEN_OPTS="$NATIVE --sun-misc-unsafe-memory-access=allow"

publish() {
    # The runtime artefact has the small kernel, and our QEMU where ./setup --runtime has made it; what ./cloche uses stays as
    # it was.
    if ! [ -e dist/share/kernels/small/kernel/vmlinux ]; then
        ./setup --kernel small
        ./setup --kernel debian
    fi
    # Compiles what is not compiled yet, and nothing anew because the jars that it needs are.
    ./build -q -Prelease deploy -Dmaven.compiler.useIncrementalCompilation=false -pl modules/cloche,modules/schema,modules/junit,modules/langchain4j,modules/spring-ai,modules/agent-sandbox,modules/micrometer,modules/spring-boot-starter,modules/bom,modules/runtime-linux-x86_64 -am \
        -Dmaven.test.skip -Dspotless.check.skip -Dmaven.javadoc.skip -Dmaven.clean.skip "-DaltDeploymentRepository=outside::file://$repository"
}

link_tail() { # the user's repository, but for our artefacts
    local entry
    mkdir -p "$tail/dev"
    for entry in "$HOME"/.m2/repository/* "$HOME"/.m2/repository/dev/*; do
        case ${entry#"$HOME/.m2/repository/"} in
            '*' | 'dev/*' | dev | dev/cloche) ;;
            *) ln -s "$entry" "$tail/${entry#"$HOME/.m2/repository/"}" ;;
        esac
    done
}

maven() { # PROJECT ARGUMENT...
    local project=$1
    shift
    outside ./mvnw -q -ntp -f "$projects/$project/pom.xml" "-Dcloche.repository=file://$repository" \
        "-Dmaven.repo.local=$work/local" "-Dmaven.repo.local.tail=$tail" -Dmaven.repo.local.tail.ignoreAvailability=true "$@"
}

class_path() { # PROJECT
    echo "$projects/$1/target/classes:$(cat "$projects/$1/target/classpath")"
}

# Nothing names an installation: what VMs are made with comes from the artefact, unpacked below the work directory.
outside() { # COMMAND...
    env -u CLOCHE_SHARE CLOCHE_HOME="$work/state" XDG_CACHE_HOME="$work/cache" CLOCHE_TEMPLATES="${templates:-never}" "$@"
}

copy_projects() {
    cp -r integration examples "$work"
    rm -rf "$work"/examples/*/target # what examples/run has compiled
    link_tail
    if [ -z "$repository" ]; then
        repository=$work/repository
        publish
        printf '%6ds  published\n' $SECONDS
    fi
}
