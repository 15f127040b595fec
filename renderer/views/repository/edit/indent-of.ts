/** The indentation of one level. */
export type Indent = 'tab' | 2 | 4 | 8

const SAMPLE_LINES = 2000
const STEPS = [2, 4, 8, 'tab'] as const

/** The indentation that a text already has: tabs, or the commonest step of spaces; 2 where it shows none. */
export const indentOf = (text: string): Indent => {
  const seen = { tab: 0, 2: 0, 4: 0, 8: 0 }
  let before = 0
  for (const line of text.split('\n', SAMPLE_LINES)) {
    const space = /^[\t ]*/.exec(line)?.[0] ?? ''
    if (space.length === line.length) continue
    const isTab = space.startsWith('\t')
    const deeper = space.length - before
    if (isTab) seen.tab += 1
    else if (deeper === 2 || deeper === 4 || deeper === 8) seen[deeper] += 1
    before = isTab ? 0 : space.length
  }
  return STEPS.reduce<Indent>((most, one) => (seen[one] > seen[most] ? one : most), 2)
}
