import type { Ctx } from '../ctx.ts'
import type { EventType } from './event.ts'

/** A reaction of one domain to a fact of another. Runs later, as a job of its own, and is retried alone. */
export interface Subscription {
  readonly event: string
  /** `<domain>.<effect>`, unique. */
  readonly name: string
  run(ctx: Ctx, payload: unknown): void | Promise<void>
  readonly retries: number
  /** Jobs with the same key run in order; by default the facts of one project do. */
  key(payload: unknown): string | undefined
  /** Which of the facts concern it; no job is stored for the others. */
  only?(payload: unknown): boolean
}

/** Declares a reaction: `on(RefsUpdated, 'ci.create_pipeline', (ctx, e) => …)`. */
export function on<Payload>(
  type: EventType<Payload>,
  name: string,
  run: (ctx: Ctx, payload: Payload) => void | Promise<void>,
  options: {
    retries?: number
    key?: (payload: Payload) => string | undefined
    only?: (payload: Payload) => boolean
  } = {},
): Subscription {
  const byProject = (payload: unknown): string | undefined => {
    const id = (payload as { project_id?: number }).project_id
    return id === undefined ? undefined : `${name}:${id}`
  }
  return {
    event: type.name,
    name,
    run: run as Subscription['run'],
    retries: options.retries ?? 5,
    key: (options.key as Subscription['key'] | undefined) ?? byProject,
    ...(options.only ? { only: options.only as NonNullable<Subscription['only']> } : {}),
  }
}

/** Someone who watches facts as they happen (the window's stream). Gets no history. */
export type Watcher = (name: string, payload: unknown) => void

/** The map from facts to reactions, frozen at start, and the live watchers. */
export class Facts {
  readonly #byEvent = new Map<string, Subscription[]>()
  readonly #watchers = new Set<Watcher>()
  /** Called after a commit that stored jobs. */
  poke: () => void = () => undefined

  constructor(subscriptions: readonly Subscription[]) {
    const names = new Set<string>()
    for (const subscription of subscriptions) {
      if (names.has(subscription.name)) throw new Error(`Two reactions are called ${subscription.name}.`)
      names.add(subscription.name)
      this.#byEvent.set(subscription.event, [...(this.#byEvent.get(subscription.event) ?? []), subscription])
    }
  }

  /** The reactions to one kind of fact. */
  subscribersOf(eventName: string): readonly Subscription[] {
    return this.#byEvent.get(eventName) ?? []
  }

  /** All reactions, for the job runner and for `routes --events`. */
  all(): readonly Subscription[] {
    return [...this.#byEvent.values()].flat()
  }

  /** Watches every committed fact until the returned function is called. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Shows a committed fact to every watcher; throws afterwards when some could not take it. */
  announce(name: string, payload: unknown): void {
    const failures: unknown[] = []
    for (const watcher of this.#watchers) {
      try {
        watcher(name, payload)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Not every watcher took the fact.')
  }
}

/** The name of the job that carries a fact to one reaction. */
export function reactionJob(subscription: string): string {
  return `fact:${subscription}`
}

/**
 * Records that something happened. Inside a transaction the fact becomes real with the commit and never happens on a
 * rollback: one job row per reaction is written now, and the live watchers hear of it after the commit.
 */
export function publish<Payload>(ctx: Ctx, type: EventType<Payload>, payload: Payload): void {
  const checked = type.schema.parse(payload)
  const subscribers = ctx.facts
    .subscribersOf(type.name)
    .filter((subscriber) => subscriber.only?.(checked) ?? true)
  for (const subscriber of subscribers) {
    ctx.db.exec(
      'INSERT INTO jobs (name, args, key, run_at, created_at) VALUES (?, ?, ?, ?, ?)',
      reactionJob(subscriber.name),
      JSON.stringify(checked),
      subscriber.key(checked) ?? null,
      ctx.now,
      ctx.now,
    )
  }
  ctx.db.afterCommit(() => {
    if (subscribers.length > 0) ctx.facts.poke()
    ctx.facts.announce(type.name, checked)
  })
}
