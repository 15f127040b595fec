import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { GitInputError } from '../../server/git/errors.ts'
import {
  findTag,
  keepAround,
  listBranches,
  listRefs,
  listTags,
  mergedBranches,
  refsContaining,
  updateRefs,
  writeTagObject,
} from '../../server/git/write/refs.ts'
import { branchTip, findObject, refTarget, resolveCommit } from '../../server/git/read/revisions.ts'
import { emptyRepo, scriptedRepo, shell } from '../support/git.ts'

const tagger = { name: 'Tina Tagger', email: 'tina@example.com', date: new Date('2024-02-03T04:05:06Z') }

async function history() {
  const { repo, ids } = await scriptedRepo([
    { files: { a: '1' } },
    { branch: 'side', from: 'refs/heads/main', files: { b: '2' } },
    { files: { a: '3' } },
  ])
  const [first, side, second] = ids as [string, string, string]
  return { repo, first, side, second }
}

describe('listing refs', () => {
  it('lists branches with their commits, in the requested order', async () => {
    const { repo, side, second } = await history()
    expect(await listBranches(repo)).toEqual([
      { name: 'main', ref: 'refs/heads/main', target: second },
      { name: 'side', ref: 'refs/heads/side', target: side },
    ])
    const names = async (order: 'updated_asc' | 'updated_desc') =>
      (await listBranches(repo, { order })).map((branch) => branch.name)
    expect(await names('updated_asc')).toEqual(['side', 'main'])
    expect(await names('updated_desc')).toEqual(['main', 'side'])
  })

  it('lists nothing in an empty repository', async () => {
    const repo = await emptyRepo()
    expect(await Promise.all([listBranches(repo), listTags(repo), listRefs(repo, 'refs/')])).toEqual([
      [],
      [],
      [],
    ])
  })

  it('lists names of any kind', async () => {
    const { repo, first } = await history()
    const names = ['ünï/日本', "it's", 'a"b', '$(x)', 'a;b&c|d', '100%']
    await updateRefs(
      repo,
      names.map((name) => ({ ref: `refs/heads/odd/${name}`, new: first })),
    )
    expect((await listRefs(repo, 'refs/heads/odd/')).map((row) => row.ref).toSorted()).toEqual(
      names.map((name) => `refs/heads/odd/${name}`).toSorted(),
    )
  })

  it('lists tags: lightweight, annotated, of a tree, of a tag', async () => {
    const { repo, first } = await history()
    const tree = shell(repo, ['rev-parse', `${first}^{tree}`])
    const annotated = await writeTagObject(repo, {
      name: 'v2',
      target: first,
      message: 'Title\n\nBody with ünï\n',
      tagger,
    })
    const nested = await writeTagObject(repo, {
      name: 'v3',
      target: annotated,
      message: 'Tag of a tag',
      tagger,
    })
    await updateRefs(repo, [
      { ref: 'refs/tags/v1', new: first },
      { ref: 'refs/tags/v2', new: annotated },
      { ref: 'refs/tags/tree', new: tree },
      { ref: 'refs/tags/v3', new: nested },
    ])
    const byName = Object.fromEntries((await listTags(repo)).map((tag) => [tag.name, tag]))
    expect(byName['v1']).toEqual({
      name: 'v1',
      ref: 'refs/tags/v1',
      target: first,
      commit: first,
      annotated: false,
      message: null,
      signature: null,
      created_at: null,
    })
    expect(byName['v2']).toMatchObject({
      target: annotated,
      commit: first,
      annotated: true,
      message: 'Title\n\nBody with ünï',
      created_at: '2024-02-03T04:05:06+00:00',
    })
    expect(byName['v3']).toMatchObject({ target: nested, commit: first, message: 'Tag of a tag' })
    expect(byName['tree']).toMatchObject({ target: tree, commit: null })
    expect(await findTag(repo, 'v2')).toEqual(byName['v2'])
  })

  it('finds a tag by its exact name', async () => {
    const { repo, first } = await history()
    await updateRefs(repo, [{ ref: 'refs/tags/v1/a', new: first }])
    expect(await findTag(repo, 'v1')).toBeNull()
    expect(await findTag(repo, '../heads/main')).toBeNull()
    expect(await findTag(repo, 'v*')).toBeNull()
  })

  it('sorts tags as versions', async () => {
    const { repo, first } = await history()
    await updateRefs(
      repo,
      ['v10', 'v9', 'v2'].map((name) => ({ ref: `refs/tags/${name}`, new: first })),
    )
    expect((await listTags(repo, { order: 'version' })).map((tag) => tag.name)).toEqual(['v2', 'v9', 'v10'])
  })

  it('separates the signature of a tag from its message', async () => {
    const { repo, first } = await history()
    const signature = '-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n'
    const body = `object ${first}\ntype commit\ntag v1\ntagger T <t@e> 1704067200 +0000\n\nMessage\n${signature}`
    const id = shell(repo, ['hash-object', '-t', 'tag', '-w', '--stdin'], body)
    await updateRefs(repo, [{ ref: 'refs/tags/v1', new: id }])
    expect(await findTag(repo, 'v1')).toMatchObject({ message: 'Message', signature })
  })

  it('finds the refs that contain a commit and the merged branches', async () => {
    const { repo, first, side, second } = await history()
    expect(await refsContaining(repo, first)).toEqual(['refs/heads/main', 'refs/heads/side'])
    expect(await refsContaining(repo, side)).toEqual(['refs/heads/side'])
    expect(await mergedBranches(repo, second)).toEqual(new Set(['main']))
    await expect(refsContaining(repo, 'main')).rejects.toThrow(GitInputError)
  })
})

