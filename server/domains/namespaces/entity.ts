import { z } from 'zod'

import { entity, type Presentation, row } from '../../http/entity.ts'
import type { NamespaceBasicRow, NamespaceRow, NamespaceView } from './store.ts'

/** Returns the URL of a group's avatar; null without one. Personal namespaces have none. */
export function groupAvatarUrl(row: Pick<NamespaceRow, 'id' | 'avatar'>, at: Presentation): string | null {
  return row.avatar
    ? `${at.url}/uploads/-/system/group/avatar/${row.id}/${encodeURIComponent(row.avatar)}`
    : null
}

/** Returns the URL of the page of a group or user. */
export function namespaceUrl(row: Pick<NamespaceRow, 'kind' | 'full_path'>, at: Presentation): string {
  return row.kind === 'group' ? `${at.url}/groups/${row.full_path}` : `${at.url}/${row.full_path}`
}

const basicFields = {
  id: z.int(),
  name: z.string(),
  path: z.string(),
  kind: z.enum(['user', 'group']),
  full_path: z.string(),
  parent_id: z.int().nullable(),
  avatar_url: z.string().nullable(),
  web_url: z.string(),
}

function basic(row: NamespaceBasicRow, at: Presentation) {
  return {
    id: row.id,
    name: row.name,
    path: row.path,
    kind: row.kind,
    full_path: row.full_path,
    parent_id: row.parent_id,
    avatar_url: groupAvatarUrl(row, at),
    web_url: namespaceUrl(row, at),
  }
}

/** A namespace nested in other entities (spec core 0.1). */
export const NamespaceBasic = entity('NamespaceBasic', basicFields, basic)

/** A single namespace (spec core 3). The optional fields are for its owners. */
export const Namespace = entity(
  'Namespace',
  {
    ...basicFields,
    members_count_with_descendants: z.int().optional(),
    billable_members_count: z.int().optional(),
    max_seats_used: z.int().optional(),
    seats_in_use: z.int().optional(),
    plan: z.string().optional(),
    trial: z.boolean().optional(),
    trial_ends_on: z.string().nullable().optional(),
    shared_runners_minutes_limit: z.int().nullable().optional(),
  },
  (row: NamespaceView, at) => ({
    ...basic(row, at),
    ...(row.members_count === undefined ? {} : ownerFields(row, row.members_count)),
  }),
)

/** Returns the fields for owners. Only groups have counts, because a personal namespace has only its owner. */
function ownerFields(row: NamespaceView, members: number) {
  const counts = {
    members_count_with_descendants: members,
    billable_members_count: row.seats,
    // The instance does not record earlier numbers of seats.
    max_seats_used: row.seats,
    seats_in_use: row.seats,
  }
  return {
    ...(row.kind === 'group' ? counts : {}),
    // Every namespace has all features, and there is no trial.
    plan: 'ultimate',
    trial: false,
    trial_ends_on: null,
    shared_runners_minutes_limit: row.shared_runners_minutes_limit,
  }
}

/** A group in lists of parents or targets to choose from (spec core 0.1). */
export const GroupPublic = entity(
  'GroupPublic',
  {
    id: z.int(),
    name: z.string(),
    avatar_url: z.string().nullable(),
    web_url: z.string(),
    full_name: z.string(),
    full_path: z.string(),
  },
  row<NamespaceRow>(),
  (row, at) => ({
    avatar_url: groupAvatarUrl(row, at),
    web_url: namespaceUrl(row, at),
  }),
)

/** Whether a path is in use, with an unused alternative. */
export const PathCheck = entity(
  'PathCheck',
  { exists: z.boolean(), suggests: z.array(z.string()) },
  (check: { exists: boolean; suggests: string[] }) => check,
)
