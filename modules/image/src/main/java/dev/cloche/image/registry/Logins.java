package dev.cloche.image.registry;

import dev.cloche.base.Deadline;
import dev.cloche.image.LoginSources;
import dev.cloche.image.RegistryLogin;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the login for a registry, in the order of {@link LoginSources}. */
public final class Logins {
    private final LoginSources sources;
    private final String searchPath;

    public Logins(LoginSources sources) {
        this(sources, System.getenv().getOrDefault("PATH", ""));
    }

    public Logins(LoginSources sources, String searchPath) {
        this.sources = sources;
        this.searchPath = searchPath;
    }

    /**
     * Finds the login for a registry.
     *
     * @return empty for anonymous access
     * @throws LoginsUnreadable if a source that comes first cannot be asked: another login than the expected one, or none,
     *     would only fail later and be harder to understand
     */
    public Optional<Credential> find(String registry, Deadline deadline) throws LoginsUnreadable, InterruptedException {
        RegistryLogin given = sources.given().get(registry);
        if (given != null) {
            return Optional.of(Credential.password(given.user(), given.password()));
        }
        if (sources.kept().isPresent()) {
            Optional<Credential> kept = LoginFile.read(sources.kept().get()).login(registry);
            if (kept.isPresent()) {
                return kept;
            }
        }
        return sources.dockerConfig().isPresent()
                ? ofDocker(sources.dockerConfig().get(), registry, deadline)
                : Optional.empty();
    }

    private Optional<Credential> ofDocker(Path config, String registry, Deadline deadline)
            throws LoginsUnreadable, InterruptedException {
        LoginFile file = LoginFile.read(config);
        Optional<String> helper = file.helper(registry);
        if (helper.isPresent()) {
            Optional<Credential> found =
                    CredentialHelper.find(helper.get(), searchPath).get(LoginFile.helperKey(registry), deadline);
            if (found.isPresent()) {
                return found;
            }
        }
        return file.login(registry);
    }
}
