package dev.cloche.runtime;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/**
 * Decides where programs may lie that every guest of this user depends on: who else may write there owns the guests. The
 * directory is to be this user's or root's, and so is all above it, and no other user may write there; in a directory with the
 * sticky bit others may make names, but not touch ours.
 */
final class TrustedDirectory {
    private static final int ROOT = 0;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int STICKY = 01000;

    private TrustedDirectory() {}

    /**
     * Makes a directory where it is missing, for this user alone, and checks it.
     *
     * @return it, without symbolic links
     * @throws RuntimeUnusable.Untrusted if another user may write there
     */
    static Path ensure(Path directory) throws IOException {
        DurableFiles.ensureDirectory(directory);
        Path real = directory.toRealPath();
        int user = uid(Path.of("/proc/self/stat"));
        for (Path each = real; each != null; each = each.getParent()) {
            check(real, each, user);
        }
        return real;
    }

    private static void check(Path wanted, Path directory, int user) throws IOException {
        int owner = uid(directory);
        if (owner != user && owner != ROOT) {
            throw new RuntimeUnusable.Untrusted(
                    wanted, directory + " belongs to user " + owner + ", neither this one nor root");
        }
        int mode = mode(directory);
        boolean othersMayReplaceOurs = (mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0;
        if (othersMayReplaceOurs || (directory.equals(wanted) && (mode & WRITABLE_BY_OTHERS) != 0)) {
            throw new RuntimeUnusable.Untrusted(wanted, "other users may write to " + directory);
        }
    }

    private static int uid(Path path) throws IOException {
        return number(path, "uid");
    }

    private static int mode(Path path) throws IOException {
        return number(path, "mode");
    }

    private static int number(Path path, String name) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(path, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
        return (Integer) Objects.requireNonNull(attributes.get(name));
    }
}
