import { z } from 'zod'

import { endpoint } from '../../../../http/endpoint.ts'
import { entity, time } from '../../../../http/entity.ts'
import { accepted, ok, raw } from '../../../../http/returns.ts'
import { group } from '../../../groups/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import type { Export } from '../../exports/store.ts'
import { groupAbilities } from '../../policy.ts'
import { archiveOf, cancelExport, progressOf, startExport as storeExport } from './service.ts'

/** The progress of the export of a group, and the archive that can be downloaded. */
const GroupExportProgress = entity(
  'GroupExportProgress',
  {
    status: z.enum(['none', 'queued', 'started', 'finished', 'failed', 'canceled']),
    step: z.string().nullable(),
    done: z.int(),
    total: z.int(),
    error: z.string().nullable(),
    created_at: time().nullable(),
    /** The fields of the archive that can be downloaded. */
    size: z.int().nullable(),
    file_name: z.string().nullable(),
    finished_at: time().nullable(),
    expires_at: time().nullable(),
  },
  ({ newest, available }: { newest: Export | undefined; available: Export | undefined }) => ({
    status: (newest?.state ?? 'none') as 'none',
    step: newest?.step ?? null,
    done: newest?.done ?? 0,
    total: newest?.total ?? 0,
    error: newest?.error ?? null,
    created_at: newest?.created_at ?? null,
    size: available?.size ?? null,
    file_name: available?.file_name ?? null,
    finished_at: available?.finished_at ?? null,
    expires_at: available?.expires_at ?? null,
  }),
)

const MINUTE = 60
const common = { scope: group, can: groupAbilities.export_group }

export const startExport = endpoint('POST /groups/:id/export', {
  ...common,
  summary: 'Export a group with its subgroups',
  limit: { max: 6, per: MINUTE, maxOf: (ctx) => settingsOf(ctx).group_export_limit },
  returns: accepted,
  run: (ctx) => storeExport(ctx, ctx.group),
})

export const downloadExport = endpoint('GET /groups/:id/export/download', {
  ...common,
  summary: 'Download the archive of a group',
  limit: {
    max: 1,
    per: MINUTE,
    by: ({ params }) => String(params['id']),
    maxOf: (ctx) => settingsOf(ctx).group_download_export_limit,
  },
  returns: raw,
  run: (ctx) => archiveOf(ctx, ctx.group),
})

export const readProgress = endpoint('GET /-/groups/:id/export_progress', {
  ...common,
  summary: 'Get the progress of the export of a group',
  returns: ok(GroupExportProgress),
  run: (ctx) => progressOf(ctx, ctx.group),
})

export const cancel = endpoint('POST /-/groups/:id/export/cancel', {
  ...common,
  summary: 'Cancel the export of a group',
  fails: { 409: 'No export is running' },
  returns: accepted,
  run: (ctx) => cancelExport(ctx, ctx.group),
})

/** The download for the window, which has no rate limit. */
export const pageDownload = endpoint('GET /-/groups/:id/download_export', {
  ...common,
  summary: 'Download the archive of a group for the window',
  returns: raw,
  run: (ctx) => archiveOf(ctx, ctx.group),
})
