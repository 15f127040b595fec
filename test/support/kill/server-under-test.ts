import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { repoAt } from '../../../server/git/process/engine.ts'
import { serve } from '../../git/http.ts'
import { emptyRepo, gitEngine } from '../git.ts'
import { cleanEnv, scratch, type RunningProcess } from '../server-process.ts'
import { ask, until, type Target } from './client.ts'
import { otherStorage } from './on-disk.ts'

const run = promisify(execFile)
const TOKEN = 'token-of-the-killed-instance'

/**
 * An instance that is killed repeatedly, and the servers that keep running: the webhook receiver and other
 * repositories.
 */
export class ServerUnderTest {
  readonly here = scratch()
  readonly dataDir = this.here.path('data')
  readonly work = this.here.path('work')
  /** Answers that no client may ever get. */
  readonly complaints: string[] = []
  /** Commits that the receiver of the webhook received. */
  readonly delivered = new Set<string>()
  #receiver: Server | undefined
  #instance: RunningProcess | undefined
  #target: Target | undefined

  /** The current instance. */
  get target(): Target {
    return this.#target!
  }

  async setUp(): Promise<void> {
    execFileSync('git', ['init', '-q', '-b', 'main', this.work])
    const source = await this.#serveRepository()
    const elsewhere = () => serveEmpty()
    const hook = await this.#listen()
    await this.start({
      project: 0,
      runner: '',
      archive: new Blob([]),
      groupArchive: new Blob([]),
      source,
      elsewhere,
    })
    const { target } = this
    await this.#ask('PUT', '/application/settings', {
      allow_local_requests_from_web_hooks_and_services: true,
      project_import_limit: 0,
      issues_create_limit: 0,
      group_import_limit: 0,
      group_export_limit: 0,
      group_download_export_limit: 0,
      project_download_export_limit: 0,
    })
    const { id } = await this.#ask('POST', '/projects', { name: 'killed', initialize_with_readme: true })
    await this.#ask('POST', `/projects/${id}/repository/files/.gitlab-ci.yml`, {
      branch: 'main',
      commit_message: 'Build',
      content: 'build:\n  script: make\n',
    })
    await this.#ask('POST', `/projects/${id}/hooks`, { url: hook })
    const runner = await this.#ask('POST', '/user/runners', { runner_type: 'instance_type' })
    const archive = await this.#archiveOf(`/projects/${id}`)
    const groupArchive = await this.#groupArchive()
    const runnerToken = runner['token'] as string
    this.#target = { ...target, project: id as number, runner: runnerToken, archive, groupArchive }
  }

  async #groupArchive(): Promise<Blob> {
    const { id } = await this.#ask('POST', '/groups', { name: 'grouped', path: 'grouped' })
    await this.#ask('POST', '/groups', { name: 'below', path: 'below', parent_id: id })
    await this.#ask('POST', `/groups/${id}/labels`, { name: 'kept', color: '#123456' })
    await this.#ask('POST', `/groups/${id}/wikis`, { title: 'home', content: 'Of the group' })
    return this.#archiveOf(`/groups/${id}`)
  }

  async #archiveOf(path: string): Promise<Blob> {
    await this.#ask('POST', `${path}/export`)
    const bytes = await until(async () => {
      const answer = await ask(this.target, 'GET', `${path}/export/download`)
      return answer.status === 200 ? answer.bytes : undefined
    }, 'The archive')
    return new Blob([new Uint8Array(bytes)])
  }

  async #ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await ask(this.target, method, path, body)
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes.toString()}`)
    return answer.body as Record<string, unknown>
  }

  /** Starts the instance and resolves when it accepts requests. */
  async start(target: Omit<Target, 'url' | 'token' | 'complain'> = this.target): Promise<void> {
    const instance = this.begin()
    const complain = (sentence: string) => void this.complaints.push(sentence)
    this.#target = { ...target, url: await instance.url, token: TOKEN, complain }
  }

  /** Starts the instance without waiting for it. */
  begin(): RunningProcess {
    this.#instance = this.here.start({
      dataDir: this.dataDir,
      args: ['--storage', `other=${otherStorage(this.dataDir)}`],
      env: { DESKFORGE_ROOT_PASSWORD: 'a long enough password', DESKFORGE_ROOT_TOKEN: TOKEN },
    })
    return this.#instance
  }

  async kill(): Promise<void> {
    const { child } = this.#instance!
    const ended = child.exitCode ?? child.signalCode
    child.kill('SIGKILL')
    if (ended === null) await once(child, 'exit')
  }

  stop(): Promise<unknown> {
    return this.#instance!.stop()
  }

  async clear(): Promise<void> {
    this.#receiver?.closeAllConnections()
    this.#receiver?.close()
    await this.here.clear()
  }

  /** Runs git in the working copy, as users do. */
  async git(...args: string[]): Promise<string> {
    const names = { NAME: 'Kill', EMAIL: 'kill@example.test' }
    const people = Object.entries(names).flatMap(([name, value]) =>
      ['AUTHOR', 'COMMITTER'].map((role) => [`GIT_${role}_${name}`, value]),
    )
    const { stdout } = await run('git', ['-C', this.work, ...args], {
      env: {
        ...cleanEnv(Object.fromEntries(people)),
        GIT_TERMINAL_PROMPT: '0',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
      },
    })
    return stdout.trim()
  }

  /** Address of the project for git. */
  get remote(): string {
    return `${this.target.url.replace('//', `//root:${TOKEN}@`)}/root/killed.git`
  }

  /** The receiver of a webhook records the commits that it receives. It listens until the last kill. */
  async #listen(): Promise<string> {
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        this.delivered.add((JSON.parse(body) as { after: string }).after)
        response.end('delivered')
      })
    })
    this.#receiver = server
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  }

  /** Serves a repository outside of the instance, which the kills do not affect. */
  async #serveRepository(): Promise<string> {
    const bare = this.here.path('source.git')
    writeFileSync(join(this.work, 'source.txt'), 'from elsewhere\n'.repeat(1000))
    await this.git('add', 'source.txt')
    await this.git('commit', '-qm', 'From elsewhere')
    await this.git('clone', '-q', '--bare', this.work, bare)
    return (await serve(repoAt(gitEngine().engine, bare))).url
  }
}

/** Serves an empty repository outside of the instance, which accepts pushes. */
async function serveEmpty(): Promise<{ url: string; tip: () => string | undefined }> {
  const repo = await emptyRepo()
  const { url } = await serve(repo)
  const file = join(repo.gitDir, 'refs', 'heads', 'main')
  return { url, tip: () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined) }
}
