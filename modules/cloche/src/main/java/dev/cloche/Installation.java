package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.runtime.RuntimeArtefact;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Describes where the files are that VMs are made with: in the directories that were named, of each file the first; or, if none
 * of these exists, in the runtime artefact on the class path, whole.
 *
 * @param share the directories that have them, never empty
 * @param origin where it comes from, for people
 */
record Installation(List<Path> share, String origin) {
    /** The directory of the runtime artefact, if it is not to be in the user's cache. */
    private static final String DIRECTORY = "cloche.runtime.dir";

    /**
     * Finds the files, and unpacks the artefact if it is the place and has not been unpacked.
     *
     * @throws HostException.NoRuntime if there is no place
     * @throws dev.cloche.runtime.RuntimeUnusable if the artefact cannot be unpacked
     */
    static Installation of(ClocheOptions options) {
        List<Path> named = named(options);
        if (!named.isEmpty()) {
            return new Installation(named, named.stream().map(Path::toString).collect(Collectors.joining(", then ")));
        }
        RuntimeArtefact artefact = RuntimeArtefact.find(Installation.class.getClassLoader())
                .orElseThrow(() -> new HostException.NoRuntime(options.share()));
        Path cache = RuntimeArtefact.cache(
                System.getenv(),
                Optional.ofNullable(System.getProperty(DIRECTORY)),
                System.getProperty("user.home", ""));
        Path share = artefact.unpacked(cache, Deadline.none());
        return new Installation(
                List.of(share),
                "the runtime artefact " + artefact.digest().substring(0, 12) + " on the class path, unpacked to "
                        + share);
    }

    /** Returns the directories that were named and exist; unpacks nothing. */
    static List<Path> named(ClocheOptions options) {
        return options.share().stream().filter(Files::isDirectory).toList();
    }
}
