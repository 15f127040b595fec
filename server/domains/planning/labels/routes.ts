import type { Ctx } from '../../../ctx.ts'
import { atLeastOne, endpoint, ownedEndpoint, exactlyOne, type Endpoint } from '../../../http/endpoint.ts'
import { bool, int, paramsIf, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { GroupLabel, type LabelView } from './entity.ts'
import { findLabel } from './find.ts'
import type { LabelRow } from './label.ts'
import { list } from './store-list.ts'
import { groupOwner, type PlanningOwner } from '../types-owner.ts'
import { abilities } from '../policy.ts'
import {
  createLabel,
  deleteLabel,
  updateLabel,
  type LabelChanges,
  countsOf,
  promoteLabel,
} from './service.ts'
import * as store from './store.ts'
import { setSubscribed, subscribedIn } from './store-counts.ts'
import { ofGroups, ofProjects, type LabelOwnerKind, type OwnerContext } from './owner-kind.ts'

const labelId = { label_id: text().describe('The ID or title of the label') }
const ancestorsParam = {
  include_ancestor_groups: bool().default(true).describe('Include labels of parent groups'),
}
const filters = {
  with_counts: bool().default(false).describe('Include the counts of issues and merge requests'),
  search: text({ max: 255 }).optional().describe('Search the title and description'),
  ...ancestorsParam,
}
const groupFilters = {
  include_descendant_groups: bool().default(false).describe('Include labels of subgroups'),
  only_group_labels: bool().default(true).describe('Exclude labels of projects'),
}
const sharedParams = {
  description: text().nullable().optional().describe('The description, in one line of Markdown'),
  lock_on_merge: bool().optional().describe('Prevent the label from being removed'),
}
const priorityParam = {
  priority: int({ min: 0 }).nullable().optional().describe('The priority in the project. `null` removes it'),
}
const changes = {
  new_name: text().optional().describe('The new title'),
  color: text({ max: 255 }).optional().describe('The color: `#rrggbb`, `#rgb` or the name of a CSS color'),
  ...sharedParams,
}
const CHANGEABLE = ['new_name', 'color', 'description', 'priority', 'lock_on_merge']
const INVALID = { 400: 'The title or the color is invalid' }
const LOCKED = { 400: 'Label is locked and was not removed' }

function reads<Name extends string, Owner>(kind: LabelOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun, path } = kind
  const common = { scope, can: kind.can.read, pure: true }
  return [
    ownedEndpoint(`GET ${path}`, {
      ...common,
      summary: `List ${noun} labels`,
      params: { ...filters, ...paramsIf(noun === 'group', groupFilters) },
      returns: page(kind.entity),
      run: (ctx) => {
        const owner = kind.owner(ctx)
        const { with_counts, ...filter } = ctx.params
        const result = list(ctx.db, ctx, { owner, filter }, ctx.paging)
        return { rows: viewsOf(ctx, owner, result.rows, with_counts), total: result.total }
      },
    }),
    ownedEndpoint(`GET ${path}/:label_id`, {
      ...common,
      summary: `Get a ${noun} label`,
      params: { ...labelId, ...ancestorsParam },
      returns: ok(kind.entity),
      run: (ctx) => {
        const owner = kind.owner(ctx)
        const label = findLabel(ctx, owner, ctx.params.label_id, ctx.params.include_ancestor_groups)
        return viewsOf(ctx, owner, [label])[0]!
      },
    }),
  ]
}

/** Updates a label and shows it. */
async function changeLabel<Name extends string, Owner>(
  ctx: OwnerContext<Name, Owner>,
  kind: LabelOwnerKind<Name, Owner>,
  reference: string,
  input: LabelChanges,
) {
  const owner = kind.owner(ctx)
  const label = await updateLabel(ctx, owner, reference, input)
  return viewsOf(ctx, owner, [label])[0]!
}

function writes<Name extends string, Owner>(kind: LabelOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun, path } = kind
  const common = { scope, can: kind.can.admin }
  const projectParams = paramsIf(noun === 'project', priorityParam)
  const changeable = CHANGEABLE.filter((name) => noun === 'project' || name !== 'priority')
  return [
    ownedEndpoint(`POST ${path}`, {
      ...common,
      summary: `Create a ${noun} label`,
      params: {
        name: text().describe('The title'),
        color: text({ max: 255 }).describe('The color: `#rrggbb`, `#rgb` or the name of a CSS color'),
        ...sharedParams,
        ...projectParams,
      },
      fails: { ...INVALID, 409: 'Label already exists' },
      returns: created(kind.entity),
      run: async (ctx) => {
        const owner = kind.owner(ctx)
        return viewsOf(ctx, owner, [await createLabel(ctx, owner, ctx.params)])[0]!
      },
    }),
    ownedEndpoint(`PUT ${path}/:label_id`, {
      ...common,
      summary: `Update a ${noun} label`,
      params: { ...labelId, ...changes, ...projectParams },
      parameterRules: [atLeastOne(...changeable)],
      fails: INVALID,
      returns: ok(kind.entity),
      run: (ctx) => {
        const { label_id, ...input } = ctx.params
        return changeLabel(ctx, kind, label_id, input)
      },
    }),
    ownedEndpoint(`DELETE ${path}/:label_id`, {
      ...common,
      summary: `Delete a ${noun} label`,
      params: labelId,
      fails: LOCKED,
      returns: noContent,
      run: (ctx) => {
        const label = findLabel(ctx, kind.owner(ctx), ctx.params.label_id, false)
        ctx.http.unmodifiedSince(label.updated_at)
        deleteLabel(ctx, label)
      },
    }),
    ...olderWrites(kind, changeable),
  ]
}

