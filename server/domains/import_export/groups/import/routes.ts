import { z } from 'zod'

import { endpoint } from '../../../../http/endpoint.ts'
import { entity, time } from '../../../../http/entity.ts'
import { file, int, text } from '../../../../http/params.ts'
import { accepted, ok } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { group, type Group } from '../../../groups/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { ImportFailure } from '../../imports/entity.ts'
import type { FailureRow } from '../../imports/store.ts'
import { groupAbilities } from '../../policy.ts'
import { startImport, progressOf } from './service.ts'
import type { GroupImport } from './store.ts'

/** The progress of the import of a group, for the window. The contract has no such answer. */
const GroupImportProgress = entity(
  'GroupImportProgress',
  {
    group_id: z.int(),
    full_path: z.string(),
    full_name: z.string(),
    /** `none` for a group that was not imported. */
    status: z.enum(['none', 'created', 'started', 'finished', 'failed']),
    step: z.string().nullable(),
    done: z.int(),
    total: z.int(),
    error: z.string().nullable(),
    created_at: time().nullable(),
    updated_at: time().nullable(),
    failures_count: z.int(),
    failures: z.array(ImportFailure.schema),
  },
  (view: {
    row: GroupImport | undefined
    group: Pick<Group, 'id' | 'full_path' | 'full_name'>
    failures: readonly FailureRow[]
    failuresCount: number
  }) => ({
    group_id: view.group.id,
    full_path: view.group.full_path,
    full_name: view.group.full_name,
    status: (view.row?.state ?? 'none') as 'none',
    step: view.row?.step ?? null,
    done: view.row?.done ?? 0,
    total: view.row?.total ?? 0,
    error: view.row?.error ?? null,
    created_at: view.row?.created_at ?? null,
    updated_at: view.row?.updated_at ?? null,
    failures_count: view.failuresCount,
    failures: view.failures.map((failure) => ({ ...failure })),
  }),
)

const MINUTE = 60
const MEGABYTE = 1024 * 1024
/** No limit: larger than any disk. */
const UNLIMITED_BYTES = 2 ** 50

export const importGroup = endpoint('POST /groups/import', {
  summary: 'Import a group from an archive',
  can: 'signed_in',
  params: {
    name: text({ max: 255, notEmpty: true }).describe('The name of the new group'),
    path: text({ max: 255, notEmpty: true }).describe('The path of the new group'),
    parent_id: int({ min: 1 }).optional().describe('The ID of the parent group'),
    file: file().describe('The archive of an exported group'),
  },
  // Checked before the upload is stored, so that unauthorized uploads cannot fill the disk.
  files: (ctx) => {
    if (ctx.actor.kind === 'anonymous') throw fail('unauthorized')
    const { max_import_size } = settingsOf(ctx)
    return { maxBytes: max_import_size > 0 ? max_import_size * MEGABYTE : UNLIMITED_BYTES }
  },
  limit: { max: 6, per: MINUTE, maxOf: (ctx) => settingsOf(ctx).group_import_limit },
  fails: {
    400: 'The name or path is invalid or taken',
    403: 'The caller may not create a group in the parent group',
  },
  returns: accepted,
  run: async (ctx) => {
    await startImport(ctx, ctx.params)
  },
})

export const readProgress = endpoint('GET /-/groups/:id/import_progress', {
  summary: 'Get the progress of the import of a group',
  scope: group,
  can: groupAbilities.export_group,
  returns: ok(GroupImportProgress),
  run: (ctx) => progressOf(ctx, ctx.group),
})
