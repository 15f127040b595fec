import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseHunks } from '../../renderer/components/diff/diff-model.ts'
import { unifiedDiff } from '../../renderer/components/diff/line-diff.ts'

describe('the difference of two texts', () => {
  it('has the format of git for a changed line and a missing last line end', () => {
    expect(unifiedDiff('a\nb\nc\nd\ne\nf\ng\nh\n', 'a\nb\nX\nd\ne\nf\ng\nh')).toBe(
      [
        '@@ -1,8 +1,8 @@',
        ' a',
        ' b',
        '-c',
        '+X',
        ' d',
        ' e',
        ' f',
        ' g',
        '-h',
        '+h',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    )
  })

  it('has separate hunks for distant changes', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
    const changed = lines.map((line, index) => (index === 2 || index === 25 ? `${line}!` : line))
    const hunks = parseHunks(unifiedDiff(`${lines.join('\n')}\n`, `${changed.join('\n')}\n`))
    expect(hunks.map((hunk) => [hunk.oldStart, hunk.oldCount])).toEqual([
      [1, 6],
      [23, 7],
    ])
  })

  it('is empty for equal texts, and complete for new and deleted ones', () => {
    expect(unifiedDiff('a\n', 'a\n')).toBe('')
    expect(unifiedDiff('', 'a\nb\n')).toBe('@@ -1,0 +1,2 @@\n+a\n+b\n')
    expect(unifiedDiff('a\n', '')).toBe('@@ -1,1 +1,0 @@\n-a\n')
  })

  it('converts one text into the other, for any texts', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 24 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const old = before.split('\n').slice(0, -1)
        for (const hunk of parseHunks(unifiedDiff(before, after)).toReversed()) {
          const mine = hunk.lines.filter((line) => line.kind !== 'add').map((line) => line.text)
          expect(old.slice(hunk.oldStart - 1, hunk.oldStart - 1 + hunk.oldCount)).toEqual(mine)
          const next = hunk.lines.filter((line) => line.kind !== 'del').map((line) => line.text)
          old.splice(hunk.oldStart - 1, hunk.oldCount, ...next)
        }
        expect(old.map((line) => `${line}\n`).join('')).toBe(after)
      }),
    )
  })

  it('is not minimal if the texts have too little in common', () => {
    const lines = (letter: string) =>
      Array.from({ length: 2000 }, (_, index) => `${letter}${index}\n`).join('')
    const [hunk] = parseHunks(unifiedDiff(lines('a'), lines('b')))
    expect(hunk).toMatchObject({ oldCount: 2000, newCount: 2000 })
  })
})
