package dev.cloche.vm;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The link between a guest and passt; see docs/vm.md. Every guest has the same addresses on a link of its own, so that what
 * it remembers of them is true after a restore too; guard/src/filter.h knows them as well.
 */
public final class UserNetwork {
    /** What QEMU is told, for all alike: a guest's own is set with its identity. */
    public static final String DEVICE_MAC = "02:c1:0c:00:00:01";

    public static final String GATEWAY_MAC = "02:c1:0c:00:00:02";
    public static final String ADDRESS = "10.203.0.15";
    public static final String PREFIX = "24";
    public static final String GATEWAY = "10.203.0.2";
    public static final String NAME_SERVER = "10.203.0.3";
    /** The largest that passt takes: packets that need not be cut cost the least. */
    private static final int MTU = 65_520;

    private UserNetwork() {}

    /** Returns what the guest's first interface becomes. */
    public static GuestNetwork of(VmId id, NetworkSpec.User network) {
        return new GuestNetwork(
                OptionalInt.of(MTU),
                Optional.of(mac(id)),
                List.of(ADDRESS + "/" + PREFIX),
                List.of(GATEWAY),
                List.of(network.nameServer().orElse(NAME_SERVER)));
    }

    /** Returns an address of one's own, the same for as long as the VM is: a locally administered address. */
    public static String mac(VmId id) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(id.value().getBytes(StandardCharsets.UTF_8));
            StringBuilder mac = new StringBuilder("02");
            for (int i = 0; i < 5; i++) {
                mac.append(":%02x".formatted(digest[i]));
            }
            return mac.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
