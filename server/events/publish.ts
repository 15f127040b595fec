import { insertOrExtend } from './store.ts'
import type { Ctx } from '../ctx.ts'
import { causeText } from '../lib/cause.ts'
import type { EventType } from './event.ts'

/** A subscriber of one domain to an event of another. Runs later, as a job of its own, and is retried alone. */
export interface Subscription {
  readonly event: string
  /** `<domain>.<effect>`, unique. */
  readonly name: string
  run(ctx: Ctx, payload: unknown): void | Promise<void>
  readonly retries: number
  /** As its event says it. */
  readonly ends?: string | undefined
  /** Jobs with the same key run in order; by default the events of one project do. */
  key(payload: unknown): string | undefined
  /** Which of the events concern it; no job is stored for the others. Cheap: it is asked in the transaction of the change. */
  only?(payload: unknown, ctx: Ctx): boolean
  /**
   * It happens at once, in the transaction of the change: for what must be true together with it. Then it is no job, must
   * not wait for anything, and what it throws takes the change back.
   */
  readonly inside?: boolean
  /** Of events told in one request, those with the same value come together, as one job. */
  gather?(payload: unknown): string
}

/** An event as a subscriber to several of them gets it. */
export interface PublishedEvent<Payload = unknown> {
  readonly name: string
  readonly payload: Payload
}

/** Declares a subscriber: `on(RefsUpdated, 'ci.create_pipeline', (ctx, e) => …)`. */
export function on<Payload>(
  type: EventType<Payload>,
  name: string,
  run: (ctx: Ctx, payload: Payload) => void | Promise<void>,
  options: {
    retries?: number
    key?: (payload: Payload) => string | undefined
    only?: (payload: Payload, ctx: Ctx) => boolean
    inside?: boolean
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
    ends: type.ends,
    key: (options.key as Subscription['key'] | undefined) ?? byProject,
    ...(options.only ? { only: options.only as NonNullable<Subscription['only']> } : {}),
    ...(options.inside ? { inside: true } : {}),
  }
}

/**
 * Declares one subscriber to everything that one request tells about one thing: `gather` says what counts as one, and `run`
 * gets the events in their order. So a change of title, labels and assignees that was asked for at once is one change.
 */
export function together<Payload>(
  types: readonly EventType<Payload>[],
  name: string,
  run: (ctx: Ctx, events: readonly PublishedEvent<Payload>[]) => void | Promise<void>,
  options: {
    gather: (payload: Payload) => string
    retries?: number
    key?: (payload: Payload) => string | undefined
    only?: (payload: Payload, ctx: Ctx) => boolean
  },
): Subscription[] {
  const { gather, ...rest } = options
  return types.map((type) => ({
    ...on(type, name, () => undefined, rest),
    run: run as Subscription['run'],
    gather: gather as NonNullable<Subscription['gather']>,
  }))
}

/** Someone who watches events as they happen (the window's stream). Gets no history. */
export type Watcher = (name: string, payload: unknown) => void

/** The map from events to subscribers, frozen at start, and the live watchers. */
export class EventBus {
  readonly #byEvent = new Map<string, Subscription[]>()
  readonly #watchers = new Set<Watcher>()
  /** Causes of requests that are being carried out, each with how many there are. */
  readonly #underWay = new Map<string, number>()
  /** Those of them at whose end jobs wait. */
  readonly #awaited = new Set<string>()
  /** Called after a commit that stored jobs. */
  poke: () => void = () => undefined

  constructor(subscriptions: readonly Subscription[]) {
    const runs = new Map<string, Subscription['run']>()
    for (const subscription of subscriptions) {
      const same = runs.get(subscription.name)
      if (same && !(subscription.gather && same === subscription.run))
        throw new Error(`Two reactions are called ${subscription.name}.`)
      runs.set(subscription.name, subscription.run)
      this.#byEvent.set(subscription.event, [...(this.#byEvent.get(subscription.event) ?? []), subscription])
    }
  }

  /** The subscribers to one kind of event. */
  subscribersOf(eventName: string): readonly Subscription[] {
    return this.#byEvent.get(eventName) ?? []
  }

  /** All subscribers, for the job runner and for `routes --events`. */
  all(): readonly Subscription[] {
    return [...this.#byEvent.values()].flat()
  }

  /**
   * Carries out a request. What it tells of one thing waits for its end where it is to come together, also when it is told
   * in several transactions.
   */
  async duringRequest<T>(cause: NonNullable<Ctx['cause']>, work: () => Promise<T>): Promise<T> {
    const name = causeText(cause)!
    this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const others = this.#underWay.get(name)! - 1
      if (others > 0) this.#underWay.set(name, others)
      else this.#underWay.delete(name)
      if (this.#awaited.delete(name)) this.poke()
    }
  }

  /** Says that a job was stored which waits for the end of the request that this goes back to, if there is one. */
  awaitEnd(cause: string | null): void {
    if (cause !== null && this.#underWay.has(cause)) this.#awaited.add(cause)
  }

  /** Causes, as jobs have them, whose requests have not ended. */
  causesUnderWay(): string[] {
    return [...this.#underWay.keys()]
  }

  /** Watches every committed event until the returned function is called. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Shows a committed event to every watcher; throws afterwards when some could not take it. */
  announce(name: string, payload: unknown): void {
    const failures: unknown[] = []
    for (const watcher of this.#watchers) {
      try {
        watcher(name, payload)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Not every watcher took the event.')
  }
}

/** The name of the job that carries an event to one subscriber. */
export function subscriberJob(subscription: string): string {
  return `event:${subscription}`
}

/**
 * Records that something happened. Inside a transaction the event becomes real with the commit and never happens on a
 * rollback: one job row per subscriber is written now, those `inside` happen now, and the live watchers hear of it after the commit.
 */
export function publish<Payload>(ctx: Ctx, type: EventType<Payload>, payload: Payload): void {
  const checked = type.schema.parse(payload)
  const concerned = ctx.events
    .subscribersOf(type.name)
    .filter((subscriber) => subscriber.only?.(checked, ctx) ?? true)
  const later = concerned.filter((subscriber) => !subscriber.inside)
  for (const subscriber of concerned) if (subscriber.inside) void subscriber.run(ctx, checked)
  for (const subscriber of later) store(ctx, subscriber, { name: type.name, payload: checked })
  ctx.db.afterCommit(() => {
    if (later.length > 0) ctx.events.poke()
    ctx.events.announce(type.name, checked)
  })
}

/** One job; events that come together join the one that waits already. */
function store(ctx: Ctx, subscriber: Subscription, published: PublishedEvent): void {
  const { gather } = subscriber
  const cause = causeText(ctx.cause)
  if (gather) ctx.events.awaitEnd(cause)
  insertOrExtend(ctx.db, {
    name: subscriberJob(subscriber.name),
    args: JSON.stringify(gather ? [published] : published.payload),
    key: subscriber.key(published.payload) ?? null,
    once: gather
      ? `${subscriber.name}:${gather(published.payload)}:${ctx.actor.id ?? 0}:${cause ?? ctx.now}`
      : null,
    created_at: ctx.now,
    cause,
  })
}
