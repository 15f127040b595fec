import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { mergeStages } from '../../server/git/write/merge-stages.ts'
import { mergeText, type MergedSection } from '../../server/git/write/merge-text.ts'
import { gitEngine, scriptedRepo } from '../support/git.ts'

const { engine } = gitEngine()
const { repo, ids } = await scriptedRepo(
  [
    { files: { 'a.txt': 'one\ntwo\nthree\n', 'gone.txt': 'x\n' } },
    { files: { 'a.txt': 'ONE\ntwo\nthree\n', 'gone.txt': 'y\n', 'new.txt': 'ours\n' } },
    {
      branch: 'side',
      from: ':1',
      files: { 'a.txt': 'eins\ntwo\nthree\n', 'gone.txt': null, 'new.txt': 'theirs\n' },
    },
    { branch: 'other', files: { 'b.txt': 'unrelated\n' } },
  ],
  engine,
)
const [, main, side, other] = ids as [string, string, string, string]

const sideOf = (sections: readonly MergedSection[], side: 'ours' | 'base' | 'theirs') =>
  sections.map((section) => (section.conflict ? section[side] : section.text)).join('')

describe('mergeStages', () => {
  it('lists the versions of each path that conflicts', async () => {
    const merge = await mergeStages(repo, main, side)
    const file = { mode: '100644', id: expect.stringMatching(/^[0-9a-f]{40}$/) }
    expect(merge).toMatchObject({ clean: false })
    expect(merge!.conflicts).toEqual([
      { path: 'a.txt', base: file, ours: file, theirs: file },
      { path: 'gone.txt', base: file, ours: file },
      { path: 'new.txt', ours: file, theirs: file },
    ])
  })

  it('returns no conflicts if both sides merge, and null without a common history', async () => {
    expect(await mergeStages(repo, main, ids[0]!)).toMatchObject({ clean: true, conflicts: [] })
    expect(await mergeStages(repo, main, other)).toBeNull()
  })
})

describe('mergeText', () => {
  it('separates merged lines from conflicts', async () => {
    const sections = await mergeText(repo, {
      base: 'a\nb\nc\nd\ne\n',
      ours: 'a\nB\nc\nd\ne\nend\n',
      theirs: 'a\nb2\nc\nd\nE\n',
    })
    expect(sections).toEqual([
      { conflict: false, text: 'a\n' },
      { conflict: true, ours: 'B\n', base: 'b\n', theirs: 'b2\n' },
      { conflict: false, text: 'c\nd\n' },
      { conflict: true, ours: 'e\nend\n', base: 'e\n', theirs: 'E\n' },
    ])
  })

  it('keeps texts that look like markers, line ends, and ends without one', async () => {
    const texts = {
      base: '=======\r\nx',
      ours: '<<<<<<< ours\r\n=======\r\n>>>>>>> theirs\r\ny',
      theirs: '||||||| base\r\n=======\r\nz',
    }
    const sections = await mergeText(repo, texts)
    expect(sideOf(sections, 'ours')).toBe(texts.ours)
    expect(sideOf(sections, 'theirs')).toBe(texts.theirs)
  })

  it('returns each side of a complete conflict, and leaves no files', async () => {
    const word = fc.constantFrom('a', 'b', '=======', '<<<<<<< ours', '')
    const text = fc
      .tuple(fc.array(word, { maxLength: 6 }), fc.boolean())
      .map(([lines, isEnded]) => lines.join('\n') + (isEnded ? '\n' : ''))
    await fc.assert(
      fc.asyncProperty(text, text, async (left, right) => {
        const [ours, theirs] = [`1${left}`, `2${right}`]
        const sections = await mergeText(repo, { base: '', ours, theirs })
        expect([sideOf(sections, 'ours'), sideOf(sections, 'theirs')]).toEqual([ours, theirs])
      }),
      { numRuns: 60, seed: 7 },
    )
    expect(readdirSync(engine.tmp).filter((name) => name.startsWith('merge-'))).toEqual([])
  })
})
