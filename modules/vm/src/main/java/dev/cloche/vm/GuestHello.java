package dev.cloche.vm;

import java.time.Duration;

/**
 * Says what a guest said when it became ready. It comes from the guest: true of an honest one only.
 *
 * @param untilAgent from the kernel's start to the agent's start
 * @param untilReady from the kernel's start to readiness
 */
public record GuestHello(int protocolVersion, Duration untilAgent, Duration untilReady, String agentVersion) {}
