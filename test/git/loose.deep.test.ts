import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { GitError } from '../../server/git/errors.ts'
import { createCommit } from '../../server/git/write/commit.ts'
import type { CommitAction } from '../../server/git/write/commit.ts'
import { packRefs, updateRefs } from '../../server/git/write/refs.ts'
import { refTarget } from '../../server/git/read/revisions.ts'
import { repoAt } from '../../server/git/process/engine.ts'
import { createBareRepository } from '../../server/git/upkeep/repository.ts'
import { gitEngine, scriptedRepo, shell } from '../support/git.ts'

const author = { name: 'Ada', email: 'ada@example.com', date: new Date('2024-05-06T07:08:09Z') }
const MAIN = 'refs/heads/main'

async function tern() {
  const { engine, operations } = gitEngine()
  const { repo, ids } = await scriptedRepo(
    [
      {
        files: {
          'a.txt': 'a\n',
          'dir/b': 'b\n',
          '.gitattributes': '* text\n',
          link: { mode: '120000', content: 'a.txt' },
          sub: { mode: '160000', content: '1'.repeat(40) },
        },
      },
    ],
    engine,
  )
  const first = ids[0]!
  const commit = async (parent: string, actions: readonly CommitAction[]) =>
    (
      await createCommit(repo, parent, actions, {
        parents: [parent],
        message: 'm',
        author,
        committer: author,
      })
    ).id
  const started = async (work: () => Promise<unknown>): Promise<string[]> => {
    const before = operations.length
    await work()
    return operations.slice(before).map(({ operation }) => operation)
  }
  return { repo, first, commit, started }
}

const create = (name: string, content = 'x'): CommitAction => ({
  action: 'create',
  path: name,
  content: Buffer.from(content),
})

describe('commits without a git process', () => {
  it('are what git itself would have written', async () => {
    const { repo, first, commit, started } = await tern()
    let tip = first
    const operations = await started(async () => {
      for (const name of ['dir/c', 'new/deep/file.md', '.gitignore', '.gitlab-ci.yml', 'dir/c d (1)']) {
        const made = await commit(tip, [create(name, `${name}\n`)])
        await updateRefs(repo, [{ ref: MAIN, old: tip, new: made }])
        tip = made
      }
    })
    expect(operations).toEqual([])
    expect(await refTarget(repo, MAIN)).toBe(tip)
    // `git fsck` prints nothing if all objects, their links and the refs are valid.
    expect(shell(repo, ['fsck', '--full', '--strict', '--no-dangling'])).toBe('')
    expect(shell(repo, ['log', '--format=%H', '-1', MAIN])).toBe(tip)
    expect(shell(repo, ['show', `${MAIN}:new/deep/file.md`])).toBe('new/deep/file.md')
  })

  it('can contain an object that exists', async () => {
    const { repo, first, commit } = await tern()
    const id = await commit(first, [create('dir/c')])
    expect(await commit(first, [create('dir/c')])).toBe(id)
    expect(shell(repo, ['cat-file', '-t', id])).toBe('commit')
  })

  it.each(['git~1', 'a:b', 'with\\backslash', 'ünï', '.gitmodules', 'trailing.', '.GITkeep'])(
    'are left to git when it has to check the name %s',
    async (name) => {
      const { first, commit, started } = await tern()
      const operations = await started(() => commit(first, [create(`dir/${name}`)]).catch(() => undefined))
      expect(operations).toEqual(['objects.write'])
    },
  )

  it('are left to git when they change a file that git reads', async () => {
    const { first, commit, started } = await tern()
    const content = Buffer.from('*.png binary\n')
    const change = () => commit(first, [{ action: 'update', path: '.gitattributes', content }])
    expect(await started(change)).toEqual(['objects.write'])
  })

  it('do not add such a file under another name', async () => {
    const { first, commit } = await tern()
    const harmful = '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=evil\n'
    const made = await commit(first, [create('dir/plain', harmful)])
    const path = '.gitmodules'
    await expect(commit(made, [{ action: 'move', path, previous_path: 'dir/plain' }])).rejects.toMatchObject({
      problem: 'invalid_content',
    })
  })

  it('are left to git when they are large', async () => {
    const { repo, first, commit, started } = await tern()
    let made = ''
    const operations = await started(async () => {
      made = await commit(first, [create('large', 'x'.repeat(5_000_000))])
    })
    expect(operations).toEqual(['objects.write'])
    expect(shell(repo, ['cat-file', '-s', `${made}:large`])).toBe('5000000')
  })

  it('are not made if an object of their parent is missing', async () => {
    const { repo, first, commit } = await tern()
    const made = await commit(first, [create('dir/c', 'lost')])
    const lost = shell(repo, ['rev-parse', `${made}:dir/c`])
    rmSync(path.join(repo.gitDir, 'objects', lost.slice(0, 2), lost.slice(2)))
    await expect(commit(made, [create('dir/d')])).rejects.toThrow(GitError)
  })

  it('leave no temporary file', async () => {
    const { repo, first, commit } = await tern()
    await Promise.all(Array.from({ length: 10 }, (_, index) => commit(first, [create(`dir/${index}`)])))
    const files = readdirSync(path.join(repo.gitDir, 'objects'), { recursive: true }).map(String)
    expect(files.filter((file) => file.includes('tmp_obj_'))).toEqual([])
  })
})

