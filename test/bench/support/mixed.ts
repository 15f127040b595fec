import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

import { Spawner } from '../../../server/git/process/spawner/spawner.ts'
import { call, TOKEN } from './instance.ts'

/** The durations of each kind of work in milliseconds, and the number of other results by status. */
export interface Tally {
  readonly times: Record<Kind, number[]>
  readonly others: Map<string, number>
  /** The durations by operation. */
  readonly details: Map<string, number[]>
}

export type Kind = 'read' | 'write' | 'git'

/** A project for the load. */
export interface Target {
  readonly id: number
  readonly path: string
}

/** Projects with a few files, issues and commits. */
export async function makeTargets(url: string, count: number): Promise<Target[]> {
  const targets: Target[] = []
  // All clients are the same user, who would soon reach the limit per minute.
  const limits = JSON.stringify({ issues_create_limit: 0, notes_create_limit: 0 })
  await call(url, '/application/settings', { method: 'PUT', body: limits })
  for (let index = 0; index < count; index++) {
    const body = JSON.stringify({ name: `mixed-${index}`, initialize_with_readme: true })
    const { id, path_with_namespace: path } = JSON.parse(
      (await call(url, '/projects', { method: 'POST', body })).text,
    ) as { id: number; path_with_namespace: string }
    const actions = Array.from({ length: 50 }, (_, file) => ({
      action: 'create',
      file_path: `src/file-${file}.txt`,
      content: `Line of file ${file}\n`.repeat(100),
    }))
    const commit = { branch: 'main', commit_message: 'Files', actions }
    await call(url, `/projects/${id}/repository/commits`, { method: 'POST', body: JSON.stringify(commit) })
    for (let issue = 0; issue < 5; issue++) {
      const text = JSON.stringify({ title: `Issue ${issue}`, description: 'What is to be done.' })
      await call(url, `/projects/${id}/issues`, { method: 'POST', body: text })
    }
    targets.push({ id, path })
  }
  return targets
}

/** The same random numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/**
 * Connections that send a request, wait for about a second, and send the next one: 70 % reads, 20 % writes, 10 % git. A
 * connection sends one request at a time.
 */
export class MixedLoad {
  readonly #url: string
  readonly #targets: readonly Target[]
  readonly #dir: string
  readonly tally: Tally = { times: { read: [], write: [], git: [] }, others: new Map(), details: new Map() }
  #names = 0

  constructor(url: string, targets: readonly Target[], dir: string) {
    this.#url = url
    this.#targets = targets
    this.#dir = dir
  }

  async run(connections: number, seconds: number): Promise<void> {
    const until = performance.now() + seconds * 1000
    await Promise.all(Array.from({ length: connections }, (_, index) => this.#connection(index, until)))
  }

  async #connection(index: number, until: number): Promise<void> {
    const chance = numbers(index + 1)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    await pause(chance() * 1000)
    while (performance.now() < until) {
      const target = this.#targets[Math.floor(chance() * this.#targets.length)]!
      const dice = chance()
      const kind: Kind = dice < 0.7 ? 'read' : dice < 0.9 ? 'write' : 'git'
      const start = performance.now()
      const outcome = await this.#once(kind, target, agent, chance).catch((error: unknown) => String(error))
      if (outcome === 'ok') this.tally.times[kind].push(performance.now() - start)
      else {
        const what = `${kind} ${outcome}`
        this.tally.others.set(what, (this.tally.others.get(what) ?? 0) + 1)
      }
      await pause(500 + chance() * 1000)
    }
    agent.destroy()
  }

  #once(kind: Kind, target: Target, agent: Agent, chance: () => number): Promise<string> {
    if (kind === 'read') {
      const path = readPath(target.id, chance())
      const what = path.replace(`/projects/${target.id}`, 'project').replace(/\?.*/, '')
      return this.#timed(what, this.#ask(agent, 'GET', path))
    }
    if (kind === 'git') return this.#git(target, chance())
    const name = `${++this.#names}-${Math.floor(chance() * 1e9)}`
    const { path, body, what } = writeOf(target.id, chance(), name)
    return this.#timed(what, this.#ask(agent, 'POST', path, JSON.stringify(body)))
  }

