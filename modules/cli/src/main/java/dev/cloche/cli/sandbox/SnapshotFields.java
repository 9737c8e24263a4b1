package dev.cloche.cli.sandbox;

import dev.cloche.SnapshotInfo;
import dev.cloche.cli.terminal.JsonOutput;
import java.util.OptionalLong;

/** How a snapshot is read out. */
final class SnapshotFields {
    private SnapshotFields() {}

    static void write(JsonOutput json, SnapshotInfo snapshot) {
        json.object(() -> json.field("name", snapshot.name())
                .field("contents", snapshot.contents())
                .field("sandbox", snapshot.sandbox())
                .field("image", snapshot.image())
                .field("digest", snapshot.digest())
                .field("memoryMib", snapshot.memoryMib())
                .field("cpus", snapshot.cpus())
                .field("diskMib", snapshot.diskMib())
                .field("network", snapshot.network())
                .field(
                        "pauseMillis",
                        snapshot.pause().isPresent()
                                ? OptionalLong.of(snapshot.pause().get().toMillis())
                                : OptionalLong.empty())
                .field("createdAt", snapshot.createdAt()));
    }
}
