import type { Selectable } from 'kysely'
import { z } from 'zod'

import type { CiPipelinesTable } from '../../../db/schema.gen.ts'
import { time } from '../../../http/entity.ts'

/** What a commit says of its newest pipeline. */
export type CommitPipeline = Pick<
  Selectable<CiPipelinesTable>,
  'id' | 'iid' | 'project_id' | 'sha' | 'ref' | 'status' | 'source' | 'created_at' | 'updated_at' | 'name'
>

/** The form of a pipeline in a commit: the same as in lists of pipelines (spec core 0.1, PipelineBasic). */
export const commitPipelineSchema = z.strictObject({
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
})

/** A pipeline in the commit of a project. */
export function commitPipelineView(pipeline: CommitPipeline, path: string, at: { readonly url: string }) {
  return { ...pipeline, web_url: `${at.url}/${path}/-/pipelines/${pipeline.id}` }
}
