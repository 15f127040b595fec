import { objectsOf } from '../upkeep/alternates.ts'
import { git } from '../args.ts'
import { CatFileParser } from './cat-file-parser.ts'
import type { CatFileAnswer } from './cat-file-parser.ts'
import { GitError, GitInputError } from '../errors.ts'
import { isRevision } from '../names.ts'
import { spawnGit } from '../process/run.ts'
import type { Program } from '../process/spawner/remote-child.ts'
import type { Repo } from '../types.ts'
import { endProcess } from '../process/watch.ts'

const ARGS = git`cat-file --batch-command`
const OPERATION = 'objects.read'
/** The time in milliseconds that a process gets to answer its open requests after its input was closed. */
const END_TIMEOUT_MS = 5000
/** The number of open requests at which a second process is started for a repository. */
const BUSY_AT = 32
const MAX_PER_REPO = 2
/** A request fails after two processes died while they answered it, or four while it waited. */
const MAX_CRASH_SCORE = 4

interface Request {
  readonly line: string
  readonly name: string
  readonly resolve: (answer: CatFileAnswer) => void
  readonly reject: (error: Error) => void
  readonly wantsContent: boolean
  /** Grows with each process that died before it answered the request: by 2 while it answered it, otherwise by 1. */
  crashScore: number
}

/** Type and size of an object. */
export interface ObjectInfo {
  readonly oid: string
  readonly type: string
  readonly size: number
}

interface PoolOptions {
  readonly maxProcesses: number
  readonly idleMs: number
  /** A process with an open request that writes nothing for this long counts as hanging. */
  readonly answerTimeoutMs: number
}

/**
 * Long-lived `cat-file --batch-command` processes, at most two per repository. A read takes a tenth of a millisecond; a
 * new process takes two. Requests are answered in order, and many may be open.
 */
export class CatFilePool {
  readonly #options: PoolOptions
  // The entries are in order of use: the first one is the least recently used.
  readonly #workers = new Map<string, Worker[]>()
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Type and size of an object, or null when there is no such object (or a short id is ambiguous). */
  async info(repo: Repo, name: string): Promise<ObjectInfo | null> {
    const [answer = null] = await this.infos(repo, [name])
    return answer
  }

  /** `info` of several objects, in their order. They are requested together, which takes a fraction of the time. */
  async infos(repo: Repo, names: readonly string[]): Promise<(ObjectInfo | null)[]> {
    const answers = await this.#requests(repo, 'info', names)
    return answers.map((answer) =>
      answer === null ? null : { oid: answer.oid, type: answer.type, size: answer.size },
    )
  }

  /**
   * A whole object; null when there is none. The content is held in memory and delays later requests, so read the size
   * first if it may be large.
   */
  async contents(repo: Repo, name: string): Promise<{ oid: string; type: string; content: Buffer } | null> {
    const [answer = null] = await this.#requests(repo, 'contents', [name])
    return answer === null ? null : { oid: answer.oid, type: answer.type, content: answer.content }
  }

  /** Ends the processes of one repository, so that its files can be removed or moved (Windows locks open files). */
  async closeRepo(repo: Repo): Promise<void> {
    const objects = objectsOf(repo)
    const usesRepo = ({ repo: { gitDir, alternates = [] } }: Worker) =>
      gitDir === repo.gitDir || alternates.includes(objects)
    const workers = [...this.#workers.values()].flat().filter(usesRepo)
    for (const worker of workers) this.#remove(worker.repo, worker)
    await Promise.all(workers.map((worker) => worker.end()))
  }

  /** Ends all processes. Later requests start new ones. */
  async closeAll(): Promise<void> {
    const workers = [...this.#workers.values()].flat()
    for (const worker of workers) this.#remove(worker.repo, worker)
    await Promise.all(workers.map((worker) => worker.end()))
  }

  /** Ends all processes. Later requests are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    const workers = [...this.#workers.values()].flat()
    this.#workers.clear()
    await Promise.all(workers.map((worker) => worker.end()))
  }

  /** Process ids for a repository; for tests and diagnostics. */
  processIds(repo: Repo): number[] {
    return (this.#workers.get(keyOf(repo)) ?? []).flatMap((worker) => worker.pid ?? [])
  }

  async #requests(
    repo: Repo,
    command: 'info' | 'contents',
    names: readonly string[],
  ): Promise<CatFileAnswer[]> {
    if (!names.every(isRevision)) throw new GitInputError('The revision is invalid.')
    if (names.length === 0) return []
    const requests: Request[] = []
    const answers = names.map(
      (name) =>
        new Promise<CatFileAnswer>((resolve, reject) => {
          const line = `${command} ${name}\n`
          const wantsContent = command === 'contents'
          requests.push({ line, name, resolve, reject, wantsContent, crashScore: 0 })
        }),
    )
    this.#dispatch(repo, requests)
    return Promise.all(answers)
  }

  #dispatch(repo: Repo, requests: readonly Request[]): void {
    if (!this.#isClosed) return this.#workerFor(repo).send(requests)
    for (const { reject } of requests) reject(failure('killed', 'Git is shutting down.'))
  }

  #workerFor(repo: Repo): Worker {
    const workers = (this.#workers.get(keyOf(repo)) ?? []).filter((worker) => !worker.isEnding)
    this.#workers.delete(keyOf(repo))
    this.#workers.set(keyOf(repo), workers)
    const leastBusy = workers.toSorted((a, b) => a.waiting - b.waiting)[0]
    if (leastBusy !== undefined && (leastBusy.waiting < BUSY_AT || workers.length >= MAX_PER_REPO))
      return leastBusy
    this.#makeRoom()
    // The copy keeps the folder that the process was started for, while the handle changes with a move.
    const fixedRepo = { ...repo }
    const worker = new Worker(fixedRepo, this.#options, (unanswered, error) => {
      this.#remove(fixedRepo, worker)
      this.#retry(repo, unanswered, error)
    })
    workers.push(worker)
    return worker
  }

  // A process may die for other reasons than its requests, so they are sent again. A request with which two processes
  // die is the cause itself (a damaged object).
  #retry(repo: Repo, unanswered: readonly Request[], error: GitError): void {
    unanswered.forEach((request, index) => {
      request.crashScore += index === 0 ? 2 : 1
      if (request.crashScore < MAX_CRASH_SCORE) this.#dispatch(repo, [request])
      else request.reject(error)
    })
  }

