package dev.cloche.qemu.guard;

import dev.cloche.linux.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads how much memory the programs below a guard have of their own, not shared with any file. */
final class OwnMemory {
    private static final Path PROC = Path.of("/proc");
    private static final long PAGES_PER_MIB = 256;
    /** QEMU is a child of the guard, or one of a child that made its walls. */
    private static final int DEEPEST = 3;

    private static final int MOST_CHILDREN = 64;

    private OwnMemory() {}

    /** Returns it in MiB; 0 where the kernel does not say. */
    static long mib(ProcessIdentity guard) {
        return pagesBelow(guard.pid(), DEEPEST) / PAGES_PER_MIB;
    }

    private static long pagesBelow(long pid, int depth) {
        String children;
        try {
            children = read(pid + "/task/" + pid + "/children");
        } catch (IOException gone) {
            return 0;
        }
        long pages = 0;
        int count = 0;
        for (String child : children.strip().split(" ", -1)) {
            if (child.isEmpty() || count++ == MOST_CHILDREN) {
                break;
            }
            pages += pages(child);
            if (depth > 1) {
                pages += pagesBelow(Long.parseLong(child), depth - 1);
            }
        }
        return pages;
    }

    /** Fields 2 and 3 of {@code statm}, proc(5): what is resident, and what of that is of files. */
    private static long pages(String pid) {
        try {
            String[] fields = read(pid + "/statm").split(" ", -1);
            return Long.parseLong(fields[1]) - Long.parseLong(fields[2]);
        } catch (IOException gone) {
            return 0;
        }
    }

    private static String read(String file) throws IOException {
        return Files.readString(PROC.resolve(file), StandardCharsets.ISO_8859_1);
    }
}
