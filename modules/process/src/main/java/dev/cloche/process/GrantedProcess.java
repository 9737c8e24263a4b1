package dev.cloche.process;

/** Describes a grant with the process that it is for. */
public record GrantedProcess(Grant grant, ProcessRecord process) {}
