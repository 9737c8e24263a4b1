package dev.cloche.vmm;

/** Says how the guest of a VM is found by its new owner. */
public enum FoundGuest {
    RUNNING,
    /** Halted, perhaps while its last owner was speaking to it. */
    PAUSED,
    /** Halted when its last owner had said all, as entries of a pool are before they lie on their shelf. */
    AT_REST;

    /** Returns whether it has to be told to go on before it answers. */
    public boolean halted() {
        return this != RUNNING;
    }
}
