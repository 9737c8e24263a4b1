package dev.cloche.vm;

import dev.cloche.base.Printable;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The text of a published port, or of a range of them. */
final class PublishedPortText {
    private static final Pattern FORM = Pattern.compile(
            "(?:(?:(?<address>[0-9.]+):)?(?:(?<host>[0-9]{1,5})(?:-(?<hostEnd>[0-9]{1,5}))?)?:)?"
                    + "(?<guest>[0-9]{1,5})(?:-(?<guestEnd>[0-9]{1,5}))?(?:/(?<protocol>tcp|udp))?",
            Pattern.CASE_INSENSITIVE);

    private final String text;

    PublishedPortText(String text) {
        this.text = text;
    }

    List<PublishedPort> ports() {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw invalid("Write it like 8080:80, 127.0.0.1:8080:80, 8000-8010:9000-9010 or 5353:53/udp.");
        }
        int guest = Integer.parseInt(form.group("guest"));
        int count = length(guest, form.group("guestEnd"));
        boolean anyPort = form.group("host") == null || Integer.parseInt(form.group("host")) == 0;
        int host = anyPort ? 0 : Integer.parseInt(form.group("host"));
        boolean sameLength = anyPort ? form.group("hostEnd") == null : length(host, form.group("hostEnd")) == count;
        if (!sameLength) {
            throw invalid("Give as many ports of the host as of the guest.");
        }
        String address = form.group("address") == null ? PublishedPort.LOOPBACK : form.group("address");
        PublishedPort.Protocol protocol = form.group("protocol") == null
                ? PublishedPort.Protocol.TCP
                : PublishedPort.Protocol.valueOf(form.group("protocol").toUpperCase(Locale.ROOT));
        return IntStream.range(0, count)
                .mapToObj(i -> new PublishedPort(protocol, address, anyPort ? 0 : host + i, guest + i))
                .toList();
    }

    private int length(int first, @Nullable String end) {
        int last = end == null ? first : Integer.parseInt(end);
        if (last < first) {
            throw invalid("A range begins with its lowest port.");
        }
        return last - first + 1;
    }

    private VmException.Invalid invalid(String remedy) {
        return new VmException.Invalid("'" + Printable.of(text) + "' publishes no port", remedy);
    }
}
