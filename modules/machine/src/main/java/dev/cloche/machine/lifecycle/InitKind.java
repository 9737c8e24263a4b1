package dev.cloche.machine.lifecycle;

import dev.cloche.machine.MachineInit;
import java.util.List;
import java.util.Map;

/**
 * The ways of an init.
 *
 * @param programs where it is, the first that there is
 * @param stopSignal by which it is asked to end the system
 * @param environment variables that tell it where it is
 */
record InitKind(List<String> programs, int stopSignal, Map<String, String> environment, Readiness readiness) {
    /** What openrc-init takes commands from (RC_INIT_FIFO of OpenRC). */
    static final String OPENRC_FIFO = "/run/openrc/init.ctl";

    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;
    /** SIGRTMIN+4 of Linux: systemd starts poweroff.target (systemd(1)). */
    private static final int SIGRTMIN_4 = 38;

    /** Says how it is known that the system is up. */
    enum Readiness {
        /** It is once the program runs. */
        AT_ONCE,
        /** It says so, as systemd(1) does. */
        NOTIFIED,
        /** It begins to read its FIFO. */
        READS_ITS_FIFO
    }

    /** Holds systemd's words for the program that starts it: https://systemd.io/CONTAINER_INTERFACE/ */
    private static final InitKind SYSTEMD = new InitKind(
            List.of("/usr/lib/systemd/systemd", "/lib/systemd/systemd"),
            SIGRTMIN_4,
            Map.of("container", "cloche", "NOTIFY_SOCKET", "@cloche-init"),
            Readiness.NOTIFIED);
    /** openrc-init(8) goes through its runlevel for a reboot on SIGINT; nothing but the command differs for power off. */
    private static final InitKind OPENRC = new InitKind(
            List.of("/sbin/openrc-init", "/usr/sbin/openrc-init"), SIGINT, Map.of(), Readiness.READS_ITS_FIFO);

    /** @param init not the agent */
    static InitKind of(MachineInit init) {
        if (init.equals(MachineInit.SYSTEMD)) {
            return SYSTEMD;
        }
        if (init.equals(MachineInit.OPENRC)) {
            return OPENRC;
        }
        return new InitKind(List.of(init.value()), SIGTERM, Map.of(), Readiness.AT_ONCE);
    }
}
