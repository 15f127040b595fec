import { existsSync, readdirSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { GitOperation, Repo } from '../../server/git/types.ts'
import { addCommits, client, gitEngine, scriptedRepo, shell, tempDir } from '../support/git.ts'
import { serve } from './http.ts'

/** Sets old modification times, because a list of refs that has just changed is not cached. */
function age({ gitDir }: Repo): void {
  const refs = path.join(gitDir, 'refs')
  const folders = readdirSync(refs, { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(refs, name),
  )
  for (const file of [path.join(gitDir, 'HEAD'), path.join(gitDir, 'packed-refs'), refs, ...folders])
    if (existsSync(file)) utimesSync(file, 1e9, 1e9)
}

const fetchesOf = (operations: readonly GitOperation[]) =>
  operations.filter(({ operation }) => operation === 'smart_http.upload_pack').length

async function servedHistory() {
  const { engine, operations } = gitEngine()
  const { repo, ids } = await scriptedRepo(
    Array.from({ length: 20 }, (_, n) => ({ files: { [`f${n % 7}`]: `${n}\n`.repeat(n * 30) } })),
    engine,
  )
  age(repo)
  const { url } = await serve(repo)
  const clone = async (...options: string[]) => {
    const work = tempDir()
    const { code } = await client(work, ['-c', 'protocol.version=2', 'clone', ...options, url, '.'])
    expect({ code, fsck: shell(work, ['fsck', '--strict']) }).toEqual({ code: 0, fsck: '' })
    return shell(work, ['rev-parse', 'HEAD'])
  }
  const stored = () => {
    const folder = path.join(engine.tmp, 'fetches')
    return existsSync(folder) ? readdirSync(folder).length : 0
  }
  return { repo, tip: ids.at(-1)!, operations, url, clone, stored }
}

describe('a repeated clone', () => {
  it('is stored the second time, and then sent without git', async () => {
    const { tip, operations, clone, stored } = await servedHistory()
    expect(await clone()).toBe(tip)
    expect(stored()).toBe(0)
    expect(await clone()).toBe(tip)
    expect({ stored: stored(), fetches: fetchesOf(operations) }).toEqual({ stored: 1, fetches: 2 })
    expect(await Promise.all([clone(), clone(), clone()])).toEqual([tip, tip, tip])
    expect(fetchesOf(operations)).toBe(2)
  })

  it('is sent by git with other options', async () => {
    const { tip, operations, clone } = await servedHistory()
    for (let time = 0; time < 3; time++) await clone()
    expect(await clone('--depth=2', '--no-single-branch')).toBe(tip)
    expect(fetchesOf(operations)).toBe(3)
  })

  it('gets the new commit after a change of a ref', async () => {
    const { repo, operations, clone } = await servedHistory()
    for (let time = 0; time < 3; time++) await clone()
    const [next] = addCommits(repo, [{ files: { new: '1' } }])
    expect(await clone()).toBe(next)
    expect(fetchesOf(operations)).toBe(3)
  })

  it('finds an empty repository after the last branch is deleted', async () => {
    const { repo, url, clone } = await servedHistory()
    for (let time = 0; time < 3; time++) await clone()
    shell(repo, ['symbolic-ref', 'HEAD', 'refs/heads/other'])
    shell(repo, ['update-ref', '-d', 'refs/heads/main'])
    const { stderr } = await client(tempDir(), ['-c', 'protocol.version=2', 'clone', url, '.'])
    expect(stderr).toContain('empty repository')
  })

  it('is not stored if git fails', async () => {
    const { url, stored } = await servedHistory()
    const body = `0011command=fetch00010032want ${'1'.repeat(40)}\n0009done\n0000`
    for (let time = 0; time < 3; time++) {
      const answer = fetch(`${url}/git-upload-pack`, {
        method: 'POST',
        body,
        headers: { 'Git-Protocol': 'version=2' },
      })
      // The connection ends with git, before the answer or in the middle of it.
      await answer.then((response) => response.arrayBuffer()).catch(() => {})
    }
    expect(stored()).toBe(0)
  })

  it('is not stored if the client leaves in the middle', async () => {
    const { engine, operations } = gitEngine()
    const big = Buffer.alloc(12_000_000)
    for (let at = 0; at < big.length; at += 4) big.writeUInt32LE((at * 2654435761) >>> 0, at)
    const { repo, ids } = await scriptedRepo([{ files: { big } }], engine)
    age(repo)
    const { url } = await serve(repo)
    for (let time = 1; time <= 3; time++) {
      const leaving = new AbortController()
      const response = await fetch(`${url}/git-upload-pack`, {
        method: 'POST',
        body: `0011command=fetch00010032want ${ids[0]!}\n0009done\n0000`,
        headers: { 'Git-Protocol': 'version=2' },
        signal: leaving.signal,
      })
      await response.body!.getReader().read()
      leaving.abort()
      await expect.poll(() => fetchesOf(operations)).toBe(time)
    }
    await expect.poll(() => readdirSync(path.join(engine.tmp, 'fetches'))).toEqual([])
  })
})
