package dev.cloche.machine;

import dev.cloche.base.Printable;

/**
 * Says which program is a machine's process 1. With {@link #AGENT} nothing of the image runs by itself; otherwise
 * Cloche's agent starts first and gives process 1 to an init of the image.
 *
 * @param value as in the file: {@code agent}, {@code systemd}, {@code openrc} or the absolute path of a program
 */
public record MachineInit(String value) {
    public static final MachineInit AGENT = new MachineInit("agent");
    public static final MachineInit SYSTEMD = new MachineInit("systemd");
    public static final MachineInit OPENRC = new MachineInit("openrc");
    private static final int LONGEST_PATH = 255;

    /** @throws MachineException.Invalid if it is none of these */
    public MachineInit {
        boolean known = value.equals("agent") || value.equals("systemd") || value.equals("openrc");
        boolean path = value.startsWith("/")
                && value.length() <= LONGEST_PATH
                && value.chars().allMatch(c -> c > ' ' && c < 0x7F && c != '"');
        if (!known && !path) {
            throw new MachineException.Invalid(
                    "\"" + Printable.brief(value) + "\" is no init.",
                    "Use agent, systemd, openrc, or the absolute path of a program in the image without blanks.");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
