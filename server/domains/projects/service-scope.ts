import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../ctx.ts'
import type { Actor } from '../../policy/actor.ts'
import type { Scope } from '../../policy/ability.ts'
import { roleOnProject } from '../members/index.ts'
import { redirectedProject } from '../namespaces/index.ts'
import { featureLevel, type Feature, type Project } from './types.ts'
import * as store from './store.ts'
import type { Database } from '../../db/database.ts'
import { fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'

/** Finds a project by numeric id or full path; digits only are always an id. */
export function findProject(ctx: Pick<Ctx, 'db'>, reference: string): Project | undefined {
  if (!/^\d+$/.test(reference)) return store.byPath(ctx.db, reference)
  const id = Number(reference)
  return Number.isSafeInteger(id) ? store.byId(ctx.db, id) : undefined
}

/** Returns true if the project's visibility alone lets the actor see it. */
export function isOpenTo(actor: Actor, project: Pick<Project, 'visibility'>): boolean {
  if (project.visibility === 'public') return true
  return project.visibility === 'internal' && actor.kind === 'user' && !actor.external
}

/**
 * Returns false for a project that the job token of the request excludes: a restricted one allows its own project and
 * public ones (spec ci 0.2).
 */
function isWithinJobToken({ actor }: Ctx, row: Project): boolean {
  const job = actor.kind === 'user' ? actor.job : undefined
  return !job?.isConfined || row.id === job.project_id || row.visibility === 'public'
}

/**
 * Returns true for a new project during its import: writes could collide with the numbers and names of imported
 * objects. Reads, cancelling and deleting are allowed.
 */
function isBeingImported({ repository_state, import_status }: Project): boolean {
  return repository_state === 'pending' && (import_status === 'scheduled' || import_status === 'started')
}

/** The project of a path; all routes below `/projects/:id` use it. */
export const project: Scope<'project', Project> = {
  name: 'project',
  plural: 'projects',
  param: 'id',
  title: 'Project',
  load: (ctx, reference) => {
    const row = findProject(ctx, reference)
    return row && isWithinJobToken(ctx, row) ? row : undefined
  },
  moved: (ctx, reference) => {
    const id = redirectedProject(ctx.db, reference)
    return id === undefined ? undefined : store.byId(ctx.db, id)
  },
  roleOf: roleOnProject,
  openTo: isOpenTo,
  feature: (owner, feature) => featureLevel(owner, feature as Feature),
  archived: (owner) => owner.archived || isBeingImported(owner),
  isExternallyDecided: isExternallyDecided,
  admits: checkExternally,
}

/** The external service's decision on a user and a label: null admits the user, a text is the reason of a refusal. */
interface Decision {
  readonly reason: string | null
  /** Milliseconds until which the decision is valid. */
  readonly until: number
}

const NO_REASON = 'External authorization denied access to this project'

/** The time in milliseconds that a decision is cached. */
const CACHE_MS = 12 * 3600000

/** The time in milliseconds that the result of a failed request is cached. */
const FAILURE_CACHE_MS = 10000
const MAX_CACHED = 10000

/**
 * Returns the cache of decisions. It holds promises, so that concurrent requests with the same question cause one
 * call.
 */
const decisionCache = (db: Database) =>
  db.instance(
    'projects.external_decisions',
    () => new LRUCache<string, Promise<Decision>>({ max: MAX_CACHED }),
    { dependsOnRows: true },
  )

/**
 * Returns true if an external service controls access to projects; administrators and the system actor always have
 * access.
 */
export function isExternallyDecided(ctx: Ctx): boolean {
  return !ctx.actor.is_admin && settingsOf(ctx).external_authorization_service_enabled
}

/**
 * Asks the external service of the settings whether the actor may access a project, by its label (spec
 * administration 1.2, `external_authorization_service_*`). Rejects with 403 and the reason of the service, and also
 * if it does not answer.
 */
export function checkExternally(ctx: Ctx, project: Project): Promise<void> | undefined {
  return isExternallyDecided(ctx) ? check(ctx, project) : undefined
}

async function check(ctx: Ctx, project: Project): Promise<void> {
  const reason = ctx.actor.kind === 'user' ? await reasonFor(ctx, ctx.actor.email, project) : NO_REASON
  if (reason !== null) throw fail('forbidden', `403 Forbidden - ${reason}`)
}

async function reasonFor(ctx: Ctx, email: string, project: Project): Promise<string | null> {
  const settings = settingsOf(ctx)
  const url = settings.external_authorization_service_url ?? ''
  const label =
    project.external_authorization_classification_label ||
    (settings.external_authorization_service_default_label ?? '')
  const key = JSON.stringify([url, email, label])
  const decisions = decisionCache(ctx.db)
  const now = Date.parse(ctx.now)
  const cached = await decisions.get(key)
  if (cached && cached.until > now) return cached.reason
  const pending = requestDecision(ctx, url, { user_identifier: email, project_classification_label: label })
  decisions.set(key, pending)
  return (await pending).reason
}

async function requestDecision(ctx: Ctx, url: string, body: object): Promise<Decision> {
  const now = Date.parse(ctx.now)
  try {
    const timeoutMs = settingsOf(ctx).external_authorization_service_timeout * 1000
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body), timeoutMs }
    const answer = await ctx.outbound.fetch(url, init)
    const text = await answer.text()
    if (answer.status === 200) return { reason: null, until: now + CACHE_MS }
    const isDecision = answer.status === 401 || answer.status === 403
    return { reason: reasonIn(text), until: now + (isDecision ? CACHE_MS : FAILURE_CACHE_MS) }
  } catch (error) {
    ctx.log.warn({ err: error }, 'the external authorization service did not answer')
    return { reason: NO_REASON, until: now + FAILURE_CACHE_MS }
  }
}

/** Returns the reason in the answer of the service, or a default one. */
function reasonIn(text: string): string {
  try {
    const { reason } = JSON.parse(text) as { reason?: unknown }
    return typeof reason === 'string' && reason !== '' ? reason.slice(0, 500) : NO_REASON
  } catch {
    return NO_REASON
  }
}
