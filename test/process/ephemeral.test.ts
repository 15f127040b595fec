import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { cleanEnv, cli } from '../support/server-process.ts'
import { isPossible } from '../support/possible.ts'

// `deskforge serve --ephemeral`, which users start from their own test suites.

const STARTS = process.env['DESKFORGE_TEST_DEEP'] === '1' ? 1000 : 4

let folder: string
let started: ChildProcess[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deskforge-test-'))
  started = []
})
afterEach(async () => {
  for (const item of started.filter((child) => child.exitCode === null && child.signalCode === null)) {
    item.kill('SIGKILL')
    await once(item, 'close')
  }
  rmSync(folder, { recursive: true, force: true })
})

interface Ready {
  readonly url: string
  readonly token: string
  readonly pid: number
}

const env = () => cleanEnv({ DESKFORGE_EPHEMERAL_DIR: folder })

/** Starts a process and resolves with the line that it prints. */
async function start(
  command: readonly string[],
  stdin: 'pipe' | 'ignore' = 'pipe',
): Promise<{ child: ChildProcess; ready: Ready; lines: string[] }> {
  const child = spawn(process.execPath, command, { env: env(), stdio: [stdin, 'pipe', 'pipe'] })
  started.push(child)
  const lines: string[] = []
  const errors: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      lines.push(chunk.toString())
      if (lines.length === 1) resolve(JSON.parse(lines[0]!) as Ready)
    })
    child.once('close', () => reject(new Error(`It ended before it was ready: ${errors.join('')}`)))
  })
  return { child, ready, lines }
}

const serve = [cli, 'serve', '--ephemeral']

/** Stops a process and resolves with its exit code. */
async function end(child: ChildProcess, how: () => void): Promise<number | null> {
  const closed = once(child, 'close') as Promise<[number | null]>
  how()
  return (await closed)[0]
}

describe('an ephemeral instance', () => {
  it('prints one line of JSON, with the token of an administrator', async () => {
    const { child, ready, lines } = await start(serve)
    expect(ready.pid).toBe(child.pid)
    const answer = await fetch(`${ready.url}/api/v4/user`, { headers: { 'private-token': ready.token } })
    expect(await answer.json()).toMatchObject({ username: 'root', is_admin: true })
    const made = await fetch(`${ready.url}/api/v4/projects`, {
      method: 'POST',
      headers: { 'private-token': ready.token, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'one', initialize_with_readme: true }),
    })
    expect(made.status).toBe(201)
    expect(readdirSync(folder)).toHaveLength(1)
    expect(await end(child, () => child.kill('SIGTERM'))).toBe(0)
    expect(lines).toHaveLength(1)
    expect(readdirSync(folder)).toEqual([])
  })

  it('can be saved and restored while it is empty', async () => {
    const { child, ready } = await start(serve)
    const post = (path: string, body = {}) =>
      fetch(`${ready.url}${path}`, {
        method: 'POST',
        headers: { 'private-token': ready.token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await post('/-/workbench/snapshots', { name: 'empty' })).status).toBe(201)
    expect((await post('/api/v4/projects', { name: 'one' })).status).toBe(201)
    expect((await post('/-/workbench/snapshots/empty/restore')).status).toBe(201)
    const answer = await fetch(`${ready.url}/api/v4/projects`, { headers: { 'private-token': ready.token } })
    expect(await answer.json()).toEqual([])
    expect(await end(child, () => child.stdin!.end())).toBe(0)
  })

  it('ends with the standard input that its parent holds', async () => {
    const { child } = await start(serve)
    expect(await end(child, () => child.stdin?.end())).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it('ignores an input that was closed from the start', async () => {
    const { child, ready } = await start(serve, 'ignore')
    expect((await fetch(`${ready.url}/-/health`)).status).toBe(200)
    expect(await end(child, () => child.kill('SIGTERM'))).toBe(0)
  })

  it('ends when its parent is killed, and deletes its folder', async () => {
    if (
      !isPossible(
        process.platform !== 'win32',
        'on Windows a process keeps the number of a parent that is gone',
      )
    )
      return
    // The instance has the same output, so it closes only after both have ended.
    const parent = `require('node:child_process').spawn(process.execPath, ${JSON.stringify(serve)},
      { stdio: ['ignore', 'inherit', 'inherit'] })`
    const { child, ready } = await start(['-e', parent])
    expect(ready.pid).not.toBe(child.pid)
    await end(child, () => child.kill('SIGKILL'))
    await expect(fetch(ready.url)).rejects.toThrow('fetch failed')
    expect(readdirSync(folder)).toEqual([])
  })

  it('deletes the folder of a killed instance, but not that of a running one', async () => {
    const [killed, running] = [await start(serve), await start(serve)]
    await end(killed.child, () => killed.child.kill('SIGKILL'))
    expect(readdirSync(folder)).toHaveLength(2)
    const third = await start(serve)
    expect(readdirSync(folder)).toHaveLength(2)
    expect((await fetch(`${running.ready.url}/-/health`)).status).toBe(200)
    for (const { child } of [running, third]) expect(await end(child, () => child.kill('SIGTERM'))).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it(`leaves no files after ${STARTS} starts and stops`, { timeout: STARTS * 20_000 }, async () => {
    for (let round = 0; round < STARTS; round++) {
      const { child } = await start(serve)
      expect(await end(child, () => (round % 2 === 0 ? child.kill('SIGINT') : child.stdin?.end()))).toBe(0)
    }
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves no files when it is stopped during its start', async () => {
    const begun = once(watch(folder), 'change')
    const child = spawn(process.execPath, serve, { env: env(), stdio: ['pipe', 'ignore', 'ignore'] })
    started.push(child)
    await begun
    expect(await end(child, () => child.kill('SIGTERM'))).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses a data folder in one sentence', async () => {
    const child = spawn(process.execPath, [...serve, '--data-dir', join(folder, 'data')], { env: env() })
    started.push(child)
    const errors: string[] = []
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()))
    expect(await end(child, () => undefined)).toBe(1)
    expect(errors.join('')).toBe('A temporary instance creates its own folder; leave out --data-dir.\n')
    expect(readdirSync(folder)).toEqual([])
  })
})
