import { onScopeDispose, shallowReactive, watch, type Ref } from 'vue'
import { highlight } from '../../workers/highlighter.ts'
import type { DiffHunk, DiffLine } from './diff-model.ts'
import type { DiffRow } from './diff-rows.ts'
import { languageOf } from '../code/languages.ts'

type Colours = ReadonlyMap<DiffLine, string>

/**
 * Colours the hunks that are on the screen, each once. A hunk that is scrolled away before its turn is
 * dropped again, so that the worker never falls behind.
 */
export function useDiffColours(visible: Readonly<Ref<readonly DiffRow[]>>): {
  htmlOf: (hunk: DiffHunk, line: DiffLine) => string | undefined
} {
  const done = shallowReactive(new Map<DiffHunk, Colours>())
  const asked = new Map<DiffHunk, AbortController>()
  onScopeDispose(() => asked.forEach((abort) => abort.abort()))

  async function ask(hunk: DiffHunk, language: string): Promise<void> {
    const abort = new AbortController()
    asked.set(hunk, abort)
    const colours = await colourHunk(hunk, language, abort.signal)
    if (asked.get(hunk) === abort) asked.delete(hunk)
    if (!abort.signal.aborted) done.set(hunk, colours)
  }

  watch(
    visible,
    (rows) => {
      const wanted = new Map<DiffHunk, string>()
      for (const row of rows) {
        if (row.kind !== 'unified' && row.kind !== 'split') continue
        const language = wanted.has(row.hunk) ? null : languageOf(row.file.path)
        if (language) wanted.set(row.hunk, language)
      }
      for (const [hunk, abort] of asked) {
        if (wanted.has(hunk)) continue
        abort.abort()
        asked.delete(hunk)
      }
      for (const [hunk, language] of wanted) if (!done.has(hunk) && !asked.has(hunk)) void ask(hunk, language)
    },
    { immediate: true },
  )

  return { htmlOf: (hunk, line) => done.get(hunk)?.get(line) }
}

/** Both sides are coloured as the texts they were, so that a removed quote does not tint added lines. */
async function colourHunk(hunk: DiffHunk, language: string, signal: AbortSignal): Promise<Colours> {
  const colours = new Map<DiffLine, string>()
  for (const skipped of ['add', 'del'] as const) {
    const side = hunk.lines.filter((line) => line.kind !== skipped)
    if (side.every((line) => colours.has(line))) continue
    const lines = await highlight(side.map((line) => line.text).join('\n'), language, signal)
    side.forEach((line, i) => {
      const html = lines?.[i]
      if (html !== undefined) colours.set(line, html)
    })
  }
  return colours
}
