package dev.cloche.vm;

/** An output of a program. With a terminal, everything is {@link #STDOUT}. */
public enum Output {
    STDOUT(1),
    STDERR(2);

    private final int channel;

    Output(int channel) {
        this.channel = channel;
    }

    /** Returns its number in the guest protocol. */
    public int channel() {
        return channel;
    }
}
