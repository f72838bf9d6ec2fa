"""A practice cluster on one machine: hosts in namespaces, links and disks with known limits, GlusterFS over them.

Processes nest like this; each arrow is a parent and its child:

    guard  ->  head (first process of the lab's namespaces)  ->  first process of each host  ->  servers, ranks

The guard stays outside and holds what the kernel does not remove by itself: the disks' limits. The head clears them
when the guard dies, and the guard when the head dies. Everything else (processes, mounts, interfaces, loop devices,
disk images) belongs to the namespaces or to open files, so the kernel removes it with the last process.
"""