  #remove(repo: Repo, worker: Worker): void {
    const remaining = (this.#workers.get(keyOf(repo)) ?? []).filter((other) => other !== worker)
    if (remaining.length === 0) this.#workers.delete(keyOf(repo))
    else this.#workers.set(keyOf(repo), remaining)
  }

  #makeRoom(): void {
    const all = [...this.#workers.values()].flat()
    if (all.length < this.#options.maxProcesses) return
    const idle = all.find((worker) => worker.waiting === 0)
    if (idle !== undefined) {
      this.#remove(idle.repo, idle)
      void idle.end()
    }
  }
}

/** The key of a repository's processes. It contains the folder, because processes of the old folder are useless after a move. */
function keyOf({ key, gitDir, alternates }: Repo): string {
  return [key, gitDir, ...(alternates ?? [])].join('\0')
}

/** One process with its queue of requests. `onEnd` receives the unanswered ones. */
class Worker {
  readonly repo: Repo
  readonly #child: Program
  readonly #parser = new CatFileParser()
  readonly #queue: Request[] = []
  readonly #ended: Promise<void>
  readonly #options: PoolOptions
  #isEnding = false
  #timer: NodeJS.Timeout | undefined
  #stderr = ''

  constructor(repo: Repo, options: PoolOptions, onEnd: (unanswered: Request[], error: GitError) => void) {
    this.repo = repo
    this.#options = options
    this.#child = spawnGit(repo, ARGS, { direct: true })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ended = promise
    let isOver = false
    const finish = (text: string) => {
      if (isOver) return
      isOver = true
      clearTimeout(this.#timer)
      onEnd(this.#queue.splice(0), failure('killed', this.#stderr || text, this.#child.exitCode))
      resolve()
    }
    this.#child.on('error', (error) => finish(error.message))
    this.#child.on('close', () => finish('The process that reads objects ended.'))
    this.#child.stdin?.on('error', () => {})
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-4096)
    })
    this.#child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
    this.#waitIdle()
  }

  get waiting(): number {
    return this.#queue.length
  }

  /** True when the process accepts no more requests. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  send(requests: readonly Request[]): void {
    const wasIdle = this.#queue.length === 0
    this.#queue.push(...requests)
    if (wasIdle) this.#waitForAnswer()
    this.#child.stdin?.write(requests.map(({ line }) => line).join(''))
  }

  /** Closes the input of the process. Git then answers the open requests and ends. */
  async end(): Promise<void> {
    this.#isEnding = true
    this.#child.stdin?.end()
    if (this.#queue.length === 0) endProcess(this.#child)
    else this.#startTimer(END_TIMEOUT_MS, () => endProcess(this.#child))
    await this.#ended
  }

  #read(chunk: Buffer): void {
    const answers = this.#parser.push(chunk, (index) => this.#queue[index])
    for (const answer of answers) this.#queue.shift()?.resolve(answer)
    if (this.#parser.isOutOfSync) return this.#fail()
    if (this.#isEnding) return
    if (this.#queue.length === 0) this.#waitIdle()
    else this.#waitForAnswer()
  }

  #waitForAnswer(): void {
    this.#startTimer(this.#options.answerTimeoutMs, () => this.#fail())
  }

  // Git does not notice that bytes of a damaged blob are missing, so the next answer is read as part of it. The current
  // request is the cause and is not sent again.
  #fail(): void {
    this.#isEnding = true
    const current = this.#queue[0]
    if (current !== undefined) current.crashScore = MAX_CRASH_SCORE
    this.#stderr ||= 'The repository contains a damaged object.'
    endProcess(this.#child)
  }

  #waitIdle(): void {
    this.#startTimer(this.#options.idleMs, () => void this.end())
  }

  // An idle process must not keep the server alive.
  #startTimer(milliseconds: number, action: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(action, milliseconds).unref()
  }
}

function failure(reason: 'killed', stderr: string, code: number | null = null): GitError {
  return new GitError({ operation: OPERATION, args: ARGS.words, reason, code, stderr })
}
