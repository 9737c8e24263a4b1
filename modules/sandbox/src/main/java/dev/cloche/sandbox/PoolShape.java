package dev.cloche.sandbox;

import dev.cloche.image.ImageReference;
import dev.cloche.pool.StackKey;
import dev.cloche.sandbox.lifecycle.HostLimits;
import dev.cloche.vm.NetworkSpec;
import java.util.Optional;

/**
 * Says which sandboxes share a pool of warm VMs: those of one image and one size, without a disk.
 *
 * @param network whether they have the user's network, with nothing published
 * @param template the prepared template that they are of, which has the image and the size; empty for those of an image
 */
public record PoolShape(ImageReference image, int memoryMib, int cpus, boolean network, Optional<String> template) {
    /** So that pools of applications, which share our host, are never taken for ours. */
    private static final String PREFIX = "sandbox ";

    private static final String WITH_NETWORK = " network";

    private static final String TEMPLATE = "template ";

    /**
     * Returns a shape that this host can have, without a network.
     *
     * @throws dev.cloche.image.ImageException if the image is no reference
     * @throws SandboxException.InvalidSpecification if the size is out of range, or more than this host has
     */
    public static PoolShape of(String image, int memoryMib, int cpus) {
        HostLimits.check(SandboxSpec.of(image).withMemoryMib(memoryMib).withCpus(cpus));
        return new PoolShape(ImageReference.parse(image), memoryMib, cpus, false, Optional.empty());
    }

    /** Returns the shape of the sandboxes of a prepared template. */
    public static PoolShape of(SandboxSnapshot template) {
        return new PoolShape(
                ImageReference.parse(template.image()),
                template.memoryMib(),
                template.cpus(),
                template.network(),
                template.name());
    }

    public PoolShape withNetwork(boolean value) {
        return new PoolShape(image, memoryMib, cpus, value, template);
    }

    /** Returns what its VMs are of, as it is recorded: an image, or {@code template} and a name, which no image is called. */
    public String subject() {
        return template.map(name -> TEMPLATE + name).orElseGet(image::toString);
    }

    /** Returns the name of the template that a {@link #subject} is of. */
    public static String templateOf(String subject) {
        return subject.substring(TEMPLATE.length());
    }

    public NetworkSpec vmNetwork() {
        return network ? NetworkSpec.user() : NetworkSpec.none();
    }

    /**
     * Returns the key of the shelf that the VMs of this shape lie on.
     *
     * @param version names all that its VMs depend on
     */
    public StackKey key(String version) {
        return new StackKey(PREFIX + subject() + (network ? WITH_NETWORK : ""), version, cpus, memoryMib);
    }

    /** Says whether a key is of this shape, in any version. */
    public boolean has(StackKey key) {
        return key(key.version()).equals(key);
    }

    /** Says whether a key is of any shape. */
    static boolean isOfSandboxes(StackKey key) {
        return key.name().startsWith(PREFIX);
    }
}