/** The older endpoints, which take the label as a parameter instead of a path segment. */
function olderWrites<Name extends string, Owner>(
  kind: LabelOwnerKind<Name, Owner>,
  changeable: readonly string[],
): Endpoint[] {
  const { scope, noun, path } = kind
  const params = {
    name: text().optional().describe('The title of the label'),
    label_id: text().optional().describe('The ID of the label'),
  }
  return [
    ownedEndpoint(`PUT ${path}`, {
      summary: `Update a ${noun} label named in a parameter`,
      scope,
      can: kind.can.admin,
      params: { ...params, ...changes, ...paramsIf(noun === 'project', priorityParam) },
      parameterRules: [exactlyOne('label_id', 'name'), atLeastOne(...changeable)],
      fails: INVALID,
      returns: ok(kind.entity),
      run: (ctx) => {
        const { label_id, name, ...input } = ctx.params
        return changeLabel(ctx, kind, (label_id ?? name)!, input)
      },
    }),
    ownedEndpoint(`DELETE ${path}`, {
      summary: `Delete a ${noun} label named in a parameter`,
      scope,
      can: kind.can.admin,
      params,
      parameterRules: [exactlyOne('label_id', 'name')],
      fails: LOCKED,
      returns: noContent,
      run: (ctx) => {
        const label = findLabel(ctx, kind.owner(ctx), (ctx.params.label_id ?? ctx.params.name)!, false)
        ctx.http.unmodifiedSince(label.updated_at)
        deleteLabel(ctx, label)
      },
    }),
  ]
}

function subscriptions<Name extends string, Owner>(kind: LabelOwnerKind<Name, Owner>): Endpoint[] {
  const { scope, noun, path } = kind
  const declare = (verb: 'subscribe' | 'unsubscribe', summary: string, subscribed: boolean): Endpoint =>
    ownedEndpoint(`POST ${path}/:label_id/${verb}`, {
      summary,
      scope,
      can: kind.can.subscribe,
      params: labelId,
      fails: { 304: 'The subscription already has this state' },
      returns: created(kind.entity),
      run: (ctx) => {
        const owner = kind.owner(ctx)
        const label = findLabel(ctx, owner, ctx.params.label_id, true)
        setSubscribed(ctx, owner, label, subscribed)
        return viewsOf(ctx, owner, [label])[0]!
      },
    })
  return [
    declare('subscribe', `Subscribe to a ${noun} label`, true),
    declare('unsubscribe', `Unsubscribe from a ${noun} label`, false),
  ]
}

/** Declares the label endpoints of projects or groups (spec core 6.1). */
function endpointsOf<Name extends string, Owner>(kind: LabelOwnerKind<Name, Owner>): Endpoint[] {
  return [...reads(kind), ...writes(kind), ...subscriptions(kind)]
}

export const labels: Endpoint[] = [...endpointsOf(ofProjects), ...endpointsOf(ofGroups)]

export const promote = endpoint('PUT /projects/:id/labels/:label_id/promote', {
  summary: 'Promote a project label to a group label',
  scope: project,
  can: abilities.admin_label,
  params: labelId,
  fails: { 400: 'Failed to promote project label to group label' },
  returns: ok(GroupLabel),
  run: (ctx) => {
    const label = promoteLabel(ctx, ctx.project, ctx.params.label_id)
    return viewsOf(ctx, groupOwner({ id: label.group_id!, lineage: '[]' }), [label])[0]!
  },
})

/** Loads the views of labels for a project or group. */
function viewsOf(
  ctx: Ctx,
  owner: PlanningOwner,
  labels: readonly LabelRow[],
  withCounts = false,
): LabelView[] {
  const ids = labels.map((label) => label.id)
  const subscribed = subscribedIn(ctx, owner, labels)
  const counts = withCounts ? countsOf(ctx.db, ctx, owner, ids) : undefined
  const priorities = owner.kind === 'project' ? store.priorities(ctx.db, owner.id, ids) : undefined
  return labels.map((label) => ({
    label,
    counts: counts?.get(label.id),
    subscribed: subscribed.has(label.id),
    ...(priorities ? { priority: priorities.get(label.id) ?? null } : {}),
  }))
}
