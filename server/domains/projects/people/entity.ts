import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { LinkRow, StarRow } from './store.ts'

/** A group that a project is shared with (spec core 1.3). */
export const ProjectGroupLink = entity(
  'ProjectGroupLink',
  {
    id: z.int(),
    project_id: z.int(),
    group_id: z.int(),
    group_access: z.int(),
    expires_at: z.iso.date().nullable(),
  },
  (link: LinkRow) => ({
    id: link.id,
    project_id: link.project_id,
    group_id: link.group_id,
    group_access: link.access_level,
    expires_at: link.expires_at,
  }),
)

/** The outcome of something that was done at once. */
export const Outcome = entity(
  'Outcome',
  { status: z.string(), message: z.string() },
  (outcome: { status: string; message: string }) => outcome,
)

/** Somebody who starred a project. */
export const Starrer = entity(
  'Starrer',
  { starred_since: time(), user: UserBasic.schema },
  (row: StarRow, at) => ({
    starred_since: row.starred_since,
    user: UserBasic.present(row, at),
  }),
)
