import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import type { Project } from '../../projects/index.ts'
import { maskedUrl } from '../validation.ts'
import type { PullMirrorRow } from './store.ts'

/** A project with its pull mirror. */
export interface PullingProject {
  readonly project: Project
  readonly row: PullMirrorRow | undefined
}

const RUNNING = ['scheduled', 'started']

/**
 * The pull mirror of a project (spec administration 5.3). `enabled` and the fields after it come from later versions of
 * GitLab.
 */
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
    /** Time of the next automatic update. */
    next_update_at: time().nullable(),
    /** Branches that the last update skipped because they have diverged. */
    diverged_branches: z.array(z.string()),
  },
  row((view: PullingProject) => view.project),
  ({ project, row }) => ({
    last_error: row?.last_error ?? project.import_error,
    last_successful_update_at: row?.last_successful_update_at ?? null,
    last_update_at: row?.last_update_at ?? null,
    last_update_started_at: row?.last_update_started_at ?? null,
    // The import of the project counts as an update.
    update_status: RUNNING.includes(project.import_status)
      ? project.import_status
      : (row?.update_status ?? 'none'),
    url: project.import_url === null ? null : maskedUrl(project.import_url, row?.credentials != null),
    enabled: project.mirror,
    mirror_branch_regex: row?.mirror_branch_regex ?? null,
    next_update_at: row?.next_update_at ?? null,
    diverged_branches: row?.diverged ?? ([] as string[]),
  }),
)
