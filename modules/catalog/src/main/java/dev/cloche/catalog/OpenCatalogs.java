package dev.cloche.catalog;

import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;

/** Tracks the catalogs that this process has open, which its own kernel locks do not show it. Thread-safe. */
final class OpenCatalogs {
    private static final ConcurrentHashMap<Path, Integer> OPEN = new ConcurrentHashMap<>();

    private OpenCatalogs() {}

    static void opened(Path file) {
        OPEN.merge(file, 1, Integer::sum);
    }

    static void closed(Path file) {
        OPEN.computeIfPresent(file, (_, count) -> count == 1 ? null : count - 1);
    }

    static boolean isOpen(Path file) {
        return OPEN.containsKey(file);
    }
}
