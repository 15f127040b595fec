import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
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
  row<LinkRow>(),
  (link) => ({
    group_access: link.access_level,
  }),
)

/** The result of a request that ran at once. */
export const Outcome = entity(
  'Outcome',
  { status: z.string(), message: z.string() },
  (outcome: { status: string; message: string }) => outcome,
)

/** A user who starred a project. */
export const Starrer = entity(
  'Starrer',
  { starred_since: time(), user: UserBasic.schema },
  (row: StarRow, at) => ({
    starred_since: row.starred_since,
    user: UserBasic.present(row, at),
  }),
)
