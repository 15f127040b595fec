import { composite, type Word, isOver } from './status.ts'

/** What happens to a created job: it waits, is skipped, or goes on. */
export type Verdict = 'wait' | 'skip' | 'go'

const BY_WHEN: Readonly<Record<string, readonly string[]>> = {
  on_failure: ['failed'],
  always: ['success', 'failed', 'skipped'],
}

/**
 * Whether a created job goes on, by the status of what comes before it (spec ci 2.4): of the stages before, or for a job
 * with needs (`isDag`) of these.
 */
export function gateOf(when: string, previous: string, isDag: boolean): Verdict {
  if (!isOver(previous)) return 'wait'
  const usual = isDag ? ['success'] : ['success', 'skipped']
  return (BY_WHEN[when] ?? usual).includes(previous) ? 'go' : 'skip'
}

/** The status of what comes before a job; `success` where nothing does (spec ci 2.3, rule 0). */
export function previousOf(words: ReadonlySet<Word>, isDag: boolean): string {
  return composite(words, isDag) ?? 'success'
}

/**
 * The words of the jobs that a job needs, from the words of the newest copies of all jobs. Needed jobs that are not in the
 * pipeline were optional and are left out.
 */
export function wordsOfNeeds(needs: readonly string[], words: ReadonlyMap<string, Word>): ReadonlySet<Word> {
  const found = new Set<Word>()
  for (const name of needs) {
    const word = words.get(name)
    if (word !== undefined) found.add(word)
  }
  return found
}

/** Jobs in an order in which each comes after those of them that it needs. Takes linear time; a circle comes last. */
export function byNeeds<Job extends { readonly name: string; readonly needs: readonly string[] }>(
  jobs: readonly Job[],
): Job[] {
  const open = new Map<string, number>()
  const dependants = new Map<string, Job[]>()
  const names = new Set(jobs.map(({ name }) => name))
  for (const job of jobs) {
    const inside = job.needs.filter((name) => names.has(name))
    open.set(job.name, inside.length)
    for (const name of inside) {
      const list = dependants.get(name)
      if (list) list.push(job)
      else dependants.set(name, [job])
    }
  }
  const sorted = jobs.filter(({ name }) => open.get(name) === 0)
  // The list grows while it is walked.
  for (const { name } of sorted) {
    for (const job of dependants.get(name) ?? []) {
      const left = open.get(job.name)! - 1
      open.set(job.name, left)
      if (left === 0) sorted.push(job)
    }
  }
  if (sorted.length === jobs.length) return sorted
  const known = new Set(sorted)
  return [...sorted, ...jobs.filter((job) => !known.has(job))]
}
