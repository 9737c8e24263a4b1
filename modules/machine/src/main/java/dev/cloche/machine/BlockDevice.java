package dev.cloche.machine;

/** A disk that a file names besides the machine's own. */
public record BlockDevice(String path, boolean readOnly) {}
