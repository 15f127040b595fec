import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isPossible } from '../support/possible.ts'

import { expectOneSentence, onAnyPort } from '../support/starts.ts'
import { scratch, type Scratch } from '../support/server-process.ts'

let here: Scratch
beforeEach(() => {
  here = scratch()
})
afterEach(() => here.clear())

/** The hash of every file in a data folder, except for the compile cache and the empty lock file. */
function contents(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const cache = join(folder, 'cache')
  const files = entries
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.startsWith(cache) && entry.name !== 'instance.lock',
    )
    .map((entry) => join(entry.parentPath, entry.name))
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
  return Object.fromEntries(files.sort().map((file) => [file, hash(file)]))
}

async function occupyPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, free: () => server.close() }
}

describe('a headless instance', () => {
  it('prints exactly one ready line, and answers at that address', async () => {
    const instance = here.start({ args: onAnyPort(here.path('data')) })
    const url = await instance.url
    for (const path of ['/-/health', '/-/liveness', '/-/readiness']) {
      expect((await fetch(url + path)).status, path).toBe(200)
    }
    const version = await fetch(`${url}/api/v4/version`)
    expect(version.status).toBe(401)
    expect(instance.output.stdout).toBe(`Deskforge is ready at ${url}\n`)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })

  it('serves the window at the same address', async () => {
    const url = await here.start({ dataDir: here.path('data') }).url
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
    const script = /<script[^>]+src="([^"]+)"/.exec(await page.text())?.[1]
    const asset = await fetch(new URL(script ?? '/missing', url))
    expect(asset.headers.get('content-type')).toContain('javascript')
  })

  it('takes data directory, port and host from the environment', async () => {
    const { port, free } = await occupyPort()
    free()
    const env = {
      DESKFORGE_DATA_DIR: here.path('by-env'),
      DESKFORGE_PORT: String(port),
      DESKFORGE_HOST: '127.0.0.1',
    }
    expect(await here.start({ env }).url).toBe(`http://127.0.0.1:${port}`)
    expect(existsSync(here.path('by-env'))).toBe(true)
  })

  it('prefers an argument to the environment', async () => {
    const env = { DESKFORGE_DATA_DIR: here.path('by-env'), DESKFORGE_PORT: '1' }
    await here.start({ env, dataDir: here.path('by-argument') }).url
    expect(existsSync(here.path('by-argument'))).toBe(true)
    expect(existsSync(here.path('by-env'))).toBe(false)
  })

  it('creates root with the token from the environment', async () => {
    const env = {
      DESKFORGE_ROOT_PASSWORD: 'correct horse battery',
      DESKFORGE_ROOT_TOKEN: 'token-for-the-start-test',
    }
    const url = await here.start({ env, dataDir: here.path('data') }).url
    const user = await fetch(`${url}/api/v4/user`, { headers: { 'private-token': env.DESKFORGE_ROOT_TOKEN } })
    expect(user.status).toBe(200)
    expect(await user.json()).toMatchObject({ username: 'root', is_admin: true })
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with code 0 within five seconds of a %s', async (signal) => {
    const instance = here.start({ dataDir: here.path('data') })
    const url = await instance.url
    // An open stream must not delay the end.
    const stream = await fetch(`${url}/-/events`)
    const ended = await instance.stop(signal)
    await stream.body?.cancel().catch(() => undefined)
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(ended.after).toBeLessThan(5000)
  })

  it('starts again on the data of a killed instance', async () => {
    const first = here.start({ dataDir: here.path('data') })
    await first.url
    await first.stop('SIGKILL')
    const url = await here.start({ dataDir: here.path('data') }).url
    expect((await fetch(`${url}/-/readiness`)).status).toBe(200)
  })
})

describe('compiled code', () => {
  /** Starts and ends an instance; resolves with the stored code, and with what changes when it is stored again. */
  async function startOnce() {
    const instance = here.start({ dataDir: here.path('data'), env: { NODE_COMPILE_CACHE: undefined } })
    const { status } = await fetch(`${await instance.url}/-/readiness`)
    const { code } = await instance.stop()
    expect([status, code]).toEqual([200, 0])
    const files = readdirSync(here.path('data/cache/code'), { recursive: true, withFileTypes: true })
    const stored = files.filter(({ name }) => /^start-.*\.bin/.test(name))
    const [file = ''] = stored.map(({ parentPath, name }) => join(parentPath, name))
    expect(stored).toHaveLength(1)
    return { file, ino: statSync(file).ino }
  }

  it('is stored by the first start, read by later ones, and replaced when it is damaged', async () => {
    const { file, ino } = await startOnce()
    expect(await startOnce()).toEqual({ file, ino })
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(file, bytes)
    expect((await startOnce()).ino).not.toBe(ino)
    expect(readFileSync(file).equals(bytes)).toBe(false)
  })
})

