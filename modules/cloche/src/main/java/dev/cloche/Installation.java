package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.ResourceOrigin;
import dev.cloche.qemu.VmResources;
import dev.cloche.runtime.RuntimeArtefact;
import dev.cloche.runtime.RuntimeManifest;
import dev.cloche.runtime.RuntimeUnusable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * Describes where the files are that VMs are made with: in the directories that were named, of each file the first; or, if none
 * of these exists, in the runtime artefact, whole.
 *
 * @param share the directories that have them, never empty
 * @param where for people
 * @param origin what is to be done if they are not whole
 * @param artefact the one that they are unpacked of, if it is
 */
record Installation(List<Path> share, String where, ResourceOrigin origin, Optional<Unpacked> artefact) {
    /** An artefact, and where all of them are unpacked. */
    record Unpacked(RuntimeArtefact artefact, Path cache) {}

    /** The directory of the runtime artefact, if it is not to be in the user's cache. */
    private static final String DIRECTORY = "cloche.runtime.dir";

    /**
     * Finds the files, and unpacks the artefact if it is the place and has not been unpacked.
     *
     * @throws HostException.NoRuntime if there is no place
     * @throws RuntimeUnusable if the artefact cannot be unpacked, or its agent speaks a guest protocol that this library does
     *     not
     */
    static Installation of(ClocheOptions options) {
        List<Path> named = named(options);
        Installation found = named.isEmpty() ? ofTheArtefact(options) : ofDirectories(named);
        found.manifest().ifPresent(RuntimeManifest::requireUsable);
        return found;
    }

    private static Installation ofDirectories(List<Path> named) {
        return new Installation(
                named,
                named.stream().map(Path::toString).collect(Collectors.joining(", then ")),
                ResourceOrigin.whole(remedy(named)),
                Optional.empty());
    }

    /** Says how those who made the last directory make it anew: a clone, an archive or a package, or people by hand. */
    private static String remedy(List<Path> named) {
        Path share = named.getLast();
        Path clone = share.resolveSibling("..").resolve("setup").normalize();
        if (share.endsWith("dist/share") && Files.isExecutable(clone)) {
            return "Run " + clone + ", which makes what is missing.";
        }
        if (Files.isExecutable(share.resolveSibling("bin").resolve("cloche"))) {
            return "Unpack the archive of Cloche anew to " + share.getParent() + ", or install its package anew.";
        }
        return "Make " + share + " whole again, or name another directory with CLOCHE_SHARE.";
    }

    private static Installation ofTheArtefact(ClocheOptions options) {
        RuntimeArtefact artefact = RuntimeArtefact.find(Installation.class.getClassLoader())
                .orElseThrow(() -> new HostException.NoRuntime(options.share()));
        Path cache = RuntimeArtefact.cache(
                System.getenv(),
                Optional.ofNullable(System.getProperty(DIRECTORY)),
                System.getProperty("user.home", ""));
        Path share = artefact.unpacked(cache, Deadline.none());
        AtomicBoolean compared = new AtomicBoolean();
        return new Installation(
                List.of(share),
                "the runtime artefact " + artefact.digest().substring(0, 12) + ", unpacked to " + share,
                new ResourceOrigin(
                        "Remove " + share + ": the next start unpacks it anew.",
                        // Once: a start that fails for another reason would take that much longer each time.
                        () -> !compared.getAndSet(true) && artefact.mend(cache, Deadline.none()),
                        Optional.of(RuntimeArtefact.useLock(share)).filter(Files::exists)),
                Optional.of(new Unpacked(artefact, cache)));
    }

    /** Notes that a state root uses it, and removes what no state root does any more, in the background. */
    void usedBy(Path stateRoot, Clock clock) {
        artefact.ifPresent(unpacked -> {
            unpacked.artefact().noteUse(unpacked.cache(), stateRoot, clock);
            Thread.ofPlatform()
                    .daemon()
                    .name("cloche-unused-runtimes")
                    .start(() -> RuntimeArtefact.removeUnused(unpacked.cache(), clock));
        });
    }

    /** Returns the directories that were named and exist; unpacks nothing. */
    static List<Path> named(ClocheOptions options) {
        return options.share().stream().filter(Files::isDirectory).toList();
    }

    /** Returns what the runtime says of itself, if it does. */
    Optional<RuntimeManifest> manifest() {
        return RuntimeManifest.in(share);
    }

    /** Returns the files, which are made whole if they are damaged and that can be seen at once. */
    VmResources resources() {
        return VmResources.find(share, origin);
    }
}
