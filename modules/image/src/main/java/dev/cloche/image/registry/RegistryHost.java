package dev.cloche.image.registry;

import dev.cloche.image.ImageReference;
import java.net.URI;
import java.util.Locale;
import java.util.Set;

/**
 * Says where a registry answers.
 *
 * @param name as in image names
 * @param base scheme and authority
 */
public record RegistryHost(String name, URI base) {
    /** Docker Hub's images are named docker.io, and served by another host. */
    private static final String DOCKER_HUB_HOST = "registry-1.docker.io";

    public static RegistryHost of(String name, Set<String> plainHttp) {
        String authority = name.equals(ImageReference.DOCKER_HUB) ? DOCKER_HUB_HOST : name;
        String scheme = mayBePlain(name, plainHttp) ? "http" : "https";
        return new RegistryHost(name, URI.create(scheme + "://" + authority));
    }

    /** Returns whether a host ({@code host} or {@code host:port}) may be spoken to without TLS. */
    static boolean mayBePlain(String name, Set<String> plainHttp) {
        return plainHttp.contains(name) || isLoopback(name);
    }

    /** By name only: a name that resolves to 127.0.0.1 today may resolve elsewhere tomorrow. */
    private static boolean isLoopback(String name) {
        String host = name.startsWith("[")
                ? name.substring(0, name.indexOf(']') + 1)
                : name.contains(":") ? name.substring(0, name.indexOf(':')) : name;
        return host.toLowerCase(Locale.ROOT).equals("localhost")
                || host.matches("127(\\.[0-9]{1,3}){3}")
                || host.equals("[::1]");
    }
}
