import { describe, expect, it } from 'vitest'
import { changedPaths } from '../../server/git/read/changed-paths.ts'
import { commitStats, findCommit, readCommits } from '../../server/git/read/commits.ts'
import { GitInputError } from '../../server/git/errors.ts'
import { divergence, isAncestor, mergeBase, mergeBaseOf, mergeBases } from '../../server/git/read/graph.ts'
import { lastCommitsIn } from '../../server/git/read/last-commits.ts'
import { countCommits, lastCommitFor, listCommits, resolveRange } from '../../server/git/read/log.ts'
import type { LogFilter } from '../../server/git/read/log.ts'
import type { Repo } from '../../server/git/types.ts'
import { addCommits, emptyRepo, gitEngine, scriptedRepo, shell } from '../support/git.ts'

async function history() {
  const { engine, operations } = gitEngine()
  const { repo, ids } = await scriptedRepo(
    [
      {
        message: 'First\n\nBody line\n\nFixes: #1\nSigned-off-by: A <a@b>\n',
        files: { a: '1\n', 'dir/x': 'x\n' },
      },
      {
        branch: 'side',
        from: 'refs/heads/main',
        message: 'Side',
        author: 'Bob',
        email: 'bob@example.com',
        files: { 'dir/y': 'y\n' },
      },
      { message: 'Second', files: { a: '1\n2\n' } },
      { message: 'Merge side', merge: ['refs/heads/side'], files: { 'dir/y': 'y\n' } },
      { message: 'Rename', files: { a: null, b: '1\n2\n' } },
    ],
    engine,
  )
  const [first, side, second, merge, rename] = ids as [string, string, string, string, string]
  return { repo, operations, first, side, second, merge, rename }
}

const titles = async (repo: Repo, filter: LogFilter & { skip?: number; limit?: number }) =>
  (await listCommits(repo, { limit: 100, ...filter })).map((commit) => commit.title)

describe('the paths that commits change', () => {
  it('are read for all of them at once, against the first parent', async () => {
    const { repo, operations, first, second, merge, rename } = await history()
    const before = operations.length
    const paths = await changedPaths(repo, [rename, merge, second, first], { maxBytes: 1000 })
    expect(operations.length).toBe(before + 1)
    const none = { added: [], modified: [], removed: [] }
    expect([...paths]).toEqual([
      [rename, { ...none, added: ['b'], removed: ['a'] }],
      [merge, { ...none, added: ['dir/y'] }],
      [second, { ...none, modified: ['a'] }],
      [first, { ...none, added: ['a', 'dir/x'] }],
    ])
    expect([...(await changedPaths(repo, [], { maxBytes: 0 }))]).toEqual([])
  })

  it('are refused if there are too many', async () => {
    const { repo, first } = await history()
    await expect(changedPaths(repo, [first], { maxBytes: 10 })).rejects.toMatchObject({
      reason: 'output_limit',
    })
  })
})

