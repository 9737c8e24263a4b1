package dev.cloche.vm;

/**
 * Says what a provider can do on this host.
 *
 * @param provider its name, for example {@code qemu}
 * @param version of the program below, for example {@code 7.2.22}
 * @param accelerator what runs the guest's instructions
 * @param cpu the processor that guests get, in the provider's terms, for example {@code host,pmu=off}
 * @param proven whether a guest was seen to run so here; false only where the user insists on what did not work
 * @param acceleratorReason why this one, a sentence for people
 */
public record VmCapabilities(
        String provider,
        String version,
        Accelerator accelerator,
        String cpu,
        boolean proven,
        String acceleratorReason) {}