describe('updating refs', () => {
  it('creates, changes and deletes in one transaction', async () => {
    const { repo, first, side, second } = await history()
    await updateRefs(repo, [
      { ref: 'refs/heads/new', old: null, new: first },
      { ref: 'refs/heads/main', old: second, new: first },
      { ref: 'refs/heads/side', old: side, new: null },
    ])
    expect(await listBranches(repo)).toMatchObject([
      { name: 'main', target: first },
      { name: 'new', target: first },
    ])
  })

  it('changes nothing if one ref has an unexpected value', async () => {
    const { repo, first, side, second } = await history()
    const attempt = updateRefs(repo, [
      { ref: 'refs/heads/new', old: null, new: first },
      { ref: 'refs/heads/main', old: side, new: first },
    ])
    await expect(attempt).rejects.toMatchObject({
      name: 'GitRefError',
      problem: 'changed',
      ref: 'refs/heads/main',
    })
    expect(await branchTip(repo, 'new')).toBeNull()
    expect(await branchTip(repo, 'main')).toBe(second)
  })

  it('reports the conflicting ref', async () => {
    const { repo, first, side } = await history()
    const problem = (ref: string, old: string | null | undefined, to: string | null) =>
      updateRefs(repo, [{ ref, old, new: to }]).then(
        () => 'done',
        (error: { problem?: string }) => error.problem,
      )
    expect(await problem('refs/heads/main', null, first)).toBe('exists')
    expect(await problem('refs/heads/none', first, null)).toBe('missing')
    expect(await problem('refs/heads/none', first, side)).toBe('missing')
    expect(await problem('refs/heads/main/deeper', null, first)).toBe('name_conflict')
    expect(await problem('refs/heads/x', null, 'f'.repeat(40))).toBe('missing_object')
    expect(await problem('refs/heads/x', null, shell(repo, ['rev-parse', 'main^{tree}']))).toBe(
      'missing_object',
    )
    await updateRefs(repo, [{ ref: 'refs/heads/dir/leaf', new: first }])
    expect(await problem('refs/heads/dir', null, first)).toBe('name_conflict')
    shell(repo, ['pack-refs', '--all'])
    expect(await problem('refs/heads/dir', null, first)).toBe('name_conflict')
    writeFileSync(path.join(repo.gitDir, 'refs/heads/main.lock'), '')
    // The server does not write to this repository now, so it removes the lock as a leftover.
    expect(await problem('refs/heads/main', undefined, side)).toBe('done')
  })

  it('refuses two conflicting updates', async () => {
    const { repo, first } = await history()
    const attempt = updateRefs(repo, [
      { ref: 'refs/heads/a', new: first },
      { ref: 'refs/heads/a/b', new: first },
    ])
    await expect(attempt).rejects.toMatchObject({ problem: 'name_conflict' })
    expect(await branchTip(repo, 'a')).toBeNull()
  })

  it('lets only one of many writers with the same expectation win', async () => {
    const { repo, first, side, second } = await history()
    const attempts = Array.from({ length: 8 }, (_, n) =>
      updateRefs(repo, [{ ref: 'refs/heads/main', old: second, new: n % 2 ? first : side }]),
    )
    const results = await Promise.allSettled(attempts)
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  })

  it.each([
    'heads/main',
    'refs/heads/-x y',
    'refs/../config',
    'HEAD',
    'refs/heads/a\nb',
    'refs/heads/a\0b',
    '',
  ])('refuses the name %j', async (ref) => {
    const { repo, first } = await history()
    await expect(updateRefs(repo, [{ ref, new: first }])).rejects.toThrow(GitInputError)
  })

  it('keeps commits that no branch reaches', async () => {
    const { repo, side } = await history()
    await keepAround(repo, [side, side])
    await updateRefs(repo, [{ ref: 'refs/heads/side', new: null }])
    shell(repo, ['gc', '--prune=now', '--quiet'])
    expect(await findObject(repo, side)).toMatchObject({ type: 'commit' })
    await keepAround(repo, [side])
  })
})

