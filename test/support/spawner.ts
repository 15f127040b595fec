import { Spawner } from '../../server/git/process/spawner/spawner.ts'

/**
 * Starts git for all engines and instances of a worker. One of its own for each would be a Node process for each; without
 * any, Linux would copy the page tables of a worker, which has hundreds of megabytes, at each start of git.
 */
export const sharedSpawner = new Spawner({ minMemoryBytes: 0, idleMs: 60_000 })
