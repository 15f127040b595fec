import type { Ctx } from './ctx.ts'
import type { Subscription } from './events/publish.ts'
import type { EventVisibility } from './events/visibility.ts'
import { isEndpoint, type Endpoint } from './http/endpoint.ts'
import { isWebRoute, type WebRoute } from './http/web-route.ts'
import type { CronLine, Job } from './jobs/job.ts'
import type { OpenGitTarget } from './git-target.ts'
import type { Ports } from './ports.ts'

/** What the server lends to work that runs as long as the instance does. */
export interface Running {
  /** A context of the moment, in the name of the system. */
  context(): Ctx
  /** The git program that the instance uses. */
  readonly gitBinary: string
}

/** What a domain may declare. Everything but the name is optional. */
export interface DomainParts {
  readonly name: string
  /** Modules of routes; every exported endpoint or web route, alone or in a list, is taken. */
  readonly routes?: readonly Readonly<Record<string, unknown>>[]
  /** Routes that serve every repository of the instance, also those of other domains. */
  readonly gitRoutes?: (targets: readonly OpenGitTarget[]) => readonly WebRoute[]
  readonly subscribers?: readonly Subscription[]
  readonly jobs?: readonly Job[]
  /**
   * Tables of what jobs and events are about, by the field that names a row. A job that fails because such a row is gone has
   * nothing left to do, and ends.
   */
  readonly subjects?: Readonly<Record<string, string>>
  readonly crons?: readonly CronLine[]
  /** Repositories that git serves besides those of projects. */
  readonly gitTargets?: readonly OpenGitTarget[]
  /** Who sees this domain's events in the window's live stream. */
  readonly visibleTo?: readonly EventVisibility[]
  /** Runs at every start, before recovery: rows that the domain relies on. */
  readonly prepare?: (ctx: Ctx, given: FirstUser) => void | Promise<void>
  /** Finishes or removes what a killed instance left, before the server answers. */
  readonly recover?: Recovery
  /** Runs once the server answers; the returned function runs when it stops. */
  readonly open?: (running: Running) => () => void | Promise<void>
  /** Ends work under way when the instance stops. */
  readonly stop?: (ctx: Ctx) => void | Promise<void>
  /** Answers to the questions of the kernel that this domain gives. */
  readonly ports?: Partial<Ports>
}

/** The first administrator, as the start options name it. */
export interface FirstUser {
  readonly password: string | undefined
  readonly token: string | undefined
}

/** Refs and merges come first: other recovery reads repositories. */
export interface Recovery {
  readonly refs?: (ctx: Ctx) => void | Promise<void>
  readonly rest?: (ctx: Ctx) => void | Promise<void>
}

/** A domain as the server reads it. */
export interface Domain extends DomainParts {
  readonly endpoints: readonly Endpoint[]
  readonly webRoutes: readonly WebRoute[]
  readonly subscribers: readonly Subscription[]
  readonly jobs: readonly Job[]
  readonly crons: readonly CronLine[]
}

/** Declares a domain. Each domain does so once, in its `index.ts`. */
export function domain(parts: DomainParts): Domain {
  const exported = (parts.routes ?? []).flatMap((module) => Object.values(module)).flat()
  return {
    subscribers: [],
    jobs: [],
    crons: [],
    ...parts,
    endpoints: exported.filter(isEndpoint),
    webRoutes: exported.filter(isWebRoute),
  }
}

/** All web routes: those of every domain, and those that serve the repositories of all. */
export function webRoutesOf(domains: readonly Domain[]): readonly WebRoute[] {
  const targets = domains.flatMap((one) => one.gitTargets ?? [])
  return domains.flatMap((one) => [...one.webRoutes, ...(one.gitRoutes?.(targets) ?? [])])
}
