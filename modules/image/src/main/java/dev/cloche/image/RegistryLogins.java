package dev.cloche.image;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.Printable;
import dev.cloche.image.registry.LoginFile;
import dev.cloche.image.registry.RegistryCaller;
import dev.cloche.image.registry.RegistryHost;
import dev.cloche.image.registry.RegistryPing;
import dev.cloche.image.store.CacheLock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Logins that a person gives once: verified with the registry, then kept in a file of their own, 0600, in the form of
 * Docker's {@code auths}. Docker's own file is never written. Safe for use from several threads and processes.
 */
public final class RegistryLogins {
    private static final String BAD_NAME = "Give the registry as in images' names: docker.io, ghcr.io, host:5000.";

    private final Path file;
    private final Supplier<RegistryOptions> options;

    /** @param file in a directory that is its owner's alone; need not exist */
    public RegistryLogins(Path file, Supplier<RegistryOptions> options) {
        this.file = file;
        this.options = options;
    }

    /**
     * Asks the registry whether it takes the login, and keeps it.
     *
     * @return false if the registry lets everybody in without asking, so that the login is kept and not verified
     * @throws LoginFailed if the name is no registry's, the registry does not take the login or does not answer, or the
     *     file cannot be written
     */
    public boolean login(String registry, RegistryLogin login, Deadline deadline) {
        String name = canonical(registry);
        LoginSources alone = LoginSources.NONE.withGiven(Map.of(name, login));
        boolean verified;
        RegistryOptions settings = options.get();
        RegistryHost host = RegistryHost.of(name, settings.plainHttp());
        try (RegistryCaller caller =
                new RegistryCaller(host, "", settings.withLogins(alone), deadline, PullListener.none())) {
            caller.call(new RegistryPing());
            verified = caller.wasAsked();
        } catch (PullFailed e) {
            throw new LoginFailed(name, e.what(), adviceFor(e), e);
        }
        String encoded = Base64.getEncoder()
                .encodeToString((login.user() + ":" + login.password()).getBytes(StandardCharsets.UTF_8));
        change(name, deadline, auths -> auths.put(name, encoded));
        return verified;
    }

    /**
     * Forgets the login.
     *
     * @return whether there was one
     * @throws LoginFailed if the name is no registry's or the file cannot be written
     */
    public boolean logout(String registry, Deadline deadline) {
        String name = canonical(registry);
        boolean[] known = {false};
        change(name, deadline, auths -> known[0] = auths.remove(name) != null);
        return known[0];
    }

    private void change(String name, Deadline deadline, Consumer<Map<String, String>> change) {
        Path lock = file.resolveSibling(file.getFileName() + ".lock");
        try (CacheLock _ = CacheLock.take(lock, deadline).orElseThrow(() -> new IOException("another login goes on"))) {
            Map<String, String> before = LoginFile.read(file).encodedLogins();
            Map<String, String> after = new TreeMap<>(before);
            change.accept(after);
            if (!after.equals(before)) {
                DurableFiles.write(file, LoginFile.document(after));
            }
        } catch (IOException e) {
            throw new LoginFailed(
                    name, "the logins cannot be kept: " + e.getMessage(), "Check " + file + " and its directory.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LoginFailed(name, "it was interrupted", "Try again.", e);
        }
    }

    private static String adviceFor(PullFailed failure) {
        return failure.reason() == PullFailed.Reason.UNAUTHORIZED
                ? "Check the user and the password; many registries want an access token in place of the password."
                : failure.remedy();
    }

    /** Returns the registry's name as images' names have it. */
    private static String canonical(String registry) {
        try {
            Optional<ImageReference> image = registry.indexOf('/') < 0 && registry.indexOf('@') < 0
                    ? Optional.of(ImageReference.parse(registry + "/any/image"))
                    : Optional.empty();
            return image.filter(i -> i.repository().equals("any/image"))
                    .map(ImageReference::registry)
                    .orElseThrow(
                            () -> new LoginFailed(printable(registry), "that is no registry's name", BAD_NAME, null));
        } catch (BadReference e) {
            throw new LoginFailed(printable(registry), "that is no registry's name", BAD_NAME, e);
        }
    }

    private static String printable(String text) {
        return Printable.brief(text, 80);
    }
}
