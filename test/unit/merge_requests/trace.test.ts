import { describe, expect, it } from 'vitest'

import { lineCode, type Position } from '../../../server/domains/discussions/index.ts'
import {
  ChangedFiles,
  type ChangedFile,
} from '../../../server/domains/merge_requests/review/positions/files.ts'
import { lineMap } from '../../../server/domains/merge_requests/review/positions/files.ts'
import { tracePosition } from '../../../server/domains/merge_requests/review/positions/follow.ts'

// A and B are the base and head of the old version, C and D those of the new one.

const OLD = { base_sha: 'a', start_sha: 'a', head_sha: 'b' }
const NEW = { base_sha: 'c', start_sha: 'c', head_sha: 'd' }

const changed = (diff: string | null, more: Partial<ChangedFile> = {}): ChangedFile => ({
  old_path: 'f',
  new_path: 'f',
  new_file: false,
  deleted_file: false,
  diff,
  ...more,
})
const none = new ChangedFiles([])
const at = (old_line: number | null, new_line: number | null, more: Partial<Position> = {}): Position => ({
  ...OLD,
  old_path: 'f',
  new_path: 'f',
  position_type: 'text',
  old_line,
  new_line,
  line_range: null,
  ...more,
})
const linesOf = (position: Position | undefined) =>
  position && [position.old_path, position.new_path, position.old_line, position.new_line]

describe('the lines of a diff', () => {
  it('correspond except for added and removed lines', () => {
    const map = lineMap('@@ -2,3 +2,4 @@\n b\n-c\n+C\n+C2\n d\n@@ -10,2 +11,1 @@\n j\n-k')
    expect([1, 2, 3, 4, 9, 10, 11, 12].map((line) => map.toNew(line))).toEqual([
      1,
      2,
      undefined,
      5,
      10,
      11,
      undefined,
      12,
    ])
    expect([1, 2, 3, 4, 5, 11, 12].map((line) => map.toOld(line))).toEqual([
      1,
      2,
      undefined,
      undefined,
      4,
      10,
      12,
    ])
  })

  it('use the previous line if a side has no such line', () => {
    const added = lineMap('@@ -3,0 +4,2 @@\n+x\n+y')
    expect([3, 4].map((line) => added.toNew(line))).toEqual([3, 6])
    expect([3, 4, 5, 6].map((line) => added.toOld(line))).toEqual([3, undefined, undefined, 4])
    const removed = lineMap('@@ -4,2 +3,0 @@\n-x\n-y')
    expect([3, 4, 5, 6].map((line) => removed.toNew(line))).toEqual([3, undefined, undefined, 4])
    const fresh = lineMap('@@ -0,0 +1,2 @@\n+x\n+y')
    expect([1, 2].map((line) => fresh.toOld(line))).toEqual([undefined, undefined])
  })

  it('are the same without a change', () => {
    expect(lineMap('').toNew(7)).toBe(7)
  })
})

