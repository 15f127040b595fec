import { endpoint } from '../../../../http/endpoint.ts'
import { accepted, ok, raw } from '../../../../http/returns.ts'
import { group } from '../../../groups/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { groupAbilities } from '../policy.ts'
import { GroupExportProgress } from './entity.ts'
import { archiveOf, askForExport, cancelExport, progressOf } from './service.ts'

const MINUTE = 60
const owned = { scope: group, can: groupAbilities.export_group }

export const startExport = endpoint('POST /groups/:id/export', {
  ...owned,
  summary: 'Have a group written into an archive, with everything below it but projects',
  limit: { max: 6, per: MINUTE, maxOf: (ctx) => settingsOf(ctx).group_export_limit },
  returns: accepted,
  run: (ctx) => askForExport(ctx, ctx.group),
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
  summary: 'Get how far the archive of a group is',
  returns: ok(GroupExportProgress),
  run: (ctx) => progressOf(ctx, ctx.group),
})

export const cancel = endpoint('POST /-/groups/:id/export/cancel', {
  ...owned,
  summary: 'Take back the archive of a group that is being written',
  fails: { 409: 'None is under way' },
  returns: accepted,
  run: (ctx) => cancelExport(ctx, ctx.group),
})

/** The page of the group has the same address as older clients know for the file. */
export const pageDownload = endpoint('GET /-/groups/:id/download_export', {
  ...owned,
  summary: 'Download the archive of a group from the window',
  returns: raw,
  run: (ctx) => archiveOf(ctx, ctx.group),
})
