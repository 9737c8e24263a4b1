package dev.cloche.sandbox;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.vm.ready.HttpQuestion;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Describes a pool of warm VMs: what it is to have, what it has, and what became of it since it was first set.
 *
 * @param policy how it is kept
 * @param ready VMs that wait
 * @param making VMs that are being made
 * @param retryAt when the next attempt to make a VM is due, if the latest one failed
 */
public record PoolStatus(
        PoolShape shape,
        Policy policy,
        Instant createdAt,
        int ready,
        int making,
        Counts counts,
        Optional<Instant> retryAt) {
    /**
     * Says what became of it.
     *
     * @param hits starts that got a warm VM
     * @param misses starts that could have had one, had one been ready
     * @param made VMs that were put into it
     * @param failed attempts to make one
     * @param lastError of such an attempt, also after others have succeeded
     */
    public record Counts(long hits, long misses, long made, long failed, Optional<String> lastError) {}

    /**
     * Asks what runs in a new VM whether it serves.
     *
     * @param port 1 to 65,535, in the guest: a program has to listen on it, on any address
     * @param path of a GET there, which has to be answered with a status from 200 to 399; empty if none is sent
     */
    public record Probe(int port, Optional<String> path) {
        private static final int LONGEST_PATH = 2_000;

        /** @throws SandboxException.InvalidSpecification if there is no such port, or the path is none */
        public Probe {
            if (port < 1 || port > 65_535) {
                throw new SandboxException.InvalidSpecification("There is no port " + port + ".", "Give 1 to 65535.");
            }
            if (path.isPresent() && (path.get().length() > LONGEST_PATH || !HttpQuestion.isPath(path.get()))) {
                throw new SandboxException.InvalidSpecification(
                        "A path of HTTP begins with / and has only letters that a URI may have, at most 2000.",
                        "Write it as /health, and percent-encode other letters.");
            }
        }

        @Override
        public String toString() {
            return port + path.orElse("");
        }
    }

    /**
     * Says what is recorded of how a pool is kept, so that every process that fills it does so likewise.
     *
     * @param depth how many VMs
     * @param maxAge after which an unused VM is ended: a second to 365 days
     * @param check a program with its arguments that runs in each new VM before it waits, with the image's environment;
     *     a VM in which it fails is rejected. Empty for none
     * @param probes what each new VM is asked after that; one whose answer is not good is rejected
     * @param inProcess whether functions of an application prepare its VMs; then only a process that has them makes
     *     some
     */
    public record Policy(
            DepthPolicy depth, Duration maxAge, List<String> check, List<Probe> probes, boolean inProcess) {
        private static final Duration LONGEST_AGE = Duration.ofDays(365);
        private static final int MOST_WORDS = 256;
        private static final int MOST_CHARACTERS = 64 << 10;
        private static final int MOST_PROBES = 16;

        /** @throws SandboxException.InvalidSpecification if a value is out of range */
        public Policy {
            check = List.copyOf(check);
            probes = List.copyOf(probes);
            if (maxAge.compareTo(Duration.ofSeconds(1)) < 0 || maxAge.compareTo(LONGEST_AGE) > 0) {
                throw new SandboxException.InvalidSpecification(
                        "An age of " + maxAge + " is out of range.", "Give 1 second to 365 days.");
            }
            if (check.size() > MOST_WORDS
                    || check.stream().mapToLong(String::length).sum() > MOST_CHARACTERS
                    || check.stream().anyMatch(word -> word.indexOf('\0') >= 0)
                    || (!check.isEmpty() && check.getFirst().isEmpty())) {
                throw new SandboxException.InvalidSpecification(
                        "That is no command that a pool can run in its VMs.",
                        "Give a program and at most 255 arguments, together up to 64 KiB.");
            }
            if (probes.size() > MOST_PROBES) {
                throw new SandboxException.InvalidSpecification(
                        "The VMs of a pool cannot be asked for " + probes.size() + " ports and pages.",
                        "Give at most " + MOST_PROBES + ".");
            }
        }

        /** Returns the policy for so many VMs, each for 10 minutes, in which nothing is done before. */
        public static Policy of(DepthPolicy depth) {
            return new Policy(depth, SandboxPools.DEFAULT_MAX_AGE, List.of(), List.of(), false);
        }

        public Policy withDepth(DepthPolicy value) {
            return new Policy(value, maxAge, check, probes, inProcess);
        }

        public Policy withMaxAge(Duration value) {
            return new Policy(depth, value, check, probes, inProcess);
        }

        public Policy withCheck(List<String> command) {
            return new Policy(depth, maxAge, command, probes, inProcess);
        }

        public Policy withProbes(List<Probe> value) {
            return new Policy(depth, maxAge, check, value, inProcess);
        }

        Policy withInProcess(boolean value) {
            return new Policy(depth, maxAge, check, probes, value);
        }

        /** Returns what names all that the VMs depend on: those that were prepared in another way are of another key. */
        public String version(String template) {
            String checked = check.isEmpty() ? template : template + "+" + digest(String.join("\0", check));
            String asked = probes.isEmpty()
                    ? checked
                    : checked + "+ask"
                            + digest(probes.stream().map(Probe::toString).collect(Collectors.joining(" ")));
            return inProcess ? asked + "+app" : asked;
        }

        private static String digest(String text) {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
                return HexFormat.of().formatHex(digest, 0, 8);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has it", e);
            }
        }
    }
}
