import { describe, expect, it } from 'vitest'

import { git } from '../../server/git/args.ts'
import { COMMIT_FORMAT, parseCommits, readCommits } from '../../server/git/read/commits.ts'
import { countCommits, lastCommitFor, listCommits } from '../../server/git/read/log.ts'
import { parsePlainCommit } from '../../server/git/plain/commit.ts'
import { run } from '../../server/git/process/run.ts'
import { gitEngine, scriptedRepo, shell, type ScriptedCommit } from '../support/git.ts'

const MESSAGES = [
  'One line',
  'Title over\ntwo lines\n\nBody\n',
  'Title  \n\nBody with blanks   \n\n\nand more\n\n\n',
  'Title\n \nBody after a blank',
  'Title: with a colon\n\nBody without',
  'Title\n\nSigned-off-by: A <a@b>\n',
  'Title\n\nText: not at the end\n\nEnd',
  'Ünïcode 漢字\n\nMehr',
  'Title\r\n\r\nWindows\r\n',
  'Title\tand tab\n  indented second line\n\nBody',
  ' leading blank\n\nBody',
  '\n\nleading lines\n',
  'Cherry\n\n(cherry picked from commit 0000000000000000000000000000000000000000)\n',
]

describe('commits that are read without a git process', () => {
  it('equal what git prints, or are read by git', async () => {
    const { engine, operations } = gitEngine()
    const people = [
      ['Ann', 'ann@x.y'],
      ['A. B. "C"', 'a b@c'],
      ['', 'x@y'],
      ['Ä Ö', 'ä@ö'],
    ] as const
    const script = MESSAGES.flatMap((message) =>
      people.map(([author, email], index): ScriptedCommit => ({
        message,
        author,
        email,
        files: { a: `${message} ${index}` },
      })),
    )
    const { repo, ids } = await scriptedRepo(script, engine)
    const args = git`log -z --no-walk=unsorted --stdin ${COMMIT_FORMAT}`
    const formatted = parseCommits((await run(repo, 'said', args, { input: `${ids.join('\n')}\n` })).stdout)
    let plain = 0
    for (const [index, id] of ids.entries()) {
      const { content } = (await engine.catFiles.contents(repo, id))!
      const read = parsePlainCommit(id, content)
      if (read) plain++
      expect(read ?? formatted[index]).toEqual(formatted[index])
    }
    expect(plain).toBeGreaterThan(MESSAGES.length)
    operations.length = 0
    expect(await readCommits(repo, ids.slice(0, 8))).toEqual(formatted.slice(0, 8))
    expect(await readCommits(repo, ids.slice(16, 24))).toEqual(formatted.slice(16, 24))
    expect(operations.length).toBeLessThanOrEqual(2)
  })

  it('leaves signed commits with strange headers, old encodings and damaged text to git', () => {
    const head = `tree ${'a'.repeat(40)}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000`
    const parse = (text: string | Buffer) => parsePlainCommit('b'.repeat(40), Buffer.from(text as string))
    expect(parse(`${head}\n\nTitle`)?.title).toBe('Title')
    expect(parse(`${head}\ngpgsig -----BEGIN\n x\n -----END\n\nTitle`)?.title).toBe('Title')
    expect(parse(`${head}\nencoding latin1\n\nTitle`)).toBeNull()
    expect(parse(`${head}\nmergetag object x\n\nTitle`)).toBeNull()
    expect(parse(Buffer.concat([Buffer.from(`${head}\n\nT`), Buffer.from([0xe4])]))).toBeNull()
    expect(parse(head.replace('1 +0000', '1 -0000') + '\n\nTitle')).toBeNull()
    expect(parse(head.replace('1 +0000', '-1 +0000') + '\n\nTitle')).toBeNull()
  })
})

describe('requests about the end of a history', () => {
  /** The same random numbers in every run. */
  function numbers(seed: number): (below: number) => number {
    let state = seed
    return (below) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((state / 2_147_483_648) * below)
    }
  }

  it('equal those of git for any history', async () => {
    const any = numbers(7)
    const paths = ['a', 'b', 'dir/a', 'dir/b', 'dir/deep/a', 'other/a']
    const script: ScriptedCommit[] = []
    for (let index = 0; index < 60; index++) {
      const path = paths[any(paths.length)]!
      const side = any(10) === 0
      script.push({
        message: `Commit ${index}`,
        branch: side ? 'side' : 'main',
        ...(any(12) === 0 && script.some((step) => step.branch === 'side') && !side
          ? { merge: ['refs/heads/side'] }
          : {}),
        files: { [path]: any(5) === 0 && index > 5 ? null : `${index}` },
      })
    }
    const { repo, ids } = await scriptedRepo(script)
    const linesOf = (...args: string[]) =>
      shell(repo, args)
        .split('\n')
        .filter((line) => line !== '')
    for (const tip of ids) {
      expect(await countCommits(repo, { range: { tips: [tip] } })).toBe(
        Number(linesOf('rev-list', '--count', tip)[0]),
      )
      const list = async (page: { skip?: number; limit: number; not?: string }) =>
        (
          await listCommits(repo, {
            range: { tips: [tip], ...(page.not ? { not: [page.not] } : {}) },
            limit: page.limit,
            ...(page.skip ? { skip: page.skip } : {}),
          })
        ).map(({ id }) => id)
      expect(await list({ limit: 5 })).toEqual(linesOf('rev-list', '--max-count=5', tip))
      expect(await list({ limit: 7, skip: 3 })).toEqual(linesOf('rev-list', '--max-count=7', '--skip=3', tip))
      const not = ids[any(ids.length)]!
      expect(await countCommits(repo, { range: { tips: [tip], not: [not] } })).toBe(
        Number(linesOf('rev-list', '--count', tip, `^${not}`)[0]),
      )
      expect(await list({ limit: 3, not })).toEqual(linesOf('rev-list', '--max-count=3', tip, `^${not}`))
      for (const path of [...paths, 'dir', 'dir/deep', 'nothing']) {
        expect((await lastCommitFor(repo, tip, path))?.id).toBe(linesOf('rev-list', '-1', tip, '--', path)[0])
      }
    }
  }, 120_000)

  it('start no process for a linear history', async () => {
    const { engine, operations } = gitEngine()
    const script = Array.from({ length: 20 }, (_, index) => ({ files: { [`f${index % 4}`]: `${index}` } }))
    const { repo, ids } = await scriptedRepo(script, engine)
    operations.length = 0
    expect(await countCommits(repo, { range: { tips: [ids.at(-1)!] } })).toBe(20)
    expect(await listCommits(repo, { range: { tips: [ids.at(-1)!] }, limit: 20 })).toHaveLength(20)
    expect((await lastCommitFor(repo, ids.at(-1)!, 'f0'))?.id).toBe(ids[16])
    expect(operations.map(({ operation }) => operation)).toEqual([])
  })
})
