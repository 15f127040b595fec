import { isIP } from 'node:net'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail, invalid, notFound } from '../../lib/fail.ts'
import { linearPattern } from '../../lib/text/linear-pattern.ts'
import { KINDS } from '../webhooks/index.ts'
import { catalogueOf, type Field, FLAG_DEFAULTS, type Integration } from './catalogue/index.ts'
import { IntegrationChanged } from './events.ts'
import type { IntegrationInput } from './params.ts'
import {
  openSettings,
  propertiesOf,
  sealSecrets,
  secretsOf,
  type Settings,
  type Value,
  listensTo,
} from './settings.ts'
import * as store from './store.ts'
import type { IntegrationRow } from './store.ts'

const isBlank = (value: Value | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** True if a setting is required, which may depend on another setting. */
function isRequired({ is_required, unless }: Field, settings: Settings): boolean {
  return is_required && (!unless || settings[unless.name] !== unless.value)
}

/** Returns the problems of settings, by field. Empty if all are valid. */
function problemsOf(integration: Integration, settings: Settings): Record<string, string> {
  const problems = integration.fields.flatMap((field) => {
    const problem = problemOf(field, settings)
    return problem ? [[field.name, problem]] : []
  })
  return Object.fromEntries(problems) as Record<string, string>
}

function problemOf(field: Field, settings: Settings): string | undefined {
  const value = settings[field.name]
  if (isBlank(value)) return isRequired(field, settings) ? "can't be blank" : undefined
  if (typeof value !== 'string') return undefined
  if (field.type !== 'lines' && /[\r\n]/.test(value)) return 'is invalid'
  if (field.format === 'regex') return isPattern(value) ? undefined : 'is invalid'
  if (field.format && !isWebAddress(value)) return 'must be a valid URL'
  return field.pattern && !field.pattern.test(value) ? 'is invalid' : undefined
}

function isPattern(value: string): boolean {
  try {
    return linearPattern(value) !== undefined
  } catch {
    return false
  }
}

/** Whether a value is a web address. `:id` of trackers may be anywhere in it, so it is replaced by a number. */
function isWebAddress(value: string): boolean {
  const address = value.trim().replaceAll(':id', '1')
  if (/\s/.test(address) || !URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return (protocol === 'http:' || protocol === 'https:') && hostname !== ''
}

/** Finds the integration of a project. Throws `404 Integration Not Found` if it was never set up. */
export function findIntegration(ctx: Ctx, projectId: number, slug: string): IntegrationRow {
  const row = store.find(ctx.db, projectId, slug)
  if (!row) throw notFound('Integration')
  return row
}

/**
 * Sets up and activates an integration for API clients. Required settings must be in every request, and `active` is
 * ignored. Throws 400 without details (spec administration 3.1).
 */
export async function putIntegration(ctx: Ctx, projectId: number, slug: string, input: IntegrationInput) {
  const integration = catalogueOf(slug)
  if (integration.is_foreign) throw fail('unprocessable')
  const missingFields = integration.fields.filter(
    (field) => isRequired(field, input.values) && input.values[field.name] === undefined,
  )
  if (missingFields.length > 0)
    throw fail('parameter', missingFields.map((field) => `${field.name} is missing`).join(', '))
  return setUp(ctx, projectId, integration, { ...input, active: true }, () =>
    fail('bad_request', '400 Bad Request'),
  )
}

/** Sets up an integration for the window. Stored secrets may be omitted. Throws 400 with problems by field. */
export async function changeIntegration(ctx: Ctx, projectId: number, slug: string, input: IntegrationInput) {
  return setUp(ctx, projectId, catalogueOf(slug), input, invalid)
}

type MakeError = (problems: Record<string, string>) => Error

async function setUp(
  ctx: Ctx,
  projectId: number,
  integration: Integration,
  input: IntegrationInput,
  makeError: MakeError,
): Promise<IntegrationRow> {
  const errors = await checkReachable(ctx, integration, input.values)
  if (Object.keys(errors).length > 0) throw makeError(errors)
  return tx(ctx.db, () => {
    const before = store.find(ctx.db, projectId, integration.slug)
    const settings = settingsWith(ctx, integration, before, input.values)
    const problems = input.active ? problemsOf(integration, settings) : {}
    if (Object.keys(problems).length > 0) throw makeError(problems)
    const flags = { ...FLAG_DEFAULTS, ...(before ? JSON.parse(before.events) : {}), ...input.flags }
    const columns = { ...columnsOf(ctx, integration, settings), events: JSON.stringify(flags) }
    return save(ctx, projectId, integration.slug, before, { ...columns, active: input.active })
  })
}

/** Deactivates an integration and keeps its settings (spec administration 14, point 1). */
export function disable(ctx: Ctx, projectId: number, slug: string): IntegrationRow {
  return tx(ctx.db, () => {
    const before = store.find(ctx.db, projectId, slug)
    return save(ctx, projectId, slug, before, { active: false })
  })
}

function save(
  ctx: Ctx,
  projectId: number,
  slug: string,
  before: IntegrationRow | undefined,
  columns: { active: boolean; events?: string; properties?: string; secrets?: string | null },
): IntegrationRow {
  const { active, events = before?.events ?? '{}' } = columns
  const kinds = JSON.stringify(KINDS.filter((kind) => listensTo({ slug, active, events }, kind)))
  const values = { ...columns, kinds, updated_at: ctx.now }
  const row = before
    ? store.update(ctx.db, before.id, values)
    : store.insert(ctx.db, { ...values, project_id: projectId, slug, created_at: ctx.now })
  publish(ctx, IntegrationChanged, {
    project_id: projectId,
    integration_id: row.id,
    slug,
    active: row.active,
    actor_id: ctx.actor.id,
  })
  return row
}

/** Returns the settings after a change. Secrets are deleted if their destination changed. */
function settingsWith(
  ctx: Ctx,
  integration: Integration,
  before: IntegrationRow | undefined,
  values: IntegrationInput['values'],
): Settings {
  const defaults = Object.fromEntries(
    integration.fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default]])),
  )
  const properties = before ? propertiesOf(before) : defaults
  const hasMoved = before !== undefined && hasNewDestination(integration, openSettings(ctx, before), values)
  const secrets = before && !hasMoved ? secretsOf(ctx, before) : {}
  return {
    ...properties,
    ...secrets,
    ...translateDeprecated(integration, values),
    ...trimAddresses(integration, values),
  }
}