  async #timed(what: string, work: Promise<string>): Promise<string> {
    const start = performance.now()
    const outcome = await work
    const times = this.tally.details.get(what) ?? []
    this.tally.details.set(what, times)
    times.push(performance.now() - start)
    return outcome
  }

  #ask(agent: Agent, method: string, path: string, body?: string): Promise<string> {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.#url}/api/v4${path}`,
        { method, agent, headers: { 'private-token': TOKEN, ...type } },
        (answer) => {
          answer.resume()
          answer.once('error', reject)
          answer.once('end', () => resolve(answer.statusCode! < 300 ? 'ok' : String(answer.statusCode)))
        },
      )
      sent.once('error', reject)
      sent.end(body)
    })
  }

  /** The git commands of real clients: list the refs, clone, push a commit on a separate branch. */
  async #git({ path }: Target, dice: number): Promise<string> {
    const address = `${this.#url.replace('//', `//root:${TOKEN}@`)}/${path}.git`
    if (dice < 0.6) return this.#timed('ls-remote', git(['ls-remote', '--quiet', address]))
    const folder = mkdtempSync(join(this.#dir, 'clone-'))
    try {
      const cloned = await this.#timed('clone', git(['clone', '--quiet', '--depth=1', address, folder]))
      if (cloned !== 'ok' || dice < 0.85) return cloned
      const who = ['-C', folder, '-c', 'user.name=Bench', '-c', 'user.email=bench@example.test']
      await git([...who, 'commit', '--quiet', '--allow-empty', '-m', 'Pushed'])
      return await git(['-C', folder, 'push', '--quiet', 'origin', `HEAD:refs/heads/push-${randomUUID()}`])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Starts the git clients. If this process started them, it would notice answers late meanwhile, and measure itself. */
const spawner = new Spawner({ minMemoryBytes: 0 })

/**
 * Runs git when nothing else wants the processor. On other machines, where clients usually are, it would take no processor time from the
 * instance.
 */
async function git(args: string[]): Promise<string> {
  const idle = process.platform === 'linux' ? ['chrt', '--idle', '0'] : []
  const [file = 'git', ...words] = [...idle, 'git', ...args]
  const env = { PATH: process.env['PATH'] ?? '', GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null' }
  while (process.platform === 'linux' && !spawner.isReady()) await pause(10)
  const child = spawner.isReady()
    ? spawner.start({ file, args: words, cwd: tmpdir(), env })
    : spawn(file, words, { env })
  child.stdin?.end()
  child.stdout?.resume()
  const [stderr] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'close')])
  if (child.exitCode === 0) return 'ok'
  if (/429|Too many/.test(stderr)) return '429'
  console.log(`    git ${args[0]} failed: ${stderr.trim()}`)
  return 'failed'
}

function readPath(id: number, dice: number): string {
  const paths = [
    `/projects/${id}`,
    '/projects?per_page=20',
    `/projects/${id}/issues?per_page=20`,
    `/projects/${id}/issues/1`,
    `/projects/${id}/issues/1/notes`,
    `/projects/${id}/repository/tree?path=src`,
    `/projects/${id}/repository/commits?per_page=20`,
    `/projects/${id}/repository/files/src%2Ffile-1.txt?ref=main`,
    `/projects/${id}/repository/branches?per_page=20`,
    '/user',
  ]
  return paths[Math.floor(dice * paths.length)]!
}

function writeOf(id: number, dice: number, name: string): { path: string; body: object; what: string } {
  if (dice < 0.4) return { path: `/projects/${id}/issues`, body: { title: `Issue ${name}` }, what: 'issue' }
  if (dice < 0.7)
    return { path: `/projects/${id}/issues/1/notes`, body: { body: `Note ${name}` }, what: 'note' }
  const body = { branch: 'main', content: `${name}\n`, commit_message: `Add ${name}` }
  return { path: `/projects/${id}/repository/files/new%2F${name}.txt`, body, what: 'commit' }
}
