import type { Ctx } from './ctx.ts'
import type { Subscription } from './events/publish.ts'
import type { Reloads } from './events/reloads.ts'
import type { EventVisibility } from './events/visibility.ts'
import { isEndpoint, type Endpoint } from './http/endpoint.ts'
import { EndpointSource } from './http/route-table.ts'
import { isWebRoute, type WebRoute } from './http/web-route.ts'
import type { CronLine, Job } from './jobs/job.ts'
import type { OpenGitTarget } from './git-target.ts'
import type { Ports } from './ports.ts'

/** The instance, for work of a domain that runs as long as the instance. */
export interface RunningInstance {
  /** A new context of the system actor. */
  context(): Ctx
  /** The git program that the instance uses. */
  readonly gitBinary: string
}

/** The exports of a module with endpoints or web routes. */
type RouteModule = Readonly<Record<string, unknown>>

/** The declaration of a domain. Everything but the name is optional. */
export interface DomainDeclaration {
  readonly name: string
  /**
   * Imports the modules with endpoints, at the first request to one of them. Every endpoint that a module exports is
   * served, alone or in a list.
   */
  readonly endpoints?: () => Promise<RouteModule | readonly RouteModule[]>
  /** Modules with web routes. Every web route that a module exports is served. */
  readonly webRoutes?: readonly RouteModule[]
  /** Routes that serve every repository of the instance, also those of other domains. */
  readonly gitRoutes?: (targets: readonly OpenGitTarget[]) => readonly WebRoute[]
  readonly subscribers?: readonly Subscription[]
  readonly jobs?: readonly Job[]
  /**
   * Tables of the rows that jobs and events refer to, by field. A job that fails because its row was deleted counts as
   * done.
   */
  readonly subjects?: Readonly<Record<string, string>>
  readonly crons?: readonly CronLine[]
  /** Repositories that git serves, other than those of projects. */
  readonly gitTargets?: readonly OpenGitTarget[]
  /** Who receives this domain's events in the window's live stream. */
  readonly visibleTo?: readonly EventVisibility[]
  /** What the window loads again after this domain's events. */
  readonly reloads?: Reloads
  /** Runs at every start before recovery, and creates rows that the domain needs. */
  readonly prepare?: (ctx: Ctx, firstUser: FirstUser) => void | Promise<void>
  /** Finishes or removes the unfinished work of a killed instance, before the server accepts requests. */
  readonly recover?: Recovery
  /** Runs when the server accepts requests. The returned function runs when the server stops. */
  readonly open?: (running: RunningInstance) => () => void | Promise<void>
  /** Ends running work when the instance stops. */
  readonly stop?: (ctx: Ctx) => void | Promise<void>
  /** The ports of the kernel that this domain implements. */
  readonly ports?: Partial<Ports>
}

/** The first administrator in the start options. */
export interface FirstUser {
  readonly password: string | undefined
  readonly token: string | undefined
}

/** `refs` of all domains runs before `rest`, which reads repositories. */
export interface Recovery {
  readonly refs?: (ctx: Ctx) => void | Promise<void>
  readonly rest?: (ctx: Ctx) => void | Promise<void>
}

/** A domain with its declaration and the lists that the server reads. */
export interface Domain extends Omit<DomainDeclaration, 'endpoints' | 'webRoutes'> {
  /** Loads the endpoints. */
  readonly endpoints: () => Promise<readonly Endpoint[]>
  readonly webRoutes: readonly WebRoute[]
  readonly subscribers: readonly Subscription[]
  readonly jobs: readonly Job[]
  readonly crons: readonly CronLine[]
}

/** Declares a domain. Each domain does so once, in its `index.ts`. */
export function domain(declaration: DomainDeclaration): Domain {
  const { endpoints, webRoutes = [] } = declaration
  return {
    subscribers: [],
    jobs: [],
    crons: [],
    ...declaration,
    endpoints: async () => exportsOf([(await endpoints?.()) ?? []].flat()).filter(isEndpoint),
    webRoutes: exportsOf(webRoutes).filter(isWebRoute),
  }
}

function exportsOf(modules: readonly RouteModule[]): unknown[] {
  return modules.flatMap((module) => Object.values(module)).flat()
}

/** Loads the endpoints of all domains. */
export async function endpointsOf(domains: readonly Domain[]): Promise<Endpoint[]> {
  return (await Promise.all(domains.map((entry) => entry.endpoints()))).flat()
}

/**
 * The endpoints of all domains, without loading them. `routes` is the generated list of routes, by domain.
 */
export function endpointSources(
  domains: readonly Domain[],
  routes: Readonly<Record<string, readonly string[]>>,
): EndpointSource[] {
  return domains.flatMap(({ name, endpoints }) => {
    const load = memoized(endpoints)
    return (routes[name] ?? []).map((line) => new EndpointSource(line, load))
  })
}

/** Calls `load` once. After a failure, the next call tries again. */
function memoized<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () => {
    value ??= load().catch((error: unknown) => {
      value = undefined
      throw error
    })
    return value
  }
}

/** All web routes: those of the domains, and those that serve all repositories. */
export function webRoutesOf(domains: readonly Domain[]): readonly WebRoute[] {
  const targets = domains.flatMap((entry) => entry.gitTargets ?? [])
  return domains.flatMap((entry) => [...entry.webRoutes, ...(entry.gitRoutes?.(targets) ?? [])])
}
