package dev.cloche.machine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What can be left of files after a crash of the host: the worst that POSIX allows. The bytes of a file are sure only after
 * its fsync; before, all, none or the first half of them may be there. A new name is sure only after the fsync of its
 * directory; before, it may be there or not, in any combination with others.
 */
final class PowerCutDisk {
    /** A file's content: what was written, and how much of it is sure. */
    private static final class Content {
        private final StringBuilder written = new StringBuilder();
        private String sure = "";
        private boolean synced;

        List<String> possible() {
            String all = written.toString();
            return synced && all.equals(sure) ? List.of(sure) : List.of("", all.substring(0, all.length() / 2), all);
        }
    }

    private record Rename(String from, String to) {}

    private final Map<String, Content> names = new HashMap<>();
    private final Map<String, Content> sureNames = new HashMap<>();
    private final List<Rename> pending = new ArrayList<>();
    private final Map<Integer, Content> open = new HashMap<>();
    private final Map<Integer, String> openDirectories = new HashMap<>();

    PowerCutDisk(Map<String, String> files) {
        files.forEach((name, text) -> {
            Content content = new Content();
            content.written.append(text);
            content.sure = text;
            content.synced = true;
            names.put(name, content);
            sureNames.put(name, content);
        });
    }

    void apply(StraceLine line, String written) {
        if (line.result() < 0) {
            return;
        }
        switch (line.call()) {
            case "openat" -> open(line);
            case "write", "pwrite64" -> {
                Content content = open.get(line.descriptor());
                if (content != null) {
                    content.written.append(
                            written, content.written.length(), content.written.length() + (int) line.result());
                    content.synced = false;
                }
            }
            case "fsync", "fdatasync" -> sync(line.descriptor());
            case "rename", "renameat", "renameat2" -> {
                pending.add(new Rename(line.text(0), line.text(1)));
                Content moved = names.remove(line.text(0));
                if (moved == null) {
                    throw new AssertionError("a rename of a file that was not made: " + line);
                }
                names.put(line.text(1), moved);
            }
            case "unlink", "unlinkat" -> names.remove(line.text(0));
            case "close" -> {
                open.remove(line.descriptor());
                openDirectories.remove(line.descriptor());
            }
            default -> {
                // Reads and looks; nothing of it reaches the disk.
            }
        }
    }

    private void open(StraceLine line) {
        String name = line.text(0);
        if (line.arguments().contains("O_CREAT")) {
            open.put((int) line.result(), names.computeIfAbsent(name, _ -> new Content()));
        } else if (names.containsKey(name)) {
            open.put((int) line.result(), names.get(name));
        } else {
            openDirectories.put((int) line.result(), name);
        }
    }

    private void sync(int descriptor) {
        Content content = open.get(descriptor);
        if (content != null) {
            content.sure = content.written.toString();
            content.synced = true;
        }
        String directory = openDirectories.get(descriptor);
        if (directory != null) {
            sureNames.clear();
            sureNames.putAll(names);
            pending.clear();
        }
    }

    /** What a file may hold after a crash now. */
    Set<String> possible(String name) {
        Set<String> texts = new HashSet<>();
        for (int some = 0; some < 1 << pending.size(); some++) {
            Map<String, Content> then = new LinkedHashMap<>(sureNames);
            for (int i = 0; i < pending.size(); i++) {
                if ((some >> i & 1) == 1) {
                    Content moved = then.remove(pending.get(i).from());
                    then.put(pending.get(i).to(), moved == null ? contentOf(pending.get(i)) : moved);
                }
            }
            Content content = then.get(name);
            texts.addAll(content == null ? List.of("(missing)") : content.possible());
        }
        return texts;
    }

    /** A temporary file whose own name was never sure still is what the rename gives a name to. */
    private Content contentOf(Rename rename) {
        Content content = names.get(rename.to());
        if (content == null) {
            throw new AssertionError("renamed and gone: " + rename);
        }
        return content;
    }
}
