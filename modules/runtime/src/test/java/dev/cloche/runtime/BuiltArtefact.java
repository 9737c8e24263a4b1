package dev.cloche.runtime;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Describes an artefact in memory, whose files a test chooses. */
final class BuiltArtefact {
    private final Map<String, byte[]> files = new LinkedHashMap<>();
    private final StringBuilder index = new StringBuilder("cloche-runtime 1\n");

    /** An artefact with a program and two files, one of them in a folder. */
    static BuiltArtefact small() {
        return new BuiltArtefact()
                .with("0755", "cloche-guard", "#!/bin/sh\necho guard\n".getBytes(StandardCharsets.US_ASCII))
                .with("0644", "kernel/vmlinux", "x".repeat(200_000).getBytes(StandardCharsets.US_ASCII))
                .with("0644", "initramfs", new byte[0]);
    }

    BuiltArtefact with(String mode, String path, byte[] content) {
        files.put(path, content);
        index.append(
                "%s %d %s %s\n".formatted(mode, content.length, HexFormat.of().formatHex(Sha256.of(content)), path));
        return this;
    }

    byte[] indexBytes() {
        return index.toString().getBytes(StandardCharsets.US_ASCII);
    }

    RuntimeIndex index() {
        return RuntimeIndex.parse(indexBytes());
    }

    byte[] content(String path) {
        return files.getOrDefault(path, new byte[0]);
    }

    Function<RuntimeIndex.Entry, InputStream> contents() {
        return entry -> new ByteArrayInputStream(content(entry.path()));
    }
}
