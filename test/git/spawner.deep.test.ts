import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { git, option, sha, value } from '../../server/git/args.ts'
import { ZERO_ID } from '../../server/git/names.ts'
import { receivePack } from '../../server/git/transport/receive-pack.ts'
import { open, run, spawnGit } from '../../server/git/process/run.ts'
import { packet } from '../../server/git/transport/packets.ts'
import type { Git, Repo } from '../../server/git/types.ts'
import { isPossible } from '../support/possible.ts'
import { gitEngine, scriptedRepo } from '../support/git.ts'

const isNeeded = isPossible(process.platform === 'linux', 'only Linux starts programs through a helper')

const CONTENT = Buffer.from(Array.from({ length: 3_000_000 }, (_byte, index) => (index * 7) % 251))

async function withHelper(): Promise<{ engine: Git; repo: Repo; head: string }> {
  const { engine } = gitEngine({ spawner: { minMemoryBytes: 0 } })
  const { repo, ids } = await scriptedRepo([{ files: { 'a.txt': 'one\n', 'large.bin': CONTENT } }], engine)
  await vi.waitUntil(() => engine.spawner.isReady(), { timeout: 60_000, interval: 5 })
  return { engine, repo, head: ids[0]! }
}

let engines: Git[] = []
afterEach(async () => {
  for (const engine of engines) await engine.close()
  engines = []
})

