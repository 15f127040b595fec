import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createAccount, createToken } from '../../server/domains/auth/index.ts'
import type { Ctx } from '../../server/ctx.ts'
import { startServer, type Instance, type StartOptions } from '../../server/index.ts'
import { atEnd } from './at-end.ts'
import { prepareDataDir } from './empty-database.ts'
import { sharedSpawner } from './spawner.ts'

/** An answer for tests. `body` is parsed JSON, or text for other content types. */
export interface Answer {
  status: number
  // Tests look into answers of every shape; strict mode has checked them against their declarations.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
  headers: Headers
  text: string
}

/** A user created for a test. */
export interface TestUser {
  id: number
  username: string
  token: string
  password: string
}

/** What to send: a JSON value, a form, or raw text with its own content type. */
type Body = object | FormData | URLSearchParams | string | undefined

/** Sends requests as a user. */
export interface Client {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  head(path: string, headers?: Record<string, string>): Promise<Answer>
  options(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: Body, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body?: Body, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body?: Body, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, body?: Body, headers?: Record<string, string>): Promise<Answer>
}

const PASSWORD = 'correct horse battery'

async function send(
  url: string,
  method: string,
  body: Body,
  headers: Record<string, string>,
): Promise<Answer> {
  const isRaw = typeof body === 'string' || body instanceof FormData || body instanceof URLSearchParams
  const type: Record<string, string> =
    body === undefined || isRaw ? {} : { 'content-type': 'application/json' }
  const init = { method, headers: { ...type, ...headers }, redirect: 'manual' as const }
  const payload = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }
  const response = await fetch(url, { ...init, ...payload })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json && text !== '' ? JSON.parse(text) : text,
  }
}

function clientOf(base: string, own: Record<string, string>): Client {
  // `/projects` is below the API. `/-/…` and paths with a leading `!` are used unchanged.
  const at = (path: string): string =>
    base + (path.startsWith('!') ? path.slice(1) : path.startsWith('/-/') ? path : `/api/v4${path}`)
  const call =
    (method: string) =>
    (path: string, body?: Body, headers: Record<string, string> = {}) =>
      send(at(path), method, body, { ...own, ...headers })
  const read =
    (method: string) =>
    (path: string, headers: Record<string, string> = {}) =>
      send(at(path), method, undefined, { ...own, ...headers })
  return {
    get: read('GET'),
    head: read('HEAD'),
    options: read('OPTIONS'),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
  }
}

/** The real instance on a fresh data folder, with functions to fill it and to send requests. */
export interface World {
  instance: Instance
  url: string
  dataDir: string
  root: TestUser
  /** A client for a user; without one for an anonymous caller. */
  as(user: TestUser | null): Client
  make: {
    user(options?: { username?: string; admin?: boolean; external?: boolean }): TestUser
    // oxlint-disable-next-line typescript/no-explicit-any
    group(options?: Record<string, unknown> & { owner?: TestUser }): Promise<any>
    // oxlint-disable-next-line typescript/no-explicit-any
    project(options?: Record<string, unknown> & { owner?: TestUser; with?: 'readme' }): Promise<any>
    member(kind: 'projects' | 'groups', id: number, user: TestUser, level: number): Promise<void>
    token(user: TestUser, scopes: string[], more?: { expires_at?: string }): string
  }
  /** A context of the system actor, to read the database or call a service. */
  ctx(): Ctx
  /** Names of the jobs that were stored since the last call, finished or not. */
  jobs(): string[]
  drain(): Promise<void>
  close(): Promise<void>
}

/** Starts the instance; it is closed after the test file. Strict: every answer is checked against its declaration. */
export async function world(options: Partial<StartOptions> = {}): Promise<World> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'deskforge-test-'))
  prepareDataDir(dataDir)
  const instance = await startServer({
    dataDir,
    port: 0,
    strict: true,
    temporary: true,
    logLevel: 'silent',
    hashCost: { ln: 4, p: 1 },
    spawner: sharedSpawner,
    rootPassword: PASSWORD,
    rootToken: 'root-token-of-the-tests',
    ...options,
  })
  const root: TestUser = {
    id: 1,
    username: 'root',
    token: options.rootToken ?? 'root-token-of-the-tests',
    password: PASSWORD,
  }
  const as = (user: TestUser | null): Client =>
    clientOf(instance.url, user ? { 'private-token': user.token } : {})
  let lastJob = 0
  let names = 0
  const close = async (): Promise<void> => {
    await instance.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  const made = async (answer: Promise<Answer>) => {
    const { status, body, text } = await answer
    if (status >= 300) throw new Error(`The test could not make what it needs: ${status} ${text}`)
    return body
  }
  const make: World['make'] = {
    user({ username = `user${++names}`, admin = false, external = false } = {}) {
      const ctx = instance.context()
      const row = createAccount(ctx, {
        username,
        name: username.toUpperCase(),
        email: `${username}@example.test`,
        password_hash: null,
        is_admin: admin,
        external,
      })
      return { id: row.id, username, token: make.token({ ...root, id: row.id }, ['api']), password: '' }
    },
    token(user, scopes, more = {}) {
      return createToken(
        instance.context(),
        { id: user.id, is_admin: true },
        { name: 'test', scopes, ...more },
      ).token
    },
    group({ owner = root, ...params } = {}) {
      const name = `group${++names}`
      return made(as(owner).post('/groups', { name, path: name, ...params }))
    },
    project({ owner = root, with: kind, ...params } = {}) {
      const readme = kind === 'readme' ? { initialize_with_readme: true } : {}
      return made(as(owner).post('/projects', { name: `project${++names}`, ...readme, ...params }))
    },
    async member(kind, id, user, access_level) {
      await made(as(root).post(`/${kind}/${id}/members`, { user_id: user.id, access_level }))
    },
  }
  const result: World = {
    instance,
    url: instance.url,
    dataDir,
    root,
    as,
    make,
    ctx: () => instance.context(),
    jobs() {
      const rows = instance
        .context()
        .db.many<{ id: number; name: string }>('SELECT id, name FROM jobs WHERE id > ? ORDER BY id', lastJob)
      lastJob = rows.at(-1)?.id ?? lastJob
      return rows.map((row) => row.name)
    },
    drain: () => instance.drain(),
    close,
  }
  atEnd(close)
  return result
}
