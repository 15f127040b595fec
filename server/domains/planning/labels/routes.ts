import type { Ctx } from '../../../ctx.ts'
import { atLeastOne, endpoint, exactlyOne, type Endpoint } from '../../../http/endpoint.ts'
import { bool, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { countsOf } from './counts.ts'
import { GroupLabel, type LabelView } from './entity.ts'
import { findLabel } from './find.ts'
import type { LabelRow } from './label.ts'
import { list } from './list.ts'
import { groupOwner, type LabelOwner } from './owner.ts'
import { abilities } from './policy.ts'
import { promoteLabel } from './promote.ts'
import { createLabel, deleteLabel, updateLabel, type LabelChanges } from './service.ts'
import * as store from './store.ts'
import { setSubscribed, subscribedIn } from './subscriptions.ts'
import { ofGroups, ofProjects, type LabelOwnerKind } from './owner-kind.ts'

const labelId = { label_id: text().describe('Id or title of the label') }
const inherited = {
  include_ancestor_groups: bool().default(true).describe('Also labels of the groups above'),
}
const filters = {
  with_counts: bool().default(false).describe('Say how many issues and merge requests have each'),
  search: text({ max: 255 }).optional().describe('Part of the title or description'),
  ...inherited,
}
const groupFilters = {
  include_descendant_groups: bool().default(false).describe('Also labels of the groups below'),
  only_group_labels: bool().default(true).describe('Not the labels of projects'),
}
const more = {
  description: text().nullable().optional().describe('Description, one line of Markdown'),
  lock_on_merge: bool().optional().describe('Keep the label from being removed'),
}
const rank = {
  priority: int({ min: 0 }).nullable().optional().describe('Rank in the project; null for none'),
}
const changes = {
  new_name: text().optional().describe('New title'),
  color: text({ max: 255 }).optional().describe('`#rrggbb`, `#rgb` or the name of a CSS color'),
  ...more,
}
const CHANGEABLE = ['new_name', 'color', 'description', 'priority', 'lock_on_merge']
const refusals = { 400: 'Title or color are not acceptable' }
const LOCKED = { 400: 'Label is locked and was not removed' }

/** Parameters that only one of the twins has; the other never sees a value. */
function only<Params extends object>(isThere: boolean, params: Params): Params {
  return isThere ? params : ({} as Params)
}

function reads(kind: LabelOwnerKind): Endpoint[] {
  const { scope, thing, at } = kind
  const common = { scope, can: kind.can.read, pure: true }
  return [
    endpoint(`GET ${at}`, {
      ...common,
      summary: `List the labels of a ${thing}`,
      params: { ...filters, ...only(thing === 'group', groupFilters) },
      returns: page(kind.entity),
      run: (ctx) => {
        const owner = kind.owner(ctx)
        const { with_counts, ...filter } = ctx.params
        const found = list(ctx.db, ctx, { owner, filter }, ctx.paging)
        return { rows: viewsOf(ctx, owner, found.rows, with_counts), total: found.total }
      },
    }),
    endpoint(`GET ${at}/:label_id`, {
      ...common,
      summary: `Get a label of a ${thing}`,
      params: { ...labelId, ...inherited },
      returns: ok(kind.entity),
      run: (ctx) => {
        const owner = kind.owner(ctx)
        const label = findLabel(ctx, owner, ctx.params.label_id, ctx.params.include_ancestor_groups)
        return viewsOf(ctx, owner, [label])[0]!
      },
    }),
  ]
}

/** Changes a label and shows it. */
async function change(ctx: Ctx, kind: LabelOwnerKind, reference: string, given: LabelChanges) {
  const owner = kind.owner(ctx)
  const label = await updateLabel(ctx, owner, reference, given)
  return viewsOf(ctx, owner, [label])[0]!
}

function writes(kind: LabelOwnerKind): Endpoint[] {
  const { scope, thing, at } = kind
  const common = { scope, can: kind.can.admin }
  const ranked = only(thing === 'project', rank)
  const changeable = CHANGEABLE.filter((name) => thing === 'project' || name !== 'priority')
  return [
    endpoint(`POST ${at}`, {
      ...common,
      summary: `Make a label in a ${thing}`,
      params: {
        name: text().describe('Title'),
        color: text({ max: 255 }).describe('`#rrggbb`, `#rgb` or the name of a CSS color'),
        ...more,
        ...ranked,
      },
      fails: { ...refusals, 409: 'Label already exists' },
      returns: created(kind.entity),
      run: async (ctx) => {
        const owner = kind.owner(ctx)
        return viewsOf(ctx, owner, [await createLabel(ctx, owner, ctx.params)])[0]!
      },
    }),
    endpoint(`PUT ${at}/:label_id`, {
      ...common,
      summary: `Change a label of a ${thing}`,
      params: { ...labelId, ...changes, ...ranked },
      together: [atLeastOne(...changeable)],
      fails: refusals,
      returns: ok(kind.entity),
      run: (ctx) => {
        const { label_id, ...given } = ctx.params
        return change(ctx, kind, label_id, given)
      },
    }),
    endpoint(`DELETE ${at}/:label_id`, {
      ...common,
      summary: `Delete a label of a ${thing}`,
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

/** The older form: the label is named by a parameter. */
function olderWrites(kind: LabelOwnerKind, changeable: readonly string[]): Endpoint[] {
  const { scope, thing, at } = kind
  const named = {
    name: text().optional().describe('Title of the label'),
    label_id: text().optional().describe('Id of the label'),
  }
  return [
    endpoint(`PUT ${at}`, {
      summary: `Change a label of a ${thing}, named by a parameter`,
      scope,
      can: kind.can.admin,
      params: { ...named, ...changes, ...only(thing === 'project', rank) },
      together: [exactlyOne('label_id', 'name'), atLeastOne(...changeable)],
      fails: refusals,
      returns: ok(kind.entity),
      run: (ctx) => {
        const { label_id, name, ...given } = ctx.params
        return change(ctx, kind, (label_id ?? name)!, given)
      },
    }),
    endpoint(`DELETE ${at}`, {
      summary: `Delete a label of a ${thing}, named by a parameter`,
      scope,
      can: kind.can.admin,
      params: named,
      together: [exactlyOne('label_id', 'name')],
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

function subscriptions(kind: LabelOwnerKind): Endpoint[] {
  const { scope, thing, at } = kind
  const declare = (verb: 'subscribe' | 'unsubscribe', summary: string, wanted: boolean): Endpoint =>
    endpoint(`POST ${at}/:label_id/${verb}`, {
      summary,
      scope,
      can: kind.can.subscribe,
      params: labelId,
      fails: { 304: 'That is how it is already' },
      returns: created(kind.entity),
      run: (ctx) => {
        const owner = kind.owner(ctx)
        const label = findLabel(ctx, owner, ctx.params.label_id, true)
        setSubscribed(ctx, owner, label, wanted)
        return viewsOf(ctx, owner, [label])[0]!
      },
    })
  return [
    declare('subscribe', `Subscribe to a label of a ${thing}`, true),
    declare('unsubscribe', `Unsubscribe from a label of a ${thing}`, false),
  ]
}

/** Labels of projects and of groups (spec core 6.1). */
export const labels: Endpoint[] = [ofProjects, ofGroups].flatMap((kind) => [
  ...reads(kind),
  ...writes(kind),
  ...subscriptions(kind),
])

export const promote = endpoint('PUT /projects/:id/labels/:label_id/promote', {
  summary: "Make a label of a project one of its group's",
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

/** Labels as a project or group shows them. */
function viewsOf(ctx: Ctx, owner: LabelOwner, labels: readonly LabelRow[], withCounts = false): LabelView[] {
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
