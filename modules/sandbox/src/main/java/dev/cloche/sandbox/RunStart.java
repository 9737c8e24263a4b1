package dev.cloche.sandbox;

import java.time.Duration;

/**
 * Says how a run began, in milliseconds.
 *
 * @param run its id
 * @param image finding, and where needed pulling, the image
 * @param boot what the VM took
 */
public record RunStart(long run, StartKind kind, Duration image, Duration boot) {}
