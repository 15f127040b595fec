import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { git, option, value } from '../../server/git/args.ts'
import { createGit } from '../../server/git/process/engine.ts'
import { GitError } from '../../server/git/errors.ts'
import { Limiter } from '../../server/lib/limiter.ts'
import { open, run } from '../../server/git/process/run.ts'
import { emptyRepo, gitEngine, scriptedRepo, shell, tempDir } from '../support/git.ts'

// Waits for the end of its input, which never comes.
const WAITING = git`hash-object --stdin`
const endless = () => new Readable({ read() {} })

describe('run', () => {
  it('returns output and code, and reports the operation by its name', async () => {
    const { engine, operations } = gitEngine()
    const repo = await emptyRepo(engine)
    const { code, stdout } = await run(repo, 'blobs.hash', git`hash-object --stdin`, { input: 'hello\n' })
    expect(code).toBe(0)
    expect(stdout.toString()).toBe('ce013625030ba8dba906f756967f9e9ca394464a\n')
    expect(operations.at(-1)).toMatchObject({
      operation: 'blobs.hash',
      repository: repo.key,
      code: 0,
      slow: false,
    })
  })

  it('reports slow commands', async () => {
    const { engine, operations } = gitEngine({ slowMs: 0 })
    await run(engine, 'version', git`version`)
    expect(operations.at(-1)?.slow).toBe(true)
  })

  it('throws the code, the arguments and the error output', async () => {
    const repo = await emptyRepo()
    const error = await run(repo, 'blobs.read', git`cat-file -p ${value('nothing')}`).catch(
      (caught: unknown) => caught,
    )
    expect(error).toBeInstanceOf(GitError)
    expect(error).toMatchObject({
      operation: 'blobs.read',
      reason: 'exit',
      code: 128,
      args: ['cat-file', '-p', 'nothing'],
    })
    expect((error as GitError).stderr).toContain('Not a valid object name')
  })

  it('accepts the exit codes in `ok`', async () => {
    const repo = await emptyRepo()
    const result = await run(repo, 'head', git`rev-parse --verify --quiet HEAD`, { ok: [0, 1] })
    expect(result.code).toBe(1)
  })

  it('reports a missing repository', async () => {
    const { engine } = gitEngine()
    const error = await run(
      { git: engine, gitDir: '/nonexistent/x.git', key: 'x' },
      'refs',
      git`for-each-ref`,
    ).catch((caught: unknown) => caught)
    expect((error as GitError).isRepositoryMissing).toBe(true)
  })

  it('stops at the output limit', async () => {
    const { repo } = await scriptedRepo([{ files: { big: 'x'.repeat(1_000_000) } }])
    await expect(run(repo, 'blob', git`cat-file blob main:big`, { maxBytes: 1000 })).rejects.toMatchObject({
      reason: 'output_limit',
    })
  })

  it('stops at the time limit', async () => {
    const repo = await emptyRepo()
    await expect(run(repo, 'hash', WAITING, { input: endless(), timeoutMs: 50 })).rejects.toMatchObject({
      reason: 'timeout',
    })
  })

  it('stops when aborted, with the reason of the signal', async () => {
    const repo = await emptyRepo()
    const abort = new AbortController()
    const running = run(repo, 'hash', WAITING, { input: endless(), signal: abort.signal })
    abort.abort(new Error('The client left.'))
    await expect(running).rejects.toThrow('The client left.')
  })

  it('fails clearly if git cannot be started', async () => {
    const engine = createGit({ binary: '/nonexistent/git', home: tempDir() })
    await expect(run(engine, 'version', git`version`)).rejects.toMatchObject({
      name: 'GitError',
      reason: 'spawn',
    })
  })

  it('ignores the configuration, hooks and replacements of the user and the repository', async () => {
    const { repo, ids } = await scriptedRepo([{ files: { a: '1' } }, { files: { a: '2' } }])
    shell(repo, ['replace', ids[1]!, ids[0]!])
    const { stdout } = await run(repo, 'tree', git`rev-parse main^{tree}`)
    expect(stdout.toString().trim()).toBe(shell(repo, ['--no-replace-objects', 'rev-parse', 'main^{tree}']))
    const config = await run(repo, 'config', git`config --show-scope --list`)
    expect(config.stdout.toString()).not.toMatch(/^(?:system|global)/m)
    expect(config.stdout.toString()).toContain('command\tcore.hookspath=/dev/null')
  })

  it('limits the number of concurrent commands', async () => {
    const { engine, operations } = gitEngine({ maxCommands: 1 })
    const repo = await emptyRepo(engine)
    const first = await open(repo, 'first', WAITING, { input: endless() })
    const second = run(repo, 'second', git`version`)
    first.stop()
    await first.done
    await second
    expect(operations.slice(-2).map((operation) => operation.operation)).toEqual(['first', 'second'])
    expect(operations.at(-1)!.queued_ms).toBeGreaterThan(0)
  })

  it('ends the command if its output is left early, without a failure', async () => {
    const { repo } = await scriptedRepo([{ files: { big: 'x'.repeat(5_000_000) } }])
    const stream = await open(repo, 'blob', git`cat-file blob main:big`)
    for await (const chunk of stream.stdout) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    await expect(stream.done).resolves.toHaveProperty('code')
  })

  it('treats paths literally', async () => {
    const { repo } = await scriptedRepo([{ files: { 'a*': '1', ab: '2' } }])
    const { stdout } = await run(repo, 'tree', git`ls-tree --name-only main -- ${[]} a*`)
    expect(stdout.toString()).toBe('a*\n')
    expect(option('--x').text).toBe('--x')
  })
})

describe('the limiter', () => {
  it('serves waiting holders in order, and drops aborted ones', async () => {
    const limiter = new Limiter(1)
    const release = await limiter.acquire()
    const abort = new AbortController()
    const order: string[] = []
    const aborted = limiter.acquire(abort.signal).catch(() => order.push('gone'))
    const first = limiter.acquire().then((free) => (order.push('first'), free()))
    const second = limiter.acquire().then((free) => (order.push('second'), free()))
    abort.abort()
    await aborted
    release()
    release()
    await Promise.all([first, second])
    expect(order).toEqual(['gone', 'first', 'second'])
    await expect(limiter.acquire(abort.signal)).rejects.toThrow('aborted')
  })
})
