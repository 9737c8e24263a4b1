package dev.cloche.cli.copy;

import dev.cloche.cli.terminal.UsageError;

/** Decides where a copy goes, by the rules of {@code docker cp}; pure. */
final class CopyDestination {
    /** The kind of file that is at the destination before the copy. */
    enum Present {
        NOTHING,
        DIRECTORY,
        OTHER
    }

    private CopyDestination() {}

    /**
     * Returns the path of the copy itself.
     *
     * @param sourceIsDirectory what the source is; of a link that is not followed, false
     * @param there what the destination is, links followed
     */
    static String of(CopyPath source, boolean sourceIsDirectory, CopyPath destination, Present there) {
        if (source.namesDirectory() && !sourceIsDirectory) {
            throw new UsageError("'" + source + "' is not a directory.", "Leave out what its path ends with.");
        }
        return switch (there) {
            case DIRECTORY ->
                source.namesContent()
                        ? destination.plain()
                        : join(
                                destination.plain(),
                                source.name()
                                        .orElseThrow(() -> new UsageError(
                                                "'" + source + "' has no name that its copy could have.",
                                                "End it in /. to copy what is in it.")));
            case NOTHING -> {
                if (destination.namesDirectory() && !sourceIsDirectory) {
                    throw new UsageError(
                            "The directory '" + destination + "' does not exist.", "Make it first, or name the copy.");
                }
                yield destination.plain();
            }
            case OTHER -> {
                if (sourceIsDirectory || destination.namesDirectory()) {
                    throw new UsageError("'" + destination + "' is not a directory.", "Choose another destination.");
                }
                yield destination.plain();
            }
        };
    }

    private static String join(String directory, String name) {
        return directory.endsWith("/") ? directory + name : directory + "/" + name;
    }
}
