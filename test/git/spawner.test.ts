import { Readable } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { git, option, sha, value } from '../../server/git/args.ts'
import { open, run } from '../../server/git/run.ts'
import type { Git, Repo } from '../../server/git/types.ts'
import { isPossible } from '../support/possible.ts'
import { gitEngine, scriptedRepo } from '../support/git.ts'

const isNeeded = isPossible(process.platform === 'linux', 'only Linux starts programs through a helper')

const CONTENT = Buffer.from(Array.from({ length: 3_000_000 }, (_byte, index) => (index * 7) % 251))

async function withHelper(): Promise<{ engine: Git; repo: Repo; head: string }> {
  const { engine } = gitEngine({ spawner: { worthItBytes: 0 } })
  const { repo, ids } = await scriptedRepo([{ files: { 'a.txt': 'one\n', 'large.bin': CONTENT } }], engine)
  await vi.waitUntil(() => engine.spawner.isReady(), { timeout: 10_000, interval: 5 })
  return { engine, repo, head: ids[0]! }
}

let engines: Git[] = []
afterEach(async () => {
  for (const engine of engines) await engine.close()
  engines = []
})

describe.runIf(isNeeded)('the helper that starts programs', () => {
  it('gives output, errors and exit codes as they are', async () => {
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

  it('takes input, whole and as a stream, and does not mind when git reads less', async () => {
    const { engine, repo } = await withHelper()
    engines.push(engine)
    const hash = async (input: Buffer | Readable) =>
      (await run(repo, 'x', git`hash-object --stdin`, { input })).stdout.toString().trim()
    const whole = await hash(CONTENT)
    expect(whole).toMatch(/^[0-9a-f]{40}$/)
    expect(await hash(Readable.from([CONTENT.subarray(0, 9), CONTENT.subarray(9)]))).toBe(whole)
    expect((await run(repo, 'x', git`rev-parse HEAD`, { input: CONTENT })).code).toBe(0)
  })

  it('runs many at once', async () => {
    const { engine, repo } = await withHelper()
    engines.push(engine)
    const formats = Array.from({ length: 60 }, (_one, index) => `%H ${index}`)
    const found = await Promise.all(
      formats.map(async (format) => {
        const { stdout } = await run(repo, 'x', git`log -1 ${option('--format', format)}`)
        return stdout.toString().split(' ')[1]?.trim()
      }),
    )
    expect(found).toEqual(formats.map((_format, index) => String(index)))
  })

  it('ends commands that are left, given up or too slow', async () => {
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

  it('is done without when it dies, and comes back', async () => {
    const { engine, repo, head } = await withHelper()
    engines.push(engine)
    const first = engine.spawner.pid!
    const stream = await open(repo, 'x', git`cat-file --batch`, { input: new Readable({ read() {} }) })
    process.kill(first, 'SIGKILL')
    await expect(stream.done).rejects.toMatchObject({ reason: 'killed' })
    const lines = async () => (await run(repo, 'x', git`rev-parse ${value('HEAD')}`)).stdout.toString()
    expect(await lines()).toBe(`${head}\n`)
    await vi.waitUntil(() => engine.spawner.isReady(), { timeout: 10_000, interval: 5 })
    expect(engine.spawner.pid).not.toBe(first)
    expect(await lines()).toBe(`${head}\n`)
  })

  it('goes when it is not needed, and is not started for a small process', async () => {
    const { engine } = gitEngine({ spawner: { worthItBytes: 0, idleMs: 20 } })
    const { repo } = await scriptedRepo([{ files: { a: '1' } }], engine)
    await vi.waitUntil(() => engine.spawner.isReady(), { timeout: 10_000, interval: 5 })
    const { pid } = engine.spawner
    await run(repo, 'x', git`rev-parse HEAD`)
    await vi.waitUntil(() => engine.spawner.pid === undefined, { timeout: 10_000, interval: 5 })
    const isAlive = () => {
      try {
        return process.kill(pid!, 0)
      } catch {
        return false
      }
    }
    await vi.waitUntil(() => !isAlive(), { timeout: 10_000, interval: 5 })
    const small = gitEngine({ spawner: { worthItBytes: Infinity } }).engine
    expect([small.spawner.isReady(), small.spawner.pid]).toEqual([false, undefined])
  })
})
