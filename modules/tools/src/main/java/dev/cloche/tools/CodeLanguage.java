package dev.cloche.tools;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What code for a sandbox can be written in. The program that runs it is to be in the image; nothing is installed. */
public enum CodeLanguage {
    /** Run by {@code python3}. */
    PYTHON("Python", "python3", ".py"),
    /** Run by {@code node}. */
    JAVASCRIPT("JavaScript", "node", ".js"),
    /** A program of a single file, compiled and run by {@code java}. */
    JAVA("Java", "java", ".java"),
    /** Run by {@code sh}. */
    SHELL("shell", "sh", ".sh");

    private final String title;
    private final String program;
    private final String suffix;

    CodeLanguage(String title, String program, String suffix) {
        this.title = title;
        this.program = program;
        this.suffix = suffix;
    }

    /** Returns the language that a model names, in letters of either case; empty if it is none of these. */
    public static Optional<CodeLanguage> named(String name) {
        String wanted = name.strip();
        return Arrays.stream(values())
                .filter(language -> language.name().equalsIgnoreCase(wanted))
                .findFirst();
    }

    /** Returns the words that {@link #named} knows, for a sentence. */
    static String names() {
        return Arrays.stream(values())
                .map(language -> language.name().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }

    /** Returns its name as people write it. */
    String title() {
        return title;
    }

    /** Returns the program that runs it, searched in the {@code PATH} of the sandbox. */
    public String program() {
        return program;
    }

    /** Returns variables for it. */
    Map<String, String> environment() {
        // What a program has printed is not lost when it is killed.
        return this == PYTHON ? Map.of("PYTHONUNBUFFERED", "1") : Map.of();
    }

    /** Returns how the name of a file of it ends. */
    String suffix() {
        return suffix;
    }
}
