import { endpoint } from '../../../../http/endpoint.ts'
import { accepted, ok, raw } from '../../../../http/returns.ts'
import { group } from '../../../groups/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { groupAbilities } from '../../policy.ts'
import { GroupExportProgress } from './entity.ts'
import { archiveOf, cancelExport, progressOf, startExport as storeExport } from './service.ts'

const MINUTE = 60
const owned = { scope: group, can: groupAbilities.export_group }

export const startExport = endpoint('POST /groups/:id/export', {
  ...owned,
  summary: 'Export a group with its subgroups',
  limit: { max: 6, per: MINUTE, maxOf: (ctx) => settingsOf(ctx).group_export_limit },
  returns: accepted,
  run: (ctx) => storeExport(ctx, ctx.group),
})

export const downloadExport = endpoint('GET /groups/:id/export/download', {
  ...owned,
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
  ...owned,
  summary: 'Get the progress of the export of a group',
  returns: ok(GroupExportProgress),
  run: (ctx) => progressOf(ctx, ctx.group),
})

export const cancel = endpoint('POST /-/groups/:id/export/cancel', {
  ...owned,
  summary: 'Cancel the export of a group',
  fails: { 409: 'None is under way' },
  returns: accepted,
  run: (ctx) => cancelExport(ctx, ctx.group),
})

/** The address that older clients use is a page of the window. */
export const pageDownload = endpoint('GET /-/groups/:id/download_export', {
  ...owned,
  summary: 'Download the archive of a group for the window',
  returns: raw,
  run: (ctx) => archiveOf(ctx, ctx.group),
})
