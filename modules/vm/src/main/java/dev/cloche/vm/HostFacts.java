package dev.cloche.vm;

import java.util.OptionalLong;

/**
 * What the probe has found out about this host.
 *
 * @param counterKiloHertz frequency of the time stamp counter, for guests under emulation; empty if it is not constant, or
 *     if guests learn it themselves
 */
record HostFacts(VmCapabilities capabilities, OptionalLong counterKiloHertz) {}
