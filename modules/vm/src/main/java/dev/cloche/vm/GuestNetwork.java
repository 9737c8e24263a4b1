package dev.cloche.vm;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * How a guest's first network interface is set up. Immutable.
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
    private static final Pattern PREFIX = Pattern.compile("0|[1-9][0-9]{0,2}");

    /** @throws InvalidVmSpecException if a part is not of its form */
    public GuestNetwork {
        addresses = List.copyOf(addresses);
        gateways = List.copyOf(gateways);
        nameServers = List.copyOf(nameServers);
        if (mtu.isPresent() && (mtu.getAsInt() < 68 || mtu.getAsInt() > 65_535)) {
            throw invalid("An MTU of " + mtu.getAsInt(), "Give 68 to 65,535.");
        }
        if (mac.isPresent() && !MAC.matcher(mac.get()).matches()) {
            throw invalid("The MAC address '" + mac.get() + "'", "Write six bytes like 02:00:5e:00:00:01.");
        }
        if (addresses.size() > 4 || gateways.size() > 2 || nameServers.size() > 3) {
            throw invalid("So many addresses", "Give at most 4 addresses, 2 gateways and 3 name servers.");
        }
        addresses.forEach(GuestNetwork::checkWithPrefix);
        gateways.forEach(GuestNetwork::check);
        nameServers.forEach(GuestNetwork::check);
    }

    private static void checkWithPrefix(String text) {
        int slash = text.indexOf('/');
        String prefix = text.substring(slash + 1);
        if (slash < 0 || !PREFIX.matcher(prefix).matches()) {
            throw invalid("The address '" + text + "'", "Write it with its prefix, like 10.0.2.15/24.");
        }
        if (Integer.parseInt(prefix)
                > Byte.SIZE * check(text.substring(0, slash)).getAddress().length) {
            throw invalid("The prefix of '" + text + "'", "It is at most 32, of IPv6 128.");
        }
    }

    private static InetAddress check(String text) {
        try {
            InetAddress address = InetAddress.ofLiteral(text);
            // A literal may also be short or have a scope, which the guest does not read.
            if (text.indexOf('%') < 0 && (text.indexOf(':') >= 0 || text.equals(address.getHostAddress()))) {
                return address;
            }
        } catch (IllegalArgumentException notAnAddress) {
            throw invalid("The address '" + text + "'", "Write an IPv4 or IPv6 address in numbers.");
        }
        throw invalid("The address '" + text + "'", "Write all of its parts, without a scope.");
    }

    private static InvalidVmSpecException invalid(String what, String remedy) {
        return new InvalidVmSpecException(what + " is not possible", remedy);
    }
}
