import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { Project } from '../../projects/index.ts'
import { maskedUrl } from '../validation.ts'
import type { PullMirrorRow } from './store.ts'

/** A project that follows a repository elsewhere. */
export interface PullingProject {
  readonly project: Project
  readonly row: PullMirrorRow | undefined
}

const RUNNING = ['scheduled', 'started']

/** How following a repository elsewhere goes (spec administration 5.3); from `enabled` on as later versions have it. */
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
    enabled: z.boolean(),
    mirror_trigger_builds: z.boolean(),
    only_mirror_protected_branches: z.boolean(),
    mirror_overwrites_diverged_branches: z.boolean(),
    mirror_branch_regex: z.string().nullable(),
    /** When it is updated next by itself. */
    next_update_at: time().nullable(),
    /** Branches that went another way here and were left alone. */
    diverged_branches: z.array(z.string()),
  },
  ({ project, row }: PullingProject) => ({
    id: project.id,
    last_error: row?.last_error ?? project.import_error,
    last_successful_update_at: row?.last_successful_update_at ?? null,
    last_update_at: row?.last_update_at ?? null,
    last_update_started_at: row?.last_update_started_at ?? null,
    // The first filling of a project is an import.
    update_status: RUNNING.includes(project.import_status)
      ? project.import_status
      : (row?.update_status ?? 'none'),
    url: project.import_url === null ? null : maskedUrl(project.import_url, row?.credentials != null),
    enabled: project.mirror,
    mirror_trigger_builds: project.mirror_trigger_builds,
    only_mirror_protected_branches: project.only_mirror_protected_branches,
    mirror_overwrites_diverged_branches: project.mirror_overwrites_diverged_branches,
    mirror_branch_regex: row?.mirror_branch_regex ?? null,
    next_update_at: row?.next_update_at ?? null,
    diverged_branches: JSON.parse(row?.diverged ?? '[]') as string[],
  }),
)
