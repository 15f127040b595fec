import { z } from 'zod'

import { entity, time } from '../../http/entity.ts'
import { withoutCredentials } from '../../lib/url.ts'
import type { Project } from './project.ts'

/** How pulling from elsewhere goes (spec administration 5.3). */
export const PullMirror = entity(
  'PullMirror',
  {
    id: z.int(),
    last_error: z.string().nullable(),
    last_successful_update_at: time().nullable(),
    last_update_at: time().nullable(),
    last_update_started_at: time().nullable(),
    update_status: z.string(),
    url: z.string().nullable(),
  },
  (project: Project) => ({
    id: project.id,
    last_error: project.import_error,
    last_successful_update_at: null,
    last_update_at: null,
    last_update_started_at: null,
    update_status: project.import_status,
    url: project.import_url === null ? null : withoutCredentials(project.import_url),
  }),
)