describe('a start that fails', () => {
  it('reports the running instance when the data folder is in use', async () => {
    const first = here.start({ dataDir: here.path('data') })
    const url = await first.url
    const second = here.start({ dataDir: here.path('data') })
    expectOneSentence(await second.ended, /already|in use/i)
    expect((await fetch(`${url}/-/readiness`)).status).toBe(200)
  })

  it('reports a port in use, and leaves the data unchanged', async () => {
    const first = here.start({ dataDir: here.path('data') })
    await first.url
    // The test sends the signal directly after the ready line, because an instance must be able to stop as soon as it is ready.
    expect(await first.stop()).toMatchObject({ code: 0, signal: null })
    const before = contents(here.path('data'))
    const { port, free } = await occupyPort()
    const instance = here.start({ args: ['--data-dir', here.path('data'), '--port', String(port)] })
    expectOneSentence(await instance.ended, new RegExp(`port ${port}`, 'i'))
    expect(contents(here.path('data'))).toEqual(before)
    free()
  })

  it('leaves a newer database unchanged', async () => {
    const first = here.start({ dataDir: here.path('data') })
    await first.url
    // The test sends the signal directly after the ready line, because an instance must be able to stop as soon as it is ready.
    expect(await first.stop()).toMatchObject({ code: 0, signal: null })
    const [file] = readdirSync(here.path('data')).filter((name) => name.endsWith('.db'))
    const database = new Database(join(here.path('data'), file ?? 'missing.db'), { fileMustExist: true })
    const later = ['299901010000_future_table', new Date().toISOString()]
    database.prepare('INSERT INTO schema_migrations (name, applied_at) VALUES (?, ?)').run(...later)
    database.close()
    const before = contents(here.path('data'))
    expectOneSentence(await here.start({ dataDir: here.path('data') }).ended, /newer/i)
    expect(contents(here.path('data'))).toEqual(before)
  })

  it('leaves a file that is no database unchanged', async () => {
    mkdirSync(here.path('data'))
    writeFileSync(here.path('data/deskforge.db'), 'This is a letter, not a database.\n'.repeat(100))
    const before = contents(here.path('data'))
    expectOneSentence(await here.start({ args: onAnyPort(here.path('data')) }).ended, /database/i)
    expect(contents(here.path('data'))).toEqual(before)
  })

  it('reports that the data directory is a file', async () => {
    writeFileSync(here.path('data'), 'a file')
    expectOneSentence(await here.start({ args: onAnyPort(here.path('data')) }).ended, /director|folder/i)
    expect(readFileSync(here.path('data'), 'utf8')).toBe('a file')
  })

  it.runIf(isPossible(process.getuid?.() !== 0, 'root may read every folder, so none can be unreadable.'))(
    'reports that the data directory cannot be read',
    async () => {
      mkdirSync(here.path('data'))
      chmodSync(here.path('data'), 0o000)
      expectOneSentence(await here.start({ args: onAnyPort(here.path('data')) }).ended, /director|folder/i)
      chmodSync(here.path('data'), 0o700)
    },
  )

  it.each(['65536', 'http', '-5', '80.5'])('refuses the port %s', async (port) => {
    const instance = here.start({ args: [`--port=${port}`, '--data-dir', here.path('data')] })
    expectOneSentence(await instance.ended, /port/i)
    expect(existsSync(here.path('data'))).toBe(false)
  })

  it('refuses an unknown option', async () => {
    expectOneSentence(await here.start({ args: ['--dtaa-dir', here.path('data')] }).ended, /dtaa-dir/)
  })

  it('reports that git is missing', async () => {
    mkdirSync(here.path('empty'))
    const instance = here.start({ args: onAnyPort(here.path('data')), env: { PATH: here.path('empty') } })
    expectOneSentence(await instance.ended, /git/i)
  })
})
