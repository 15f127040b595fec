import { z } from 'zod'

import { entity, time } from '../../../../http/entity.ts'
import { fullPath, type Project } from '../../../projects/index.ts'
import { ProjectIdentity } from '../../../projects/entity.ts'
import { UserBasic } from '../../../users/entity.ts'
import type { UserBasicRow } from '../../../users/index.ts'
import { hasLinks, type ExportState } from './status.ts'

const STATUS = z.enum(['none', 'queued', 'started', 'finished', 'regeneration_in_progress'])

/** The status of the export of a project (spec rest-api "Project export status"). */
export const ProjectExportStatus = entity(
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
export const ProjectExportProgress = entity(
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
