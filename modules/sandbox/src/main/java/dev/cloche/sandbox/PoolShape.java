package dev.cloche.sandbox;

import dev.cloche.image.ImageReference;
import dev.cloche.pool.StackKey;
import dev.cloche.sandbox.lifecycle.HostLimits;
import dev.cloche.vm.NetworkSpec;

/**
 * Says which sandboxes share a pool of warm VMs: those of one image and one size, without a disk.
 *
 * @param network whether they have the user's network, with nothing published
 */
public record PoolShape(ImageReference image, int memoryMib, int cpus, boolean network) {
    /** So that pools of applications, which share our host, are never taken for ours. */
    private static final String PREFIX = "sandbox ";

    private static final String WITH_NETWORK = " network";

    /**
     * Returns a shape that this host can have, without a network.
     *
     * @throws dev.cloche.image.ImageException if the image is no reference
     * @throws SandboxException.InvalidSpecification if the size is out of range, or more than this host has
     */
    public static PoolShape of(String image, int memoryMib, int cpus) {
        HostLimits.check(SandboxSpec.of(image).withMemoryMib(memoryMib).withCpus(cpus));
        return new PoolShape(ImageReference.parse(image), memoryMib, cpus, false);
    }

    public PoolShape withNetwork(boolean value) {
        return new PoolShape(image, memoryMib, cpus, value);
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
        return new StackKey(PREFIX + image + (network ? WITH_NETWORK : ""), version, cpus, memoryMib);
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
