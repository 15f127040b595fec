import type { Config } from './config.ts'
import type { Ctx } from './ctx.ts'
import type { Database } from './db/database.ts'
import type { Domain } from './domain.ts'
import type { Client } from './git/process/locks.ts'
import type { OpenGitTarget } from './git-target.ts'
import type { TimeLimits } from './git/process/time-limits.ts'
import type { AppOptions } from './http/app.ts'
import type { Throttles } from './http/request/throttle.ts'
import type { OutboundPolicy, Purpose } from './lib/outbound.ts'
import type { Actor } from './policy/actor.ts'
import type { SshService } from './ssh/connection.ts'
import type { FailedPipeline } from './start-options.ts'

/** The current application settings of the kernel. */
export interface KernelSettings {
  readonly gitTimeLimits: TimeLimits
  outbound(purpose: Purpose, config: Config): OutboundPolicy
  readonly presented: ReturnType<AppOptions['presented']>
  /** A factor for the polling interval of windows; 0 stops polling. */
  readonly pollFactor: number
  readonly pageHeaders: Readonly<Record<string, string>>
  readonly maxFileBytes: number
}

/** Functions that the kernel needs and domains implement, each in exactly one domain. */
export interface Ports {
  readonly authenticate: AppOptions['authenticate']
  readonly cookieAccess: AppOptions['cookieAccess']
  readonly checkWrite: AppOptions['checkWrite']
  readonly throttles: (db: Database, now: string) => Throttles | null
  readonly homePage: (ctx: Ctx) => string | null
  /** A session for the desktop window; undefined until the first administrator exists. */
  readonly ownerSession: (ctx: Ctx) => { name: string; cookie: string } | undefined
  /** The running CI jobs, each with its project. */
  readonly runningJobs: (ctx: Ctx) => readonly string[]
  /** Paths of projects with a running import. */
  readonly runningImports: (ctx: Ctx) => readonly string[]
  /** Paths of projects that receive a push; empty for other repositories. */
  readonly runningPushes: (ctx: Ctx) => readonly string[]
  readonly failedPipelines: (ctx: Ctx) => readonly FailedPipeline[]
  /** The runner inside the instance. `isPaused` returns undefined while the runner is turned off. */
  readonly builtInRunner: {
    isPaused(ctx: Ctx): boolean | undefined
    setPaused(ctx: Ctx, paused: boolean): void
  }
  readonly settings: (db: Database, now: string) => KernelSettings
  /** Origins of other servers that the window may load pictures from. */
  readonly pictureOrigins: (db: Database, now: string) => readonly string[]
  readonly ssh: (
    contextFor: (actor: Actor, client?: Client) => Ctx,
    targets: readonly OpenGitTarget[],
  ) => SshService
  /** Replaces the data with a restored backup before the database opens; later it keeps or undoes the change. */
  readonly restore: {
    begin(dataDir: string): boolean
    undo(dataDir: string): void
    /** The restored backup; undefined when there was none. */
    commit(dataDir: string): object | undefined
  }
  /** Finishes the restore of a snapshot that a crash interrupted, before the database opens. */
  readonly finishSnapshot: (dataDir: string) => string | undefined
}

const NAMES: Record<keyof Ports, true> = {
  authenticate: true,
  cookieAccess: true,
  checkWrite: true,
  throttles: true,
  homePage: true,
  ownerSession: true,
  runningJobs: true,
  runningImports: true,
  runningPushes: true,
  failedPipelines: true,
  builtInRunner: true,
  settings: true,
  pictureOrigins: true,
  ssh: true,
  restore: true,
  finishSnapshot: true,
}

/** Collects the ports of all domains. Throws when no domain implements a port, or two domains do. */
export function portsOf(domains: readonly Domain[]): Ports {
  const ports: Record<string, unknown> = {}
  for (const { name, ports: implemented = {} } of domains) {
    for (const [port, implementation] of Object.entries(implemented)) {
      if (port in ports)
        throw new Error(`The domain ${name} implements ${port}, which another domain implements already.`)
      ports[port] = implementation
    }
  }
  const missing = Object.keys(NAMES).filter((port) => !(port in ports))
  if (missing.length > 0) throw new Error(`No domain implements ${missing.join(', ')}.`)
  return ports as unknown as Ports
}