describe('one commit', () => {
  it('has all fields', async () => {
    const { repo, first } = await history()
    expect(await findCommit(repo, first)).toEqual({
      id: first,
      tree_id: shell(repo, ['rev-parse', `${first}^{tree}`]),
      parent_ids: [],
      title: 'First',
      message: 'First\n\nBody line\n\nFixes: #1\nSigned-off-by: A <a@b>',
      author_name: 'Ada Author',
      author_email: 'ada@example.com',
      authored_date: '2024-01-01T00:00:00+00:00',
      committer_name: 'Ada Author',
      committer_email: 'ada@example.com',
      committed_date: '2024-01-01T00:00:00+00:00',
      trailers: [
        ['Fixes', '#1'],
        ['Signed-off-by', 'A <a@b>'],
      ],
    })
  })

  it('is cached', async () => {
    const { repo, operations, first } = await history()
    await findCommit(repo, first)
    const before = operations.length
    expect(await findCommit(repo, first)).toMatchObject({ id: first })
    expect(operations.length).toBe(before)
  })

  it('is omitted if it does not exist, without hiding the others', async () => {
    const { repo, first, second } = await history()
    const tree = shell(repo, ['rev-parse', 'main^{tree}'])
    const found = await readCommits(repo, [second, 'f'.repeat(40), first, tree, second])
    expect(found.map((commit) => commit.id)).toEqual([second, first, second])
    expect(await findCommit(repo, 'f'.repeat(40))).toBeNull()
    await expect(findCommit(repo, 'main')).rejects.toThrow(GitInputError)
  })

  it('may have odd messages, names, encodings and dates', async () => {
    const repo = await emptyRepo()
    const tree = shell(repo, ['mktree'], '')
    const make = (raw: Buffer) =>
      shell(repo, ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], raw)
    const head = `tree ${tree}\nauthor  <> 1 +0000\ncommitter C <c@d> 99999999999999999 -9999\n`
    const empty = make(Buffer.from(`${head}\n`))
    const latin1 = make(
      Buffer.from(
        `tree ${tree}\nauthor Jos\u00e9 <j@e> 1704067200 +0530\ncommitter C <c@d> 1704067200 -0130\nencoding ISO-8859-1\n\nCaf\u00e9\n`,
        'latin1',
      ),
    )
    const broken = make(
      Buffer.from(
        `tree ${tree}\nauthor A <a@b> 1704067200 +0000\ncommitter C <c@d> 1704067200 +0000\n\n\xff\xfe\n`,
        'latin1',
      ),
    )
    const early = make(
      Buffer.from(`tree ${tree}\nauthor A <a@b> 1 -1200\ncommitter C <c@d> 60 +9999\n\nearly\n`),
    )
    const [first, two, three, four] = await readCommits(repo, [empty, latin1, broken, early])
    expect(first).toMatchObject({
      title: '',
      message: '',
      author_name: '',
      author_email: '',
      authored_date: '1970-01-01T00:00:01+00:00',
    })
    expect(first?.committed_date).toBe('1970-01-01T00:00:00+00:00')
    expect(four).toMatchObject({
      authored_date: '1969-12-31T12:00:01-12:00',
      committed_date: '1970-01-01T00:01:00+00:00',
    })
    expect(two).toMatchObject({
      title: 'Café',
      author_name: 'José',
      authored_date: '2024-01-01T05:30:00+05:30',
      committed_date: '2023-12-31T22:30:00-01:30',
    })
    expect(three?.title).toBe('\ufffd\ufffd')
  })

  it('shows its changed lines, against the first parent for a merge and against the empty tree for the first commit', async () => {
    const { repo, first, merge, rename } = await history()
    const stats = await commitStats(repo, [first, merge, rename])
    expect(stats.get(first)).toEqual({ additions: 2, deletions: 0, files: 2 })
    expect(stats.get(merge)).toEqual({ additions: 1, deletions: 0, files: 1 })
    expect(stats.get(rename)).toEqual({ additions: 0, deletions: 0, files: 1 })
    expect(await commitStats(repo, [])).toEqual(new Map())
  })

  it('counts no lines if nothing or only binary files changed', async () => {
    const { repo, ids } = await scriptedRepo([
      { files: { a: '1' } },
      { files: {} },
      { files: { b: Buffer.from([0, 1, 2]) } },
    ])
    const stats = await commitStats(repo, ids)
    expect([...stats.values()].slice(1)).toEqual([
      { additions: 0, deletions: 0, files: 0 },
      { additions: 0, deletions: 0, files: 1 },
    ])
  })
})

