package dev.cloche.machine;

import dev.cloche.base.Printable;
import dev.cloche.vm.VmId;

/**
 * Says what is kept for a machine that no directory has any more.
 *
 * @param name the machine's, as far as that was recorded; empty otherwise
 * @param recorded whether its directory was recorded: only such things go by themselves
 * @param vm whether there is a VM, running or not
 * @param image whether it holds an image
 * @param memories how many times its memory is on the disk
 */
public record OrphanedMachine(VmId id, String name, boolean recorded, boolean vm, boolean image, int memories) {
    /** Returns one sentence for people. */
    public String what() {
        String whose = name.isEmpty() ? "no machine" : "the machine \"" + Printable.brief(name) + "\", which is gone,";
        StringBuilder parts = new StringBuilder();
        add(parts, vm, "a VM");
        add(parts, image, "a hold on an image");
        add(parts, memories > 0, memories == 1 ? "its memory" : memories + " times its memory");
        add(parts, parts.isEmpty(), "a record");
        return "The id " + id + " of " + whose + " has left " + parts + " behind.";
    }

    private static void add(StringBuilder parts, boolean there, String part) {
        if (there) {
            parts.append(parts.isEmpty() ? "" : " and ").append(part);
        }
    }
}
