package dev.cloche.vm;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Says how a guest's first network interface is set up. Immutable. What a machine cannot have is refused here and by the
 * guest: an address of a group, of the loopback or of a whole network, a gateway that leads nowhere.
 *
 * @param mtu 68 to 65,535; empty leaves it as it is
 * @param mac six bytes in hexadecimal with colons; empty leaves it as it is
 * @param addresses at most 4, as {@code address/prefix}
 * @param gateways at most 2 addresses
 * @param nameServers at most 3 addresses
 */
public record GuestNetwork(
        OptionalInt mtu,
        Optional<String> mac,
        List<String> addresses,
        List<String> gateways,
        List<String> nameServers) {
    private static final Pattern MAC = Pattern.compile("[0-9a-f]{2}(:[0-9a-f]{2}){5}");
    private static final String NO_MAC = "00:00:00:00:00:00";

    /** @throws VmException.Invalid if a part is not of its form, or not possible */
    public GuestNetwork {
        addresses = List.copyOf(addresses);
        gateways = List.copyOf(gateways);
        nameServers = List.copyOf(nameServers);
        if (mtu.isPresent() && (mtu.getAsInt() < 68 || mtu.getAsInt() > 65_535)) {
            throw GuestAddress.invalid("An MTU of " + mtu.getAsInt(), "Give 68 to 65,535.");
        }
        if (mac.isPresent() && !MAC.matcher(mac.get()).matches()) {
            throw GuestAddress.invalid(
                    "The MAC address '" + mac.get() + "'", "Write six bytes like 02:00:5e:00:00:01.");
        }
        if (mac.isPresent() && (isOfAGroup(mac.get()) || mac.get().equals(NO_MAC))) {
            throw GuestAddress.invalid("The MAC address '" + mac.get() + "'", "Give one whose first byte is even.");
        }
        if (addresses.size() > 4 || gateways.size() > 2 || nameServers.size() > 3) {
            throw GuestAddress.invalid("So many addresses", "Give at most 4 addresses, 2 gateways and 3 name servers.");
        }
        List<GuestAddress> own =
                addresses.stream().map(GuestAddress::parseWithPrefix).toList();
        if (own.stream().distinct().count() < own.size()) {
            throw GuestAddress.invalid("The same address twice", "Give each address once.");
        }
        if (mtu.isPresent() && mtu.getAsInt() < 1280 && own.stream().anyMatch(GuestAddress::six)) {
            throw GuestAddress.invalid("IPv6 with an MTU of " + mtu.getAsInt(), "Give 1,280 or more.");
        }
        gateways.forEach(gateway -> checkGateway(gateway, own));
        nameServers.forEach(GuestAddress::parse);
    }

    private static boolean isOfAGroup(String mac) {
        return (Integer.parseInt(mac, 0, 2, 16) & 1) != 0;
    }

    private static void checkGateway(String text, List<GuestAddress> own) {
        GuestAddress gateway = GuestAddress.parse(text);
        if (gateway.isLoopback() || own.contains(gateway)) {
            throw GuestAddress.invalid("The gateway '" + text + "'", "Give the address of another machine.");
        }
        if (own.stream().noneMatch(address -> address.six() == gateway.six())) {
            throw GuestAddress.invalid("The gateway '" + text + "'", "Give the guest an address of its family too.");
        }
    }
}
