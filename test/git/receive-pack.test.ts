import { createHash } from 'node:crypto'
import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAncestor } from '../../server/git/read/graph.ts'
import { largeBlobs, newCommits, newPaths, quarantineSize } from '../../server/git/transport/pushed.ts'
import type { PendingPush, PushUpdate, ReceiveOptions } from '../../server/git/transport/receive-pack.ts'
import { updateRefs } from '../../server/git/write/refs.ts'
import { verifyRepository } from '../../server/git/upkeep/repository.ts'
import type { Repo } from '../../server/git/types.ts'
import { client, gitEngine, scriptedRepo, shell, tempDir } from '../support/git.ts'
import { serve } from './http.ts'

const ZERO = '0'.repeat(40)

async function setup(handlers: Partial<ReceiveOptions> = {}) {
  const { engine, operations } = gitEngine()
  const { repo, ids } = await scriptedRepo([{ files: { a: '1\n' } }], engine)
  const served = await serve(repo, handlers)
  const work = await clone(served.url)
  return { repo, first: ids[0]!, served, work, operations, ...served }
}

async function clone(url: string): Promise<string> {
  const work = tempDir()
  await client(work, ['clone', '--quiet', url, '.'])
  return work
}

function commit(work: string, file: string, content: string | Buffer = 'x\n'): string {
  writeFileSync(path.join(work, file), content)
  shell(work, ['add', '--', file])
  shell(work, ['commit', '--quiet', '-m', `Change ${file}`])
  return shell(work, ['rev-parse', 'HEAD'])
}

/** Bytes that do not compress, the same in every run. */
function noise(size: number): Buffer {
  return createHash('shake256', { outputLength: size }).update('noise').digest()
}

/** Returns the quarantines and temporary files in a repository. A refused push leaves none. */
function leftovers(repo: Repo): string[] {
  const entries = readdirSync(path.join(repo.gitDir, 'objects'), { recursive: true }) as string[]
  return entries.filter((entry) => entry.includes('tmp_') || entry.includes('incoming'))
}

