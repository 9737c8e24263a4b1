package dev.cloche.image.registry;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Says how a registry wants to be answered (RFC 9110, WWW-Authenticate; distribution specification, token authentication).
 *
 * @param scheme {@code bearer} or {@code basic}, lower case
 * @param parameters such as realm, service and scope
 */
public record Challenge(String scheme, Map<String, String> parameters) {
    private static final Pattern SCHEME = Pattern.compile("^\\s*([A-Za-z]+)(?:\\s+|$)");
    private static final Pattern PARAMETER =
            Pattern.compile("([A-Za-z_]+)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*+)\"|([^\\s,\"]+))");

    public Challenge {
        parameters = Map.copyOf(parameters);
    }

    /** Returns the one to answer among the values of the header: a token before a password. */
    public static Optional<Challenge> choose(List<String> headers) {
        List<Challenge> all = headers.stream().flatMap(h -> read(h).stream()).toList();
        return all.stream()
                .filter(c -> c.scheme.equals("bearer") && c.parameters.containsKey("realm"))
                .findFirst()
                .or(() -> all.stream().filter(c -> c.scheme.equals("basic")).findFirst());
    }

    private static Optional<Challenge> read(String header) {
        Matcher scheme = SCHEME.matcher(header);
        if (!scheme.find()) {
            return Optional.empty();
        }
        Map<String, String> parameters = new HashMap<>();
        Matcher parameter = PARAMETER.matcher(header).region(scheme.end(), header.length());
        while (parameter.find()) {
            String quoted = parameter.group(2);
            parameters.putIfAbsent(
                    parameter.group(1).toLowerCase(Locale.ROOT),
                    quoted != null ? quoted.replaceAll("\\\\(.)", "$1") : parameter.group(3));
        }
        return Optional.of(new Challenge(scheme.group(1).toLowerCase(Locale.ROOT), parameters));
    }
}