describe('resolving revisions', () => {
  it('finds commits by branch, tag, id, short id and suffix', async () => {
    const { repo, first, second, side } = await history()
    await updateRefs(repo, [
      {
        ref: 'refs/tags/v1',
        new: await writeTagObject(repo, { name: 'v1', target: first, message: 'm', tagger }),
      },
    ])
    const found = await Promise.all(
      [
        'main',
        'v1',
        second,
        second.slice(0, 10),
        'main~1',
        'HEAD',
        'refs/heads/side',
        'heads/side',
        '@^',
      ].map((text) => resolveCommit(repo, text)),
    )
    expect(found).toEqual([second, first, second, second, first, second, side, side, first])
  })

  it('prefers a branch over a tag of the same name by default', async () => {
    const { repo, first, second } = await history()
    await updateRefs(repo, [{ ref: 'refs/tags/main', new: first }])
    expect(await resolveCommit(repo, 'main')).toBe(second)
    expect(await resolveCommit(repo, 'main~0')).toBe(second)
    expect(await resolveCommit(repo, 'main', { prefer: 'tag' })).toBe(first)
    expect(await resolveCommit(repo, 'refs/tags/main')).toBe(first)
  })

  it('treats a complete id as an id even if a branch has that name', async () => {
    const { repo, first, second } = await history()
    shell(repo, ['update-ref', `refs/heads/${first}`, second])
    expect(await resolveCommit(repo, first)).toBe(first)
  })

  it.each([
    'nothing',
    '',
    '-x',
    '--all',
    'main:a',
    'a b',
    '../config',
    'config',
    'main@{0}',
    ':/Commit',
    'main^{/Commit}',
    '\0',
    'a\nb',
    'f'.repeat(40),
    'x'.repeat(9000),
  ])('finds nothing for %j', async (text) => {
    const { repo } = await history()
    expect(await resolveCommit(repo, text)).toBeNull()
  })

  it('does not take a blob or tree for a commit', async () => {
    const { repo } = await history()
    expect(await resolveCommit(repo, shell(repo, ['rev-parse', 'main:a']))).toBeNull()
    expect(await findObject(repo, 'main^{tree}')).toMatchObject({ type: 'tree' })
  })

  it('reads branches and refs by their exact names', async () => {
    const { repo, side } = await history()
    expect(await branchTip(repo, 'side')).toBe(side)
    expect(await branchTip(repo, 'refs/heads/side')).toBeNull()
    expect(await refTarget(repo, 'refs/heads/side')).toBe(side)
    expect(await refTarget(repo, 'side')).toBeNull()
  })
})
