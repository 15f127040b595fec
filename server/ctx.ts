import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { EventBus } from './events/publish.ts'
import type { Git } from './git/types.ts'
import type { Attempts } from './lib/attempts.ts'
import type { Bookkeeping } from './lib/bookkeeping.ts'
import type { Logger } from './lib/log.ts'
import type { Outbound } from './lib/outbound.ts'
import type { Random } from './lib/security/random.ts'
import type { Secrets } from './lib/security/secrets.ts'
import type { Actor } from './policy/actor.ts'

/**
 * What every function that does something receives first. Explicit and read-only: there are no globals and there is no
 * container. `now` is fixed for the request or job, so everything written by it carries one time.
 */
export interface Ctx {
  readonly db: Database
  readonly git: Git
  readonly actor: Actor
  /** ISO 8601 with milliseconds. */
  readonly now: string
  readonly log: Logger
  readonly config: Config
  readonly random: Random
  readonly events: EventBus
  /** Seals what is stored but must not be read out of a copy of the database. */
  readonly secrets: Secrets
  readonly outbound: Outbound
  /** Who failed to prove who they are. */
  readonly attempts: Attempts
  /** For writes that nobody waits for. */
  readonly bookkeeping: Bookkeeping
  /** The request that all this goes back to, through events and jobs; null for work that nobody asked for. */
  readonly cause: Cause | null
}

/** A request, as what follows from it remembers it. */
export interface Cause {
  /** UUID: the request's own, or the one that it was told in the message of a webhook. */
  readonly uuid: string
  /** The request was made by somebody who had been told of something by a webhook of this instance. */
  readonly chained: boolean
  /** The address that the request came from. */
  readonly ip?: string
}
