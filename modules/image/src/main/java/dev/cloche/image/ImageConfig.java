package dev.cloche.image;

import java.util.List;
import java.util.Map;

/**
 * Says how an image wants to be run.
 *
 * @param env {@code NAME=value} each
 * @param cmd default arguments
 * @param entrypoint what the arguments are given to; empty for none
 * @param user name or number, with a group after a colon; empty for root
 * @param workingDir absolute path; empty for the root directory
 * @param labels free-form facts
 * @param stopSignal name or number; empty for SIGTERM
 * @param platform what it runs on
 */
public record ImageConfig(
        List<String> env,
        List<String> cmd,
        List<String> entrypoint,
        String user,
        String workingDir,
        Map<String, String> labels,
        String stopSignal,
        Platform platform) {
    public ImageConfig {
        env = List.copyOf(env);
        cmd = List.copyOf(cmd);
        entrypoint = List.copyOf(entrypoint);
        labels = Map.copyOf(labels);
    }
}
