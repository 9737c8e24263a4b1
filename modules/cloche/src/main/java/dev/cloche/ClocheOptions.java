package dev.cloche;

import dev.cloche.base.OperationListener;
import dev.cloche.image.RegistryLogin;
import dev.cloche.pool.PoolListener;
import dev.cloche.sandbox.MaintenanceLimits;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where Cloche keeps its state and finds its installation, and who it is to registries.
 *
 * <pre>{@code
 * ClocheOptions options = ClocheOptions.ofEnvironment().withHome(Path.of("/srv/cloche"));
 * try (Cloche cloche = Cloche.open(options)) { … }
 * }</pre>
 *
 * @param home the state root: images, records, VMs; absolute; made 0700 if missing
 * @param share directories with what VMs are made with (guard, kernel, initramfs, base image), as {@code ./setup} builds it;
 *     absolute; of each file the first match wins. If none of them exists, the runtime artefact is used
 * @param temporary where sockets are, and where SQLite and zstd unpack their native libraries; absolute; made if missing. If it
 *     is empty, sockets are in {@code /tmp}, and libraries are unpacked to {@code java.io.tmpdir} or, where that cannot be
 *     written or executed, to {@code tmp/} in the state root. All processes that use a state root are to have the same
 * @param logins by registry, as in images' names ({@code docker.io} for Docker Hub); they come before those of
 *     {@link Cloche#login} and of Docker
 * @param templateMaking who makes the templates that first starts of an image and a size miss; by default this process, in
 *     the background
 * @param maintenance how much it may do to keep the records of the state root true, and how often
 * @param poolListener is told what happens in the pools that this process keeps
 * @param listener is told of starts, commands and snapshots of sandboxes ({@link dev.cloche.sandbox.SandboxOperation}) and of
 *     pulls ({@link dev.cloche.image.ImagePull}); {@code ClocheMeters} of {@code cloche-micrometer} puts them and what happens in pools
 *     into Micrometer
 */
public record ClocheOptions(
        Path home,
        List<Path> share,
        Optional<Path> temporary,
        Map<String, RegistryLogin> logins,
        TemplateMaking templateMaking,
        MaintenanceLimits maintenance,
        PoolListener poolListener,
        OperationListener listener) {
    /** Makes the paths absolute. */
    public ClocheOptions {
        home = home.toAbsolutePath().normalize();
        share = share.stream().map(Path::toAbsolutePath).toList();
        temporary = temporary.map(named -> named.toAbsolutePath().normalize());
        logins = Map.copyOf(logins);
    }

    /**
     * Returns what the environment says. The state root is {@code CLOCHE_HOME}, else {@code $XDG_DATA_HOME/cloche}, else
     * {@code ~/.local/share/cloche}. The share directories are {@code CLOCHE_SHARE} and the system property {@code
     * cloche.share}, which the launcher sets, in this order, as far as they are set. {@code CLOCHE_TMP} names the temporary
     * directory. With {@code CLOCHE_TEMPLATES=never} no templates are made but those that are asked for.
     */
    public static ClocheOptions ofEnvironment() {
        return of(System.getenv(), Optional.ofNullable(System.getProperty("cloche.share")));
    }

    static ClocheOptions of(Map<String, String> environment, Optional<String> launcherShare) {
        Path home = setting(environment, "CLOCHE_HOME")
                .map(Path::of)
                .or(() -> setting(environment, "XDG_DATA_HOME").map(data -> Path.of(data, "cloche")))
                .orElseGet(() -> Path.of(System.getProperty("user.home"), ".local", "share", "cloche"));
        List<Path> share = new ArrayList<>();
        setting(environment, "CLOCHE_SHARE").map(Path::of).ifPresent(share::add);
        launcherShare.map(Path::of).ifPresent(share::add);
        TemplateMaking making =
                setting(environment, "CLOCHE_TEMPLATES").filter("never"::equals).isPresent()
                        ? new TemplateMaking.Never()
                        : new TemplateMaking.InBackground();
        Optional<Path> temporary = setting(environment, "CLOCHE_TMP").map(Path::of);
        return new ClocheOptions(
                home,
                share,
                temporary,
                Map.of(),
                making,
                MaintenanceLimits.defaults(),
                PoolListener.none(),
                OperationListener.none());
    }

    /** Returns the same with another state root; the share directories stay what they are. */
    public ClocheOptions withHome(Path other) {
        return new ClocheOptions(other, share, temporary, logins, templateMaking, maintenance, poolListener, listener);
    }

    /** Returns the same with a share directory that is looked at first. */
    public ClocheOptions withShare(Path first) {
        List<Path> directories = new ArrayList<>(List.of(first));
        directories.addAll(share);
        return new ClocheOptions(
                home, directories, temporary, logins, templateMaking, maintenance, poolListener, listener);
    }

    /** Returns the same with sockets and unpacked libraries in another directory, which is made if it is missing. */
    public ClocheOptions withTemporary(Path directory) {
        return new ClocheOptions(
                home, share, Optional.of(directory), logins, templateMaking, maintenance, poolListener, listener);
    }

    /** Returns the same with a login for a registry. */
    public ClocheOptions withLogin(String registry, RegistryLogin login) {
        Map<String, RegistryLogin> all = new HashMap<>(logins);
        all.put(registry, login);
        return new ClocheOptions(home, share, temporary, all, templateMaking, maintenance, poolListener, listener);
    }

    /** Returns the same with templates made in another way, or not at all. */
    public ClocheOptions withTemplateMaking(TemplateMaking value) {
        return new ClocheOptions(home, share, temporary, logins, value, maintenance, poolListener, listener);
    }

    /** Returns the same with maintenance limited in another way. */
    public ClocheOptions withMaintenance(MaintenanceLimits value) {
        return new ClocheOptions(home, share, temporary, logins, templateMaking, value, poolListener, listener);
    }

    /** Returns the same with a listener for the pools that this process keeps. */
    public ClocheOptions withPoolListener(PoolListener value) {
        return new ClocheOptions(home, share, temporary, logins, templateMaking, maintenance, value, listener);
    }

    /** Returns the same with a listener for the operations of this process. */
    public ClocheOptions withListener(OperationListener value) {
        return new ClocheOptions(home, share, temporary, logins, templateMaking, maintenance, poolListener, value);
    }

    private static Optional<String> setting(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }
}
