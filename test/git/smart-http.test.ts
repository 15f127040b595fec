import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createGit, repoAt } from '../../server/git/process/engine.ts'
import { keepAround, updateRefs } from '../../server/git/write/refs.ts'
import { removeRepository } from '../../server/git/upkeep/repository.ts'
import { advertiseRefs } from '../../server/git/transport/smart-http.ts'
import {
  FIRST_COMMIT_TIME,
  addCommits,
  client,
  emptyRepo,
  gitEngine,
  scriptedRepo,
  shell,
  tempDir,
} from '../support/git.ts'
import { serve } from './http.ts'

const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, `${n}\n`.repeat(n * 20)]))

async function history() {
  const { engine, operations } = gitEngine()
  const { repo, ids } = await scriptedRepo(
    Array.from({ length: 30 }, (_, n) => ({ files: n === 0 ? files : { [`g${n % 5}`]: `${n}\n` } })),
    engine,
  )
  return { repo, ids, tip: ids.at(-1)!, operations }
}

describe('cloning and fetching over HTTP', () => {
  it.each(['0', '1', '2'])('works with protocol version %s', async (version) => {
    const { repo, tip } = await history()
    const { url, requests } = await serve(repo)
    const work = tempDir()
    expect(await client(work, ['-c', `protocol.version=${version}`, 'clone', url, '.'])).toMatchObject({
      code: 0,
    })
    expect(shell(work, ['rev-parse', 'HEAD'])).toBe(tip)
    expect(shell(work, ['fsck', '--strict'])).toBe('')
    expect(requests[0]?.protocol).toBe(version === '0' ? undefined : `version=${version}`)
    const [next] = addCommits(repo, [{ files: { new: '1' } }])
    expect(await client(work, ['-c', `protocol.version=${version}`, 'fetch'])).toMatchObject({ code: 0 })
    expect(shell(work, ['rev-parse', 'origin/main'])).toBe(next)
  })

  it('works for an empty repository', async () => {
    const { url } = await serve(await emptyRepo())
    const { code, stderr } = await client(tempDir(), ['clone', url, '.'])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('empty repository') })
  })

  it('reads a compressed request, which clients send if it is long', async () => {
    const { repo, tip } = await history()
    const { url, requests } = await serve(repo)
    const work = tempDir()
    await client(work, ['clone', '--quiet', url, '.'])
    shell(work, ['checkout', '--quiet', '-b', 'local'])
    // These commits are newer than all of the server, so the client lists all of them before a known one.
    const local = repoAt(repo.git, path.join(work, '.git'))
    addCommits(
      local,
      Array.from({ length: 80 }, (_, n) => ({ branch: 'local', time: FIRST_COMMIT_TIME + 1e6 + n })),
    )
    addCommits(repo, [{ files: { new: '1' } }])
    expect(await client(work, ['-c', 'protocol.version=0', 'fetch', '--quiet'])).toMatchObject({ code: 0 })
    expect(requests.filter((request) => request.encoding === 'gzip').length).toBeGreaterThan(0)
    expect(shell(work, ['rev-parse', 'origin/main~1'])).toBe(tip)
  })

  it('supports shallow clones and deepens them', async () => {
    const { repo, tip } = await history()
    const { url } = await serve(repo)
    const work = tempDir()
    expect(await client(work, ['clone', '--depth=2', url, '.'])).toMatchObject({ code: 0 })
    expect(shell(work, ['rev-list', '--count', 'HEAD'])).toBe('2')
    expect(await client(work, ['fetch', '--unshallow'])).toMatchObject({ code: 0 })
    expect(shell(work, ['rev-list', '--count', 'HEAD'])).toBe('30')
    expect(shell(work, ['rev-parse', 'HEAD'])).toBe(tip)
  })

  it.each(['0', '2'])(
    'works without file contents, which are fetched when needed (version %s)',
    async (version) => {
      const { repo } = await history()
      const { url } = await serve(repo)
      const work = tempDir()
      const options = ['-c', `protocol.version=${version}`]
      expect(
        await client(work, [...options, 'clone', '--no-checkout', '--filter=blob:none', url, '.']),
      ).toMatchObject({ code: 0 })
      expect(shell(work, ['rev-list', '--objects', '--missing=print', 'HEAD'])).toContain('?')
      expect(await client(work, [...options, 'checkout', 'main'])).toMatchObject({ code: 0 })
      expect(existsSync(path.join(work, 'f19'))).toBe(true)
    },
  )

  it.each(['0', '2'])('sends a single commit by its id (version %s)', async (version) => {
    const { repo, ids } = await history()
    const { url } = await serve(repo)
    const work = tempDir()
    shell(work, ['init', '--quiet'])
    expect(
      await client(work, ['-c', `protocol.version=${version}`, 'fetch', '--depth=1', url, ids[3]!]),
    ).toMatchObject({ code: 0 })
    expect(shell(work, ['rev-parse', 'FETCH_HEAD'])).toBe(ids[3])
  })

  it.each(['0', '2'])('shows merge request refs but no internal ones (version %s)', async (version) => {
    const { repo, tip, ids } = await history()
    await keepAround(repo, [ids[0]!])
    await updateRefs(repo, [{ ref: 'refs/merge-requests/1/head', new: tip }])
    const { url } = await serve(repo)
    const { stdout } = await client(tempDir(), ['-c', `protocol.version=${version}`, 'ls-remote', url])
    expect(stdout).toContain('refs/merge-requests/1/head')
    expect(stdout).not.toContain('keep-around')
    const work = tempDir()
    shell(work, ['init', '--quiet'])
    expect(await client(work, ['fetch', url, 'refs/merge-requests/1/head'])).toMatchObject({ code: 0 })
  })

  it('caches the capabilities of git while the repository exists', async () => {
    const { engine, operations } = gitEngine()
    const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }], engine)
    const { url } = await serve(repo)
    for (let time = 0; time < 3; time++) {
      const { stdout } = await client(tempDir(), ['-c', 'protocol.version=2', 'ls-remote', url])
      expect(stdout).toContain(ids[0])
    }
    const advertised = operations.filter(({ operation }) => operation.includes('advertise'))
    expect(advertised).toHaveLength(1)
    rmSync(repo.gitDir, { recursive: true })
    expect((await client(tempDir(), ['-c', 'protocol.version=2', 'ls-remote', url])).code).not.toBe(0)
  })

  it('ends git if the client disconnects in the middle', async () => {
    const { engine, operations } = gitEngine()
    const big = Buffer.alloc(12_000_000)
    for (let at = 0; at < big.length; at += 4) big.writeUInt32LE((at * 2654435761) >>> 0, at)
    const { repo } = await scriptedRepo([{ files: { big } }], engine)
    const { url } = await serve(repo)
    const want = `0032want ${shell(repo, ['rev-parse', 'main'])}\n00000009done\n`
    const leaving = new AbortController()
    const response = await fetch(`${url}/git-upload-pack`, {
      method: 'POST',
      body: want,
      signal: leaving.signal,
    })
    const reader = response.body!.getReader()
    await reader.read()
    leaving.abort()
    await expect
      .poll(() => operations.map((operation) => operation.operation))
      .toContain('smart_http.upload_pack')
    expect(operations.find((operation) => operation.operation === 'smart_http.upload_pack')?.code).not.toBe(0)
  })

  it.each([
    'hello',
    '0032want nothing at all\n0000',
    '\0\0\0\0',
    'ffff',
    '0005x0000',
    '00000009done\n'.repeat(3),
  ])('answers the request %j with an answer, not with a failure', async (body) => {
    const { repo } = await history()
    const { url } = await serve(repo)
    const response = await fetch(`${url}/git-upload-pack`, { method: 'POST', body })
    expect([200, 400]).toContain(response.status)
    await response.arrayBuffer()
    const version2 = await fetch(`${url}/git-upload-pack`, {
      method: 'POST',
      body,
      headers: { 'Git-Protocol': 'version=2' },
    })
    expect([200, 400]).toContain(version2.status)
    await version2.arrayBuffer()
  })

  it('ignores an invalid protocol header', async () => {
    const { repo } = await history()
    const { url } = await serve(repo)
    const response = await fetch(`${url}/info/refs?service=git-upload-pack`, {
      headers: { 'Git-Protocol': 'x'.repeat(3000) },
    })
    expect(await response.text()).toMatch(/^001e# service=git-upload-pack\n0000/)
    expect((await fetch(`${url}/info/refs?service=git-evil`)).status).toBe(403)
  })

  it('fails before the answer begins if the repository is missing', async () => {
    const { repo } = await history()
    await removeRepository(repo)
    await expect(advertiseRefs(repo, 'git-upload-pack')).rejects.toMatchObject({
      name: 'GitError',
      isRepositoryMissing: true,
    })
  })

  it('fails before the answer begins if git cannot be started', async () => {
    const engine = createGit({ binary: '/nonexistent/git', home: tempDir() })
    const repo = repoAt(engine, tempDir())
    await expect(advertiseRefs(repo, 'git-upload-pack')).rejects.toMatchObject({ reason: 'spawn' })
  })

  it('serves several clients at once', async () => {
    const { repo, tip } = await history()
    const { url } = await serve(repo)
    const folders = Array.from({ length: 6 }, () => tempDir())
    const results = await Promise.all(folders.map((folder) => client(folder, ['clone', '--quiet', url, '.'])))
    expect(results.map((result) => result.code)).toEqual(folders.map(() => 0))
    expect(folders.map((folder) => shell(folder, ['rev-parse', 'HEAD']))).toEqual(folders.map(() => tip))
  })
})

describe('a compressed body', () => {
  it('that is cut off gets an answer', async () => {
    const { repo, tip } = await history()
    const { url } = await serve(repo)
    const whole = gzipSync(`0032want ${tip}\n00000009done\n`)
    const response = await fetch(`${url}/git-upload-pack`, {
      method: 'POST',
      body: whole.subarray(0, 12),
      headers: { 'Content-Encoding': 'gzip' },
    })
    expect(response.status).toBeLessThan(500)
    await response.arrayBuffer()
  })
})
