package dev.cloche.vmm.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a guest can say of its changes, and what of it is passed on. */
class HostileChangesTest {
    private static final FileRecord ROOT = entry(FileKind.DIRECTORY, "", 0);

    private static FileRecord entry(FileKind kind, String name, long size) {
        String target = kind == FileKind.SYMBOLIC_LINK ? "to" : "";
        return new FileRecord.Entry(new FileEntry(kind, 0600, 0, 0, size, Instant.EPOCH, 0, 0, name, target));
    }

    private static FileRecord data(long offset, int length) {
        return new FileRecord.Data(offset, ByteBuffer.wrap(new byte[length]));
    }

    private static FileRecord attribute() {
        return new FileRecord.Attribute("user.a", ByteBuffer.wrap(new byte[] {1}));
    }

    private static List<String> passed(FileRecord... records) {
        List<String> told = new ArrayList<>();
        Iterator<FileRecord> all = List.of(records).iterator();
        new ChangeRecords(new Told(told)).pass(all::next);
        return told;
    }

    private record Told(List<String> all) implements GuestFiles.Changes {
        @Override
        public void entry(FileInfo file, int major, int minor) {
            all.add("entry /" + file.name());
        }

        @Override
        public void attribute(String name, byte[] value) {
            all.add(name + "=" + value.length);
        }

        @Override
        public void opaque() {
            all.add("opaque");
        }

        @Override
        public void data(long offset, ByteBuffer bytes) {
            all.add(offset + "+" + bytes.remaining());
        }

        @Override
        public void removed(String path) {
            all.add("removed /" + path);
        }
    }

    @Test
    void changesArePassedOnAsTheyCome() {
        assertThat(passed(
                        ROOT,
                        entry(FileKind.DIRECTORY, "d", 0),
                        new FileRecord.Opaque(),
                        entry(FileKind.FILE, "d/f", 10),
                        attribute(),
                        data(0, 2),
                        data(9, 1),
                        new FileRecord.Removed("gone"),
                        entry(FileKind.SYMBOLIC_LINK, "l", 2),
                        new FileRecord.Done()))
                .containsExactly(
                        "entry /",
                        "entry /d",
                        "opaque",
                        "entry /d/f",
                        "user.a=1",
                        "0+2",
                        "9+1",
                        "removed /gone",
                        "entry /l");
    }

    @Test
    void recordsThatBelongToNothingAreRefused() {
        FileRecord file = entry(FileKind.FILE, "f", 10);
        FileRecord link = entry(FileKind.SYMBOLIC_LINK, "l", 2);
        FileRecord gone = new FileRecord.Removed("gone");
        FileRecord opaque = new FileRecord.Opaque();
        FileRecord done = new FileRecord.Done();
        for (List<FileRecord> records : List.of(
                List.of(done),
                List.of(gone, done),
                List.of(file),
                List.of(data(0, 1)),
                List.of(entry(FileKind.FILE, "", 1)),
                List.of(ROOT, ROOT),
                List.of(ROOT, entry(FileKind.SOCKET, "s", 0)),
                List.of(ROOT, data(0, 1)),
                List.of(ROOT, file, gone, data(0, 1)),
                List.of(ROOT, file, gone, attribute()),
                List.of(ROOT, file, data(5, 6)),
                List.of(ROOT, file, data(5, 2), data(6, 1)),
                List.of(ROOT, file, opaque),
                List.of(ROOT, link, attribute()),
                List.of(ROOT, link, data(0, 1)),
                List.of(ROOT, gone, opaque),
                List.of(ROOT, new FileRecord.Ready()))) {
            assertThatThrownBy(() -> passed(records.toArray(FileRecord[]::new)))
                    .as("%s", records)
                    .isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }
}
