package dev.cloche.interpreter;

import java.util.Optional;

/** What the code of an interpreter is written in. The program that runs it is to be in the image; nothing is installed. */
public enum Language {
    /** Run by {@code python3}, 3.9 or newer. */
    PYTHON("Python", "python3", "python.py"),
    /** Run by {@code node}, 18 or newer. */
    JAVASCRIPT("JavaScript", "node", "javascript.js"),
    /** Run by {@code java} of a JDK, 17 or newer, with {@code jdk.jshell}. */
    JAVA("Java", "java", "java-cells.java"),
    /** The POSIX shell, run by {@code sh}. It has no values: what a cell says is what it writes. */
    SHELL("Shell", "sh");

    private final String title;
    private final String program;
    private final Optional<String> driver;

    Language(String title, String program, String driver) {
        this.title = title;
        this.program = program;
        this.driver = Optional.of(driver);
    }

    /** Cells go to the program itself. */
    Language(String title, String program) {
        this.title = title;
        this.program = program;
        this.driver = Optional.empty();
    }

    /** Returns its name as people write it. */
    public String title() {
        return title;
    }

    /** Returns the program that runs it, searched in the {@code PATH} of the sandbox. */
    public String program() {
        return program;
    }

    /** Returns the file name of its driver among the resources of this room, if it has one. */
    Optional<String> driver() {
        return driver;
    }
}
