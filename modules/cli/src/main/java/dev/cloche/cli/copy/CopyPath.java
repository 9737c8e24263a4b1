package dev.cloche.cli.copy;

import dev.cloche.cli.terminal.UsageError;
import java.util.Optional;

/**
 * One argument of {@code cloche cp}: a path of the host, or of a sandbox.
 *
 * @param sandbox empty for the host
 * @param path as it was given; of a sandbox absolute
 */
record CopyPath(Optional<String> sandbox, String path) {
    /** Parses as Docker does: {@code NAME:PATH}, unless it begins with a slash or a dot, as no sandbox's name does. */
    static CopyPath parse(String argument) {
        int colon = argument.indexOf(':');
        boolean ofHost = argument.startsWith("/")
                || argument.startsWith(".")
                || colon < 1
                || argument.lastIndexOf('/', colon) >= 0;
        if (ofHost) {
            if (argument.isEmpty() || argument.equals("-")) {
                throw new UsageError(
                        "'" + argument + "' is not a path that can be copied.", "Name files or directories.");
            }
            return new CopyPath(Optional.empty(), argument);
        }
        String path = argument.substring(colon + 1);
        return new CopyPath(Optional.of(argument.substring(0, colon)), path.startsWith("/") ? path : "/" + path);
    }

    /** Returns whether the path can only name a directory, by its end. */
    boolean namesDirectory() {
        return path.endsWith("/") || namesContent() || path.endsWith("/..") || path.equals("..");
    }

    /** Returns whether it means what is in the directory, and not the directory: it ends in {@code /.}. */
    boolean namesContent() {
        return path.endsWith("/.") || path.equals(".");
    }

    /** The path without what only says that it is a directory. */
    String plain() {
        String plain = path;
        while (plain.length() > 1 && (plain.endsWith("/") || plain.endsWith("/."))) {
            plain = plain.substring(0, Math.max(1, plain.length() - (plain.endsWith("/") ? 1 : 2)));
        }
        return plain;
    }

    /** The name that a copy of it gets in a directory; empty if it has none of its own. */
    Optional<String> name() {
        String plain = plain();
        String last = plain.substring(plain.lastIndexOf('/') + 1);
        return last.isEmpty() || last.equals(".") || last.equals("..") ? Optional.empty() : Optional.of(last);
    }

    @Override
    public String toString() {
        return sandbox.map(name -> name + ":").orElse("") + path;
    }
}