describe('a position in a diff', () => {
  const adds3 = new ChangedFiles([changed('@@ -2,2 +2,3 @@\n b\n+new\n c')])

  it('stays if no line above it changed', () => {
    const moved = tracePosition(at(null, 3), NEW, { ac: none, bd: none, cd: adds3 })
    expect(moved).toEqual({ ...at(null, 3), ...NEW })
  })

  it('on an added line moves with the lines above it', () => {
    const bd = new ChangedFiles([changed('@@ -1,1 +1,3 @@\n+x\n+y\n a')])
    const cd = new ChangedFiles([changed('@@ -1,3 +1,6 @@\n+x\n+y\n a\n b\n+new\n c')])
    expect(linesOf(tracePosition(at(null, 3), NEW, { ac: none, bd, cd }))).toEqual(['f', 'f', null, 5])
  })

  it('on an added line is outdated when the line changes or goes', () => {
    const bd = new ChangedFiles([changed('@@ -3,1 +3,1 @@\n-new\n+newer')])
    expect(tracePosition(at(null, 3), NEW, { ac: none, bd, cd: adds3 })).toBeUndefined()
    const deletion = new ChangedFiles([changed('@@ -1,4 +0,0 @@\n-a\n-b\n-new\n-c', { deleted_file: true })])
    expect(tracePosition(at(null, 3), NEW, { ac: none, bd: deletion, cd: none })).toBeUndefined()
  })

  it('on an added line becomes an unchanged one when the base has it too', () => {
    const cd = new ChangedFiles([changed('@@ -9,1 +9,2 @@\n i\n+z')])
    expect(linesOf(tracePosition(at(null, 3), NEW, { ac: none, bd: none, cd }))).toEqual(['f', 'f', 3, 3])
    expect(tracePosition(at(null, 3), NEW, { ac: none, bd: none, cd: none })).toBeUndefined()
  })

  it('on a removed line moves with the base, and is outdated when the line is no longer removed', () => {
    const removes2 = '@@ -1,3 +1,2 @@\n a\n-b\n c'
    const ac = new ChangedFiles([changed('@@ -1,1 +1,2 @@\n+top\n a')])
    const cd = new ChangedFiles([changed('@@ -2,3 +2,2 @@\n a\n-b\n c')])
    expect(linesOf(tracePosition(at(2, null), NEW, { ac, bd: none, cd }))).toEqual(['f', 'f', 3, null])
    expect(
      linesOf(
        tracePosition(at(2, null), NEW, { ac: none, bd: none, cd: new ChangedFiles([changed(removes2)]) }),
      ),
    ).toEqual(['f', 'f', 2, null])
    expect(tracePosition(at(2, null), NEW, { ac: none, bd: none, cd: adds3 })).toBeUndefined()
    const lost = new ChangedFiles([changed(removes2)])
    expect(tracePosition(at(2, null), NEW, { ac: lost, bd: none, cd })).toBeUndefined()
  })

  it('on an unchanged line moves with both sides', () => {
    const bd = new ChangedFiles([changed('@@ -1,1 +1,2 @@\n+x\n a')])
    const cd = new ChangedFiles([changed('@@ -1,3 +1,5 @@\n+x\n a\n b\n+new\n c')])
    expect(linesOf(tracePosition(at(3, 4), NEW, { ac: none, bd, cd }))).toEqual(['f', 'f', 3, 5])
    const changes = new ChangedFiles([changed('@@ -4,1 +4,1 @@\n-c\n+C')])
    expect(tracePosition(at(3, 4), NEW, { ac: none, bd: changes, cd })).toBeUndefined()
  })

  it('on an unchanged line that the base has lost becomes an added one', () => {
    const ac = new ChangedFiles([changed('@@ -2,1 +1,0 @@\n-b')])
    const cd = new ChangedFiles([changed('@@ -1,1 +1,3 @@\n a\n+b\n+new\n c')])
    expect(linesOf(tracePosition(at(2, 2), NEW, { ac, bd: none, cd }))).toEqual(['f', 'f', null, 2])
  })

  it('follows its file to another path', () => {
    const bd = new ChangedFiles([changed('@@ -1,1 +1,2 @@\n+x\n a', { new_path: 'g' })])
    const cd = new ChangedFiles([changed('@@ -1,3 +1,5 @@\n+x\n a\n b\n+new\n c', { new_path: 'g' })])
    expect(linesOf(tracePosition(at(null, 3), NEW, { ac: none, bd, cd }))).toEqual(['f', 'g', null, 4])
    const ac = new ChangedFiles([changed('', { new_path: 'e' })])
    const renamedBase = new ChangedFiles([changed('@@ -2,1 +1,0 @@\n-b', { old_path: 'e', new_path: 'f' })])
    expect(linesOf(tracePosition(at(2, null), NEW, { ac, bd: none, cd: renamedBase }))).toEqual([
      'e',
      'f',
      2,
      null,
    ])
  })

  it('in a file with unknown lines is outdated', () => {
    const unknown = new ChangedFiles([changed(null)])
    expect(tracePosition(at(null, 3), NEW, { ac: none, bd: unknown, cd: adds3 })).toBeUndefined()
    expect(tracePosition(at(null, 3), NEW, { ac: none, bd: none, cd: unknown })).toBeUndefined()
  })

  it('takes its range along, or keeps the last line alone', () => {
    const end = (new_line: number) => ({ line_code: 'x', type: 'new' as const, old_line: null, new_line })
    const position = at(null, 4, { line_range: { start: end(3), end: end(4) } })
    const cd = new ChangedFiles([changed('@@ -1,3 +1,6 @@\n+x\n a\n b\n+new\n+new2\n c')])
    const bd = new ChangedFiles([changed('@@ -1,1 +1,2 @@\n+x\n a')])
    expect(tracePosition(position, NEW, { ac: none, bd, cd })).toMatchObject({
      new_line: 5,
      line_range: {
        start: { new_line: 4, type: 'new', line_code: lineCode('f', 0, 4) },
        end: { new_line: 5 },
      },
    })
    const changes = new ChangedFiles([changed('@@ -3,1 +3,1 @@\n-new\n+newer')])
    const two = new ChangedFiles([changed('@@ -2,2 +2,4 @@\n b\n+newer\n+new2\n c')])
    expect(tracePosition(position, NEW, { ac: none, bd: changes, cd: two })).toMatchObject({
      new_line: 4,
      line_range: null,
    })
  })

  it('in a picture stays while the picture is unchanged', () => {
    const picture = { ...at(null, null), position_type: 'image' as const, x: 1, y: 2, width: 10, height: 10 }
    const cd = new ChangedFiles([changed(null)])
    expect(tracePosition(picture, NEW, { ac: none, bd: none, cd })).toMatchObject({ ...NEW, x: 1, y: 2 })
    expect(tracePosition(picture, NEW, { ac: none, bd: cd, cd })).toBeUndefined()
    expect(tracePosition(picture, NEW, { ac: none, bd: none, cd: none })).toBeUndefined()
  })
})
