package dev.cloche.sandbox;

import java.util.OptionalLong;

/**
 * Describes a sandbox that is not known to have ended: what stands in the way of changing the schema back.
 *
 * @param pid of the VM's process, its guard, whether that lives or not; empty if there is none, or its guest has never
 *     answered
 */
public record ActiveSandbox(String name, SandboxStatus status, OptionalLong pid) {}
