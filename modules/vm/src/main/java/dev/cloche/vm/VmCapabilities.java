package dev.cloche.vm;

/**
 * What a provider can do on this host.
 *
 * @param provider its name, for example {@code qemu}
 * @param version of the program below, for example {@code 7.2.22}
 * @param accelerator what runs the guest's instructions
 * @param acceleratorReason why this one, a sentence for people
 */
public record VmCapabilities(String provider, String version, Accelerator accelerator, String acceleratorReason) {}