describe('a ref that is moved without a git process', () => {
  it('has one winner among many writers', async () => {
    const { repo, first, commit } = await tern()
    const rivals = await Promise.all(
      Array.from({ length: 8 }, (_, index) => commit(first, [create(`dir/${index}`)])),
    )
    const results = await Promise.allSettled(
      rivals.map((made) => updateRefs(repo, [{ ref: MAIN, old: first, new: made }])),
    )
    const winners = rivals.filter((_, index) => results[index]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    expect(await refTarget(repo, MAIN)).toBe(winners[0])
    expect(readdirSync(path.join(repo.gitDir, 'refs/heads'))).toEqual(['main'])
  })

  it('may be packed, and is left to git when it is locked', async () => {
    const { repo, first, commit, started } = await tern()
    const made = await commit(first, [create('dir/c')])
    const move = (old: string, to: string) => started(() => updateRefs(repo, [{ ref: MAIN, old, new: to }]))
    await packRefs(repo)
    expect(await move(first, made)).toEqual([])
    expect(shell(repo, ['rev-parse', MAIN])).toBe(made)
    expect(await move(made, first)).toEqual([])
    writeFileSync(path.join(repo.gitDir, `${MAIN}.lock`), '')
    expect(await move(first, made)).toContain('refs.update')
    expect(await refTarget(repo, MAIN)).toBe(made)
  })

  it('keeps its value when another was expected, or the object is missing', async () => {
    const { repo, first, commit } = await tern()
    const made = await commit(first, [create('dir/c')])
    const wrong = updateRefs(repo, [{ ref: MAIN, old: made, new: first }])
    await expect(wrong).rejects.toMatchObject({ problem: 'changed' })
    const missing = updateRefs(repo, [{ ref: MAIN, old: first, new: 'f'.repeat(40) }])
    await expect(missing).rejects.toMatchObject({ problem: 'missing_object' })
    const tree = shell(repo, ['rev-parse', `${first}^{tree}`])
    await expect(updateRefs(repo, [{ ref: MAIN, old: first, new: tree }])).rejects.toMatchObject({
      problem: 'missing_object',
    })
    expect(await refTarget(repo, MAIN)).toBe(first)
  })
})

describe('a ref that is created without a git process', () => {
  it('is readable by git, also in a new folder', async () => {
    const { repo, first, started } = await tern()
    const names = ['refs/heads/new', 'refs/heads/deep/er/one', 'refs/tags/v1', `refs/keep-around/${first}`]
    for (const ref of names)
      expect(await started(() => updateRefs(repo, [{ ref, old: null, new: first }]))).toEqual([])
    await packRefs(repo)
    expect(
      await started(() => updateRefs(repo, [{ ref: 'refs/heads/second', old: null, new: first }])),
    ).toEqual([])
    for (const ref of [...names, 'refs/heads/second']) expect(shell(repo, ['rev-parse', ref])).toBe(first)
    expect(shell(repo, ['fsck', '--full', '--strict', '--no-dangling'])).toBe('')
  })

  it.each([
    ['exists', MAIN, 'exists', false],
    ['exists packed', MAIN, 'exists', true],
    ['stands above one that exists', 'refs/heads/main/below', 'name_conflict', false],
    ['stands above a packed one', 'refs/heads/main/below', 'name_conflict', true],
    ['stands below one that exists', 'refs/heads/deep', 'name_conflict', false],
    ['stands below a packed one', 'refs/heads/deep', 'name_conflict', true],
  ])('is refused if it %s', async (_name, ref, problem, isPacked) => {
    const { repo, first } = await tern()
    await updateRefs(repo, [{ ref: 'refs/heads/deep/one', old: null, new: first }])
    if (isPacked) await packRefs(repo)
    const making = updateRefs(repo, [{ ref, old: null, new: first }])
    await expect(making).rejects.toMatchObject({ problem })
    expect(shell(repo, ['for-each-ref', '--format', '%(refname)']).split('\n')).toEqual([
      'refs/heads/deep/one',
      MAIN,
    ])
  })

  it('has one winner among many writers', async () => {
    const { repo, first, commit } = await tern()
    const rivals = await Promise.all(
      Array.from({ length: 8 }, (_, index) => commit(first, [create(`dir/${index}`)])),
    )
    const ref = 'refs/heads/wanted'
    const results = await Promise.allSettled(
      rivals.map((made) => updateRefs(repo, [{ ref, old: null, new: made }])),
    )
    const winners = rivals.filter((_, index) => results[index]?.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    expect(await refTarget(repo, ref)).toBe(winners[0])
  })
})

describe('an empty repository', () => {
  it('is the same as one that git makes', async () => {
    const { engine } = gitEngine()
    const repo = repoAt(engine, path.join(mkdtempSync(path.join(tmpdir(), 'deskforge-test-')), 'own.git'))
    await createBareRepository(repo, { defaultBranch: 'main' })
    const gits = `${repo.gitDir}-by-git`
    shell(repo, ['init', '--bare', '--quiet', '--template=', '--object-format=sha1', '-b', 'main', gits])
    const contents = (folder: string) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .map((entry) => {
          const file = path.join(entry.parentPath, entry.name)
          return [path.relative(folder, file), entry.isFile() ? readFileSync(file, 'utf8') : 'folder']
        })
        .toSorted()
    expect(contents(repo.gitDir)).toEqual(contents(gits))
    rmSync(path.dirname(repo.gitDir), { recursive: true })
  })
})
