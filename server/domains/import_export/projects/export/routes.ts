import { z } from 'zod'

import { endpoint } from '../../../../http/endpoint.ts'
import { entity, time } from '../../../../http/entity.ts'
import { choice, hash, text } from '../../../../http/params.ts'
import { accepted, ok, raw } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { ProjectIdentity } from '../../../projects/entity.ts'
import { project, fullPath, type Project } from '../../../projects/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { UserBasic } from '../../../users/entity.ts'
import { usersById, type UserBasicRow } from '../../../users/index.ts'
import { projectAbilities } from '../../policy.ts'
import { archiveOf, cancelExport, startExport as storeExport, checkExportsEnabled } from './service.ts'
import { stateOf, hasLinks, type ExportState } from './status.ts'

const STATUS = z.enum(['none', 'queued', 'started', 'finished', 'regeneration_in_progress'])

/** The status of the export of a project (spec rest-api "Project export status"). */
const ProjectExportStatus = entity(
  'ProjectExportStatus',
  {
    ...ProjectIdentity.fields,
    export_status: STATUS,
    _links: z.object({ api_url: z.string(), web_url: z.string() }).optional(),
  },
  ({ project, state }: { project: Project; state: ExportState }, at) => ({
    ...ProjectIdentity.present(project, at),
    export_status: state.status,
    ...(hasLinks(state)
      ? {
          _links: {
            api_url: `${at.url}/api/v4/projects/${project.id}/export/download`,
            web_url: `${at.url}/${fullPath(project)}/download_export`,
          },
        }
      : {}),
  }),
)

/** The progress of the export of a project, for the window. */
const ProjectExportProgress = entity(
  'ProjectExportProgress',
  {
    status: STATUS,
    step: z.string().nullable(),
    done: z.int(),
    total: z.int(),
    /** The error of the last export. */
    error: z.string().nullable(),
    created_at: time().nullable(),
    user: UserBasic.schema.nullable(),
    /** The available archive. */
    size: z.int().nullable(),
    file_name: z.string().nullable(),
    expires_at: time().nullable(),
  },
  (
    { state: { status, newest, ready }, user }: { state: ExportState; user: UserBasicRow | undefined },
    at,
  ) => ({
    status,
    step: newest?.step ?? null,
    done: newest?.done ?? 0,
    total: newest?.total ?? 0,
    error: newest?.error ?? null,
    created_at: newest?.created_at ?? null,
    user: user ? UserBasic.present(user, at) : null,
    size: ready?.size ?? null,
    file_name: ready?.file_name ?? null,
    expires_at: ready?.expires_at ?? null,
  }),
)

const MINUTE = 60
const maintained = { scope: project, can: projectAbilities.export_project }
const OFF = 'The settings disable exports'

export const startExport = endpoint('POST /projects/:id/export', {
  ...maintained,
  summary: 'Export a project',
  params: {
    description: text({ max: 2000 })
      .optional()
      .describe('Description to export instead of that of the project'),
    upload: hash({
      url: text({ notEmpty: true }).optional().describe('Address that the archive is uploaded to'),
      http_method: choice('PUT', 'POST').optional().describe('HTTP method of the upload; PUT by default'),
    })
      .optional()
      .describe('Upload the archive to this target and do not keep it'),
  },
  limit: { max: 6, per: MINUTE, maxOf: (ctx) => settingsOf(ctx).project_export_limit },
  fails: { 400: 'The project is larger than the settings allow, or the address is blocked', 404: OFF },
  returns: accepted,
  run: (ctx) => {
    const { description, upload: { url, http_method } = {} } = ctx.params
    // One client always sends the hash; it is empty without an upload.
    if (url === undefined && http_method !== undefined) throw fail('parameter', 'upload[url] is missing')
    return storeExport(ctx, ctx.project, { description, ...(url ? { upload: { url, http_method } } : {}) })
  },
})

export const readStatus = endpoint('GET /projects/:id/export', {
  ...maintained,
  summary: 'Get the status of the export of a project',
  fails: { 404: OFF },
  returns: ok(ProjectExportStatus),
  run: (ctx) => {
    checkExportsEnabled(ctx)
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
  fails: { 404: 'There is no archive, or it has expired' },
  returns: raw,
  run: (ctx) => archiveOf(ctx, ctx.project),
})

export const readProgress = endpoint('GET /-/projects/:id/export_progress', {
  ...maintained,
  summary: 'Get the progress of the export of a project',
  fails: { 404: OFF },
  returns: ok(ProjectExportProgress),
  run: (ctx) => {
    checkExportsEnabled(ctx)
    const state = stateOf(ctx, ctx.project.id)
    const id = state.newest?.user_id ?? 0
    return { state, user: usersById(ctx.db, [id]).get(id) }
  },
})

export const cancel = endpoint('POST /-/projects/:id/export/cancel', {
  ...maintained,
  summary: 'Cancel the export of a project',
  fails: { 404: OFF, 409: 'None is under way' },
  returns: accepted,
  run: (ctx) => cancelExport(ctx, ctx.project),
})
