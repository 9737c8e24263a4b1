package dev.cloche.process;

/** A grant with the process that it is for. */
public record GrantedProcess(Grant grant, ProcessRecord process) {}
