import type { DiffLine } from '../diff-model.ts'

export interface SplitPair {
  left: DiffLine | null
  right: DiffLine | null
}

/** Sets `pair` on removed and added lines that correspond to each other: the n-th of a run with the n-th. */
export function pairLines(lines: readonly DiffLine[]): void {
  for (const { removed, added } of runs(lines)) {
    for (let i = 0; i < Math.min(removed.length, added.length); i++) {
      const left = removed[i]
      const right = added[i]
      if (!left || !right) continue
      left.pair = right
      right.pair = left
    }
  }
}

/** The same lines for two columns; a side without a line is null. */
export function splitPairs(lines: readonly DiffLine[]): SplitPair[] {
  const out: SplitPair[] = []
  for (const { context, removed, added } of runs(lines)) {
    if (context) out.push({ left: context, right: context })
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      out.push({ left: removed[i] ?? null, right: added[i] ?? null })
    }
  }
  return out
}

interface Run {
  context: DiffLine | null
  removed: DiffLine[]
  added: DiffLine[]
}

function* runs(lines: readonly DiffLine[]): Generator<Run> {
  let run: Run = { context: null, removed: [], added: [] }
  for (const line of lines) {
    // A removal after additions starts a new run: git lists removals before additions.
    const closes = line.kind === 'context' || (line.kind === 'del' && run.added.length > 0)
    if (closes) {
      if (run.removed.length || run.added.length) yield run
      run = { context: null, removed: [], added: [] }
    }
    if (line.kind === 'context') yield { context: line, removed: [], added: [] }
    else if (line.kind === 'del') run.removed.push(line)
    else run.added.push(line)
  }
  if (run.removed.length || run.added.length) yield run
}
