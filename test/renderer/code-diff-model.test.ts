import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuTime } from '../support/cpu-time.ts'
import {
  parseHunks,
  readDiff,
  withLines,
  type DiffEntry,
  type DiffLine,
} from '../../renderer/components/diff/diff-model.ts'
import { heldBack } from '../../renderer/components/diff/diff-held.ts'
import { withoutSpace } from '../../renderer/components/diff/lines/diff-space.ts'
import { fileTree } from '../../renderer/components/diff/diff-tree.ts'
import { layOut, lineId } from '../../renderer/components/diff/diff-rows.ts'

function entry(diff: string, more: Partial<DiffEntry> = {}): DiffEntry {
  return { diff, old_path: 'a.txt', new_path: 'a.txt', a_mode: '100644', b_mode: '100644', ...more }
}

function brief(lines: readonly DiffLine[]): string[] {
  return lines.map((line) => `${line.kind} ${line.old ?? '-'} ${line.new ?? '-'} ${line.text}`)
}

const simple = '@@ -1,3 +1,4 @@ fn main()\n one\n-two\n+zwei\n+drei\n four\n'

describe('parsing a unified diff', () => {
  it('numbers context, removed and added lines on their own sides', () => {
    const [hunk] = parseHunks(simple)
    expect(hunk?.section).toBe('fn main()')
    expect(brief(hunk?.lines ?? [])).toEqual([
      'context 1 1 one',
      'del 2 - two',
      'add - 2 zwei',
      'add - 3 drei',
      'context 3 4 four',
    ])
  })

  it('treats a missing count as one', () => {
    const [hunk] = parseHunks('@@ -4 +4 @@\n-a\n+b\n')
    expect(brief(hunk?.lines ?? [])).toEqual(['del 4 - a', 'add - 4 b'])
  })

  it('recognizes a removed line that looks like a file header', () => {
    const [hunk] = parseHunks('--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n--- gone\n keep\n')
    expect(brief(hunk?.lines ?? [])).toEqual(['del 1 - -- gone', 'context 2 1 keep'])
  })

  it('recognizes an added line that looks like a hunk header', () => {
    const [hunk, other] = parseHunks('@@ -0,0 +1,2 @@\n+@@ -1 +1 @@\n+x\n')
    expect(hunk?.lines.map((line) => line.text)).toEqual(['@@ -1 +1 @@', 'x'])
    expect(other).toBeUndefined()
  })

  it('marks the lines without a newline at the end of the file', () => {
    const [hunk] = parseHunks('@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n')
    expect(hunk?.lines.map((line) => line.noNewline)).toEqual([true, false])
  })

  it('removes carriage returns from the text and remembers them', () => {
    const [hunk] = parseHunks('@@ -1 +1 @@\n-a\r\n+a\n')
    expect(hunk?.lines.map(({ text, cr }) => ({ text, cr }))).toEqual([
      { text: 'a', cr: true },
      { text: 'a', cr: false },
    ])
  })

  it('pairs the n-th removed line of a run with the n-th added one', () => {
    const lines = parseHunks('@@ -1,3 +1,2 @@\n-a\n-b\n-c\n+x\n+y\n')[0]?.lines ?? []
    expect(lines.map((line) => line.pair?.text ?? null)).toEqual(['x', 'y', null, 'a', 'b'])
  })

  it('ignores text that is no diff', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => Array.isArray(parseHunks(text))),
    )
    expect(parseHunks('@@ -1,9 +1,9 @@\n cut off')).toHaveLength(1)
  })

  it('restores both files of any pair that git compares', () => {
    const dir = mkdtempSync(join(tmpdir(), 'diff-model-'))
    const lines = fc.array(
      fc.constantFrom('a', 'b', '', ' ', '-', '+x', '@@ -1 +1 @@', '\\ x', '--- a', 'c\r'),
      { maxLength: 12 },
    )
    try {
      fc.assert(
        fc.property(lines, lines, (before, after) => {
          writeFileSync(join(dir, 'a'), before.map((line) => `${line}\n`).join(''))
          writeFileSync(join(dir, 'b'), after.map((line) => `${line}\n`).join(''))
          const read = parseHunks(gitDiff(dir)).flatMap((hunk) => hunk.lines)
          const text = (line: DiffLine): string => line.text + (line.cr ? '\r' : '')
          if (before.join('\n') === after.join('\n')) return
          expect(read.filter((line) => line.kind !== 'add').map(text)).toEqual(before)
          expect(read.filter((line) => line.kind !== 'del').map(text)).toEqual(after)
          expect(read.flatMap((line) => line.old ?? [])).toEqual(before.map((_, i) => i + 1))
        }),
        { numRuns: 60 },
      )
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})

function gitDiff(dir: string): string {
  try {
    return execFileSync('git', ['diff', '--no-index', '-U1000', 'a', 'b'], { cwd: dir, encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

describe('describing a changed file', () => {
  const remark = (diff: string, more: Partial<DiffEntry>): string | null =>
    readDiff([entry(diff, more)])[0]?.remark ?? null

  it('counts lines and names the change', () => {
    expect(readDiff([entry(simple, { new_file: true })])[0]).toMatchObject({
      change: 'added',
      additions: 2,
      deletions: 1,
    })
    expect(readDiff([entry('', { new_path: 'b', renamed_file: true })])[0]).toMatchObject({
      change: 'renamed',
      path: 'b',
    })
  })

  it('shows the lines of a file that was too large after they were loaded', () => {
    const huge = { new_file: true, too_large: true, additions: 12_000, deletions: 0 }
    const [file] = readDiff([entry('', huge)])
    expect(file).toMatchObject({ additions: 12_000, leftOut: true, remark: 'Too large to show.' })
    expect(heldBack(file!)).toBe('Too large to show.')
    expect(withoutSpace([file!])[0]!.additions).toBe(12_000)
    const loaded = withLines(file!, entry(simple))
    expect(loaded).toMatchObject({ additions: 2, leftOut: false, remark: null, digest: file!.digest })
    expect(withLines(file!, entry('', huge))).toMatchObject({
      leftOut: false,
      remark: 'Too large to show here. Open the file instead.',
    })
  })

  it('describes a file without lines', () => {
    expect(remark('', { renamed_file: true })).toBe('Renamed without changes.')
    expect(remark('', { b_mode: '100755' })).toBe('Made executable.')
    expect(remark('', { a_mode: '100644', b_mode: '120000' })).toBe('Mode changed from 100644 to 120000.')
    expect(remark('Binary files a/x.png and b/x.png differ\n', {})).toBe('Binary file not shown.')
    expect(remark('', {})).toBe('No lines changed.')
    expect(remark('', { new_file: true })).toBe('Empty file.')
    expect(remark('', { collapsed: true })).toBe('Not loaded, because the whole diff is very long.')
    expect(remark(simple, {})).toBeNull()
  })
})

describe('the layout of rows', () => {
  const files = readDiff([entry(simple), entry(simple, { old_path: 'b', new_path: 'b' })])

  it('has one line in each row when unified, and removed next to added lines when split', () => {
    const kinds = (layout: 'unified' | 'split'): string[] =>
      layOut(files.slice(0, 1), { layout, collapsed: new Set() }).map((row) => row.kind)
    expect(kinds('unified')).toEqual(['file', 'hunk', ...Array<string>(5).fill('unified'), 'gap'])
    expect(kinds('split')).toEqual(['file', 'hunk', ...Array<string>(4).fill('split'), 'gap'])
  })

  it('has a gap next to an added line that replaces nothing', () => {
    const rows = layOut(files, { layout: 'split', collapsed: new Set(['b']) })
    const sides = rows.flatMap((row) =>
      row.kind === 'split' ? [[row.left?.text ?? null, row.right?.text ?? null]] : [],
    )
    expect(sides).toEqual([
      ['one', 'one'],
      ['two', 'zwei'],
      [null, 'drei'],
      ['four', 'four'],
    ])
  })

  it('has only the header of a collapsed file', () => {
    const rows = layOut(files, { layout: 'unified', collapsed: new Set(['a.txt', 'b']) })
    expect(rows.map((row) => row.kind)).toEqual(['file', 'file'])
  })

  it('has extra rows below their lines, in both layouts', () => {
    const [first] = files
    const line = first?.hunks[0]?.lines[2]
    if (!first || !line) throw new Error('the fixture has a third line')
    for (const layout of ['unified', 'split'] as const) {
      const rows = layOut(files, { layout, collapsed: new Set(), extras: new Set([lineId(first, line)]) })
      const at = rows.findIndex((row) => row.kind === 'extra')
      const above = rows[at - 1]
      expect(above?.kind === 'unified' ? above.line : above?.kind === 'split' ? above.right : null).toBe(line)
    }
  })

  it('has a unique key for every row', () => {
    const rows = layOut(files, { layout: 'split', collapsed: new Set() })
    expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length)
  })

  it('handles 300 files with 50,000 lines within a second', () => {
    const body = Array.from({ length: 166 }, (_, i) => `${i % 3 ? ' ' : i % 2 ? '+' : '-'}line ${i}`).join(
      '\n',
    )
    const head = `@@ -1,${body.match(/^[- ]/gm)?.length} +1,${body.match(/^[+ ]/gm)?.length} @@\n`
    const many = Array.from({ length: 300 }, (_, i) => entry(head + body, { new_path: `f${i}` }))
    const start = cpuTime()
    const rows = layOut(readDiff(many), { layout: 'unified', collapsed: new Set() })
    expect(cpuTime() - start).toBeLessThan(1000)
    expect(rows).toHaveLength(300 * (166 + 3))
  })
})

describe('the tree of changed files', () => {
  const files = readDiff(
    ['src/wal/log.rs', 'src/wal/deep/er/x.rs', 'README.md', 'docs/a/b.md'].map((path) =>
      entry('', { old_path: path, new_path: path }),
    ),
  )
  const names = (folded: string[], filter = ''): string[] =>
    fileTree(files, { folded: new Set(folded), filter }).map((row) => '  '.repeat(row.depth) + row.name)

  it('has folders first, and joins folders with a single folder in them', () => {
    expect(names([])).toEqual([
      'docs/a',
      '  b.md',
      'src/wal',
      '  deep/er',
      '    x.rs',
      '  log.rs',
      'README.md',
    ])
  })

  it('hides collapsed folders and files that do not match the search', () => {
    expect(names(['src/wal', 'docs/a'])).toEqual(['docs/a', 'src/wal', 'README.md'])
    expect(names([], 'LOG')).toEqual(['src/wal', '  log.rs'])
  })
})
