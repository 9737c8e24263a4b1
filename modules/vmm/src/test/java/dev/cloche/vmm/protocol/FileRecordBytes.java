package dev.cloche.vmm.protocol;

import dev.cloche.vm.GuestException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Optional;

/** Feeds arbitrary bytes to what reads a guest's file records. The entry for a fuzzer, too. */
final class FileRecordBytes {
    private FileRecordBytes() {}

    /** For Jazzer, which looks for this name: anything but the typed error is a finding. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        consume(bytes);
    }

    /** Whether all of it was records; any error but the typed one is thrown. */
    static boolean consume(byte[] bytes) {
        FileRecordReader reader = new FileRecordReader(new ByteArrayInputStream(bytes));
        try {
            Optional<FileRecord> record = reader.next();
            while (record.isPresent()) {
                if (record.get() instanceof FileRecord.Entry(FileEntry entry)) {
                    harmless(entry);
                }
                record = reader.next();
            }
            return true;
        } catch (GuestException.ProtocolBroken refused) {
            return false;
        } catch (IOException e) {
            throw new AssertionError("an array does not fail", e);
        }
    }

    /** What the copy relies on. */
    private static void harmless(FileEntry entry) {
        if (entry.name().isEmpty()) {
            return;
        }
        for (String part : entry.name().split("/", -1)) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || part.indexOf('\0') >= 0) {
                throw new AssertionError("a name leads elsewhere: " + entry.name());
            }
        }
    }
}
