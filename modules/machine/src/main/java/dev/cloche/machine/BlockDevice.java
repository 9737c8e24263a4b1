package dev.cloche.machine;

/** Describes a disk that a file names besides the machine's own. */
public record BlockDevice(String path, boolean readOnly) {}
