import { z } from 'zod'

import { entity, time, type Presentation, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { UserBasicRow } from '../../users/index.ts'
import { detailedStatus, detailedStatusSchema, pipelineStatusTexts } from './detailed-status.ts'
import type { PipelineRow } from './store.ts'

/** A pipeline with the full path of its project. */
export interface PipelineWithPath {
  readonly row: PipelineRow
  readonly path: string
}

/** A pipeline with all data that its entity shows. */
export interface PipelineView extends PipelineWithPath {
  readonly user: UserBasicRow | null
  /** The average coverage of the jobs, in percent. */
  readonly coverage: number | null
  /** Whether jobs that are allowed to fail have failed. */
  readonly warnings: boolean
}

const basicFields = {
  id: z.int(),
  iid: z.int(),
  project_id: z.int(),
  sha: z.string(),
  ref: z.string(),
  status: z.string(),
  source: z.string(),
  created_at: time(),
  updated_at: time(),
  web_url: z.string(),
  name: z.string().nullable(),
}

function presentBasic({ row, path }: PipelineWithPath, at: Presentation) {
  return {
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    sha: row.sha,
    ref: row.ref,
    status: row.status,
    source: row.source,
    created_at: row.created_at,
    updated_at: row.updated_at,
    web_url: `${at.url}/${path}/-/pipelines/${row.id}`,
    name: row.name,
  }
}

/** A pipeline in lists and within other entities (spec core 0.1, ci 2.6). */
export const PipelineBasic = entity('PipelineBasic', basicFields, presentBasic)

/** The whole seconds between two times. Null if one of them is null. */
function secondsBetween(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null
  return Math.max(0, Math.floor((Date.parse(to) - Date.parse(from)) / 1000))
}

/** A single pipeline (spec core 0.1, ci 2.6). */
export const Pipeline = entity(
  'Pipeline',
  {
    ...basicFields,
    before_sha: z.string(),
    tag: z.boolean(),
    yaml_errors: z.string().nullable(),
    user: UserBasic.schema.nullable(),
    started_at: time().nullable(),
    finished_at: time().nullable(),
    committed_at: time().nullable(),
    duration: z.int().nullable(),
    queued_duration: z.int().nullable(),
    coverage: z.string().nullable(),
    detailed_status: detailedStatusSchema,
  },
  (view: PipelineView, at) => ({
    ...presentBasic(view, at),
    before_sha: view.row.before_sha,
    tag: view.row.tag,
    yaml_errors: view.row.yaml_errors,
    user: view.user && UserBasic.present(view.user, at),
    started_at: view.row.started_at,
    finished_at: view.row.finished_at,
    committed_at: view.row.committed_at,
    duration: view.row.duration,
    queued_duration: secondsBetween(view.row.created_at, view.row.started_at),
    coverage: view.coverage === null ? null : view.coverage.toFixed(2),
    detailed_status: detailedStatus(
      pipelineStatusTexts(view.row.status, view.warnings),
      `/${view.path}/-/pipelines/${view.row.id}`,
    ),
  }),
)

/** A variable with which a pipeline was started. */
export const PipelineVariable = entity(
  'PipelineVariable',
  { variable_type: z.enum(['env_var', 'file']), key: z.string(), value: z.string(), raw: z.boolean() },
  row<{ variable_type: string; key: string; value: string; raw: boolean }>(),
  (row) => ({
    variable_type: row.variable_type as 'env_var' | 'file',
  }),
)
