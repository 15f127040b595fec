import { z } from 'zod'

import { entity, time, type Presentation } from '../../../http/entity.ts'
import { ProjectIdentity } from '../../projects/entity.ts'
import { Commit } from '../../repository/commits/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import { PipelineBasic } from '../pipelines/entity.ts'
import { Runner } from '../runners/entity.ts'
import type { BridgeView, JobView } from './view.ts'

/** The fields that all entities of a job share. */
const basicFields = {
  id: z.int(),
  status: z.string(),
  stage: z.string(),
  name: z.string(),
  ref: z.string(),
  tag: z.boolean(),
  coverage: z.number().nullable(),
  allow_failure: z.boolean(),
  created_at: time(),
  started_at: time().nullable(),
  finished_at: time().nullable(),
  erased_at: time().nullable(),
  duration: z.number().nullable(),
  queued_duration: z.number().nullable(),
  user: UserBasic.schema.nullable(),
  commit: Commit.schema.nullable(),
  pipeline: PipelineBasic.schema,
  failure_reason: z.string().optional(),
  web_url: z.string(),
}

/** The settings of the project that a job shows. */
const scopeFields = { project: z.strictObject({ ci_job_token_scope_enabled: z.boolean() }) }

/** The fields of the complete entity only. */
const fullFields = {
  artifacts_file: z.strictObject({ filename: z.string(), size: z.int() }).optional(),
  artifacts: z.array(
    z.strictObject({
      file_type: z.string(),
      size: z.int(),
      filename: z.string(),
      file_format: z.string().nullable(),
    }),
  ),
  runner: Runner.schema.nullable(),
  artifacts_expire_at: time().nullable(),
  tag_list: z.array(z.string()),
}

/** The seconds between two times. If the second is null, the period lasts until `now`. */
function seconds(from: string | null, to: string | null, now: string): number | null {
  return from === null ? null : Math.max(0, (Date.parse(to ?? now) - Date.parse(from)) / 1000)
}

function presentBasic({ row, project, path, ...view }: JobView, at: Presentation) {
  return {
    id: row.id,
    status: row.status,
    stage: row.stage,
    name: row.name,
    ref: row.ref,
    tag: row.tag,
    coverage: row.coverage,
    allow_failure: row.allow_failure,
    created_at: row.created_at,
    started_at: row.started_at,
    finished_at: row.finished_at,
    erased_at: row.erased_at,
    duration: seconds(row.started_at, row.finished_at, at.now),
    // A job that never ran was queued until it finished.
    queued_duration: seconds(row.queued_at, row.started_at ?? row.finished_at, at.now),
    user: view.user && UserBasic.present(view.user, at),
    commit: view.commit && Commit.present({ commit: view.commit, path, project_id: project.id }, at),
    pipeline: PipelineBasic.present({ row: view.pipeline, path }, at),
    ...(row.status === 'failed' ? { failure_reason: row.failure_reason ?? 'unknown_failure' } : {}),
    web_url: `${at.url}/${path}/-/jobs/${row.id}`,
  }
}

function presentProject({ project }: JobView) {
  return { project: { ci_job_token_scope_enabled: project.ci_job_token_scope_enabled } }
}

function presentFiles({ row, runner, artifacts }: JobView, at: Presentation) {
  const archive = artifacts.find((artifact) => artifact.file_type === 'archive')
  return {
    ...(archive ? { artifacts_file: { filename: archive.filename, size: archive.size } } : {}),
    artifacts: artifacts.map(({ file_type, size, filename, file_format }) => ({
      file_type,
      size,
      filename,
      file_format,
    })),
    runner: runner && Runner.present(runner, at),
    artifacts_expire_at: row.artifacts_expire_at,
    tag_list: JSON.parse(row.tag_list) as string[],
  }
}

/** A job without its files and runner, for lists of waiting jobs (spec ci 2.7, 2.11). */
export const JobBasic = entity('JobBasic', { ...basicFields, ...scopeFields }, (view: JobView, at) => ({
  ...presentBasic(view, at),
  ...presentProject(view),
}))

/** A job (spec ci 2.7). */
export const Job = entity('Job', { ...basicFields, ...scopeFields, ...fullFields }, (view: JobView, at) => ({
  ...presentBasic(view, at),
  ...presentProject(view),
  ...presentFiles(view, at),
}))

/** A job in the list of a runner's jobs, which belong to several projects (spec rest-api, Runner). */
export const JobOfRunner = entity(
  'JobOfRunner',
  { ...basicFields, project: ProjectIdentity.schema },
  (view: JobView, at) => ({ ...presentBasic(view, at), project: ProjectIdentity.present(view.project, at) }),
)

const bridgeFields = {
  ...basicFields,
  ...scopeFields,
  downstream_pipeline: PipelineBasic.schema.nullable(),
}

/** A trigger job with its downstream pipeline (spec ci 2.7). */
export const Bridge = entity('Bridge', bridgeFields, (view: BridgeView, at: Presentation) => ({
  ...presentBasic(view, at),
  ...presentProject(view),
  downstream_pipeline: view.downstream && PipelineBasic.present(view.downstream, at),
}))