describe.runIf(isNeeded)('the helper that starts programs', () => {
  it('returns output, errors and exit codes unchanged', async () => {
    const { engine, repo, head } = await withHelper()
    engines.push(engine)
    expect((await run(repo, 'x', git`rev-parse HEAD`)).stdout.toString()).toBe(`${head}\n`)
    const large = await run(repo, 'x', git`cat-file blob ${sha(head)}:large.bin`)
    expect(large.stdout.equals(CONTENT)).toBe(true)
    await expect(run(repo, 'x', git`cat-file blob nope`)).rejects.toMatchObject({
      code: 128,
      stderr: expect.stringContaining('Not a valid object name'),
    })
    expect((await run(repo, 'x', git`merge-base --is-ancestor HEAD HEAD`, { ok: [0, 1] })).code).toBe(0)
    const broken: Repo = { ...repo, git: { ...engine, binary: '/nonexistent/git' } }
    await expect(run(broken, 'x', git`version`)).rejects.toMatchObject({ reason: 'spawn' })
    expect(engine.spawner.pid).toBeGreaterThan(0)
  })

  it('sends input, whole and as a stream, and accepts that git reads less', async () => {
    const { engine, repo } = await withHelper()
    engines.push(engine)
    const hash = async (input: Buffer | Readable) =>
      (await run(repo, 'x', git`hash-object --stdin`, { input })).stdout.toString().trim()
    const whole = await hash(CONTENT)
    expect(whole).toMatch(/^[0-9a-f]{40}$/)
    expect(await hash(Readable.from([CONTENT.subarray(0, 9), CONTENT.subarray(9)]))).toBe(whole)
    expect((await run(repo, 'x', git`rev-parse HEAD`, { input: CONTENT })).code).toBe(0)
  })

  it('buffers no more than its reader takes', async () => {
    const { engine, repo, head } = await withHelper()
    engines.push(engine)
    const stream = await open(repo, 'x', git`cat-file blob ${sha(head)}:large.bin`)
    // Other commands get their output while one is not read.
    expect((await run(repo, 'x', git`rev-parse HEAD`)).stdout.toString()).toBe(`${head}\n`)
    expect(stream.stdout.readableLength).toBeLessThan(1_000_000)
    const chunks: Buffer[] = []
    for await (const chunk of stream.stdout as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      await setImmediate()
    }
    expect((await stream.done).code).toBe(0)
    expect(Buffer.concat(chunks).equals(CONTENT)).toBe(true)
  })

  it('keeps long-lived processes for reading objects, too', async () => {
    const { engine, repo, head } = await withHelper()
    engines.push(engine)
    const { stdout } = await run(repo, 'x', git`rev-parse ${sha(head)}:large.bin`)
    const object = await engine.catFiles.contents(repo, stdout.toString().trim())
    expect(object?.content.equals(CONTENT)).toBe(true)
    const [pid] = engine.catFiles.processIds(repo)
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1]).toBe(
      String(engine.spawner.pid),
    )
  })

  it('does not delay the answers of long-lived processes', async () => {
    const { engine, repo, head } = await withHelper()
    engines.push(engine)
    const { stdout } = await run(repo, 'x', git`rev-parse ${sha(head)}:large.bin`)
    const large = stdout.toString().trim()
    await engine.catFiles.info(repo, head)
    process.kill(engine.spawner.pid!, 'SIGSTOP')
    try {
      expect(await engine.catFiles.info(repo, large)).toMatchObject({ size: CONTENT.length })
      const object = await engine.catFiles.contents(repo, large)
      expect(object?.content.equals(CONTENT)).toBe(true)
    } finally {
      process.kill(engine.spawner.pid!, 'SIGCONT')
    }
  })

  it('notices the end of long-lived processes that end at once', async () => {
    const { engine, repo } = await withHelper()
    engines.push(engine)
    const missing: Repo = { ...repo, gitDir: `${repo.gitDir}-missing`, key: 'missing' }
    const children = Array.from({ length: 40 }, () =>
      spawnGit(missing, git`cat-file --batch`, { direct: true }),
    )
    const codes = await Promise.all(
      children.map(async (child) => {
        child.stdout?.resume()
        child.stderr?.resume()
        await once(child, 'close')
        return child.exitCode
      }),
    )
    expect(new Set(codes)).toEqual(new Set([128]))
  })

  it('leaves no long-lived process behind when it dies', async () => {
    const { engine, repo, head } = await withHelper()
    engines.push(engine)
    await engine.catFiles.info(repo, head)
    const [pid] = engine.catFiles.processIds(repo)
    process.kill(engine.spawner.pid!, 'SIGKILL')
    const status = () => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]![0]
      } catch {
        return 'gone'
      }
    }
    await vi.waitUntil(() => ['Z', 'gone'].includes(status()!), { timeout: 60_000, interval: 5 })
    expect(await engine.catFiles.info(repo, head)).toMatchObject({ type: 'commit' })
  })

  it('starts pushes with the extra descriptors of their hooks', async () => {
    const { engine, repo, head } = await withHelper()
    engines.push(engine)
    const command = `${ZERO_ID} ${head} refs/heads/made\0report-status\n`
    const calls: string[] = []
    const pack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex')
    const { stream, done } = await receivePack(repo, {
      body: Readable.from([Buffer.from(`${packet(command)}0000`), pack]),
      preReceive: async ({ updates }) => {
        calls.push(`pre ${updates[0]!.ref}`)
        return { ok: true }
      },
      postReceive: async ({ updates }) => void calls.push(`post ${updates[0]!.ref}`),
    })
    expect(await text(stream)).toContain('ok refs/heads/made')
    expect((await done).map(({ ref }) => ref)).toEqual(['refs/heads/made'])
    expect(calls).toEqual(['pre refs/heads/made', 'post refs/heads/made'])
  })

  it('runs many programs at once', async () => {
    const { engine, repo } = await withHelper()
    engines.push(engine)
    const formats = Array.from({ length: 60 }, (_, index) => `%H ${index}`)
    const found = await Promise.all(
      formats.map(async (format) => {
        const { stdout } = await run(repo, 'x', git`log -1 ${option('--format', format)}`)
        return stdout.toString().split(' ')[1]?.trim()
      }),
    )
    expect(found).toEqual(formats.map((_format, index) => String(index)))
  })

  it('ends commands that are abandoned, aborted or too slow', async () => {
    const { engine, repo } = await withHelper()
    engines.push(engine)
    const stream = await open(repo, 'x', git`cat-file --batch`)
    stream.stdout.destroy()
    await stream.done
    const abort = new AbortController()
    const waiting = open(repo, 'x', git`cat-file --batch`, {
      input: new Readable({ read() {} }),
      signal: abort.signal,
    })
    const { done } = await waiting
    abort.abort(new Error('Enough.'))
    await expect(done).rejects.toThrow('Enough.')
    await expect(
      run(repo, 'x', git`cat-file --batch`, { input: new Readable({ read() {} }), timeoutMs: 50 }),
    ).rejects.toMatchObject({ reason: 'timeout' })
  })

  it('is replaced after it dies', async () => {
    const { engine, repo, head } = await withHelper()
    engines.push(engine)
    const first = engine.spawner.pid!
    const stream = await open(repo, 'x', git`cat-file --batch`, { input: new Readable({ read() {} }) })
    process.kill(first, 'SIGKILL')
    await expect(stream.done).rejects.toMatchObject({ reason: 'killed' })
    const lines = async () => (await run(repo, 'x', git`rev-parse ${value('HEAD')}`)).stdout.toString()
    expect(await lines()).toBe(`${head}\n`)
    await vi.waitUntil(() => engine.spawner.isReady(), { timeout: 60_000, interval: 5 })
    expect(engine.spawner.pid).not.toBe(first)
    expect(await lines()).toBe(`${head}\n`)
  })

  it('ends if it is unused, and is not started for a small process', async () => {
    const { engine } = gitEngine({ spawner: { minMemoryBytes: 0, idleMs: 20 } })
    const { repo } = await scriptedRepo([{ files: { a: '1' } }], engine)
    await vi.waitUntil(() => engine.spawner.isReady(), { timeout: 60_000, interval: 5 })
    const { pid } = engine.spawner
    await run(repo, 'x', git`rev-parse HEAD`)
    await vi.waitUntil(() => engine.spawner.pid === undefined, { timeout: 60_000, interval: 5 })
    const isAlive = () => {
      try {
        return process.kill(pid!, 0)
      } catch {
        return false
      }
    }
    await vi.waitUntil(() => !isAlive(), { timeout: 60_000, interval: 5 })
    const small = gitEngine({ spawner: { minMemoryBytes: Infinity } }).engine
    expect([small.spawner.isReady(), small.spawner.pid]).toEqual([false, undefined])
  })
})
