import type { Ctx } from '../../../../ctx.ts'
import { runnerOf } from '../../../../jobs/runner.ts'
import { causeText } from '../../../../lib/cause.ts'
import { Failure } from '../../../../lib/fail.ts'
import { localCallsOf } from '../../../../local-calls.ts'
import type { UserActor } from '../../../../policy/actor.ts'
import { userByUsername } from '../../../users/index.ts'
import type { Positions, Problem } from '../model/document.ts'
import type { Count } from '../entity.ts'
import type { PackedFolders } from '../service-folders.ts'

/** The time limit for the background work of a world in milliseconds. */
const TIMEOUT_MS = 120_000

/** A step of a world failed; the steps before it stay. */
export class StepFailure extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** The state that an apply run shares with the runs that are derived from it. */
interface SharedState {
  readonly counts: Map<string, { made: number; kept: number }>
  readonly actors: Map<string, UserActor>
  readonly folders: PackedFolders
  /** The causes of the jobs that follow from the steps. */
  readonly causes: Set<string>
}

/**
 * One run that applies a world. It knows the acting users and times, counts created objects, and finds positions in the
 * text of the world.
 */
export class ApplyRun {
  readonly ctx: Ctx
  readonly positions: Positions
  readonly #shared: SharedState
  readonly #causes: Set<string>
  readonly #beforeWrite: (() => Promise<void>) | undefined

  constructor(
    ctx: Ctx,
    positions: Positions,
    options: Partial<SharedState> & {
      readonly ownCauses?: Set<string>
      readonly beforeWrite?: () => Promise<void>
    } = {},
  ) {
    const { counts = new Map(), actors = new Map(), folders = new Map(), beforeWrite } = options
    const { causes = new Set(), ownCauses = causes } = options
    this.ctx = ctx
    this.positions = positions
    this.#shared = { counts, actors, folders, causes }
    this.#causes = ownCauses
    this.#beforeWrite = beforeWrite
  }

  get folders(): PackedFolders {
    return this.#shared.folders
  }

  /** Derives a run that calls `work` before each write. */
  withBeforeWrite(work: () => Promise<void>): ApplyRun {
    return new ApplyRun(this.ctx, this.positions, {
      ...this.#shared,
      ownCauses: this.#causes,
      beforeWrite: work,
    })
  }

  /** Derives a run with a `waitForJobs` that waits only for the jobs of its own steps. */
  withOwnJobs(): ApplyRun {
    return new ApplyRun(this.ctx, this.positions, { ...this.#shared, ownCauses: new Set() })
  }

  /** Must be called before a write that does not go through `call`. */
  async runBeforeWrite(): Promise<void> {
    await this.#beforeWrite?.()
  }

  countCreated(kind: string): void {
    this.#of(kind).made++
  }

  countExisting(kind: string): void {
    this.#of(kind).kept++
  }

  get counts(): Count[] {
    return [...this.#shared.counts].map(([kind, { made, kept }]) => ({ kind, made, kept }))
  }

  #of(kind: string): { made: number; kept: number } {
    const count = this.#shared.counts.get(kind) ?? { made: 0, kept: 0 }
    this.#shared.counts.set(kind, count)
    return count
  }

  /** The context of a user at a time; by default of the user who applies the world, at the current time. */
  contextOf(username: string | undefined, at?: string): Ctx {
    const now = at === undefined ? this.ctx.now : timeOf(at, this.ctx.now)
    const actor = username === undefined ? this.ctx.actor : this.actor(username)
    const cause = { uuid: this.ctx.random.id(), chained: false }
    for (const causes of [this.#causes, this.#shared.causes]) causes.add(causeText(cause)!)
    return { ...this.ctx, actor, now, cause }
  }

  actor(username: string): UserActor {
    const cached = this.#shared.actors.get(username)
    if (cached) return cached
    const user = userByUsername(this.ctx.db, username)
    if (!user) throw new Failure('unprocessable', `There is no user ${username}.`)
    const { id, name, email, is_admin, external } = user
    const actor: UserActor = {
      kind: 'user',
      id,
      username: user.username,
      name,
      email: email ?? '',
      is_admin,
      external,
      scopes: null,
      via: 'token',
    }
    this.#shared.actors.set(username, actor)
    return actor
  }

  idOf(username: string): number {
    return this.actor(username).id
  }

  async call<Answer = unknown>(
    ctx: Ctx,
    route: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Answer> {
    if (!route.startsWith('GET ')) await this.runBeforeWrite()
    return localCallsOf(this.ctx.db).call<Answer>(ctx, route, withoutUndefined(input))
  }

  /** Reads all pages of a list. */
  async all<Row>(route: string, input: Readonly<Record<string, unknown>>): Promise<Row[]> {
    const rows: Row[] = []
    for (let page = 1; ; page++) {
      const list = await this.call<Row[]>(this.contextOf(undefined), route, { ...input, per_page: 100, page })
      rows.push(...list)
      if (list.length < 100) return rows
    }
  }

  /** Runs `work` for an entry of the world, or for one of its keys. An error gets the position in the text. */
  async step<T>(entry: object, label: string, work: () => Promise<T>, key?: string): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StepFailure || !(error instanceof Failure)) throw error
      const at = key === undefined ? this.positions.of(entry) : this.positions.ofKey(entry, key)
      throw new StepFailure({ ...at, path: label, message: `${label}: ${messageOf(error)}` })
    }
  }

  /** Waits for the jobs that follow from the steps so far, not for other jobs of the instance. */
  async waitForJobs(): Promise<void> {
    await runnerOf(this.ctx.db).awaitCauses(this.#causes, AbortSignal.timeout(TIMEOUT_MS))
  }

  /** Waits for all stored jobs of the instance, also those that an interrupted run left. */
  async waitForAllJobs(): Promise<void> {
    await runnerOf(this.ctx.db).awaitStored(AbortSignal.timeout(TIMEOUT_MS))
  }
}

function withoutUndefined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** The error as one sentence. */
export function messageOf({ detail, body, kind }: Failure): string {
  const message = detail ?? body?.['message'] ?? body?.['error'] ?? kind
  if (typeof message === 'string') return message
  if (Array.isArray(message)) return message.join(', ')
  return Object.entries(message as Record<string, unknown>)
    .map(([field, texts]) => `${field === 'base' ? '' : `${field} `}${[texts].flat().join(', ')}`)
    .join('; ')
}

const UNITS: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
  year: 365 * 86_400_000,
}

/** A time of a world; "3 days ago" counts from `now`. */
export function timeOf(text: string, now: string): string {
  const [, count, unit] = /^(\d+) (\w+?)s? ago$/.exec(text) ?? []
  if (unit !== undefined) return new Date(Date.parse(now) - Number(count) * UNITS[unit]!).toISOString()
  return new Date(text.replace(' ', 'T')).toISOString()
}
