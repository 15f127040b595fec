import { endpoint } from '../../../../http/endpoint.ts'
import { choice, hash, text } from '../../../../http/params.ts'
import { accepted, ok, raw } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { usersById } from '../../../users/index.ts'
import { ProjectExportProgress, ProjectExportStatus } from './entity.ts'
import { abilities } from './policy.ts'
import { archiveOf, askForExport, cancelExport, insistOnExports } from './service.ts'
import { stateOf } from './status.ts'

const MINUTE = 60
const maintained = { scope: project, can: abilities.export_project }
const OFF = 'There are no exports by the settings'

export const startExport = endpoint('POST /projects/:id/export', {
  ...maintained,
  summary: 'Have a project written into an archive',
  params: {
    description: text({ max: 2000 }).optional().describe('Said in the archive instead of the description'),
    upload: hash({
      url: text({ notEmpty: true }).optional().describe('Address that the archive is sent to'),
      http_method: choice('PUT', 'POST').optional().describe('How it is sent; PUT unless said otherwise'),
    })
      .optional()
      .describe('Where the archive is sent once it is made; it is not kept here then'),
  },
  limit: { max: 6, per: MINUTE, maxOf: (ctx) => settingsOf(ctx).project_export_limit },
  fails: { 400: 'The project is larger than the settings allow, or the address is blocked', 404: OFF },
  returns: accepted,
  run: (ctx) => {
    const { description, upload: { url, http_method } = {} } = ctx.params
    // One client always sends the hash, empty where nothing is to be sent.
    if (url === undefined && http_method !== undefined) throw fail('parameter', 'upload[url] is missing')
    return askForExport(ctx, ctx.project, { description, ...(url ? { upload: { url, http_method } } : {}) })
  },
})

export const readStatus = endpoint('GET /projects/:id/export', {
  ...maintained,
  summary: 'Get how far the archive of a project is',
  fails: { 404: OFF },
  returns: ok(ProjectExportStatus),
  run: (ctx) => {
    insistOnExports(ctx)
    return { project: ctx.project, state: stateOf(ctx, ctx.project.id) }
  },
})

export const downloadExport = endpoint('GET /projects/:id/export/download', {
  ...maintained,
  summary: 'Download the archive of a project',
  limit: {
    max: 1,
    per: MINUTE,
    by: ({ params }) => String(params['id']),
    maxOf: (ctx) => settingsOf(ctx).project_download_export_limit,
  },
  fails: { 404: 'There is no archive, or none any more' },
  returns: raw,
  run: (ctx) => archiveOf(ctx, ctx.project),
})

export const readProgress = endpoint('GET /-/projects/:id/export_progress', {
  ...maintained,
  summary: 'Get how far the archive of a project is, with how much is done',
  fails: { 404: OFF },
  returns: ok(ProjectExportProgress),
  run: (ctx) => {
    insistOnExports(ctx)
    const state = stateOf(ctx, ctx.project.id)
    const id = state.newest?.user_id ?? 0
    return { state, user: usersById(ctx.db, [id]).get(id) }
  },
})

export const cancel = endpoint('POST /-/projects/:id/export/cancel', {
  ...maintained,
  summary: 'Take back the archive of a project that is being made',
  fails: { 404: OFF, 409: 'None is under way' },
  returns: accepted,
  run: (ctx) => cancelExport(ctx, ctx.project),
})
