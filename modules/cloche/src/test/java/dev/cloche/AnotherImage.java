package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.PullListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes an image with the layers of one that is here, and another digest: with an annotation in its manifest. */
record AnotherImage(String original) {
    private static final Pattern DESCRIPTOR = Pattern.compile("sha256:([0-9a-f]{64})");

    static AnotherImage of(String original) {
        return new AnotherImage(original);
    }

    /** Loads it under a name, which may mean another image until then. */
    void load(Cloche cloche, String name, Path directory) throws IOException, InterruptedException {
        Path archive = Files.createDirectories(directory).resolve("image.tar");
        Path layout = Files.createDirectories(directory.resolve("layout"));
        cloche.images().save(List.of(original), archive, PullListener.none());
        unpack(archive, layout);
        Path index = layout.resolve("index.json");
        String listed = Files.readString(index);
        Matcher found = DESCRIPTOR.matcher(listed);
        assertThat(found.find()).isTrue();
        Path blobs = layout.resolve("blobs/sha256");
        String manifest = Files.readString(blobs.resolve(found.group(1)));
        String annotated = manifest.replaceFirst("\\{", "{\"annotations\":{\"which\":\"another\"},");
        byte[] bytes = annotated.getBytes(StandardCharsets.UTF_8);
        String digest = digest(bytes);
        Files.write(blobs.resolve(digest), bytes);
        Files.writeString(
                index,
                listed.replace(found.group(1), digest).replaceFirst("(\"size\"\\s*:\\s*)\\d+", "$1" + bytes.length));
        var _ = cloche.images().load(layout, name, PullListener.none());
    }

    private static String digest(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void unpack(Path archive, Path directory) throws IOException, InterruptedException {
        Process tar = new ProcessBuilder("tar", "-xf", archive.toString(), "-C", directory.toString())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(tar.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(tar.exitValue()).isZero();
    }
}
