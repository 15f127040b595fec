import type { RunningWork } from '../server/index.ts'
import { text } from './texts.ts'

const NAMED = 5

/** What runs, in words. */
export function nameOfWork({ kind, name }: RunningWork): string {
  return kind === 'push' && name === '' ? text('work.push_elsewhere') : text(`work.${kind}`, { name })
}

/** The first few of the running works, and how many more there are. */
export function namesOfWork(work: readonly RunningWork[]): string[] {
  const more = work.length - NAMED
  return [...work.slice(0, NAMED).map(nameOfWork), ...(more > 0 ? [text('work.more', { count: more })] : [])]
}