describe('pushing over HTTP', () => {
  it.each(['0', '1', '2'])('updates the ref and calls both callbacks (version %s)', async (version) => {
    const calls: unknown[] = []
    const { repo, first, work, served } = await setup({
      preReceive: async ({ updates, options }) => (calls.push(['pre', updates, options]), { ok: true }),
      postReceive: async ({ updates, options }) => void calls.push(['post', updates, options]),
    })
    const next = commit(work, 'b')
    expect(await client(work, ['-c', `protocol.version=${version}`, 'push', 'origin', 'HEAD'])).toMatchObject(
      { code: 0 },
    )
    expect(shell(repo, ['rev-parse', 'main'])).toBe(next)
    const update = { ref: 'refs/heads/main', old: first, new: next }
    expect(calls).toEqual([
      ['pre', [update], []],
      ['post', [update], []],
    ])
    expect(served.pushes).toEqual([[update]])
    expect(await repo.git.catFiles.info(repo, 'main')).toMatchObject({ oid: next })
    expect(leftovers(repo)).toEqual([])
  })

  it('shows the reason of a refusal in the terminal and keeps nothing', async () => {
    const { repo, first, work, pushes } = await setup({
      preReceive: async () => ({
        ok: false,
        message: 'You may not push here.\nAsk a maintainer: ünï \u001b[31mred',
      }),
    })
    const refused = commit(work, 'b')
    const { code, stderr } = await client(work, ['push', 'origin', 'HEAD'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^remote: You may not push here\.\s*$/m)
    expect(stderr).toMatch(/^remote: Ask a maintainer: ünï {2}\[31mred\s*$/m)
    expect(stderr).toContain('pre-receive hook declined')
    expect(shell(repo, ['rev-parse', 'main'])).toBe(first)
    expect(leftovers(repo)).toEqual([])
    expect(await repo.git.catFiles.info(repo, refused)).toBeNull()
    expect(pushes).toEqual([[]])
  })

  it('refuses if the check itself fails', async () => {
    const { repo, first, work, pushes } = await setup({
      preReceive: () => Promise.reject(new Error('broken')),
    })
    commit(work, 'b')
    const { code, stderr } = await client(work, ['push', 'origin', 'HEAD'])
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error in the server'),
    })
    expect(stderr).not.toContain('broken')
    expect(shell(repo, ['rev-parse', 'main'])).toBe(first)
    expect(pushes).toMatchObject([{ message: 'broken' }])
  })

  it('shows messages of accepted pushes', async () => {
    const { work } = await setup({
      preReceive: async () => ({ ok: true, messages: ['before'] }),
      postReceive: async () => ({ messages: ['To create a merge request, visit:', '  http://x/'] }),
    })
    commit(work, 'b')
    const { code, stderr } = await client(work, ['push', 'origin', 'HEAD'])
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /remote: before[^]*remote: To create a merge request, visit:[^]*remote: {3}http:\/\/x\//,
    )
  })

  it('does not report success before the push is recorded', async () => {
    const recorded = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const { repo, work } = await setup({ postReceive: () => (reached.resolve(), recorded.promise) })
    const next = commit(work, 'b')
    let isOver = false
    const pushing = client(work, ['push', 'origin', 'HEAD']).then((result) => ((isOver = true), result))
    await reached.promise
    expect(shell(repo, ['rev-parse', 'main'])).toBe(next)
    await client(work, ['ls-remote', 'origin'])
    expect(isOver).toBe(false)
    recorded.resolve()
    expect(await pushing).toMatchObject({ code: 0 })
  })

  it('does not report success if it could not be recorded', async () => {
    const { repo, work, pushes } = await setup({ postReceive: () => Promise.reject(new Error('disk full')) })
    const next = commit(work, 'b')
    const { code, stderr } = await client(work, ['push', 'origin', 'HEAD'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('remote: The push was not completed')
    expect(shell(repo, ['rev-parse', 'main'])).toBe(next)
    expect(pushes).toMatchObject([{ message: 'disk full' }])
  })

  it('creates and deletes branches and tags, many at once', async () => {
    const reported: PushUpdate[][] = []
    const { repo, first, work } = await setup({
      postReceive: async ({ updates }) => void reported.push([...updates]),
    })
    shell(work, ['tag', '-a', 'v1', '-m', 'Version 1'])
    shell(work, ['branch', 'ünï/branch'])
    expect(await client(work, ['push', 'origin', 'v1', 'ünï/branch'])).toMatchObject({ code: 0 })
    expect(shell(repo, ['rev-parse', 'v1^{commit}'])).toBe(first)
    expect(reported[0]?.map((update) => [update.ref, update.old]).toSorted()).toEqual([
      ['refs/heads/ünï/branch', ZERO],
      ['refs/tags/v1', ZERO],
    ])
    expect(await client(work, ['push', 'origin', ':v1', ':ünï/branch'])).toMatchObject({ code: 0 })
    expect(reported[1]?.map((update) => update.new)).toEqual([ZERO, ZERO])
    expect(shell(repo, ['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
  })

  it('reports only what really changed', async () => {
    const reported: PushUpdate[][] = []
    const { repo, first, work } = await setup({
      postReceive: async ({ updates }) => void reported.push([...updates]),
    })
    await updateRefs(repo, [{ ref: 'refs/heads/x/y', new: first }])
    const { code, stderr } = await client(work, [
      'push',
      'origin',
      'HEAD:refs/heads/new',
      'HEAD:refs/heads/x',
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('[remote rejected] HEAD -> x')
    expect(reported.map((updates) => updates.map((update) => update.ref))).toEqual([['refs/heads/new']])
  })

  it('changes all or nothing in an atomic push', async () => {
    const reported: unknown[] = []
    const { repo, first, work, pushes } = await setup({
      postReceive: async (push) => void reported.push(push),
    })
    await updateRefs(repo, [{ ref: 'refs/heads/x/y', new: first }])
    expect(
      (await client(work, ['push', '--atomic', 'origin', 'HEAD:refs/heads/new', 'HEAD:refs/heads/x'])).code,
    ).toBe(1)
    expect(shell(repo, ['for-each-ref', '--format=%(refname)', 'refs/heads/new'])).toBe('')
    expect(reported).toEqual([])
    expect(pushes).toEqual([[]])
  })

  it('passes on push options', async () => {
    const seen: string[][] = []
    const { work } = await setup({
      preReceive: async ({ options }) => (seen.push([...options]), { ok: true }),
    })
    commit(work, 'b')
    const options = [
      'ci.skip',
      'merge_request.title=ünï "quoted" $(x) `y` \\n',
      'end',
      'hook post',
      'env A=b',
    ]
    const args = options.flatMap((option) => ['-o', option])
    expect(await client(work, ['push', ...args, 'origin', 'HEAD'])).toMatchObject({ code: 0 })
    expect(seen).toEqual([options])
  })

  it('lets exactly one of two pushes to the same ref win', async () => {
    const { repo, work, url, pushes } = await setup()
    const other = await clone(url)
    commit(work, 'b')
    commit(other, 'c')
    const results = await Promise.all(
      [work, other].map((folder) => client(folder, ['push', 'origin', 'HEAD'])),
    )
    expect(results.map((result) => result.code).toSorted()).toEqual([0, 1])
    expect(
      pushes
        .map((updates) => (updates as PushUpdate[]).length)
        .toSorted()
        .at(-1),
    ).toBe(1)
    expect(await verifyRepository(repo)).toEqual([])
    expect(leftovers(repo)).toEqual([])
  })

  it("refuses to write the server's internal refs", async () => {
    const { repo, first, work } = await setup()
    for (const ref of [
      'refs/keep-around/x',
      'refs/merge-requests/1/head',
      'refs/pipelines/1',
      'refs/internal/x',
    ]) {
      const { code, stderr } = await client(work, ['push', 'origin', `HEAD:${ref}`])
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('hidden ref') })
    }
    await updateRefs(repo, [{ ref: 'refs/merge-requests/1/head', new: first }])
    expect((await client(work, ['push', 'origin', ':refs/merge-requests/1/head'])).code).toBe(1)
    expect(shell(repo, ['rev-parse', 'refs/merge-requests/1/head'])).toBe(first)
  })

  it('refuses to delete the branch of HEAD', async () => {
    const { repo, first, work } = await setup()
    expect((await client(work, ['push', 'origin', ':main'])).stderr).toContain(
      'refusing to delete the current branch',
    )
    expect(shell(repo, ['rev-parse', 'main'])).toBe(first)
  })

  it('refuses objects that attack a checkout', async () => {
    const { repo, first, work } = await setup()
    const blob = shell(work, ['hash-object', '-w', '--stdin'], 'x')
    const tree = shell(
      work,
      ['hash-object', '-w', '--literally', '-t', 'tree', '--stdin'],
      Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]),
    )
    const evil = shell(work, ['commit-tree', '-m', 'x', '-p', first, tree])
    const { code, stderr } = await client(work, ['push', 'origin', `${evil}:refs/heads/evil`])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('hasDotgit') })
    expect(leftovers(repo)).toEqual([])
  })

  it('accepts histories with common old faults', async () => {
    const { work, first } = await setup()
    const tree = shell(work, ['rev-parse', 'HEAD^{tree}'])
    const old = shell(
      work,
      ['hash-object', '-w', '--literally', '-t', 'commit', '--stdin'],
      `tree ${tree}\nparent ${first}\nauthor A <a@b> 1 +051800\ncommitter A <a@b> 1 +0000\n\nx\n`,
    )
    expect(await client(work, ['push', 'origin', `${old}:refs/heads/old`])).toMatchObject({ code: 0 })
  })

  it('refuses a pack over the limit and reports it', async () => {
    const { repo, first, work } = await setup({ maxPackBytes: 20_000 })
    commit(work, 'big', noise(100_000))
    const { code, stderr } = await client(work, ['push', 'origin', 'HEAD'])
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/exceeds maximum allowed size/),
    })
    expect(shell(repo, ['rev-parse', 'main'])).toBe(first)
    expect(leftovers(repo)).toEqual([])
  })

  it('refuses every push if the hooks cannot be run', async () => {
    const { repo, first, work } = await setup()
    commit(work, 'b')
    await client(work, ['push', 'origin', 'HEAD:refs/heads/before'])
    chmodSync(path.join(repo.git.home, 'hooks', 'pre-receive'), 0o644)
    // Root may write any file, but cannot run a file without an execute bit.
    expect((await client(work, ['push', 'origin', 'HEAD'])).code).not.toBe(0)
    await rm(path.join(repo.git.home, 'hooks'), { recursive: true })
    expect((await client(work, ['push', 'origin', 'HEAD'])).code).not.toBe(0)
    expect(shell(repo, ['rev-parse', 'main'])).toBe(first)
  })

  it('works the same over a pipe, as on Windows', async () => {
    const reported: unknown[] = []
    const { repo, work, served } = await setup({
      channel: 'pipe',
      postReceive: async ({ updates, options }) => (
        reported.push([updates.length, options]),
        { messages: ['recorded'] }
      ),
    })
    const next = commit(work, 'b')
    expect(await client(work, ['push', '-o', 'a=b', 'origin', 'HEAD'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('remote: recorded'),
    })
    expect(shell(repo, ['rev-parse', 'main'])).toBe(next)
    expect(reported).toEqual([[1, ['a=b']]])
    served.handlers = { channel: 'pipe', preReceive: async () => ({ ok: false, message: 'No.' }) }
    commit(work, 'c')
    expect(await client(work, ['push', 'origin', 'HEAD'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('remote: No.'),
    })
    await expect.poll(() => readdirSync(repo.git.home)).toEqual(['hooks', 'open-writes'])
  })
})

