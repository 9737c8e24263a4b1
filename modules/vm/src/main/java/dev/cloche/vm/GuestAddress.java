package dev.cloche.vm;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * Describes an address that a guest's network is made of, in the rules that docs/guest-protocol.md gives for CONFIGURE's tag
 * 7.
 */
record GuestAddress(InetAddress address) {
    private static final Pattern PREFIX = Pattern.compile("0|[1-9][0-9]{0,2}");

    /**
     * @throws VmException.Invalid if it is not an address in numbers, whole and without a scope, of one machine: neither
     *     unspecified, nor a group's, nor reserved
     */
    static GuestAddress parse(String text) {
        InetAddress address;
        try {
            address = InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException notAnAddress) {
            throw invalid("The address '" + text + "'", "Write an IPv4 or IPv6 address in numbers.");
        }
        boolean six = text.indexOf(':') >= 0;
        // A literal may also be short, have a scope, or be IPv4 in the clothes of IPv6, which the guest does not read.
        boolean whole = six ? address instanceof Inet6Address : text.equals(address.getHostAddress());
        if (!whole || text.indexOf('%') >= 0) {
            throw invalid("The address '" + text + "'", "Write all of its parts, without a scope.");
        }
        byte[] bytes = address.getAddress();
        int first = bytes[0] & 0xFF;
        boolean one = six ? !address.isAnyLocalAddress() && first != 0xFF : first != 0 && first < 224;
        if (!one) {
            throw invalid("The address '" + text + "'", "Give the address of one machine.");
        }
        return new GuestAddress(address);
    }

    /**
     * Returns the address of {@code address/prefix}, which a machine may have itself.
     *
     * @throws VmException.Invalid if it is not of that form, or the loopback's, the network's or that of all its machines
     */
    static GuestAddress parseWithPrefix(String text) {
        int slash = text.indexOf('/');
        String prefix = text.substring(slash + 1);
        if (slash < 0 || !PREFIX.matcher(prefix).matches()) {
            throw invalid("The address '" + text + "'", "Write it with its prefix, like 10.0.2.15/24.");
        }
        GuestAddress parsed = parse(text.substring(0, slash));
        int bits = Integer.parseInt(prefix);
        if (bits < 1 || bits > Byte.SIZE * parsed.address.getAddress().length) {
            throw invalid("The prefix of '" + text + "'", "It is 1 to 32, of IPv6 to 128.");
        }
        if (parsed.isLoopback() || parsed.standsForMany(bits)) {
            throw invalid("The address '" + text + "'", "Give one that a machine may have for itself.");
        }
        return parsed;
    }

    boolean isLoopback() {
        return address.isLoopbackAddress();
    }

    boolean six() {
        return address instanceof Inet6Address;
    }

    /** A link of two machines (31) or one (32) has no address for the network and for all. */
    private boolean standsForMany(int prefix) {
        if (six() || prefix > 30) {
            return false;
        }
        int bits = ByteBuffer.wrap(address.getAddress()).getInt();
        int mask = -1 >>> prefix;
        return (bits & mask) == 0 || (bits & mask) == mask;
    }

    static VmException.Invalid invalid(String what, String remedy) {
        return new VmException.Invalid(what + " is not possible", remedy);
    }
}
