import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFile } from '../../server/git/read/blob.ts'
import { createCommit, createCommitOfTree } from '../../server/git/write/commit.ts'
import type { CommitAction } from '../../server/git/write/commit.ts'
import { findCommit } from '../../server/git/read/commits.ts'
import { GitActionError, GitInputError } from '../../server/git/errors.ts'
import { updateRefs } from '../../server/git/write/refs.ts'
import { verifyRepository } from '../../server/git/upkeep/repository.ts'
import { listTree } from '../../server/git/read/tree.ts'
import type { Repo } from '../../server/git/types.ts'
import { emptyRepo, gitEngine, scriptedRepo, shell } from '../support/git.ts'

const author = {
  name: 'Ada Author',
  email: 'ada@example.com',
  date: new Date('2024-05-06T07:08:09Z'),
  offset_minutes: 120,
}
const committer = {
  name: 'Carl Committer',
  email: 'carl@example.com',
  date: new Date('2024-05-06T08:00:00Z'),
}
const text = (content: string) => Buffer.from(content)

async function base() {
  const { engine, operations } = gitEngine()
  const { repo, ids } = await scriptedRepo(
    [
      {
        files: {
          'a.txt': 'a\n',
          'dir/b': 'b\n',
          'dir/deep/c': 'c\n',
          run: { mode: '100755', content: '#!\n' },
          sub: { mode: '160000', content: '1'.repeat(40) },
        },
      },
    ],
    engine,
  )
  const commit = (actions: readonly CommitAction[], message = 'Change') =>
    createCommit(repo, ids[0]!, actions, { parents: [ids[0]!], message, author, committer })
  return { repo, operations, first: ids[0]!, commit }
}

/** No test moves a ref of this repository to its new commits. */
let made: ReturnType<typeof base> | undefined
const shared = () => (made ??= base())

async function listing(repo: Repo, commit: string): Promise<Record<string, string>> {
  const lines = shell(repo, ['ls-tree', '-r', '-z', commit]).split('\0').filter(Boolean)
  return Object.fromEntries(lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, 6)]))
}

