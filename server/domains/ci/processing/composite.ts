/**
 * What a job adds to the status of its set: its own status, but `warning` for an allowed failure and `ignored` for an
 * optional manual job (spec ci 2.3, preparation).
 */
export type Word = string

/** The word of one job. A job that is being canceled still runs. */
export function wordOf(status: string, allowFailure: boolean | number): Word {
  if (status === 'canceling') return 'running'
  if (!allowFailure) return status
  if (status === 'failed' || status === 'canceled') return 'warning'
  return status === 'manual' ? 'ignored' : status
}

const QUIET = ['skipped', 'ignored']
const DONE = ['success', 'failed', 'canceled', 'skipped', 'warning']

/** For uniform sets: if all words are among these, this is the status. */
const ALL: readonly [among: readonly string[], result: string][] = [
  [QUIET, 'skipped'],
  [['success', 'warning', ...QUIET], 'success'],
  [['created', 'warning', 'ignored'], 'created'],
  [['preparing', 'warning', 'ignored'], 'preparing'],
  [['canceled', 'success', 'warning', ...QUIET], 'canceled'],
  [['pending', 'created', 'warning', ...QUIET], 'pending'],
]

/** For mixed sets: if the set has this word, this is the status. */
const ANY: readonly [word: string, result: string][] = [
  ['running', 'running'],
  ['pending', 'running'],
  ['waiting_for_resource', 'waiting_for_resource'],
  ['manual', 'manual'],
  ['scheduled', 'scheduled'],
  ['preparing', 'preparing'],
  ['created', 'running'],
]

/**
 * The status of a set of jobs, null for none; the first rule that holds decides (spec ci 2.3). The number of
 * equal words does not matter. `isDag` means that the set is what one job needs: the job waits for all of them, and is
 * skipped as soon as one of them does not run.
 */
export function composite(words: ReadonlySet<Word>, isDag = false): string | null {
  if (words.size === 0) return null
  const all = (among: readonly string[]) => [...words].every((word) => among.includes(word))
  if (isDag) {
    if (QUIET.some((word) => words.has(word))) return 'skipped'
    if (!all(DONE)) return 'pending'
  }
  const uniform = ALL.find(([among]) => all(among))
  if (uniform) return uniform[1]
  return ANY.find(([word]) => words.has(word))?.[1] ?? 'failed'
}
