package dev.cloche.image.layer;

import dev.cloche.erofs.Bytes;
import dev.cloche.erofs.Directory;
import dev.cloche.image.CorruptArchiveException;
import java.util.ArrayList;
import java.util.List;

/** Splits the paths of archives into names. */
final class PathNames {
    private static final Bytes DOT = Bytes.utf8(".");
    private static final Bytes DOT_DOT = Bytes.utf8("..");

    private PathNames() {}

    /**
     * Returns the names of a path below the image's root; a leading slash, empty names and {@code .} mean nothing, and
     * {@code ..} takes the name before it away, also if that is no directory.
     *
     * @throws CorruptArchiveException if the path leads above the root, or has too many names, or one that no file can have
     */
    static List<Bytes> of(Bytes path, int maxDepth) {
        List<Bytes> names = new ArrayList<>();
        for (Bytes name : split(path)) {
            if (name.equals(DOT_DOT)) {
                if (names.isEmpty()) {
                    throw new CorruptArchiveException("the path " + path + " leaves the image");
                }
                names.removeLast();
                continue;
            }
            names.add(name);
            if (!Directory.nameable(name)) {
                throw new CorruptArchiveException("the path " + path + " has a name that no file can have");
            }
        }
        if (names.size() > maxDepth) {
            throw new CorruptArchiveException("the path " + path + " has more than " + maxDepth + " names");
        }
        return names;
    }

    /** Returns all names but empty ones and {@code .}; so {@code ..} may be among them. */
    static List<Bytes> split(Bytes path) {
        List<Bytes> names = new ArrayList<>();
        int begin = 0;
        while (begin < path.length()) {
            int slash = path.indexOf('/', begin);
            int end = slash < 0 ? path.length() : slash;
            Bytes name = path.slice(begin, end);
            if (!name.isEmpty() && !name.equals(DOT)) {
                names.add(name);
            }
            begin = end + 1;
        }
        return names;
    }

    static boolean isDotDot(Bytes name) {
        return name.equals(DOT_DOT);
    }

    static boolean absolute(Bytes path) {
        return !path.isEmpty() && path.at(0) == '/';
    }

    static Bytes join(List<Bytes> names) {
        int length = Math.max(0, names.size() - 1);
        for (Bytes name : names) {
            length += name.length();
        }
        byte[] joined = new byte[length];
        int at = 0;
        for (Bytes name : names) {
            if (at > 0) {
                joined[at++] = '/';
            }
            name.copyTo(joined, at);
            at += name.length();
        }
        return Bytes.of(joined);
    }
}