describe('a client that disconnects', () => {
  it('during the check leaves nothing behind', async () => {
    const reached = Promise.withResolvers<PendingPush>()
    const { repo, first, work, pushes, url } = await setup({
      preReceive: async (push) => {
        reached.resolve(push)
        await new Promise((resolve) => push.signal.addEventListener('abort', resolve))
        return { ok: true }
      },
    })
    commit(work, 'b')
    const leaving = new AbortController()
    const pushing = fetch(`${url}/git-receive-pack`, {
      method: 'POST',
      body: new Uint8Array(pushBody(work, first)),
      signal: leaving.signal,
      headers: {},
    })
      .then((response) => response.arrayBuffer())
      .catch(() => 'left')
    await reached.promise
    leaving.abort()
    expect(await pushing).toBe('left')
    await expect.poll(() => pushes.length).toBe(1)
    expect(pushes[0]).toBeInstanceOf(Error)
    expect(shell(repo, ['rev-parse', 'main'])).toBe(first)
    await expect.poll(() => leftovers(repo)).toEqual([])
  })

  it('while sending leaves nothing behind', async () => {
    const { repo, first, work, pushes, url, operations } = await setup()
    commit(work, 'big', noise(3_000_000))
    const whole = pushBody(work, first)
    const leaving = new AbortController()
    const half = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(new Uint8Array(whole.subarray(0, Math.floor(whole.length / 2)))),
    })
    const init = { method: 'POST', body: half, duplex: 'half', signal: leaving.signal }
    const pushing = fetch(`${url}/git-receive-pack`, init as RequestInit).catch(() => 'left')
    await expect.poll(() => leftovers(repo).length).toBeGreaterThan(0)
    leaving.abort()
    expect(await pushing).toBe('left')
    await expect
      .poll(() => operations.map((operation) => operation.operation))
      .toContain('smart_http.receive_pack')
    await expect.poll(() => leftovers(repo)).toEqual([])
    expect(shell(repo, ['rev-parse', 'main'])).toBe(first)
    expect(pushes.filter((push) => !(push instanceof Error)).flat()).toEqual([])
  })

  it('after its push was accepted does not undo it, and it is recorded', async () => {
    const reported: PushUpdate[] = []
    const leaving = new AbortController()
    const { repo, first, work, url } = await setup({
      postReceive: async ({ updates }) => {
        leaving.abort()
        reported.push(...updates)
      },
    })
    const next = commit(work, 'b')
    const init = { method: 'POST', body: new Uint8Array(pushBody(work, first)), signal: leaving.signal }
    await fetch(`${url}/git-receive-pack`, init)
      .then((response) => response.arrayBuffer())
      .catch(() => 'left')
    await expect.poll(() => reported).toEqual([{ ref: 'refs/heads/main', old: first, new: next }])
    expect(shell(repo, ['rev-parse', 'main'])).toBe(next)
  })

  it.each(['hello', '0000', '', 'ffff'])(
    'or sends the body %j gets an answer, not a failure',
    async (body) => {
      const { url } = await setup()
      const response = await fetch(`${url}/git-receive-pack`, { method: 'POST', body })
      expect([200, 400]).toContain(response.status)
      await response.arrayBuffer()
    },
  )
})

