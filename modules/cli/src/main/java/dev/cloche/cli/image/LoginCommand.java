package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.image.RegistryLogin;
import java.io.Console;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "login", description = "Log in to a registry, and keep the login for pulls.")
public final class LoginCommand implements Callable<Integer> {
    private static final int LONGEST_PASSWORD = 64 * 1024;

    @Option(
            names = {"-u", "--user"},
            paramLabel = "USER",
            description = "The user; without it, it is asked for on the terminal.")
    private @Nullable String user;

    @Option(
            names = {"--password-stdin"},
            description = "Take the password, or an access token, from standard input instead of asking for it.")
    private boolean passwordFromStdin;

    @Parameters(
            paramLabel = "REGISTRY",
            description = "The registry, as in images' names: docker.io, ghcr.io, host:5000")
    private String registry = "";

    @Override
    public Integer call() throws IOException {
        RegistryLogin login = passwordFromStdin ? fromStdin() : fromTerminal();
        try (Cloche cloche = Cloche.open()) {
            boolean verified = cloche.login(registry, login);
            System.out.println(
                    verified
                            ? "Logged in to " + registry + "."
                            : "The login is kept. It is not verified: " + registry + " asks for none.");
        }
        return ExitCodes.OK;
    }

    private RegistryLogin fromStdin() throws IOException {
        if (user == null) {
            throw new UsageError("With --password-stdin the user has to be named.", "Add --user USER.");
        }
        byte[] read = System.in.readNBytes(LONGEST_PASSWORD + 1);
        if (read.length > LONGEST_PASSWORD) {
            throw new UsageError("What is on standard input is too long for a password.", "Give the password alone.");
        }
        // The end of its line is not part of it.
        return login(user, new String(read, StandardCharsets.UTF_8).replaceFirst("\r?\n$", ""));
    }

    @SuppressWarnings("SystemConsoleNull") // JDK 25 answers null again where there is no terminal
    private RegistryLogin fromTerminal() {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            throw new UsageError(
                    "There is no terminal to ask for a password on.", "Give it by --user USER --password-stdin.");
        }
        String asked = user != null ? user : console.readLine("User: ");
        char[] password = asked == null ? null : console.readPassword("Password: ");
        if (asked == null || password == null) {
            throw new UsageError("No login was given.", "Type the user and the password, or use --password-stdin.");
        }
        return login(asked, new String(password));
    }

    private static RegistryLogin login(String user, String password) {
        try {
            return new RegistryLogin(user, password);
        } catch (IllegalArgumentException e) {
            throw new UsageError(
                    "That is no login: it needs a user without a colon, and a password.",
                    "Give both, or do without a login.");
        }
    }
}
