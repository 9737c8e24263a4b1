package dev.cloche.bench.probe;

/** Does nothing: what is left is the start of a JVM. */
final class Nothing {
    private Nothing() {}

    public static void main(String[] arguments) {}
}
