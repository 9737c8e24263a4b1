package dev.cloche.image;

import dev.cloche.base.Printable;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The full name of an image. Short forms mean what they mean to Docker: {@code debian} is
 * {@code docker.io/library/debian:latest}. Where a name has both a tag and a digest the digest decides, and the tag is
 * dropped. A digest alone, {@code sha256:…}, means the image on this host whose manifest has it, under any name; it names
 * no registry.
 *
 * <p>The grammar is that of the distribution project's reference package.
 *
 * @param registry host, with a port where one was given; empty if there is only a digest
 * @param repository path within the registry; empty if there is only a digest
 * @param tag name of a version, unless there is a digest
 * @param digest digest of a manifest or index, unless there is a tag
 */
public record ImageReference(String registry, String repository, Optional<String> tag, Optional<Digest> digest) {
    public static final String DOCKER_HUB = "docker.io";
    private static final String LIBRARY = "library/";
    private static final String LATEST = ":latest";
    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_QUOTE = 80;
    private static final int SHORTEST_PREFIX = 6;
    private static final Pattern DIGEST_ALONE = Pattern.compile("sha256:[0-9a-f]*");
    private static final Pattern COMPONENT = Pattern.compile("[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*");
    private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
    private static final Pattern DOMAIN = Pattern.compile(
            "(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*"
                    + "|\\[[0-9a-fA-F:]+])(?::[0-9]{1,5})?");

    public ImageReference {
        if (registry.isEmpty() && repository.isEmpty()) {
            if (tag.isPresent() || digest.isEmpty()) {
                throw bad("", "it is empty");
            }
        } else {
            check(registry, repository, tag, digest);
        }
    }

    private static void check(String registry, String repository, Optional<String> tag, Optional<Digest> digest) {
        String name = registry + "/" + repository;
        if (name.length() > LONGEST_NAME) {
            throw bad(name, "its name is longer than " + LONGEST_NAME + " characters");
        }
        if (!DOMAIN.matcher(registry).matches() || portOf(registry) > 65535) {
            throw bad(name, "'" + shorten(registry) + "' is no registry host");
        }
        for (String component : repository.split("/", -1)) {
            if (!COMPONENT.matcher(component).matches()) {
                throw bad(
                        name,
                        "'" + shorten(component) + "' is no part of a repository's path (lower-case letters, digits"
                                + " and single separators)");
            }
        }
        if (tag.isPresent() && !TAG.matcher(tag.get()).matches()) {
            throw bad(name, "'" + shorten(tag.get()) + "' is no tag");
        }
        if (tag.isPresent() == digest.isPresent()) {
            throw bad(name, "it needs either a tag or a digest");
        }
    }

    /**
     * Reads a name as a person writes it.
     *
     * @throws BadReference if it is none
     */
    public static ImageReference parse(String text) {
        if (DIGEST_ALONE.matcher(text).matches()) {
            try {
                return of(Digest.parse(text));
            } catch (IllegalArgumentException e) {
                throw bad(text, "a digest has 64 hexadecimal digits");
            }
        }
        String rest = text;
        Optional<Digest> digest = Optional.empty();
        int at = rest.indexOf('@');
        if (at >= 0) {
            try {
                digest = Optional.of(Digest.parse(rest.substring(at + 1)));
            } catch (IllegalArgumentException e) {
                throw bad(text, "after '@' comes sha256: and 64 lower-case hexadecimal digits");
            }
            rest = rest.substring(0, at);
        }
        Optional<String> tag = Optional.empty();
        int colon = rest.lastIndexOf(':');
        if (colon > rest.lastIndexOf('/')) {
            tag = Optional.of(rest.substring(colon + 1));
            rest = rest.substring(0, colon);
            if (!TAG.matcher(tag.get()).matches()) {
                throw bad(text, "'" + shorten(tag.get()) + "' is no tag");
            }
        }
        int slash = rest.indexOf('/');
        boolean named = slash > 0 && isHost(rest.substring(0, slash));
        String registry = named ? canonicalHost(rest.substring(0, slash)) : DOCKER_HUB;
        String repository = named ? rest.substring(slash + 1) : rest;
        if (registry.equals(DOCKER_HUB) && repository.indexOf('/') < 0) {
            repository = LIBRARY + repository;
        }
        return new ImageReference(
                registry,
                repository,
                digest.isPresent() ? Optional.empty() : Optional.of(tag.orElse("latest")),
                digest);
    }

    /** Returns a reference to the image of this manifest, under any name. */
    public static ImageReference of(Digest manifest) {
        return new ImageReference("", "", Optional.empty(), Optional.of(manifest));
    }

    /**
     * Returns whether the text is the beginning of a digest, or one: {@code sha256:} and 6 digits or more.
     *
     * @throws BadReference if it has fewer digits
     */
    static boolean isDigestPrefix(String text) {
        if (!DIGEST_ALONE.matcher(text).matches()) {
            return false;
        }
        if (text.length() < Digest.PREFIX.length() + SHORTEST_PREFIX) {
            throw bad(text, "of a digest it takes " + SHORTEST_PREFIX + " digits or more");
        }
        return true;
    }

    /** Returns whether it is a digest alone, which says of no registry. */
    public boolean isDigestAlone() {
        return registry.isEmpty();
    }

    /** Returns it as people write it: what is understood without being said is left out. */
    public String familiar() {
        String full = toString();
        String host = DOCKER_HUB + "/";
        String bare = full.startsWith(host) ? full.substring(host.length()) : full;
        String shorter = bare.startsWith(LIBRARY) ? bare.substring(LIBRARY.length()) : bare;
        return shorter.endsWith(LATEST) ? shorter.substring(0, shorter.length() - LATEST.length()) : shorter;
    }

    /** Returns the same repository at one manifest. */
    public ImageReference at(Digest manifest) {
        return new ImageReference(registry, repository, Optional.empty(), Optional.of(manifest));
    }

    /** Returns what the registry is asked for: the digest or the tag. */
    public String target() {
        return digest.map(Digest::toString).or(() -> tag).orElseThrow();
    }

    private static int portOf(String host) {
        int colon = host.lastIndexOf(':');
        return colon < 0 || host.endsWith("]") ? 0 : Integer.parseInt(host.substring(colon + 1));
    }

    private static boolean isHost(String first) {
        return first.contains(".")
                || first.contains(":")
                || first.equals("localhost")
                || !first.equals(first.toLowerCase(Locale.ROOT));
    }

    private static String canonicalHost(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return lower.equals("index.docker.io") ? DOCKER_HUB : lower;
    }

    private static BadReference bad(String text, String why) {
        return new BadReference(shorten(text), why);
    }

    /** Bad names are quoted in messages, and need not fill a screen or steer a terminal there. */
    private static String shorten(String text) {
        return Printable.brief(text, LONGEST_QUOTE);
    }

    /** Returns the full name: {@code registry/repository:tag}, {@code registry/repository@digest} or {@code digest}. */
    @Override
    public String toString() {
        return isDigestAlone()
                ? target()
                : registry + "/" + repository + digest.map(d -> "@" + d).orElseGet(() -> ":" + tag.orElseThrow());
    }
}
