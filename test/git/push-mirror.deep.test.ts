import { createServer, type RequestListener } from 'node:http'
import { createServer as createPlain, type AddressInfo } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { GitError } from '../../server/git/errors.ts'
import { fetchUpstream } from '../../server/git/transport/fetch-upstream.ts'
import { pushMirror, PushRejected, type MirrorRules } from '../../server/git/transport/push-mirror.ts'
import type { Remote } from '../../server/git/transport/remote.ts'
import type { Repo } from '../../server/git/types.ts'
import { addCommits, emptyRepo, gitEngine, shell } from '../support/git.ts'
import { serve, type Served } from './http.ts'

const { engine, operations } = gitEngine()
const everything: MirrorRules & { timeoutMs: number } = {
  isFollowed: () => true,
  keepDivergent: false,
  timeoutMs: 20_000,
}
const refsOf = (repo: Repo) =>
  Object.fromEntries(
    shell(repo, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/tags'])
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ') as [string, string]),
  )
const at = (url: string, more: Partial<Remote> = {}): Remote => ({ url, address: '127.0.0.1', ...more })

describe('pushMirror', () => {
  let ours: Repo
  let theirs: Repo
  let served: Served
  let base: string
  const mirror = (rules: Partial<typeof everything> = {}) =>
    pushMirror(ours, at(served.url), { ...everything, ...rules })
  beforeAll(async () => {
    ours = await emptyRepo(engine)
    theirs = await emptyRepo(engine)
    served = await serve(theirs)
    base = addCommits(ours, [{ files: { a: '1' } }, { files: { a: '2' } }]).at(-1)!
    shell(ours, ['branch', 'topic', base])
    shell(ours, ['tag', '-a', '-m', 'one', 'v1', base])
    shell(ours, ['update-ref', `refs/keep-around/${base}`, base])
    shell(ours, ['update-ref', 'refs/merge-requests/1/head', base])
  })

  it('pushes branches and tags, no hidden refs, and nothing if both are equal', async () => {
    const { changed, diverged } = await mirror()
    expect([changed, diverged]).toEqual([['refs/heads/main', 'refs/heads/topic', 'refs/tags/v1'], []])
    expect(refsOf(theirs)).toEqual(refsOf(ours))
    expect(
      shell(theirs, ['for-each-ref', '--format=%(refname)', 'refs/keep-around', 'refs/merge-requests']),
    ).toBe('')
    const before = served.pushes.length
    expect((await mirror()).changed).toEqual([])
    expect(served.pushes.length).toBe(before)
  })

  it('pushes the selected branches, and all tags', async () => {
    shell(ours, ['branch', 'release/1', base])
    shell(ours, ['branch', 'private', base])
    shell(ours, ['tag', 'v2', base])
    const { changed } = await mirror({ isFollowed: (branch) => branch.startsWith('release/') })
    expect(changed).toEqual(['refs/heads/release/1', 'refs/tags/v2'])
    expect(refsOf(theirs)).not.toHaveProperty('refs/heads/private')
    shell(ours, ['branch', '-D', 'private'])
  })

  it('deletes refs that it pushed earlier, and keeps refs that only the remote had', async () => {
    addCommits(theirs, [{ branch: 'theirs', files: { b: 'b' } }])
    shell(ours, ['branch', '-D', 'topic'])
    shell(ours, ['tag', '-d', 'v2'])
    expect((await mirror({ keepDivergent: true })).changed).toEqual([])
    expect((await mirror()).changed).toEqual(['refs/heads/topic', 'refs/tags/v2'])
    expect(Object.keys(refsOf(theirs))).toEqual([
      'refs/heads/main',
      'refs/heads/release/1',
      'refs/heads/theirs',
      'refs/tags/v1',
    ])
    const nothing = await emptyRepo(engine)
    await pushMirror(nothing, at(served.url), everything)
    expect(Object.keys(refsOf(theirs))).toHaveLength(4)
  })

  it('keeps diverged refs on request, and overwrites them otherwise', async () => {
    addCommits(theirs, [{ files: { c: 'c' }, message: 'Only there' }])
    addCommits(ours, [{ files: { d: 'd' }, message: 'Only here' }])
    shell(ours, ['branch', 'also', base])
    const there = refsOf(theirs)['refs/heads/main']
    const result = await mirror({ keepDivergent: true })
    expect(result).toEqual({ changed: ['refs/heads/also'], diverged: ['refs/heads/main'] })
    expect(refsOf(theirs)['refs/heads/main']).toBe(there)
    expect((await mirror()).changed).toEqual(['refs/heads/main'])
    expect(refsOf(theirs)['refs/heads/main']).toBe(refsOf(ours)['refs/heads/main'])
  })

  it('replaces a branch by a folder of branches', async () => {
    shell(ours, ['branch', '-D', 'also'])
    shell(ours, ['branch', 'also/this', base])
    await mirror()
    expect(refsOf(theirs)).toHaveProperty('refs/heads/also/this')
    expect(refsOf(theirs)).not.toHaveProperty('refs/heads/also')
  })

  it('pushes more refs than fit into one command line', async () => {
    const many = Array.from(
      { length: 200 },
      (_, n) => `create refs/heads/${'long-name-'.repeat(8)}${n} ${base}\n`,
    )
    shell(ours, ['update-ref', '--stdin'], many.join(''))
    operations.length = 0
    expect((await mirror()).changed).toHaveLength(200)
    expect(operations.filter((operation) => operation.operation === 'mirror.push').length).toBeGreaterThan(1)
  })

  it('reports refused refs, and pushes the others', async () => {
    served.handlers = { preReceive: async () => ({ ok: false, message: 'Not here.' }) } as Served['handlers']
    addCommits(ours, [{ files: { e: 'e' } }])
    const error: PushRejected = await mirror().then(
      () => expect.unreachable(),
      (reason) => reason,
    )
    expect(error).toBeInstanceOf(PushRejected)
    expect(error.problems).toEqual([expect.stringMatching(/^refs\/heads\/main \[remote rejected\]/)])
    expect(error.output.join(' ')).toMatch(/Not here/)
    served.handlers = {}
  })

  it('ends at the time limit and when aborted', async () => {
    const silent = createPlain()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const remote = at(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/x.git`)
    await expect(pushMirror(ours, remote, { ...everything, timeoutMs: 150 })).rejects.toMatchObject({
      reason: 'timeout',
    })
    const controller = new AbortController()
    const running = pushMirror(ours, remote, { ...everything, signal: controller.signal })
    silent.once('connection', () => controller.abort(new Error('Called off.')))
    await expect(running).rejects.toThrow('Called off.')
    silent.close()
  })
})

describe('what a remote may not do', async () => {
  const repo = await emptyRepo(engine)
  addCommits(repo, [{ files: { a: 'a' } }])
  const requests: string[] = []
  let answer: RequestListener = (_, response) => void response.end('hello')
  const server = createServer((request, response) => {
    requests.push(`${request.headers.authorization ?? ''} ${request.url}`)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = (server.address() as AddressInfo).port
  const url = `http://127.0.0.1:${port}/x.git`
  afterAll(() => void server.close())
  const failure = (remote: Remote): Promise<GitError> =>
    pushMirror(repo, remote, everything).then(
      () => expect.unreachable(),
      (reason) => reason,
    )

  it('redirect elsewhere', async () => {
    const other = await serve(await emptyRepo(engine))
    answer = (request, response) =>
      void response.writeHead(302, { location: other.url + request.url!.slice('/x.git'.length) }).end()
    expect((await failure(at(url))).stderr).toMatch(/unable to (access|update)/)
    expect(other.requests).toEqual([])
  })

  it('answer with garbage', async () => {
    answer = (_, response) => void response.end('<html>no repository</html>'.repeat(100))
    expect(await failure(at(url))).toBeInstanceOf(GitError)
    answer = (_, response) => {
      response.setHeader('content-type', 'application/x-git-receive-pack-advertisement')
      response.end('zzzz garbage')
    }
    expect(await failure(at(url))).toBeInstanceOf(GitError)
  })

  it('ask for credentials: it receives only the header', async () => {
    answer = (_, response) => void response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
    requests.length = 0
    const error = await failure(at(url, { authorization: 'Basic bWU6c2VjcmV0' }))
    expect(requests[0]).toMatch(/^Basic bWU6c2VjcmV0 \/x\.git\/info\/refs/)
    expect(error.stderr).not.toMatch(/secret|bWU6/)
    expect(JSON.stringify(error.args)).not.toMatch(/bWU6/)
  })

  it('be contacted at another address than the checked one', async () => {
    answer = (_, response) => void response.writeHead(404).end()
    requests.length = 0
    await failure(at(`http://somewhere.invalid:${port}/x.git`))
    expect(requests).toHaveLength(1)
  })

  it.each(['file:///tmp/x.git', 'ext::sh -c true', 'ftp://127.0.0.1/x.git'])(
    'be reached by another protocol than those of git hosts: %s',
    async (address) => {
      const error = await failure({ url: address, address: '127.0.0.1' })
      expect(error.stderr).toMatch(/transport '\w+' not allowed/)
    },
  )
})

describe('fetchUpstream', () => {
  it('returns the refs of upstream, and drops deleted ones', async () => {
    const theirs = await emptyRepo(engine)
    const [first, second] = addCommits(theirs, [{ files: { a: '1' } }, { files: { a: '2' } }])
    shell(theirs, ['branch', 'topic', first!])
    shell(theirs, ['tag', 'v1', first!])
    const { url } = await serve(theirs)
    const ours = await emptyRepo(engine)
    const fetch = () => fetchUpstream(ours, at(url), { timeoutMs: 20_000 })
    const seen = await fetch()
    expect([...seen.branches]).toEqual([
      ['main', second],
      ['topic', first],
    ])
    expect([...seen.tags]).toEqual([['v1', first]])
    expect(refsOf(ours)).toEqual({})
    shell(theirs, ['branch', '-D', 'topic'])
    shell(theirs, ['branch', 'topic/one', first!])
    expect([...(await fetch()).branches.keys()]).toEqual(['main', 'topic/one'])
    const some = () =>
      fetchUpstream(ours, at(url), { timeoutMs: 20_000, isFollowed: (branch) => branch === 'main' })
    addCommits(theirs, [{ branch: 'secret', files: { s: 's' } }])
    expect([...(await some()).branches.keys()]).toEqual(['main'])
    const secret = refsOf(theirs)['refs/heads/secret']!
    expect(await engine.catFiles.info(ours, secret)).toBeNull()
    const nothing = await serve(await emptyRepo(engine))
    const none = { timeoutMs: 20_000, isWanted: () => false }
    expect((await fetchUpstream(ours, at(nothing.url), none)).branches.size).toBe(0)
    expect((await fetchUpstream(ours, at(nothing.url), { timeoutMs: 20_000 })).branches.size).toBe(0)
  })
})
