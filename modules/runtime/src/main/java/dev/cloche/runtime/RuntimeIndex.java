package dev.cloche.runtime;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Lists the files of a runtime artefact. The first line is {@code cloche-runtime 1}; each further one has the mode (0644 or
 * 0755), the size in bytes, the SHA-256 and the path of a file, by one blank each.
 *
 * @param digest SHA-256 of the list itself, which names this runtime
 */
record RuntimeIndex(String digest, List<Entry> entries) {
    /** More than any artefact has. */
    static final int MAX_BYTES = 256 * 1024;

    private static final String FIRST_LINE = "cloche-runtime 1";
    private static final int MAX_ENTRIES = 1000;
    private static final long MAX_SIZE = 1L << 32;
    private static final Pattern LINE = Pattern.compile("(0644|0755) (0|[1-9][0-9]{0,11}) ([0-9a-f]{64}) (.+)");
    /** So that no name is special to any program that reads it, or leads out of the directory. */
    private static final Pattern PATH =
            Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,99}(/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}){0,7}");

    RuntimeIndex {
        entries = List.copyOf(entries);
    }

    /**
     * Describes a file.
     *
     * @param size in bytes
     * @param sha256 in hexadecimal
     * @param path relative, in plain letters, never upwards
     */
    record Entry(String path, long size, String sha256, boolean executable) {
        Path in(Path directory) {
            return directory.resolve(path);
        }
    }

    /**
     * Reads a list.
     *
     * @throws RuntimeUnusable.Damaged if it is none
     */
    static RuntimeIndex parse(byte[] bytes) {
        List<String> lines =
                new String(bytes, StandardCharsets.US_ASCII).lines().toList();
        if (bytes.length > MAX_BYTES || lines.isEmpty() || !lines.getFirst().equals(FIRST_LINE)) {
            throw new RuntimeUnusable.Damaged("its index does not begin with '" + FIRST_LINE + "'");
        }
        if (lines.size() < 2 || lines.size() > MAX_ENTRIES) {
            throw new RuntimeUnusable.Damaged("its index lists " + (lines.size() - 1) + " files");
        }
        List<Entry> entries = new ArrayList<>();
        Set<String> paths = new HashSet<>();
        for (String line : lines.subList(1, lines.size())) {
            Entry entry = entry(line);
            if (!paths.add(entry.path())) {
                throw new RuntimeUnusable.Damaged("its index lists a file twice");
            }
            entries.add(entry);
        }
        return new RuntimeIndex(HexFormat.of().formatHex(Sha256.of(bytes)), entries);
    }

    private static Entry entry(String line) {
        var match = LINE.matcher(line);
        if (!match.matches() || !PATH.matcher(match.group(4)).matches()) {
            throw new RuntimeUnusable.Damaged("its index has a line that describes no file");
        }
        long size = Long.parseLong(match.group(2));
        if (size > MAX_SIZE) {
            throw new RuntimeUnusable.Damaged("its index lists a file of " + size + " bytes");
        }
        return new Entry(match.group(4), size, match.group(3), match.group(1).equals("0755"));
    }
}
