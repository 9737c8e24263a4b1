package dev.cloche;

/**
 * How many processes there are of one type of input and one status.
 *
 * <pre>{@code
 * cloche.processes().count(ProcessFilter.ALL).forEach(tally -> System.out.println(tally.status() + " " + tally.count()));
 * }</pre>
 */
public record ProcessTally(String inputType, String status, long count) {}
