package dev.cloche.sandbox.directory;

import dev.cloche.base.DurableFiles;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.Secrets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;

/**
 * Keeps the secrets of a sandbox that can be started later, in a file of its directory that only this user may read: a
 * later start, by a restart policy for example, has them from nowhere else. See docs/on-disk.md.
 */
public record KeptSecrets(Path directory) {
    private static final String FILE = "secrets";
    private static final String HEAD = "cloche-secrets 1";

    /**
     * Keeps them for as long as the directory lasts.
     *
     * @throws SandboxException.StorageFailed if they cannot be kept
     */
    public void write(Secrets secrets) {
        if (secrets.isEmpty()) {
            return;
        }
        StringBuilder text = new StringBuilder(HEAD + "\n");
        secrets.forEach((name, value) -> text.append(name)
                .append(' ')
                .append(Base64.getEncoder().encodeToString(value))
                .append('\n'));
        try {
            DurableFiles.write(directory.resolve(FILE), text.toString().getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(directory, e);
        }
    }

    /**
     * Returns the secrets; none if there is no file.
     *
     * @throws SandboxException.StorageFailed if it cannot be read; what is in it is not repeated
     */
    public Secrets read() {
        try {
            return parse(Files.readAllLines(directory.resolve(FILE), StandardCharsets.US_ASCII));
        } catch (NoSuchFileException none) {
            return Secrets.none();
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(directory, e);
        }
    }

    /**
     * Forgets them, also if the host loses power from now on.
     *
     * @throws SandboxException.StorageFailed if they are kept still
     */
    public void forget() {
        try {
            if (Files.deleteIfExists(directory.resolve(FILE))) {
                DurableFiles.forceDirectory(directory);
            }
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(directory, e);
        }
    }

    private static Secrets parse(List<String> lines) throws IOException {
        if (lines.isEmpty() || !lines.getFirst().equals(HEAD)) {
            throw damaged();
        }
        Secrets secrets = Secrets.none();
        for (String line : lines.subList(1, lines.size())) {
            int space = line.indexOf(' ');
            try {
                secrets = secrets.with(
                        line.substring(0, Math.max(0, space)),
                        Base64.getDecoder().decode(line.substring(space + 1)));
            } catch (IllegalArgumentException notBase64) {
                throw damaged();
            }
        }
        return secrets;
    }

    private static IOException damaged() {
        return new IOException("its file \"" + FILE + "\" is damaged, so the sandbox has to be made anew");
    }
}
