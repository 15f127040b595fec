import { describe, expect, it } from 'vitest'
import { grow, gapAbove } from '../../renderer/components/diff/lines/diff-grow.ts'
import { heldBack } from '../../renderer/components/diff/diff-held.ts'
import { readDiff, type DiffFile } from '../../renderer/components/diff/diff-model.ts'
import { layOut } from '../../renderer/components/diff/diff-rows.ts'
import { withoutSpace } from '../../renderer/components/diff/lines/diff-space.ts'
import { inTreeOrder } from '../../renderer/components/diff/diff-tree.ts'
import { linesBetween } from '../../renderer/components/diff/useDiffPicking.ts'
import { byLine, lineWords, positionOf } from '../../renderer/views/merge-requests/review/comment-lines.ts'

const fileOf = (diff: string, path = 'a.ts'): DiffFile =>
  readDiff([{ diff, old_path: path, new_path: path }])[0]!
const kinds = (file: DiffFile) =>
  file.hunks.flatMap((hunk) => hunk.lines.map((line) => `${line.kind} ${line.text}`))

const two = fileOf('@@ -10,3 +10,3 @@\n a\n-b\n+B\n c\n@@ -20,2 +20,2 @@\n d\n-e\n+E\n')

describe('ignoring white space', () => {
  it('shows moved spaces as unchanged, and keeps other changes', () => {
    const [file] = withoutSpace([fileOf('@@ -1,3 +1,4 @@\n-if (a)\n-b()\n+if (a) {\n+  b()\n+}\n c\n')])
    expect(kinds(file!)).toEqual(['del if (a)', 'add if (a) {', 'context   b()', 'add }', 'context c'])
    expect(file).toMatchObject({ additions: 2, deletions: 1 })
  })

  it('removes all lines of a file if only spaces differ', () => {
    const [file] = withoutSpace([fileOf('@@ -1,2 +1,2 @@\n-\ta\n+  a\n b\n')])
    expect(file).toMatchObject({ hunks: [], remark: 'Only whitespace changes.' })
  })
})

describe('expanded context lines', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)

  it('are inserted above a hunk, numbered on both sides', () => {
    const file = grow(two, { lines, above: new Map([[0, 2]]), below: 0 })
    expect(file.hunks[0]).toMatchObject({ oldStart: 8, newStart: 8, oldCount: 5, newCount: 5 })
    expect(file.hunks[0]?.lines[0]).toMatchObject({ text: 'line 8', old: 8, new: 8, kind: 'context' })
  })

  it('join two hunks without lines between them', () => {
    expect(gapAbove(two, 1)).toBe(7)
    const file = grow(two, { lines, above: new Map([[1, 40]]), below: 0 })
    expect(file.hunks.map((hunk) => hunk.joined)).toEqual([false, true])
    const rows = layOut([file], { layout: 'unified', collapsed: new Set() })
    expect(rows.filter((row) => row.kind === 'hunk')).toHaveLength(1)
  })

  it('are inserted below the last hunk, up to the end of the file', () => {
    const file = grow(two, { lines, above: new Map(), below: 50 })
    expect(file.hunks[1]?.lines.at(-1)).toMatchObject({ text: 'line 30', old: 30, new: 30 })
  })
})

describe('files that are collapsed by default', () => {
  it('are generated files, and very long ones', () => {
    expect(heldBack(fileOf('@@ -1 +1 @@\n-a\n+b\n', 'package-lock.json'))).toContain('Generated file')
    expect(heldBack(fileOf(`@@ -0,0 +1,1600 @@\n${'+a\n'.repeat(1600)}`))).toContain('1,600 lines')
    expect(heldBack(two)).toBeNull()
  })

  it('have one row', () => {
    const rows = layOut([two], { layout: 'split', collapsed: new Set(), held: new Map([['a.ts', 'Long.']]) })
    expect(rows.map((row) => row.kind)).toEqual(['file', 'held', 'gap'])
  })
})

it('files are sorted as in their tree', () => {
  const files = readDiff(
    ['z.md', 'src/b/c.ts', 'src/a.ts', 'a.md'].map((path) => ({ diff: '', old_path: path, new_path: path })),
  )
  const ordered = inTreeOrder(files)
  expect(ordered.map((file) => file.path)).toEqual(['src/b/c.ts', 'src/a.ts', 'z.md', 'a.md'])
  expect(ordered.map((file) => file.index)).toEqual([0, 1, 2, 3])
})

describe('the position of a comment', () => {
  const refs = { base_sha: 'b', start_sha: 's', head_sha: 'h' }
  const [context, removed, added, after] = two.hunks[0]!.lines

  it('is the line on its side', () => {
    expect(positionOf(two, added!, added!, refs)).toMatchObject({ new_line: 11, new_path: 'a.ts' })
    expect(positionOf(two, added!, added!, refs)).not.toHaveProperty('old_line')
    expect(positionOf(two, removed!, removed!, refs)).toMatchObject({ old_line: 11 })
    expect(positionOf(two, context!, context!, refs)).toMatchObject({ old_line: 10, new_line: 10 })
  })

  it('has a range for several lines', () => {
    const position = positionOf(two, after!, removed!, refs)
    expect(position.line_range).toEqual({
      start: { type: 'old', old_line: 11 },
      end: { old_line: 12, new_line: 12 },
    })
  })

  it('omits the other side if both ends are on one', () => {
    expect(linesBetween(two, context!, added!)).toEqual([context, added])
    expect(linesBetween(two, removed!, added!)).toEqual([removed, added])
    expect(linesBetween(two, after!, context!)).toHaveLength(4)
  })

  it('is found in the diff, or on the file if the line is not shown', () => {
    const at = (new_line: number | null, old_line: number | null = null) => ({
      new_path: 'a.ts',
      old_path: 'a.ts',
      new_line,
      old_line,
    })
    const found = byLine([two], [at(11), at(null, 11), at(500)], (position) => position)
    expect([...found.lines.keys()]).toEqual(['a.ts::11', 'a.ts:11:', 'a.ts::'])
    expect(found.files.get('a.ts')).toHaveLength(3)
  })

  it('is described in words', () => {
    const location = { ...refs, old_path: 'a', new_path: 'a', position_type: 'text' as const }
    const end = (new_line: number) => ({ line_code: null, type: 'new' as const, old_line: null, new_line })
    expect(lineWords({ ...location, new_line: 12 })).toBe('line 12')
    expect(lineWords({ ...location, new_line: 12, line_range: { start: end(8), end: end(12) } })).toBe(
      'lines 8 to 12',
    )
  })
})
