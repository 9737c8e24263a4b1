package dev.cloche.process;

/** Describes a process that a worker may drive now, with its lease. */
public record Claim(ProcessRecord process, Lease lease) {}
