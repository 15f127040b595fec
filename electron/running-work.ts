import type { RunningWork } from '../server/index.ts'
import { text } from './texts.ts'

const MAX_NAMES = 5

/** Returns a description of running work. */
export function nameOfWork({ kind, name }: RunningWork): string {
  return kind === 'push' && name === '' ? text('work.push_elsewhere') : text(`work.${kind}`, { name })
}

/** Returns descriptions of the first few running works, and the number of others. */
export function namesOfWork(work: readonly RunningWork[]): string[] {
  const others = work.length - MAX_NAMES
  return [
    ...work.slice(0, MAX_NAMES).map(nameOfWork),
    ...(others > 0 ? [text('work.more', { count: others })] : []),
  ]
}
