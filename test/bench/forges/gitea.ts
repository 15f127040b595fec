import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

import type { Running } from '../support/instance.ts'
import { ask, type Forge } from './forge.ts'

const API = '/api/v1'
const USER = 'bench'
const CHECK_BEGINS_MS = 500
const PASSWORD = 'a bench under the oak'

/** The binary of Gitea, from `DESKFORGE_BENCH_GITEA`; `README.md` says how to build it. */
export function giteaBinary(): string | undefined {
  const binary = process.env['DESKFORGE_BENCH_GITEA']
  return binary && existsSync(binary) ? binary : undefined
}

/** The default configuration, without requests to other hosts and without prompts. */
function configuration(dir: string, port: number, files: string): string {
  return `APP_NAME = Bench
RUN_MODE = prod
WORK_PATH = ${dir}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
DISABLE_SSH = true
OFFLINE_MODE = true
${existsSync(join(files, 'templates')) ? `STATIC_ROOT_PATH = ${files}` : ''}
[database]
DB_TYPE = sqlite3
PATH = ${join(dir, 'gitea.db')}
SQLITE_JOURNAL_MODE = WAL
[security]
INSTALL_LOCK = true
SECRET_KEY = a secret of the bench
[picture]
DISABLE_GRAVATAR = true
[cron.update_checker]
ENABLED = false
[log]
MODE = console
LEVEL = Error
`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Gitea does not run as root by default, but builds often run as root in a container. */
const environment = { ...process.env, GITEA_I_AM_BEING_UNSAFE_RUNNING_AS_ROOT: 'true' }

async function start(binary: string, config: string, port: number): Promise<Running> {
  const url = `http://127.0.0.1:${port}`
  const begun = performance.now()
  const child = spawn(binary, ['web', '--config', config], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (;;) {
    if (child.exitCode !== null) throw new Error('Gitea ended before it was ready.')
    const answer = await fetch(`${url}/api/healthz`).catch(() => undefined)
    if (answer?.status === 200) break
    await pause(2)
  }
  return {
    url,
    pid: child.pid!,
    startMs: performance.now() - begun,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Gitea as one of the forges, with SQLite and repositories below `dir`. */
export async function startGitea(binary: string, dir: string): Promise<Forge> {
  mkdirSync(dir, { recursive: true })
  const port = await freePort()
  const config = join(dir, 'app.ini')
  writeFileSync(config, configuration(dir, port, dirname(binary)))
  const command = (...args: string[]): string =>
    execFileSync(binary, ['--config', config, ...args], { env: environment, encoding: 'utf8' })
  command('migrate')
  const who = ['--admin', '--username', USER, '--email', `${USER}@example.test`, '--password', PASSWORD]
  const signIn = ['--must-change-password=false', '--access-token', '--access-token-scopes', 'all']
  const made = command('admin', 'user', 'create', ...who, ...signIn)
  const token = /\b[0-9a-f]{40}\b/.exec(made)?.[0]
  if (token === undefined) throw new Error(`Gitea made no token: ${made}`)
  let running = await start(binary, config, port)
  return {
    name: 'Gitea',
    get running() {
      return running
    },
    async restart() {
      await running.stop()
      running = await start(binary, config, port)
    },
    ...operations(() => running, token),
  }
}

/** Repeats a request that Gitea refuses, because it processes pushes and merges with a delay. */
async function untilTaken(ask: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await ask()
      return
    } catch (error) {
      if (attempt === 200) throw error
      await pause(50)
    }
  }
}

function operations(running: () => Running, token: string): Omit<Forge, 'name' | 'running' | 'restart'> {
  const headers = { authorization: `token ${token}` }
  const send = <T>(method: string, path: string, body?: object): Promise<T> =>
    ask<T>({ running: running(), headers }, method, path, body)
  return {
    headers,
    reads: {
      project: ({ api }) => api,
      projects: () => `${API}/repos/search?limit=20`,
      issues: ({ api }) => `${api}/issues?type=issues&state=open&limit=20`,
      requests: ({ api }) => `${api}/pulls?state=open&limit=20`,
      request: ({ api }, number) => `${api}/pulls/${number}`,
      diff: ({ api }, number) => `${api}/pulls/${number}.diff`,
      tree: ({ api }) => `${api}/git/trees/main?per_page=20`,
      raw: ({ api }, path) => `${api}/raw/${path}?ref=main`,
      // Without fields that the list of Deskforge does not have either.
      commits: ({ api }) => `${api}/commits?sha=main&limit=20&stat=false&verification=false&files=false`,
      branches: ({ api }) => `${api}/branches?limit=20`,
    },
    prepare: () => Promise.resolve(),
    async createProject(name) {
      await send('POST', `${API}/user/repos`, { name, default_branch: 'main', private: true })
      return { name, api: `${API}/repos/${USER}/${name}` }
    },
    remote: ({ name }) => `${running().url.replace('//', `//${USER}:${token}@`)}/${USER}/${name}.git`,
    async createIssue({ api }, title) {
      await send('POST', `${api}/issues`, { title, body: 'What is to be done.' })
    },
    async createRequest({ api }, branch) {
      await untilTaken(() => send('GET', `${api}/branches/${branch}`))
      const body = { head: branch, base: 'main', title: `Merge ${branch}` }
      return (await send<{ number: number }>('POST', `${api}/pulls`, body)).number
    },
    async untilMergeable({ api }, number) {
      // After a merge, Gitea starts to check the other pull requests again with a delay.
      await pause(CHECK_BEGINS_MS)
      for (let attempt = 0; attempt < 600; attempt++) {
        if ((await send<{ mergeable: boolean }>('GET', `${api}/pulls/${number}`)).mergeable) return
        await pause(50)
      }
      throw new Error(`Pull request ${number} cannot be merged.`)
    },
    async merge({ api }, number) {
      await untilTaken(() => send('POST', `${api}/pulls/${number}/merge`, { Do: 'merge' }))
    },
    async commit({ api }, path, text) {
      const content = Buffer.from(text).toString('base64')
      await send('POST', `${api}/contents/${path}`, { branch: 'main', content, message: `Add ${path}` })
    },
  }
}
