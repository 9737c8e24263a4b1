package dev.cloche.vmm.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestException;
import dev.cloche.vmm.protocol.FileEntry;
import dev.cloche.vmm.protocol.FileRecord;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a guest can say of a file or a directory, and what of it a caller gets. */
class HostileEntriesTest {
    private static final FileRecord DONE = new FileRecord.Done();
    private static final FileRecord MORE = new FileRecord.Details("bob", "", "/real");

    private static FileRecord entry(FileKind kind, String name) {
        String target = kind == FileKind.SYMBOLIC_LINK ? "to" : "";
        return new FileRecord.Entry(new FileEntry(kind, 0600, 0, 0, 0, Instant.EPOCH, 0, 0, name, target));
    }

    private static FileRecord file(String name) {
        return entry(FileKind.FILE, name);
    }

    private static FileRecord attribute(String name, int length) {
        return new FileRecord.Attribute(name, ByteBuffer.wrap(new byte[length]));
    }

    private static EntryRecords taken(EntryRecords entries, List<FileRecord> records) {
        Iterator<FileRecord> all = records.iterator();
        entries.take(all::next);
        return entries;
    }

    private static List<String> names(EntryRecords entries) {
        return entries.files().stream().map(FileInfo::name).toList();
    }

    @Test
    void aListingIsAsTheGuestTellsIt() {
        EntryRecords entries = taken(
                EntryRecords.ofListing(2, true),
                List.of(
                        entry(FileKind.DIRECTORY, "d"),
                        MORE,
                        attribute("user.a", 1),
                        attribute("user.b", 0),
                        file("d/f"),
                        new FileRecord.Details("", "wheel", ""),
                        DONE));
        assertThat(names(entries)).containsExactly("d", "d/f");
        FileInfo.Details directory = entries.details().getFirst();
        assertThat(directory.file().name()).isEqualTo("d");
        assertThat(directory.owner()).hasValue("bob");
        assertThat(directory.group()).isEmpty();
        assertThat(directory.realPath()).hasValue("/real");
        assertThat(directory.attributes()).containsOnlyKeys("user.a", "user.b");
        assertThat(directory.attributes().get("user.a")).hasSize(1);
        FileInfo.Details below = entries.details().getLast();
        assertThat(below.owner()).isEmpty();
        assertThat(below.group()).isEqualTo(Optional.of("wheel"));
        assertThat(below.realPath()).isEmpty();
        assertThat(below.attributes()).isEmpty();
    }

    @Test
    void oneFileIsAsTheGuestTellsIt() {
        EntryRecords entries = taken(EntryRecords.ofOne("shown", true), List.of(file(""), MORE, DONE));
        assertThat(names(entries)).containsExactly("shown");
        assertThat(entries.details()).hasSize(1);
    }

    @Test
    void aListingThatLeavesItsDirectoryOrItsDepthIsRefused() {
        for (List<FileRecord> records : List.of(
                List.of(file(""), DONE),
                List.of(file("d/f"), DONE),
                List.of(file("d"), file("d/f"), DONE),
                List.of(entry(FileKind.SYMBOLIC_LINK, "d"), file("d/f"), DONE),
                List.of(entry(FileKind.DIRECTORY, "d"), entry(FileKind.DIRECTORY, "d/e"), file("d/e/f"), DONE),
                List.of(file("f"), MORE, DONE),
                List.of(file("f"), attribute("user.a", 1), DONE),
                List.of(new FileRecord.Ready(), DONE))) {
            assertThatThrownBy(() -> taken(EntryRecords.ofListing(2, false), records))
                    .as("%s", records)
                    .isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }

    @Test
    void detailsThatBelongToNoFileAreRefused() {
        for (List<FileRecord> records : List.of(
                List.of(MORE, DONE),
                List.of(file("f"), DONE),
                List.of(file("f"), file("g"), MORE, DONE),
                List.of(file("f"), MORE, MORE, DONE),
                List.of(attribute("user.a", 1), DONE),
                List.of(file("f"), attribute("user.a", 1), MORE, DONE),
                List.of(file("f"), MORE, attribute("trusted.a", 1), DONE),
                List.of(file("f"), MORE, attribute("user.a", 1), attribute("user.a", 1), DONE),
                List.of(entry(FileKind.SYMBOLIC_LINK, "l"), MORE, attribute("user.a", 1), DONE))) {
            assertThatThrownBy(() -> taken(EntryRecords.ofListing(1, true), records))
                    .as("%s", records)
                    .isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }

    @Test
    void oneFileIsNeitherNoneNorTwo() {
        for (List<FileRecord> records :
                List.of(List.of(DONE), List.of(file("f"), DONE), List.of(file(""), file(""), DONE))) {
            assertThatThrownBy(() -> taken(EntryRecords.ofOne("f", false), records))
                    .as("%s", records)
                    .isInstanceOf(GuestException.ProtocolBroken.class);
        }
    }

    @Test
    void attributesWithoutEndAreRefused() {
        List<FileRecord> many = new ArrayList<>(List.of(file("f"), MORE));
        IntStream.range(0, 1025).forEach(i -> many.add(attribute("user." + i, 1)));
        assertThatThrownBy(() -> taken(EntryRecords.ofListing(1, true), many))
                .isInstanceOf(GuestException.ProtocolBroken.class);
        Iterator<FileRecord> large = Stream.iterate(0, i -> i + 1)
                .flatMap(i -> Stream.of(file("f" + i), MORE, attribute("user.a", 60_000)))
                .iterator();
        assertThatThrownBy(() -> EntryRecords.ofListing(1, true).take(large::next))
                .isInstanceOf(GuestException.CopyLimit.class);
    }
}
