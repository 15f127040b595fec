import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import type { Entity } from '../../../http/entity.ts'
import { text, int, bool, choice, hash, list } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import type { Ability, Scope } from '../../../policy/ability.ts'
import { group, type Group } from '../../groups/index.ts'
import { project, type Project } from '../../projects/index.ts'
import type { TestOwner } from '../payloads/testing.ts'
import { abilities, groupAbilities } from '../policy.ts'
import { GroupHook, ProjectHook, SystemHook } from './entity.ts'
import {
  decryptHook,
  type HookKind,
  type HookOwner,
  type DecryptedHook,
  type EventFlag,
  EVENTS,
} from './hook.ts'
import {
  createHook,
  findHook,
  type HookFields,
  listHooks,
  type PairKind,
  removeHook,
  removePair,
  setPair,
  updateHook,
} from './service.ts'

/** Descriptions of the event flags. */
const FLAG_TEXTS: Readonly<Record<EventFlag, string>> = {
  push_events: 'Trigger the webhook on pushes to branches',
  tag_push_events: 'Trigger the webhook on created and deleted tags',
  merge_requests_events: 'Trigger the webhook on merge request events',
  repository_update_events: 'Trigger the webhook once for each push to a repository',
  issues_events: 'Trigger the webhook on issue events',
  confidential_issues_events: 'Trigger the webhook on confidential issue events',
  note_events: 'Trigger the webhook on comments',
  confidential_note_events: 'Trigger the webhook on internal comments and comments on confidential issues',
  job_events: 'Trigger the webhook on job status changes',
  pipeline_events: 'Trigger the webhook on pipeline status changes',
  wiki_page_events: 'Trigger the webhook on wiki page events',
  deployment_events: 'Trigger the webhook when a deployment starts or ends',
  releases_events: 'Trigger the webhook on release events',
  feature_flag_events: 'Trigger the webhook when a feature flag is turned on or off',
  emoji_events: 'Trigger the webhook when an emoji is awarded or revoked',
  resource_access_token_events: 'Trigger the webhook when an access token is about to expire',
  subgroup_events: 'Trigger the webhook on created and deleted subgroups',
  member_events: 'Trigger the webhook on group member events',
}

const pairs = list(hash({ key: text(), value: text() }), { max: 100 })

/** A pair without a value keeps its current value. */
const changedPairs = list(hash({ key: text(), value: text().optional() }), { max: 100 })

const PAIR_TEXTS = {
  url_variables: 'The variables of the URL. Values are never returned',
  custom_headers: 'Custom headers of each request. Values are never returned',
}

const url = text().describe(
  'The URL to send events to. `{name}` is replaced by the URL variable of this name',
)

const common = {
  name: text().nullable().optional().describe('The name of the webhook'),
  description: text().nullable().optional().describe('The description of the webhook'),
  token: text()
    .nullable()
    .optional()
    .describe('A secret token that is sent with each request. It is never returned'),
  enable_ssl_verification: bool().optional().describe('Verify the TLS certificate of the receiver'),
  push_events_branch_filter: text()
    .nullable()
    .optional()
    .describe('The branches that trigger push events. Empty means all branches'),
  branch_filter_strategy: choice('wildcard', 'regex', 'all_branches')
    .optional()
    .describe('How the branch filter is matched'),
  custom_webhook_template: text()
    .nullable()
    .optional()
    .describe(
      'A JSON template for the request body, with placeholders like `{{project.name}}`. Default is the whole event',
    ),
}

/** Parameters for creating a webhook. */
function newHookParams(kind: HookKind) {
  return {
    url,
    ...hookParams(kind),
    url_variables: pairs.optional().describe(PAIR_TEXTS.url_variables),
    custom_headers: pairs.optional().describe(PAIR_TEXTS.custom_headers),
  }
}

/** Parameters for updating a webhook. */
function changedHookParams(kind: HookKind) {
  return {
    url: url.optional(),
    ...hookParams(kind),
    url_variables: changedPairs
      .optional()
      .describe(`${PAIR_TEXTS.url_variables}. A pair without a value keeps its current value`),
    custom_headers: changedPairs
      .optional()
      .describe(`${PAIR_TEXTS.custom_headers}. A pair without a value keeps its current value`),
  }
}

function hookParams(kind: HookKind) {
  const flags = EVENTS[kind].map((flag) => [flag, bool().optional().describe(FLAG_TEXTS[flag])] as const)
  return { ...common, ...(Object.fromEntries(flags) as Record<EventFlag, ReturnType<typeof optionalBool>>) }
}

function optionalBool() {
  return bool().optional()
}

export const hook_id = int({ min: 1 }).describe('The ID of the webhook')

/** The scope and the ability of endpoints. */
interface Access {
  readonly scope: Scope<'project', Project> | Scope<'group', Group> | undefined
  readonly can: Ability<Project> | Ability<Group> | 'admin'
}

/** A kind of owner, with everything that its webhook endpoints need. */
export interface HookOwnerKind {
  readonly kind: HookKind
  /** The first words of summaries: "project webhooks". */
  readonly name: string
  readonly path: `/${string}`
  readonly access: Access
  readonly entity: Entity<DecryptedHook>
}

