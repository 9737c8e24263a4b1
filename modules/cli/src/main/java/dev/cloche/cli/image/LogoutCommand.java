package dev.cloche.cli.image;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "logout", description = "Forget the login for a registry. Docker's logins stay.")
public final class LogoutCommand implements Callable<Integer> {
    @Parameters(paramLabel = "REGISTRY", description = "The registry, as in images' names.")
    private String registry = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            boolean known = cloche.logout(registry);
            System.out.println(known ? "Logged out of " + registry + "." : "There was no login for " + registry + ".");
        }
        return ExitCodes.OK;
    }
}
