import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { EventBus } from './events/publish.ts'
import type { Git } from './git/types.ts'
import type { Attempts } from './lib/attempts.ts'
import type { Bookkeeping } from './lib/bookkeeping.ts'
import type { MovableClock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'
import type { Outbound } from './lib/outbound.ts'
import type { Random } from './lib/security/random.ts'
import type { Secrets } from './lib/security/secrets.ts'
import type { Actor } from './policy/actor.ts'

/**
 * The context that every service gets as its first argument. It is read-only; there are no globals and no container.
 * `now` is fixed for a request or job, so everything that it writes has the same time.
 */
export interface Ctx {
  readonly db: Database
  readonly git: Git
  readonly actor: Actor
  /** The time of the request or job in ISO 8601 with milliseconds. */
  readonly now: string
  /** In the job of a subscriber: the time at which its event was published. The subscriber records this time. */
  readonly happenedAt?: string
  /** The current time, for work that lasts long. */
  readonly clock: MovableClock
  readonly log: Logger
  readonly config: Config
  readonly random: Random
  readonly events: EventBus
  /** Seals values that must not be readable in a copy of the database. */
  readonly secrets: Secrets
  readonly outbound: Outbound
  /** Counts failed attempts to authenticate. */
  readonly attempts: Attempts
  /** Collects writes that no request waits for, and stores them later together. */
  readonly bookkeeping: Bookkeeping
  /**
   * Aborted when the work is no longer needed: the instance stops, or the subject of a job was deleted. Long work
   * passes it on. The reason is a `RunInterrupted` (`jobs/runs.ts`).
   */
  readonly signal: AbortSignal
  /** The request that caused this work, through events and jobs; null for work without one. */
  readonly cause: Cause | null
}

/** The request that caused later work. */
export interface Cause {
  /** The request's UUID, or the one of the webhook delivery that led to it. */
  readonly uuid: string
  /** True when a webhook of this instance led to the request. */
  readonly chained: boolean
  /** The address that the request came from. */
  readonly ip?: string
}
