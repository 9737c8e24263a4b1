package dev.cloche.image;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Says where copies of a registry's repositories are, as containerd and Docker have it: a host, and the path below which it
 * keeps them.
 *
 * @param host {@code host} or {@code host:port}
 * @param path in front of the repository's own, for example {@code proxy/docker}; empty for none
 */
public record RegistryMirror(String host, Optional<String> path) {
    private static final Pattern HOST = Pattern.compile(
            "(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\\[[0-9a-fA-F:]{2,39}])(?::[0-9]{1,5})?");
    private static final Pattern PATH =
            Pattern.compile("[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*");
    private static final int LONGEST_PATH = 200;

    public RegistryMirror {
        if (!HOST.matcher(host).matches()) {
            throw new IllegalArgumentException("a mirror is given as host, host:port or host:port/path");
        }
        if (path.isPresent()
                && (path.get().length() > LONGEST_PATH
                        || !PATH.matcher(path.get()).matches())) {
            throw new IllegalArgumentException("the path of the mirror " + host + " is no path of a repository");
        }
    }

    /**
     * Reads {@code host[:port][/path]}.
     *
     * @throws IllegalArgumentException if it is something else
     */
    public static RegistryMirror parse(String text) {
        int slash = text.indexOf('/');
        return slash < 0
                ? new RegistryMirror(text, Optional.empty())
                : new RegistryMirror(text.substring(0, slash), Optional.of(text.substring(slash + 1)));
    }

    /** Returns where the mirror keeps a repository. */
    public String repository(String original) {
        return path.map(prefix -> prefix + "/" + original).orElse(original);
    }
}
