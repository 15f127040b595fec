import { insertOrExtend } from './store.ts'
import type { Ctx } from '../ctx.ts'
import { causeText } from '../lib/cause.ts'
import type { EventType } from './event.ts'

/** A subscriber of one domain to an event of another. It runs later, as a job with its own retries. */
export interface Subscription {
  readonly event: string
  /** `<domain>.<effect>`, unique. */
  readonly name: string
  run(ctx: Ctx, payload: unknown): void | Promise<void>
  readonly retries: number
  /** See `ends` of EventType. */
  readonly ends?: string | undefined
  /** Jobs with the same key run in order. By default the events of one project have the same key. */
  key(payload: unknown): string | undefined
  /** Selects events; no job is stored for the others. It runs in the transaction of the change, so it must be fast. */
  only?(payload: unknown, ctx: Ctx): boolean
  /**
   * Runs in the transaction of the change, for data that must change together. Such a subscriber has no job, must be
   * synchronous, and rolls the change back if it throws.
   */
  readonly inside?: boolean
  /** Returns a key. One job delivers all events of a request that have the same key. */
  gather?(payload: unknown): string
}

/** An event for a subscriber to several kinds. */
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
    key: options.key ?? byProject,
    ...(options.only ? { only: options.only as NonNullable<Subscription['only']> } : {}),
    ...(options.inside ? { inside: true } : {}),
  }
}

/**
 * Declares one subscriber to several kinds of events. It receives all events of a request about one object in one call,
 * in order; `gather` returns the key of the object. So a request that changes title, labels and assignees counts as one
 * change.
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

/** A function that receives each event after its commit. The live stream of the window uses it. */
export type Watcher = (name: string, payload: unknown) => void

/** The subscribers of each event, which do not change after the start, and the watchers. */
export class EventBus {
  readonly #byEvent = new Map<string, Subscription[]>()
  /** The watchers, each with the function that ends it. */
  readonly #watchers = new Map<Watcher, () => void>()
  /** The causes of running requests, with the number of requests for each. */
  readonly #running = new Map<string, number>()
  /** The causes of running requests that jobs wait for. */
  readonly #awaited = new Set<string>()
  /** Makes the job runner look for jobs; called after a commit that stored some. */
  wakeJobRunner: () => void = () => undefined

  constructor(subscriptions: readonly Subscription[]) {
    const runs = new Map<string, Subscription['run']>()
    for (const subscription of subscriptions) {
      const existing = runs.get(subscription.name)
      if (existing && !(subscription.gather && existing === subscription.run))
        throw new Error(`Two subscribers are called ${subscription.name}.`)
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

  /** Runs a request. Jobs that gather its events wait until it ends, because it may commit several transactions. */
  async duringRequest<T>(cause: NonNullable<Ctx['cause']>, work: () => Promise<T>): Promise<T> {
    const name = causeText(cause)!
    this.#running.set(name, (this.#running.get(name) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const others = this.#running.get(name)! - 1
      if (others > 0) this.#running.set(name, others)
      else this.#running.delete(name)
      if (this.#awaited.delete(name)) this.wakeJobRunner()
    }
  }

  /** Records that a stored job waits for the end of the request with this cause, if the request still runs. */
  awaitEnd(cause: string | null): void {
    if (cause !== null && this.#running.has(cause)) this.#awaited.add(cause)
  }

  /** Causes of the running requests. */
  runningCauses(): string[] {
    return [...this.#running.keys()]
  }

  /**
   * Sends every committed event to the watcher until the returned function is called. `end` asks the watcher to stop:
   * it must lead to that call.
   */
  watch(watcher: Watcher, end: () => void = () => undefined): () => void {
    this.#watchers.set(watcher, end)
    return () => this.#watchers.delete(watcher)
  }

  /** Ends all watchers; windows open their streams again and reload all data. */
  endWatchers(): void {
    for (const end of this.#watchers.values()) end()
  }

  /** Sends a committed event to every watcher. Throws afterwards if one of them failed. */
  announce(name: string, payload: unknown): void {
    const failures: unknown[] = []
    for (const watcher of this.#watchers.keys()) {
      try {
        watcher(name, payload)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'A watcher failed to handle the event.')
  }
}

/** The name of the job that delivers an event to one subscriber. */
export function subscriberJob(subscription: string): string {
  return `event:${subscription}`
}

/**
 * Publishes an event. In a transaction it takes effect with the commit. This stores one job per subscriber and runs
 * subscribers with `inside` now; watchers receive the event after the commit.
 */
export function publish<Payload>(ctx: Ctx, type: EventType<Payload>, payload: Payload): void {
  const checked = type.schema().parse(payload)
  const concerned = ctx.events
    .subscribersOf(type.name)
    .filter((subscriber) => subscriber.only?.(checked, ctx) ?? true)
  const deferred = concerned.filter((subscriber) => !subscriber.inside)
  for (const subscriber of concerned) if (subscriber.inside) void subscriber.run(ctx, checked)
  for (const subscriber of deferred) store(ctx, subscriber, { name: type.name, payload: checked })
  ctx.db.afterCommit(() => {
    if (deferred.length > 0) ctx.events.wakeJobRunner()
    ctx.db.observation.observer?.published(
      type.name,
      checked,
      deferred.map(({ name }) => subscriberJob(name)),
    )
    ctx.events.announce(type.name, checked)
  })
}

/** Stores the subscriber's job. Gathered events are added to a waiting job. */
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
