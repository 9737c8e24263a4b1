package dev.cloche.sandbox;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.ready.HttpQuestion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Describes a template: a booted guest of an image and a size, to be restored in place of a boot.
 *
 * @param image digest of its image's manifest, if it is told
 * @param lastUsedAt when a sandbox was last started from it, or it was made
 * @param usable whether its disk is still there
 */
public record Template(
        String name,
        Optional<String> image,
        int memoryMib,
        int cpus,
        Instant createdAt,
        Instant lastUsedAt,
        boolean usable) {
    public static Template of(SnapshotRef taken, Instant lastUsedAt, boolean usable) {
        return new Template(
                taken.name().value(),
                taken.rootDisk().contents(),
                taken.memoryMiB(),
                taken.cpus(),
                taken.createdAt(),
                lastUsedAt,
                usable);
    }

    /**
     * Says how a template was prepared from its image, so that it can be made anew for another image or runtime. Its size and its
     * network are those of its snapshot.
     *
     * @param steps in their order, at most {@value #MOST_STEPS}
     */
    public record Recipe(List<Step> steps) {
        private static final int MOST_STEPS = 1_000;
        private static final int MOST_WORDS = 10_000;

        /** Says what a step does with its words. */
        public enum Kind {
            /** Copies a file or a directory of the host, the first word, to a path of the guest, the second. */
            COPY,
            /** Runs a command, which ends with 0. */
            RUN,
            /** Calls code of the application that prepares it; the word is the version of that. */
            CODE,
            /** Starts a command that runs on in every clone. */
            START,
            /** Waits until a program listens on the port that the word is. */
            READY_PORT,
            /** Waits until the port that the first word is answers a GET of the path that the second is. */
            READY_HTTP,
            /** Waits until a command ends with 0. */
            READY,
            /**
             * Says that what was started is the driver of an interpreter: of a language, the first word, listening on a path of
             * the guest, the second. A new VM of a pool runs cells in it before it waits.
             */
            INTERPRETER,
            /** Runs a command in each clone before a caller has it. */
            ON_CLONE
        }

        /** Describes one step. */
        public record Step(Kind kind, List<String> words) {
            /**
             * Validates it.
             *
             * @throws SandboxException.InvalidSpecification if it has no words, too many, or others than its kind wants
             */
            public Step {
                words = List.copyOf(words);
                if (words.isEmpty() || words.getFirst().isEmpty()) {
                    throw new SandboxException.InvalidSpecification(
                            "A step of a template has no command.", "Name a program and its arguments.");
                }
                if (words.size() > MOST_WORDS) {
                    throw new SandboxException.InvalidSpecification(
                            "A step of a template has " + words.size() + " words.",
                            "Give it at most " + MOST_WORDS + ".");
                }
                boolean pair = kind == Kind.COPY || kind == Kind.INTERPRETER || kind == Kind.READY_HTTP;
                if (pair && words.size() != 2) {
                    throw new IllegalArgumentException("a step of the kind " + kind + " has two words");
                }
                boolean asked = kind == Kind.READY_PORT || kind == Kind.READY_HTTP;
                if (asked
                        && (words.size() != (kind == Kind.READY_PORT ? 1 : 2)
                                || port(words.getFirst()).isEmpty())) {
                    throw new SandboxException.InvalidSpecification(
                            "There is no port " + words.getFirst() + ".", "Give 1 to 65535.");
                }
                if (kind == Kind.READY_HTTP && !HttpQuestion.isPath(words.getLast())) {
                    throw new SandboxException.InvalidSpecification(
                            "A path of HTTP begins with / and has only letters that a URI may have.",
                            "Write it as /health, and percent-encode other letters.");
                }
            }

            private static OptionalInt port(String word) {
                if (!word.matches("[1-9][0-9]{0,4}")) {
                    return OptionalInt.empty();
                }
                int port = Integer.parseInt(word);
                return port <= 65_535 ? OptionalInt.of(port) : OptionalInt.empty();
            }
        }

        /** Returns one without steps. */
        public static Recipe empty() {
            return new Recipe(List.of());
        }

        /**
         * Validates it.
         *
         * @throws SandboxException.InvalidSpecification if it has too many steps, or one that a template has once twice
         */
        public Recipe {
            steps = List.copyOf(steps);
            if (steps.size() > MOST_STEPS) {
                throw new SandboxException.InvalidSpecification(
                        "A template has " + steps.size() + " steps.", "Give it at most " + MOST_STEPS + ".");
            }
            for (Kind once : List.of(Kind.START, Kind.INTERPRETER, Kind.ON_CLONE)) {
                if (steps.stream().filter(step -> step.kind() == once).count() > 1) {
                    throw new SandboxException.InvalidSpecification(
                            "A template has one command that is started, and one that runs in each clone.",
                            "Put them into one, such as a script.");
                }
            }
        }

        /** Returns one with a further step, after all others. */
        public Recipe with(Kind kind, List<String> words) {
            List<Step> longer = new ArrayList<>(steps);
            longer.add(new Step(kind, words));
            return new Recipe(longer);
        }

        /** Returns whether only the application that prepared it can do so again. */
        public boolean hasCode() {
            return steps.stream().anyMatch(step -> step.kind() == Kind.CODE);
        }

        /** Returns what runs in each clone before a caller has it. */
        public Optional<List<String>> onClone() {
            return only(Kind.ON_CLONE);
        }

        /** Returns the words of the interpreter whose driver runs on in each clone, if it is one. */
        public Optional<List<String>> interpreter() {
            return only(Kind.INTERPRETER);
        }

        private Optional<List<String>> only(Kind kind) {
            return steps.stream()
                    .filter(step -> step.kind() == kind)
                    .map(Step::words)
                    .findFirst();
        }
    }
}