describe('a commit of actions', () => {
  it('creates, updates, deletes, moves and changes modes', async () => {
    const { repo, commit, first } = await base()
    const { id } = await commit([
      { action: 'create', path: 'new/ünï.txt', content: text('new\n') },
      { action: 'create', path: 'tool', content: text('#!\n'), executable: true },
      { action: 'update', path: 'a.txt', content: text('changed\n') },
      { action: 'delete', path: 'dir/deep/c' },
      { action: 'move', path: 'moved', previous_path: 'dir/b' },
      { action: 'chmod', path: 'run', executable: false },
      { action: 'submodule', path: 'sub', commit: '2'.repeat(40) },
    ])
    expect(await listing(repo, id)).toEqual({
      'a.txt': '100644',
      moved: '100644',
      'new/ünï.txt': '100644',
      run: '100644',
      sub: '160000',
      tool: '100755',
    })
    expect((await readFile(repo, id, 'a.txt'))?.content.toString()).toBe('changed\n')
    expect((await readFile(repo, id, 'moved'))?.content.toString()).toBe('b\n')
    expect(await findCommit(repo, id)).toMatchObject({
      parent_ids: [first],
      message: 'Change',
      author_name: 'Ada Author',
      authored_date: '2024-05-06T09:08:09+02:00',
      committer_email: 'carl@example.com',
      committed_date: '2024-05-06T08:00:00+00:00',
    })
    await updateRefs(repo, [{ ref: 'refs/heads/main', old: first, new: id }])
    expect(await verifyRepository(repo)).toEqual([])
  })

  it("equals git's own commit of the same content", async () => {
    const repo = await emptyRepo()
    const { id } = await createCommit(
      repo,
      null,
      [
        { action: 'create', path: 'a/b', content: text('x') },
        { action: 'create', path: 'a.c', content: text('y') },
        { action: 'create', path: 'a0', content: text('z') },
      ],
      { parents: [], message: 'Title\n\nBody\n', author, committer: author },
    )
    const tree = shell(repo, ['rev-parse', `${id}^{tree}`])
    expect(shell(repo, ['mktree'], shell(repo, ['ls-tree', tree]))).toBe(tree)
    expect(
      shell(repo, ['hash-object', '-t', 'commit', '--stdin'], `${shell(repo, ['cat-file', 'commit', id])}\n`),
    ).toBe(id)
  })

  it('starts no process, and reads only the changed folders', async () => {
    const { commit, operations } = await base()
    const before = operations.length
    await commit([{ action: 'update', path: 'dir/b', content: text('x') }])
    expect(operations.slice(before)).toEqual([])
  })

  it('lets later actions see earlier ones', async () => {
    const { repo, commit } = await base()
    const { id } = await commit([
      { action: 'create', path: 'x', content: text('1') },
      { action: 'update', path: 'x', content: text('2') },
      { action: 'move', path: 'x/y', previous_path: 'x' },
      { action: 'delete', path: 'dir/b' },
      { action: 'delete', path: 'dir/deep/c' },
      { action: 'create', path: 'dir', content: text('now a file') },
    ])
    expect((await readFile(repo, id, 'x/y'))?.content.toString()).toBe('2')
    expect((await readFile(repo, id, 'dir'))?.content.toString()).toBe('now a file')
  })

  it('may move and change a file at once, and move it to its own path', async () => {
    const { repo, commit } = await base()
    const { id } = await commit([
      { action: 'move', path: 'tool', previous_path: 'run', content: text('changed') },
      { action: 'move', path: 'a.txt', previous_path: 'a.txt', executable: true },
    ])
    expect(await listing(repo, id)).toMatchObject({ tool: '100755', 'a.txt': '100755' })
    expect((await readFile(repo, id, 'tool'))?.content.toString()).toBe('changed')
  })

  it('may change nothing', async () => {
    const { repo, commit, first } = await base()
    const tree = shell(repo, ['rev-parse', `${first}^{tree}`])
    expect(await commit([])).toMatchObject({ tree_id: tree })
    expect(await commit([{ action: 'update', path: 'a.txt', content: text('a\n') }])).toMatchObject({
      tree_id: tree,
    })
  })

  it('may delete all files', async () => {
    const { repo, ids } = await scriptedRepo([{ files: { 'a/b': '1' } }])
    const { id } = await createCommit(repo, ids[0]!, [{ action: 'delete', path: 'a/b' }], {
      parents: ids,
      message: 'x',
      author,
      committer,
    })
    expect(await listTree(repo, id)).toEqual({ entries: [], total: 0 })
    const { id: first } = await createCommit(await emptyRepo(), null, [], {
      parents: [],
      message: 'x',
      author,
      committer,
    })
    expect(first).toMatch(/^[0-9a-f]{40}$/)
  })

  it.each<[string, CommitAction]>([
    ['file_exists', { action: 'create', path: 'a.txt', content: text('') }],
    ['file_exists', { action: 'create', path: 'sub', content: text('') }],
    ['file_exists', { action: 'move', path: 'a.txt', previous_path: 'run' }],
    ['folder_exists', { action: 'create', path: 'dir', content: text('') }],
    ['not_a_folder', { action: 'create', path: 'a.txt/x', content: text('') }],
    ['not_a_folder', { action: 'create', path: 'sub/x', content: text('') }],
    ['file_missing', { action: 'update', path: 'none', content: text('') }],
    ['file_missing', { action: 'update', path: 'dir', content: text('') }],
    ['file_missing', { action: 'delete', path: 'dir' }],
    ['file_missing', { action: 'delete', path: 'a.txt/x' }],
    ['file_missing', { action: 'chmod', path: 'sub', executable: true }],
    ['file_missing', { action: 'move', path: 'x', previous_path: 'none' }],
    ['file_missing', { action: 'submodule', path: 'a.txt', commit: '2'.repeat(40) }],
    ...[
      '',
      '/a',
      'a/',
      'a//b',
      '../a',
      'a/../b',
      './a',
      'a\0b',
      '.git/hooks/x',
      'a/.GIT/b',
      '.g\u200cit/x',
      'git~1',
      '\ud800',
      'x'.repeat(5000),
    ].map((path): [string, CommitAction] => ['invalid_path', { action: 'create', path, content: text('') }]),
    ['invalid_path', { action: 'move', path: 'x', previous_path: '../x' }],
  ])('is refused with %s for %j', async (problem, action) => {
    const { commit } = await shared()
    await expect(commit([action])).rejects.toMatchObject({
      name: 'GitActionError',
      kind: 'bad_input',
      problem,
    })
  })

  it('is refused for content that git treats as an attack', async () => {
    const { commit } = await base()
    const content = text('[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch\n')
    await expect(commit([{ action: 'create', path: '.gitmodules', content }])).rejects.toMatchObject({
      problem: 'invalid_content',
    })
  })

  it('is refused without its base or parent', async () => {
    const { repo, commit } = await base()
    const missing = 'f'.repeat(40)
    const details = { parents: [], message: 'x', author, committer }
    await expect(createCommit(repo, missing, [], details)).rejects.toMatchObject({ problem: 'no_base' })
    await expect(createCommit(repo, null, [], { ...details, parents: ['main'] })).rejects.toThrow(
      GitInputError,
    )
    await expect(createCommit(repo, null, [], { ...details, parents: [missing] })).rejects.toThrow(
      'objects.write',
    )
    await expect(commit([], 'a\0b')).rejects.toThrow(GitInputError)
  })

  it('cleans identities against forged headers', async () => {
    const { repo } = await base()
    const odd = {
      name: ' <Evil>\ntree 0\0. ',
      email: 'a@b>\n',
      date: new Date(6_000_000),
      offset_minutes: -90,
    }
    const { id } = await createCommit(repo, null, [], {
      parents: [],
      message: '-m',
      author: odd,
      committer: { ...odd, name: '<>' },
    })
    expect(await findCommit(repo, id)).toMatchObject({
      author_name: 'Eviltree 0',
      author_email: 'a@b',
      authored_date: '1970-01-01T00:10:00-01:30',
      committer_name: 'a@b',
      message: '-m',
    })
    for (const date of [new Date(Number.NaN), new Date(-1000), new Date(5000), new Date(8e15)]) {
      const timeless = { parents: [], message: '', author: { ...odd, date }, committer }
      await expect(createCommit(repo, null, [], timeless)).rejects.toThrow(GitInputError)
    }
  })

  it('may contain many and large files', async () => {
    const repo = await emptyRepo()
    const big = Buffer.alloc(6_000_000, 'abc')
    const many = Array.from({ length: 300 }, (_, n): CommitAction => ({
      action: 'create',
      path: `d${n % 7}/f${n}`,
      content: text(`${n}`),
    }))
    const { id } = await createCommit(
      repo,
      null,
      [...many, { action: 'create', path: 'big', content: big }],
      { parents: [], message: 'x', author, committer },
    )
    expect((await listTree(repo, id, { recursive: true }))?.total).toBe(300 + 7 + 1)
    expect((await readFile(repo, id, 'big'))?.content.equals(big)).toBe(true)
    shell(repo, ['update-ref', 'refs/heads/main', id])
    expect(await verifyRepository(repo)).toEqual([])
  })

  it('keeps names of other files that are not UTF-8', async () => {
    const repo = await emptyRepo()
    const blob = shell(repo, ['hash-object', '-w', '--stdin'], 'x')
    const tree = shell(repo, ['mktree', '-z'], Buffer.from(`100644 blob ${blob}\t\xff\xfe\x00`, 'latin1'))
    const first = shell(repo, ['commit-tree', '-m', 'x', tree])
    const details = { parents: [first], message: 'x', author, committer }
    const second = await createCommit(
      repo,
      first,
      [{ action: 'create', path: 'y', content: text('') }],
      details,
    )
    const third = await createCommit(repo, second.id, [{ action: 'delete', path: 'y' }], {
      ...details,
      parents: [second.id],
    })
    expect(third.tree_id).toBe(tree)
  })

  it('has the same tree as git after arbitrary changes', async () => {
    const { repo, first } = await base()
    const path = fc
      .array(fc.constantFrom('a', 'a.b', 'a-b', 'B', 'ü'), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ path, isDelete: fc.boolean() }), { maxLength: 12 }),
        async (steps) => {
          let actions: CommitAction[] = []
          for (const step of steps) {
            const next: CommitAction = step.isDelete
              ? { action: 'delete', path: step.path }
              : { action: 'create', path: step.path, content: text(step.path) }
            const done = await createCommit(repo, first, [...actions, next], {
              parents: [],
              message: '',
              author,
              committer,
            }).catch((error: unknown) => {
              if (!(error instanceof GitActionError)) throw error
            })
            if (done) actions = [...actions, next]
          }
          const { tree_id } = await createCommit(repo, first, actions, {
            parents: [],
            message: '',
            author,
            committer,
          })
          const flat = await listing(repo, tree_id)
          const expected = new Set(Object.keys(await listing(repo, first)))
          for (const action of actions)
            if (action.action === 'delete') expected.delete(action.path)
            else expected.add(action.path)
          expect(Object.keys(flat).toSorted()).toEqual([...expected].toSorted())
          shell(repo, ['fsck', '--strict', '--no-dangling', tree_id])
        },
      ),
      { numRuns: 6 },
    )
  })
})

describe('a commit of an existing tree', () => {
  it('has the given parents and message', async () => {
    const { repo, first } = await base()
    const tree = shell(repo, ['rev-parse', `${first}^{tree}`])
    const id = await createCommitOfTree(repo, tree, {
      parents: [first, first],
      message: 'Merge\n\nBody',
      author,
      committer,
    })
    expect(await findCommit(repo, id)).toMatchObject({
      tree_id: tree,
      parent_ids: [first, first],
      message: 'Merge\n\nBody',
    })
    await expect(
      createCommitOfTree(repo, 'main', { parents: [], message: '', author, committer }),
    ).rejects.toThrow(GitInputError)
  })
})
