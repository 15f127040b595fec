import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

import { readCommits } from '../../server/git/read/commits.ts'
import { cachedTip, readRefFiles } from '../../server/git/read/ref-files.ts'
import { branchTip, resolveCommit } from '../../server/git/read/revisions.ts'
import type { Repo } from '../../server/git/types.ts'
import { scriptedRepo, shell } from '../support/git.ts'

async function repository() {
  const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }, { files: { a: '2' } }])
  const [first, second] = ids as [string, string]
  return { repo, first, second, gitDir: repo.gitDir }
}

/** The refs below a prefix as git lists them. */
function listOfGit(repo: Repo, prefix: string) {
  const output = shell(repo, ['for-each-ref', '--format=%(refname) %(objectname)', prefix])
  const lines = output.split('\n').filter((line) => line !== '')
  return lines.map((line) => ({ ref: line.slice(0, -41), oid: line.slice(-40) }))
}

function expectLikeGit(repo: Repo, prefix = 'refs/'): void {
  expect(readRefFiles(repo.gitDir, prefix)).toEqual(listOfGit(repo, prefix))
}

describe('reading the files of refs', () => {
  it('lists loose and packed refs as git does', async () => {
    const { repo, first, second, gitDir } = await repository()
    for (const name of ['b', 'a/b', 'a-b', 'a.b', 'ünï/日本', '\u{1F600}', '\uFF5E'])
      shell(repo, ['update-ref', `refs/heads/${name}`, first])
    shell(repo, ['tag', '-a', '-m', 'First', 'v1', first])
    expectLikeGit(repo)
    shell(repo, ['pack-refs', '--all'])
    shell(repo, ['update-ref', 'refs/heads/b', second])
    shell(repo, ['update-ref', '-d', 'refs/heads/a-b'])
    shell(repo, ['update-ref', 'refs/merge-requests/1/head', second])
    mkdirSync(path.join(gitDir, 'refs/heads/empty'))
    writeFileSync(path.join(gitDir, 'refs/heads/main.lock'), '')
    for (const prefix of ['refs/', 'refs/heads/', 'refs/tags/', 'refs/heads/a/', 'refs/none/'])
      expectLikeGit(repo, prefix)
  })

  it('lists a ref without its object, as git does', async () => {
    const { repo, gitDir } = await repository()
    writeFileSync(path.join(gitDir, 'refs/heads/lost'), `${'1'.repeat(40)}\n`)
    expectLikeGit(repo)
  })

  it.each([
    ['a symbolic ref', 'ref: refs/heads/main\n'],
    ['an empty ref', ''],
    ['a half written ref', '1234'],
    ['an id of zeros', `${'0'.repeat(40)}\n`],
  ])('leaves %s to git', async (_name, content) => {
    const { gitDir } = await repository()
    writeFileSync(path.join(gitDir, 'refs/heads/odd'), content)
    expect(readRefFiles(gitDir, 'refs/heads/')).toBeUndefined()
  })

  it('leaves unusual names, many refs and missing repositories to git', async () => {
    const { gitDir, first } = await repository()
    const odd = Buffer.concat([Buffer.from(path.join(gitDir, 'refs/heads/')), Buffer.from([0xff])])
    writeFileSync(odd, `${first}\n`)
    expect(readRefFiles(gitDir, 'refs/heads/')).toBeUndefined()
    rmSync(odd)
    expect(readRefFiles(gitDir, 'refs/heads/main')).toBeUndefined()
    for (let index = 0; index < 200; index++)
      writeFileSync(path.join(gitDir, `refs/heads/number-${index}`), `${first}\n`)
    expect(readRefFiles(gitDir, 'refs/heads/')).toBeUndefined()
    appendFileSync(path.join(gitDir, 'packed-refs'), ' '.repeat(2 * 1024 * 1024))
    expect(readRefFiles(gitDir, 'refs/tags/')).toBeUndefined()
    rmSync(gitDir, { recursive: true })
    expect(readRefFiles(gitDir, 'refs/tags/')).toBeUndefined()
  })
})

describe('the tip of a branch', () => {
  it('is read from its file once its commit is cached', async () => {
    const { repo, first, second } = await repository()
    expect(cachedTip(repo, 'main')).toBeUndefined()
    expect(await branchTip(repo, 'main')).toBe(second)
    await readCommits(repo, [first, second])
    expect(cachedTip(repo, 'main')).toBe(second)
    expect(await branchTip(repo, 'main')).toBe(second)
    // Another program moves the branch.
    shell(repo, ['update-ref', 'refs/heads/main', first])
    expect(cachedTip(repo, 'main')).toBe(first)
    expect(await resolveCommit(repo, 'main')).toBe(first)
  })

  it('is left to git for packed, symbolic and missing branches', async () => {
    const { repo, first, second } = await repository()
    await readCommits(repo, [first, second])
    shell(repo, ['symbolic-ref', 'refs/heads/link', 'refs/heads/main'])
    shell(repo, ['tag', 'both', first])
    shell(repo, ['update-ref', 'refs/heads/both', second])
    expect(await resolveCommit(repo, 'both')).toBe(second)
    expect(await resolveCommit(repo, 'both', { prefer: 'tag' })).toBe(first)
    for (const name of ['link', 'none', '../tags/both', 'main^', '', 'HEAD'])
      expect(cachedTip(repo, name)).toBeUndefined()
    expect(await branchTip(repo, 'link')).toBe(second)
    shell(repo, ['pack-refs', '--all'])
    expect(cachedTip(repo, 'main')).toBeUndefined()
    expect(await branchTip(repo, 'main')).toBe(second)
    expect(await branchTip(repo, 'none')).toBeNull()
  })

  it('is never that of a branch with the name of another ref', async () => {
    const { repo, first, second } = await repository()
    await readCommits(repo, [first, second])
    for (const name of ['refs/heads/main', 'refs/tags/v1', '@'])
      shell(repo, ['update-ref', `refs/heads/${name}`, first])
    expect(cachedTip(repo, 'refs/heads/main')).toBe(first)
    expect(await resolveCommit(repo, 'refs/heads/main')).toBe(second)
    expect(await resolveCommit(repo, '@')).toBe(second)
    shell(repo, ['tag', 'v1', second])
    expect(await resolveCommit(repo, 'refs/tags/v1')).toBe(second)
  })
})
