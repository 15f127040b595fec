import { z } from 'zod'

import { entity, row } from '../../../http/entity.ts'
import type { ProtectionEntry as Entry, LevelRow, Protection } from '../../projects/index.ts'
import type { TagProtection } from './tags/store.ts'

/** The JSON of one entry of a protection. */
export const level = z.object({
  id: z.int(),
  access_level: z.int().nullable(),
  access_level_description: z.string(),
  user_id: z.int().nullable(),
  group_id: z.int().nullable(),
  deploy_key_id: z.int().nullable(),
})

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Administrators',
}

/** Converts an entry to JSON. Its description is that of the level, or the name of the user, group or key. */
function levelView(row: Entry & { readonly id: number; readonly title: string | null }) {
  const isRole = row.user_id === null && row.group_id === null && row.deploy_key_id === null
  return {
    id: row.id,
    access_level: isRole ? row.access_level : null,
    access_level_description: isRole ? (DESCRIPTIONS[row.access_level] ?? '') : (row.title ?? ''),
    user_id: row.user_id,
    group_id: row.group_id,
    deploy_key_id: row.deploy_key_id,
  }
}

/** A protected branch or pattern (spec core 4.4). */
export const ProtectedBranch = entity(
  'ProtectedBranch',
  {
    id: z.int(),
    name: z.string(),
    push_access_levels: z.array(level),
    merge_access_levels: z.array(level),
    allow_force_push: z.boolean(),
    unprotect_access_levels: z.array(level),
    code_owner_approval_required: z.boolean(),
    inherited: z.boolean(),
  },
  row<Protection>(),
  (row: Protection) => {
    const levelsOf = (kind: LevelRow['kind']) =>
      row.levels.filter((entry) => entry.kind === kind).map(levelView)
    return {
      push_access_levels: levelsOf('push'),
      merge_access_levels: levelsOf('merge'),
      unprotect_access_levels: levelsOf('unprotect'),
      inherited: false,
    }
  },
)

/** A protected tag or pattern (spec core 4.4). */
export const ProtectedTag = entity(
  'ProtectedTag',
  { name: z.string(), create_access_levels: z.array(level) },
  (row: TagProtection) => ({ name: row.name, create_access_levels: row.levels.map(levelView) }),
)