export const projectOwner: HookOwnerKind = {
  kind: 'project',
  name: 'project',
  path: '/projects/:id/hooks',
  access: { scope: project, can: abilities.manage_hooks },
  entity: ProjectHook,
}

export const groupOwner: HookOwnerKind = {
  kind: 'group',
  name: 'group',
  path: '/groups/:id/hooks',
  access: { scope: group, can: groupAbilities.manage_group_hooks },
  entity: GroupHook,
}

export const instanceOwner: HookOwnerKind = {
  kind: 'system',
  name: 'system',
  path: '/hooks',
  access: { scope: undefined, can: 'admin' },
  entity: SystemHook,
}

/**
 * The context of a request. It contains the owner in the path under the name of its scope, and no owner for the instance.
 */
type OwnerContext = { readonly project: Project } | { readonly group: Group } | object

/** Returns the owner that a request's path names. */
export function ownerIn(ctx: OwnerContext): HookOwner {
  if ('project' in ctx) return { kind: 'project', project_id: ctx.project.id, group_id: null }
  if ('group' in ctx) return { kind: 'group', project_id: null, group_id: ctx.group.id }
  return { kind: 'system', project_id: null, group_id: null }
}

/** Returns the owner of the data for test events. */
export function testOwnerIn(ctx: OwnerContext): TestOwner {
  if ('project' in ctx) return { project: ctx.project }
  return 'group' in ctx ? { group: ctx.group } : 'system'
}

const refusals = { 422: 'The URL or another value is not valid' }

/** List, get, create, update and delete webhooks (spec administration 3.6). */
function hookEndpoints({ path, name, access, kind, entity }: HookOwnerKind): Endpoint[] {
  return [
    endpoint(`GET ${path}`, {
      ...access,
      summary: `List ${name} webhooks`,
      returns: page(entity),
      run: (ctx) => listHooks(ctx, ownerIn(ctx), ctx.paging),
    }),
    endpoint(`GET ${path}/:hook_id`, {
      ...access,
      summary: `Get a ${name} webhook`,
      params: { hook_id },
      returns: ok(entity),
      run: (ctx) => decryptHook(ctx, findHook(ctx, ownerIn(ctx), ctx.params.hook_id)),
    }),
    endpoint(`POST ${path}`, {
      ...access,
      summary: `Create a ${name} webhook`,
      params: newHookParams(kind),
      fails: refusals,
      returns: created(entity),
      run: ({ params, ...ctx }) => createHook(ctx, ownerIn(ctx), params),
    }),
    endpoint(`PUT ${path}/:hook_id`, {
      ...access,
      summary: `Update a ${name} webhook`,
      params: { hook_id, ...changedHookParams(kind) },
      fails: { 400: 'No parameters were given', ...refusals },
      returns: ok(entity),
      run: (ctx) => {
        const row = findHook(ctx, ownerIn(ctx), ctx.params.hook_id)
        const { hook_id: _id, ...input } = ctx.params
        const { id: _owner, ...changes }: HookFields & { id?: unknown } = input
        if (Object.keys(changes).length === 0) throw fail('parameter', 'No parameters provided')
        return updateHook(ctx, row, changes)
      },
    }),
    endpoint(`DELETE ${path}/:hook_id`, {
      ...access,
      summary: `Delete a ${name} webhook`,
      params: { hook_id },
      returns: noContent,
      run: (ctx) => {
        const row = findHook(ctx, ownerIn(ctx), ctx.params.hook_id)
        ctx.http.unmodifiedSince(row.updated_at)
        removeHook(ctx, row)
      },
    }),
  ]
}

/** Set and delete single URL variables and custom headers. */
function pairEndpoints({ path, name, access }: HookOwnerKind, kind: PairKind, noun: string): Endpoint[] {
  const key = text({ max: 255 }).describe(`The name of the ${noun}`)
  return [
    endpoint(`PUT ${path}/:hook_id/${kind}/:key`, {
      ...access,
      summary: `Set a ${noun} of a ${name} webhook`,
      params: { hook_id, key, value: text().describe(`The value of the ${noun}, which is kept secret`) },
      fails: refusals,
      returns: noContent,
      run: (ctx) => {
        const { hook_id: id, ...pair } = ctx.params
        return setPair(ctx, findHook(ctx, ownerIn(ctx), id), kind, pair)
      },
    }),
    endpoint(`DELETE ${path}/:hook_id/${kind}/:key`, {
      ...access,
      summary: `Delete a ${noun} of a ${name} webhook`,
      params: { hook_id, key },
      fails: refusals,
      returns: noContent,
      run: (ctx) => removePair(ctx, findHook(ctx, ownerIn(ctx), ctx.params.hook_id), kind, ctx.params.key),
    }),
  ]
}

const endpointsOf = (owner: HookOwnerKind): Endpoint[] => [
  ...hookEndpoints(owner),
  ...pairEndpoints(owner, 'url_variables', 'URL variable'),
  ...pairEndpoints(owner, 'custom_headers', 'custom header'),
]

export const projectHooks = endpointsOf(projectOwner)
export const groupHooks = endpointsOf(groupOwner)
export const systemHooks = endpointsOf(instanceOwner)
