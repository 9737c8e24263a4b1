package dev.cloche.vm;

/** Says what runs a guest's instructions. */
public enum Accelerator {
    /** The host's processor, through {@code /dev/kvm}. */
    KVM,
    /** QEMU's translator, in software. Works everywhere, several times slower. */
    TCG,
    /** No machine at all: an in-memory guest inside of this JVM. */
    NONE
}
