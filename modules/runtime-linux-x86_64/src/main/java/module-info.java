/** What VMs are made with, as resources: kernel, agent, guard, base image. */
@SuppressWarnings("module") // The architecture ends with a digit.
module dev.cloche.runtime.linux.x86_64 {
    requires dev.cloche.runtime;
    requires org.jspecify;

    provides dev.cloche.runtime.RuntimeFiles with
            dev.cloche.runtime.linux.x86_64.ModuleFiles;
}
