package dev.cloche.sandbox;

import java.time.Duration;
import java.util.Optional;

/**
 * Tells where the time of a start went: by the monotonic clock, or, as it is recorded, in whole milliseconds of the wall clock.
 *
 * @param kind how the VM came to be
 * @param total from the request to a guest that answers
 * @param image finding, and where needed pulling, the image
 * @param boot from the VM's start to the acknowledged identity of its guest, without what was done here while that was on
 *     its way
 * @param notWarm why it did not come from the pool of its image and size, if there is such a pool
 */
public record StartTimings(StartKind kind, Duration total, Duration image, Duration boot, Optional<String> notWarm) {}
