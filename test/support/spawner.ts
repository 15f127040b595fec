import { Spawner } from '../../server/git/process/spawner/spawner.ts'

/**
 * Starts git for all engines and instances of a worker. Separate spawners would each need a Node process. Without a
 * spawner, Linux would copy the page tables of a worker with hundreds of megabytes at each start of git.
 */
export const sharedSpawner = new Spawner({ minMemoryBytes: 0, idleMs: 60_000 })