/** Whether a change sends requests to another destination than the one that the stored secrets were entered for. */
function hasNewDestination(
  integration: Integration,
  before: Settings,
  values: IntegrationInput['values'],
): boolean {
  const hasChanged = (field: Field) =>
    values[field.name] !== undefined && (values[field.name] || null) !== (before[field.name] || null)
  return integration.fields.some((field) => field.is_destination && hasChanged(field))
}

/** Translates the outdated `notify_only_default_branch` to `branches_to_be_notified`. */
function translateDeprecated(integration: Integration, values: IntegrationInput['values']): Settings {
  const old = values['notify_only_default_branch']
  if (old === undefined || values['branches_to_be_notified'] !== undefined) return {}
  return integration.fields.some((field) => field.name === 'branches_to_be_notified')
    ? { branches_to_be_notified: old === true ? 'default' : 'all' }
    : {}
}

/** Trims addresses, since forms may send white space around them. */
function trimAddresses(integration: Integration, values: IntegrationInput['values']): Settings {
  const clean = (field: Field, value: Value) =>
    field.format && typeof value === 'string' ? value.trim() : value
  return Object.fromEntries(
    integration.fields.flatMap((field) => {
      const value = values[field.name]
      return value === undefined ? [] : [[field.name, clean(field, value)]]
    }),
  )
}

function columnsOf(ctx: Ctx, integration: Integration, settings: Settings) {
  const isSet = ({ name }: Field) => settings[name] !== undefined && settings[name] !== null
  const pick = (fields: readonly Field[]) =>
    Object.fromEntries(fields.filter(isSet).map(({ name }) => [name, settings[name]]))
  const secrets = pick(integration.fields.filter((field) => field.is_secret && settings[field.name] !== ''))
  return {
    properties: JSON.stringify(pick(integration.fields.filter((field) => !field.is_secret))),
    secrets: sealSecrets(ctx, secrets as Record<string, string>),
  }
}

/**
 * Returns problems with addresses that the instance may not send requests to, by field. Checks only addresses that need
 * no DNS lookup. The delivery checks all of them again.
 */
async function checkReachable(
  ctx: Ctx,
  integration: Integration,
  values: Readonly<Record<string, Value>>,
): Promise<Record<string, string>> {
  const problems: Record<string, string> = {}
  for (const { name, format } of integration.fields) {
    const value = values[name]
    if (format !== 'address' || typeof value !== 'string' || !URL.canParse(value.trim())) continue
    if (!(await isReachable(ctx, new URL(value.trim()))))
      problems[name] = 'is blocked: Requests to the local network are not allowed'
  }
  return problems
}

async function isReachable(ctx: Ctx, { hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const isLocal = host === 'localhost' || host.endsWith('.localhost')
  if (isIP(host) === 0 && !isLocal) return true
  try {
    await ctx.outbound.addressOf(isLocal ? '127.0.0.1' : host, 'any', Number(port) || undefined)
    return true
  } catch {
    return false
  }
}
