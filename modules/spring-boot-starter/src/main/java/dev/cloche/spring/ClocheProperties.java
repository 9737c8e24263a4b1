package dev.cloche.spring;

import dev.cloche.ClocheOptions;
import dev.cloche.PoolBuilder;
import dev.cloche.Pools;
import dev.cloche.Ready;
import dev.cloche.image.RegistryLogin;
import dev.cloche.vm.Network;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.unit.DataSize;

/**
 * Holds the properties {@code cloche.*}. What is not there is as {@link ClocheOptions#ofEnvironment()} says.
 *
 * @param home State root: images, records, VMs.
 * @param share Directories with what VMs are made with, each looked at before those that follow; by default the runtime artefact.
 * @param temporary Where sockets are, and where native libraries are unpacked.
 * @param templates Whether first starts of an image and a size have a template made in the background.
 * @param logins Logins by registry, as in the names of images.
 * @param pools Pools of warm VMs that are set when the application starts.
 */
@Lazy // A start in which no bean asks for them does not wait until they are bound.
@SuppressWarnings("exports") // A module that uses it requires Spring itself.
@ConfigurationProperties("cloche")
public record ClocheProperties(
        @Nullable Path home,
        @DefaultValue List<Path> share,
        @Nullable Path temporary,
        @Nullable Templates templates,
        @DefaultValue Map<String, RegistryLogin> logins,
        @DefaultValue List<Pool> pools) {
    public ClocheProperties {
        share = List.copyOf(share);
        logins = Map.copyOf(logins);
        pools = List.copyOf(pools);
    }

    /** Says when templates are made. */
    public enum Templates {
        /** By this process, while first starts go on. */
        BACKGROUND,
        /** Only those that are asked for. */
        NEVER
    }

    /**
     * Describes one pool, as {@link PoolBuilder} does.
     *
     * @param image Reference as in Docker, or the digest of an image on this host.
     * @param memory Memory of a guest.
     * @param cpus Processors of a guest.
     * @param network Network of the sandboxes that it is for.
     * @param depth How many VMs it has, or at most, where min-depth is given.
     * @param minDepth How many it has at least, where demand decides; by default as many as depth.
     * @param coldAfter Without any demand for this long it has none; by default it never gets cold.
     * @param maxAge After which an unused VM is ended; 10 minutes by default.
     * @param healthCheck Command that runs in each new VM, and rejects it by failing.
     * @param healthPort Ports on which a program of each new VM has to listen.
     * @param healthHttp Pages that each new VM has to answer a GET of, as in 8000/health.
     */
    public record Pool(
            String image,
            @DefaultValue("512MB") DataSize memory,
            @DefaultValue("1") int cpus,
            @DefaultValue("none") Network network,
            @DefaultValue("1") int depth,
            @Nullable Integer minDepth,
            @Nullable Duration coldAfter,
            @Nullable Duration maxAge,
            @DefaultValue List<String> healthCheck,
            @DefaultValue List<Integer> healthPort,
            @DefaultValue List<String> healthHttp) {
        private static final Pattern PAGE = Pattern.compile("([0-9]{1,5})(/.*)");

        public Pool {
            healthCheck = List.copyOf(healthCheck);
            healthPort = List.copyOf(healthPort);
            healthHttp = List.copyOf(healthHttp);
            for (String page : healthHttp) {
                if (!PAGE.matcher(page).matches()) {
                    throw new IllegalArgumentException("health-http: \"" + page
                            + "\" does not say which port is asked for which page. Write it as 8000/health.");
                }
            }
        }

        void set(Pools pools) {
            PoolBuilder pool = pools.pool(image)
                    .memoryMib(Math.toIntExact(memory.toMegabytes()))
                    .cpus(cpus)
                    .network(network);
            if (minDepth == null) {
                pool.depth(depth);
            } else {
                pool.depth(minDepth, depth);
            }
            if (coldAfter != null) {
                pool.coldAfter(coldAfter);
            }
            if (maxAge != null) {
                pool.maxAge(maxAge);
            }
            if (!healthCheck.isEmpty()) {
                pool.healthCheck(healthCheck.toArray(String[]::new));
            }
            healthPort.forEach(port -> pool.healthCheck(Ready.port(port)));
            for (String page : healthHttp) {
                int slash = page.indexOf('/');
                pool.healthCheck(Ready.http(Integer.parseInt(page.substring(0, slash)), page.substring(slash)));
            }
            pool.set();
        }
    }
}