describe('the list of commits', () => {
  it('is sorted from newest to oldest, page by page', async () => {
    const { repo, rename } = await history()
    const range = { tips: [rename] }
    expect(await titles(repo, { range })).toEqual(['Rename', 'Merge side', 'Second', 'Side', 'First'])
    expect(await titles(repo, { range, skip: 1, limit: 2 })).toEqual(['Merge side', 'Second'])
    expect(await titles(repo, { range, skip: 10 })).toEqual([])
    expect(await titles(repo, { range, limit: 0 })).toEqual([])
  })

  it('is cached for equal requests', async () => {
    const { repo, operations, rename } = await history()
    const first = await titles(repo, { range: { tips: [rename] } })
    const before = operations.length
    expect(await titles(repo, { range: { tips: [rename] } })).toEqual(first)
    expect(operations.length).toBe(before)
  })

  it('filters by path, author, message, time and parents', async () => {
    const { repo, rename } = await history()
    const range = { tips: [rename] }
    expect(await titles(repo, { range, paths: ['dir'] })).toEqual(['Side', 'First'])
    expect(await titles(repo, { range, paths: ['b'] })).toEqual(['Rename'])
    expect(await titles(repo, { range, paths: ['b'], follow: true })).toEqual(['Rename', 'Second', 'First'])
    expect(await titles(repo, { range, author: 'bob' })).toEqual(['Side'])
    expect(await titles(repo, { range, author: '.*' })).toEqual([])
    expect(await titles(repo, { range, message: 'SECOND' })).toEqual(['Second'])
    expect(await titles(repo, { range, message: 'side', author: 'Bob' })).toEqual(['Side'])
    expect(await titles(repo, { range, first_parent: true })).toEqual([
      'Rename',
      'Merge side',
      'Second',
      'First',
    ])
    expect(await titles(repo, { range, no_merges: true })).toEqual(['Rename', 'Second', 'Side', 'First'])
    expect(await titles(repo, { range, since: new Date('2024-01-01T00:03:00Z') })).toEqual([
      'Rename',
      'Merge side',
    ])
    expect(await titles(repo, { range, until: new Date('2024-01-01T00:00:30Z') })).toEqual(['First'])
    expect(await titles(repo, { range, since: new Date(-1e15), until: new Date(8e15) })).toHaveLength(5)
    expect(await titles(repo, { range, order: 'topo' })).toHaveLength(5)
  })

  it('omits commits that another ref reaches', async () => {
    const { repo, merge, second, side } = await history()
    expect(await titles(repo, { range: { tips: [merge], not: [second] } })).toEqual(['Merge side', 'Side'])
    expect(await countCommits(repo, { range: { tips: [merge], not: [second, side] } })).toBe(1)
  })

  it('can start from all branches and tags, including new ones', async () => {
    const { repo } = await history()
    expect(await titles(repo, {})).toHaveLength(5)
    addCommits(repo, [{ branch: 'other', message: 'Other', files: { z: '1' } }])
    shell(repo, [
      'update-ref',
      'refs/keep-around/x',
      addCommits(repo, [{ branch: 'gone', message: 'Hidden', files: { z: '2' } }])[0]!,
    ])
    shell(repo, ['update-ref', '-d', 'refs/heads/gone'])
    expect(await titles(repo, {})).toHaveLength(6)
    expect(await titles(await emptyRepo(), {})).toEqual([])
  })

  it('counts, and stops counting at a limit', async () => {
    const { repo, rename } = await history()
    expect(await countCommits(repo, { range: { tips: [rename] } })).toBe(5)
    expect(await countCommits(repo, { range: { tips: [rename] }, limit: 3 })).toBe(3)
    expect(await countCommits(repo, { range: { tips: [rename] }, paths: ['dir'] })).toBe(2)
    expect(await countCommits(repo, { range: { tips: [] } })).toBe(0)
    expect(await countCommits(repo, {})).toBe(5)
  })

  it.each(['../x', '/etc', 'a\0', ''])('refuses the path %j', async (path) => {
    const { repo, rename } = await history()
    const range = { tips: [rename] }
    await expect(listCommits(repo, { range, paths: [path], limit: 1 })).rejects.toThrow(GitInputError)
  })

  it.each(['--all', ':(top)', '*'])('takes the path %j for nothing but a path', async (path) => {
    const { repo, rename } = await history()
    expect(await titles(repo, { range: { tips: [rename] }, paths: [path] })).toEqual([])
  })

  it('treats filters as literal text', async () => {
    const { repo, rename } = await history()
    for (const text of ['--output=/tmp/x', '(a+)+$', 'a\nb', "'; rm -rf", '\\']) {
      expect(await titles(repo, { range: { tips: [rename] }, author: text, message: text })).toEqual([])
    }
  })

  it("accepts git's range syntax", async () => {
    const { repo, rename, side, second, first } = await history()
    expect(await resolveRange(repo, 'main')).toEqual({ tips: [rename] })
    expect(await resolveRange(repo, 'side..main')).toEqual({ tips: [rename], not: [side] })
    expect(await resolveRange(repo, `${side}...${second}`)).toEqual({ tips: [side, second], not: [first] })
    expect(await resolveRange(repo, 'side..')).toEqual({ tips: [rename], not: [side] })
    expect(await resolveRange(repo, 'nothing..main')).toBeNull()
    expect(await resolveRange(repo, 'nothing')).toBeNull()
    expect(await resolveRange(repo, '--all..x')).toBeNull()
  })
})

