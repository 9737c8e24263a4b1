package dev.cloche.process;

/** Says how many processes there are of one type of input and one status. */
public record ProcessCount(String inputType, ProcessStatus status, long count) {}
