import Database from 'better-sqlite3'
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { cleanEnv, scratch, type RunningProcess, type Scratch } from '../support/server-process.ts'

const run = promisify(execFile)
const TOKEN = 'token-of-the-killed-instance'
const ROUNDS = 8

/** What the instance has acknowledged; all of it must still be there after every kill. */
interface Acknowledged {
  projects: Map<number, string>
  descriptions: Map<number, string>
  /** Branch → commit of pushes that git reported as done. */
  pushes: Map<string, string>
  files: Set<string>
  /** Numbers of merge requests whose merge was answered. */
  merges: Set<number>
}

let here: Scratch
let work: string
/** Listens for as long as all the kills take, and remembers which commits it was told of. */
let receiver: Server
const told = new Set<string>()
const kept: Acknowledged = {
  projects: new Map(),
  descriptions: new Map(),
  pushes: new Map(),
  files: new Set(),
  merges: new Set(),
}

const git = (...args: string[]) =>
  run('git', ['-C', work, ...args], {
    env: {
      ...cleanEnv({}),
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
    },
  }).then(({ stdout }) => stdout.trim())

async function ask(url: string, method: string, path: string, body?: unknown) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const headers = { 'private-token': TOKEN, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/v4${path}`, { method, headers, ...init })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
}

function start(): RunningProcess {
  return here.start({
    args: ['--data-dir', here.path('data'), '--port', '0'],
    env: { DESKFORGE_ROOT_PASSWORD: 'a long enough password', DESKFORGE_ROOT_TOKEN: TOKEN },
  })
}

/** Has the instance tell the receiver of every push. */
async function listen(url: string, project: number): Promise<void> {
  const settings = { allow_local_requests_from_web_hooks_and_services: true }
  expect((await ask(url, 'PUT', '/application/settings', settings)).status).toBe(200)
  const at = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  expect((await ask(url, 'POST', `/projects/${project}/hooks`, { url: at })).status).toBe(201)
}

/** Resolves once every push that was acknowledged was told; what a kill cut off is told after the next start. */
async function expectAllTold(): Promise<void> {
  const missing = () => [...kept.pushes.values()].filter((id) => !told.has(id))
  await expect.poll(missing, { timeout: 60_000, interval: 50 }).toEqual([])
}

/** Makes and edits projects until the instance is gone. Only what was answered counts. */
async function writeProjects(url: string, round: number, gone: () => boolean): Promise<void> {
  for (let index = 0; !gone(); index++) {
    try {
      const name = `kill-${round}-${index}`
      const made = await ask(url, 'POST', '/projects', { name })
      if (made.status === 201) kept.projects.set(made.body.id, name)
      const description = `described in round ${round}, ${index}`
      const edited = await ask(url, 'PUT', `/projects/${made.body.id}`, { description })
      if (edited.status === 200) kept.descriptions.set(made.body.id, description)
    } catch {
      // The instance was killed in the middle of the exchange: nothing was acknowledged.
    }
  }
}

/** Pushes commits until the instance is gone. */
async function pushCommits(remote: string, round: number, gone: () => boolean): Promise<void> {
  for (let index = 0; !gone(); index++) {
    const branch = `round-${round}`
    writeFileSync(join(work, 'counter.txt'), `${round}-${index}\n`)
    await git('add', 'counter.txt')
    await git(
      '-c',
      'user.name=Kill',
      '-c',
      'user.email=kill@example.test',
      'commit',
      '-qm',
      `Round ${round}, ${index}`,
    )
    const id = await git('rev-parse', 'HEAD')
    try {
      await git('push', '-q', remote, `HEAD:refs/heads/${branch}`)
      kept.pushes.set(branch, id)
    } catch {
      // Not acknowledged.
    }
  }
}

/** Commits files through the API until the instance is gone. */
async function writeFiles(url: string, project: number, round: number, gone: () => boolean): Promise<void> {
  for (let index = 0; !gone(); index++) {
    const path = `files/${round}-${index}.txt`
    try {
      const target = `/projects/${project}/repository/files/${encodeURIComponent(path)}`
      const made = await ask(url, 'POST', target, {
        branch: 'main',
        content: path,
        commit_message: `Add ${path}`,
      })
      if (made.status === 201) kept.files.add(path)
    } catch {
      // Not acknowledged.
    }
  }
}

/** Opens and merges merge requests until the instance is gone; every second one becomes one commit. */
async function mergeRequests(
  url: string,
  project: number,
  round: number,
  gone: () => boolean,
): Promise<void> {
  for (let index = 0; !gone(); index++) {
    const branch = `merge-${round}-${index}`
    try {
      await ask(url, 'POST', `/projects/${project}/repository/commits`, {
        branch,
        start_branch: 'main',
        commit_message: branch,
        actions: [{ action: 'create', file_path: `merges/${branch}.txt`, content: branch }],
      })
      const requests = `/projects/${project}/merge_requests`
      const given = { source_branch: branch, target_branch: 'main', title: branch, squash: index % 2 === 1 }
      const { body } = await ask(url, 'POST', requests, given)
      const merged = await ask(url, 'PUT', `${requests}/${body.iid}/merge`)
      if (merged.status === 200) kept.merges.add(body.iid as number)
    } catch {
      // Not acknowledged.
    }
  }
}

/** What is merged is in the target, what is not is not, and nothing is left in between. */
async function expectMergesWhole(url: string, project: number): Promise<void> {
  const at = (path: string) => `/projects/${project}${path}`
  const tree = await ask(url, 'GET', at('/repository/tree?path=merges&per_page=100'))
  const files: string[] = tree.status === 200 ? tree.body.map((entry: { name: string }) => entry.name) : []
  const { body } = await ask(url, 'GET', at('/merge_requests?state=all&per_page=100'))
  for (const { iid, title, state } of body as { iid: number; title: string; state: string }[]) {
    const expected = files.includes(`${title}.txt`) ? 'merged' : 'opened'
    expect(state, title).toBe(expected)
    expect(kept.merges.has(iid) ? state : 'merged', `the merge of ${title}`).toBe('merged')
  }
}

async function expectAllKept(url: string, project: number): Promise<void> {
  for (const [id, name] of kept.projects)
    expect((await ask(url, 'GET', `/projects/${id}`)).body?.name).toBe(name)
  for (const [id, text] of kept.descriptions) {
    expect((await ask(url, 'GET', `/projects/${id}`)).body?.description).toBe(text)
  }
  for (const [branch, id] of kept.pushes) {
    const { body } = await ask(url, 'GET', `/projects/${project}/repository/branches/${branch}`)
    const tip: string = body.commit.id
    // The branch may be ahead: a push that was done but whose answer was lost.
    await git(
      'fetch',
      '-q',
      `${url.replace('//', `//root:${TOKEN}@`)}/root/killed.git`,
      `refs/heads/${branch}`,
    )
    expect(await git('merge-base', '--is-ancestor', id, tip)).toBe('')
  }
  for (const path of kept.files) {
    const { status } = await ask(
      url,
      'GET',
      `/projects/${project}/repository/files/${encodeURIComponent(path)}?ref=main`,
    )
    expect(status, path).toBe(200)
  }
}

/** Looks at what is on disk while nothing runs. */
function expectClean(dataDir: string): void {
  const db = new Database(join(dataDir, 'deskforge.db'))
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(db.pragma('foreign_key_check')).toEqual([])
  db.close()
  const repositories = readdirSync(join(dataDir, 'repositories'), {
    recursive: true,
    encoding: 'utf8',
  }).filter((name) => name.endsWith('.git'))
  expect(repositories.length).toBeGreaterThan(0)
  for (const name of repositories) {
    const gitDir = join(dataDir, 'repositories', name)
    if (existsSync(join(gitDir, 'HEAD')))
      execFileSync('git', ['--git-dir', gitDir, 'fsck', '--no-progress', '--no-dangling'], { stdio: 'pipe' })
  }
}

beforeAll(() => {
  here = scratch()
  work = here.path('work')
  execFileSync('git', ['init', '-q', '-b', 'main', work])
  receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      told.add((JSON.parse(body) as { after: string }).after)
      response.end('heard')
    })
  })
  return new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  receiver.close()
  return here.clear()
})

describe('an instance that is killed in a loop', () => {
  it(
    `keeps every acknowledged write and push through ${ROUNDS} kills under load`,
    { timeout: 180_000 },
    async () => {
      let instance = start()
      let url = await instance.url
      const made = await ask(url, 'POST', '/projects', { name: 'killed', initialize_with_readme: true })
      expect(made.status).toBe(201)
      const project: number = made.body.id
      await listen(url, project)
      for (let round = 0; round < ROUNDS; round++) {
        let isGone = false
        const gone = () => isGone
        const remote = `${url.replace('//', `//root:${TOKEN}@`)}/root/killed.git`
        // Each round waits for another kind of work, so that a slow machine gets to all of them.
        const kind = [kept.projects, kept.pushes, kept.files, kept.merges][round % 4]!
        const before = kind.size
        const load = [
          writeProjects(url, round, gone),
          pushCommits(remote, round, gone),
          writeFiles(url, project, round, gone),
          mergeRequests(url, project, round, gone),
        ]
        // The kill falls at another point of the work in each round, once something has been acknowledged.
        const until = Date.now() + 400 + ((round * 337) % 900)
        while (Date.now() < until || kind.size === before) {
          await ask(url, 'GET', '/version').catch(() => undefined)
        }
        instance.child.kill('SIGKILL')
        await once(instance.child, 'exit')
        isGone = true
        await Promise.all(load)
        expectClean(here.path('data'))
        instance = start()
        url = await instance.url
        await expectAllKept(url, project)
        await expectMergesWhole(url, project)
      }
      await expectAllTold()
      expect(kept.projects.size).toBeGreaterThanOrEqual(ROUNDS)
      expect(kept.pushes.size).toBeGreaterThan(0)
      expect(kept.files.size).toBeGreaterThan(0)
      expect(kept.merges.size).toBeGreaterThan(0)
      const leftover = new Database(join(here.path('data'), 'deskforge.db'), { readonly: true })
      // What moved no ref is looked at once more by a job; nothing is forgotten.
      const forgotten = `SELECT count(*) AS n FROM ref_journal r WHERE NOT EXISTS (SELECT 1 FROM jobs j
      WHERE j.name = 'repository.recover_journal' AND j.state = 'ready' AND json_extract(j.args, '$.id') = r.id)`
      expect(leftover.prepare(forgotten).get()).toEqual({ n: 0 })
      leftover.close()
      const { body } = await ask(url, 'GET', `/projects/${project}`)
      expect(body.empty_repo).toBe(false)
      await instance.stop()
      process.stdout.write(
        `Killed ${ROUNDS} times; kept ${kept.projects.size} projects, ${kept.descriptions.size} edits, ${kept.pushes.size} pushed branches and ${told.size} messages about pushes, ${kept.files.size} committed files and ${kept.merges.size} merges.\n`,
      )
    },
  )
})
