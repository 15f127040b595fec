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
    /** The fields of the archive that can be downloaded. */
    size: z.int().nullable(),
    file_name: z.string().nullable(),
    expires_at: time().nullable(),
  },
  (
    { state: { status, newest, available }, user }: { state: ExportState; user: UserBasicRow | undefined },
    at,
  ) => ({
    status,
    step: newest?.step ?? null,
    done: newest?.done ?? 0,
    total: newest?.total ?? 0,
    error: newest?.error ?? null,
    created_at: newest?.created_at ?? null,
    user: user ? UserBasic.present(user, at) : null,
    size: available?.size ?? null,
    file_name: available?.file_name ?? null,
    expires_at: available?.expires_at ?? null,
  }),
)

const MINUTE = 60
const common = { scope: project, can: projectAbilities.export_project }
const DISABLED = 'Exports are disabled in the settings'

export const startExport = endpoint('POST /projects/:id/export', {
  ...common,
  summary: 'Export a project',
  params: {
    description: text({ max: 2000 })
      .optional()
      .describe('The description to export instead of the description of the project'),
    upload: hash({
      url: text({ notEmpty: true }).optional().describe('The URL to upload the archive to'),
      http_method: choice('PUT', 'POST')
        .optional()
        .describe('The HTTP method of the upload. Default is `PUT`'),
    })
      .optional()
      .describe('Upload the archive instead of keeping it for download'),
  },
  limit: { max: 6, per: MINUTE, maxOf: (ctx) => settingsOf(ctx).project_export_limit },
  fails: { 400: 'The project is larger than the settings allow, or the address is blocked', 404: DISABLED },
  returns: accepted,
  run: (ctx) => {
    const { description, upload: { url, http_method } = {} } = ctx.params
    // A client may send an empty hash if it requests no upload.
    if (url === undefined && http_method !== undefined) throw fail('parameter', 'upload[url] is missing')
    return storeExport(ctx, ctx.project, { description, ...(url ? { upload: { url, http_method } } : {}) })
  },
})

export const readStatus = endpoint('GET /projects/:id/export', {
  ...common,
  summary: 'Get the status of the export of a project',
  fails: { 404: DISABLED },
  returns: ok(ProjectExportStatus),
  run: (ctx) => {
    checkExportsEnabled(ctx)
    return { project: ctx.project, state: stateOf(ctx, ctx.project.id) }
  },
})

export const downloadExport = endpoint('GET /projects/:id/export/download', {
  ...common,
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
  ...common,
  summary: 'Get the progress of the export of a project',
  fails: { 404: DISABLED },
  returns: ok(ProjectExportProgress),
  run: (ctx) => {
    checkExportsEnabled(ctx)
    const state = stateOf(ctx, ctx.project.id)
    const id = state.newest?.user_id ?? 0
    return { state, user: usersById(ctx.db, [id]).get(id) }
  },
})

export const cancel = endpoint('POST /-/projects/:id/export/cancel', {
  ...common,
  summary: 'Cancel the export of a project',
  fails: { 404: DISABLED, 409: 'No export is running' },
  returns: accepted,
  run: (ctx) => cancelExport(ctx, ctx.project),
})
