import { composite, wordOf } from '../processing/composite.ts'
import type { Counted } from './store.ts'

/** A stage with the status of its jobs together. */
export interface StageStatus {
  readonly name: string
  readonly status: string
  /** Something failed in it that was allowed to. */
  readonly warnings: boolean
}

/** The stages of a pipeline by what its jobs do, in the order given. Pure. */
export function stagesOf(
  counts: readonly Pick<Counted, 'stage' | 'status' | 'allow_failure'>[],
): StageStatus[] {
  const stages = Map.groupBy(counts, (one) => one.stage)
  return [...stages].map(([name, jobs]) => {
    const words = new Set(jobs.map((job) => wordOf(job.status, job.allow_failure)))
    return { name, status: composite(words) ?? 'created', warnings: words.has('warning') }
  })
}