/** The body of a push of HEAD to main, as a client sends it. */
function pushBody(work: string, old: string): Buffer {
  const command = `${old} ${shell(work, ['rev-parse', 'HEAD'])} refs/heads/main\0report-status side-band-64k`
  const line = Buffer.from((command.length + 4).toString(16).padStart(4, '0') + command)
  const file = path.join(tempDir(), 'pack')
  shell(work, ['-c', 'core.compression=0', 'pack-objects', '--revs', '--quiet', file], `HEAD\n^${old}\n`)
  const name = readdirSync(path.dirname(file)).find((entry) => entry.endsWith('.pack'))!
  return Buffer.concat([line, Buffer.from('0000'), readFileSync(path.join(path.dirname(file), name))])
}

describe('reading a push before it is accepted', () => {
  it('returns its commits, paths, large files and size', async () => {
    const seen: Record<string, unknown> = {}
    const { repo, first, work } = await setup({
      preReceive: async ({ updates, quarantineEnv: env }) => {
        const tips = updates.map((update) => update.new).filter((id) => id !== ZERO)
        const from = { tips, env }
        seen['commits'] = (await newCommits(repo, from, 10)).map((item) => item.title)
        seen['one'] = (await newCommits(repo, from, 1)).length
        seen['paths'] = [...(await newPaths(repo, from))].toSorted()
        seen['large'] = (await largeBlobs(repo, from, 1000)).map((blob) => blob.path)
        seen['size'] = await quarantineSize(env)
        seen['forward'] = await isAncestor(repo, updates[0]!.old, updates[0]!.new, { env })
        seen['outside'] = await repo.git.catFiles.info(repo, tips[0]!)
        return { ok: false, message: 'Only looking.' }
      },
    })
    commit(work, 'small')
    commit(work, 'line\nbreak ünï')
    commit(work, 'large', 'y'.repeat(1000))
    shell(work, ['rm', '--quiet', 'a'])
    shell(work, ['commit', '--quiet', '-m', 'Remove a'])
    expect((await client(work, ['push', 'origin', 'HEAD'])).stderr).toContain('Only looking.')
    expect(seen).toMatchObject({
      commits: ['Remove a', 'Change large', 'Change line break ünï', 'Change small'],
      one: 1,
      paths: ['large', 'line\nbreak ünï', 'small'],
      large: ['large'],
      forward: true,
      outside: null,
    })
    expect(seen['size']).toBeGreaterThan(100)
    expect(await newCommits(repo, { tips: [first] }, 10)).toEqual([])
    expect(await newCommits(repo, { tips: [] }, 10)).toEqual([])
  })

  it("returns only a merge's own changes, and accepts tags of any object", async () => {
    const seen: unknown[] = []
    const { repo, first, work } = await setup({
      preReceive: async ({ updates, quarantineEnv: env }) => {
        const from = { tips: updates.map((update) => update.new), env }
        seen.push(
          [...(await newPaths(repo, from))],
          (await newCommits(repo, from, 10)).length,
          await largeBlobs(repo, from, 1),
        )
        return { ok: true }
      },
    })
    commit(work, 'b')
    await client(work, ['push', 'origin', 'HEAD:refs/heads/side'])
    shell(work, ['reset', '--quiet', '--hard', first])
    commit(work, 'c')
    shell(work, ['merge', '--quiet', '-m', 'Merge', 'origin/side'])
    await client(work, ['push', 'origin', 'HEAD'])
    expect(seen.slice(3, 5)).toEqual([['c'], 2])
    const blob = shell(work, ['hash-object', '-w', '--stdin'], 'tagged')
    shell(work, ['tag', 'blob', blob])
    expect(await client(work, ['push', 'origin', 'blob'])).toMatchObject({ code: 0 })
    expect(seen.slice(6)).toEqual([[], 0, [{ id: blob, path: null }]])
  })
})