describe('the last commit', () => {
  it('of a path is the newest that changed it', async () => {
    const { repo, rename, first, side } = await history()
    expect(await lastCommitFor(repo, rename, 'dir/x')).toMatchObject({ id: first })
    expect(await lastCommitFor(repo, rename, 'dir')).toMatchObject({ id: side })
    expect(await lastCommitFor(repo, rename, '')).toMatchObject({ id: rename })
    expect(await lastCommitFor(repo, rename, 'nothing')).toBeNull()
  })

  it('of every entry of a folder is found in one walk', async () => {
    const { repo, operations, rename, first, side } = await history()
    expect(await lastCommitsIn(repo, rename, 'dir')).toEqual(
      new Map([
        ['x', first],
        ['y', side],
      ]),
    )
    expect(await lastCommitsIn(repo, rename, '')).toEqual(
      new Map([
        ['b', rename],
        ['dir', side],
      ]),
    )
    const before = operations.length
    await lastCommitsIn(repo, rename, '')
    expect(operations.length).toBe(before)
    expect(await lastCommitsIn(repo, rename, 'nothing')).toBeNull()
  })

  it('is found for entries with odd names', async () => {
    const names = ['a\nb', ' lead', 'ünï', '-x', '"q"', 'tab\there']
    const { repo, ids } = await scriptedRepo(
      names.map((name) => ({ files: { [name]: 'x', [`d/${name}/f`]: 'y' } })),
    )
    const expected = new Map(names.map((name, index) => [name, ids[index]]))
    expect(await lastCommitsIn(repo, ids.at(-1)!, 'd')).toEqual(expected)
    expect(await lastCommitsIn(repo, ids.at(-1)!, '')).toEqual(new Map([...expected, ['d', ids.at(-1)]]))
  })

  it('agrees with git log for every entry of a folder', async () => {
    const { repo, ids } = await scriptedRepo(
      Array.from({ length: 30 }, (_, n) => ({
        files: { [`d/f${(n * 7) % 11}`]: `${n}`, [`e${n % 3}`]: `${n}` },
      })),
    )
    const found = await lastCommitsIn(repo, ids.at(-1)!, 'd')
    for (const [name, id] of found!)
      expect(shell(repo, ['log', '-1', '--format=%H', '--', `d/${name}`])).toBe(id)
    expect(found?.size).toBe(11)
  })

  it('is missing for entries beyond the time budget', async () => {
    const { repo, rename } = await history()
    const found = await lastCommitsIn(repo, rename, '', { budgetMs: 0 })
    expect(found!.size).toBeLessThanOrEqual(2)
    expect((await lastCommitsIn(repo, rename, ''))?.size).toBe(2)
  })
})

describe('the commit graph', () => {
  it('finds common ancestors', async () => {
    const { repo, first, side, second, rename } = await history()
    expect(await mergeBase(repo, side, second)).toBe(first)
    expect(await mergeBases(repo, rename, side)).toEqual([side])
    expect(await mergeBaseOf(repo, [side, second, rename])).toBe(first)
    const [lonely] = addCommits(repo, [{ branch: 'lonely', files: { q: '1' } }])
    expect(await mergeBase(repo, lonely!, first)).toBeNull()
    expect(await mergeBaseOf(repo, [lonely!, first])).toBeNull()
  })

  it('finds ancestors and counts divergence', async () => {
    const { repo, first, side, second, rename } = await history()
    expect(await isAncestor(repo, first, rename)).toBe(true)
    expect(await isAncestor(repo, rename, first)).toBe(false)
    expect(await isAncestor(repo, first, first)).toBe(true)
    expect(await divergence(repo, side, second)).toEqual({ ahead: 1, behind: 1 })
    expect(await divergence(repo, rename, side)).toEqual({ ahead: 3, behind: 0 })
  })
})

describe('the changed lines of a commit that moved very many files', () => {
  it('are counted without comparing every file, if that takes too long', async () => {
    // Every comparison takes too long with this limit.
    const limitOf = (operation: string) => (operation === 'commits.stats' ? 0 : undefined)
    const { engine, operations } = gitEngine({ limitOf })
    const lines = 'one\ntwo\nthree\nfour\nfive\n'
    const { repo, ids } = await scriptedRepo(
      [
        { files: { 'a/changed': lines, 'a/moved': `${lines}six\n` } },
        {
          files: {
            'a/changed': null,
            'a/moved': null,
            'b/changed': `${lines}6\n`,
            'b/moved': `${lines}six\n`,
          },
        },
      ],
      engine,
    )
    const stats = await commitStats(repo, [ids[1]!])
    expect(stats.get(ids[1]!)).toEqual({ additions: 6, deletions: 5, files: 3 })
    expect(operations.map(({ operation }) => operation)).toContain('commits.stats_exact')
    // The estimate is not cached, so the next answer can be exact.
    const patient: Repo = { ...repo, git: { ...engine, limitOf: () => undefined } }
    expect((await commitStats(patient, [ids[1]!])).get(ids[1]!)).toEqual({
      additions: 1,
      deletions: 0,
      files: 2,
    })
  })
})
