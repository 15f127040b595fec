import { jsonList, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import type { PipelineRow } from '../../ci/index.ts'
import type { MergeRequestRow } from '../types.ts'

type RequestHead = Pick<
  MergeRequestRow,
  'id' | 'project_id' | 'source_project_id' | 'source_branch' | 'head_sha'
>

/** Merge request pipelines before branch pipelines, and newer ones before older ones. */
const ORDER = "ORDER BY source = 'merge_request_event' DESC, id DESC"

/**
 * Returns the pipeline of the head of a merge request: a merge request pipeline, a branch pipeline, or a pipeline with
 * statuses that other systems reported.
 */
export function headPipeline(db: Database, request: RequestHead): PipelineRow | undefined {
  if (request.head_sha === null) return undefined
  return db.one<PipelineRow>(
    `SELECT * FROM ci_pipelines
     WHERE project_id IN (?, ?) AND sha = ? AND source <> 'parent_pipeline' AND (merge_request_id = ?
       OR merge_request_id IS NULL AND (source = 'external' OR project_id = ? AND ref = ? AND tag = 0)) ${ORDER} LIMIT 1`,
    request.project_id,
    request.source_project_id ?? request.project_id,
    request.head_sha,
    request.id,
    request.source_project_id,
    request.source_branch,
  )
}

/** Lists the pipelines of a merge request, and of the commits of its versions on its branch, in the given projects. */
export function listPipelines(
  db: Database,
  request: RequestHead,
  projectIds: readonly number[],
  page: { readonly limit: number; readonly offset: number },
): Rows<PipelineRow> {
  const from = `FROM (
      SELECT * FROM ci_pipelines WHERE merge_request_id = ?
      UNION SELECT p.* FROM ci_pipelines p
      WHERE p.project_id = ? AND p.ref = ? AND p.tag = 0 AND p.merge_request_id IS NULL AND p.source <> 'parent_pipeline'
        AND p.sha IN (SELECT c.sha FROM merge_request_diff_commits c
          JOIN merge_request_diffs d ON d.id = c.diff_id WHERE d.merge_request_id = ?))
    WHERE project_id IN (SELECT value FROM json_each(?)) AND source <> 'parent_pipeline'`
  const values = [
    request.id,
    request.source_project_id,
    request.source_branch,
    request.id,
    jsonList(projectIds),
  ]
  const rows = db.many<PipelineRow>(
    `SELECT * ${from} ${ORDER} LIMIT ? OFFSET ?`,
    ...values,
    page.limit,
    page.offset,
  )
  const { total } = db.one<{ total: number }>(`SELECT count(*) AS total ${from}`, ...values)!
  return { rows, total }
}

/** Lists the open merge requests with this head, from or into a project. */
export function openWithHead(db: Database, projectId: number, sha: string): MergeRequestRow[] {
  return db.many<MergeRequestRow>(
    `SELECT * FROM merge_requests WHERE head_sha = ? AND state IN ('opened', 'locked')
       AND (project_id = ? OR source_project_id = ?) ORDER BY id`,
    sha,
    projectId,
    projectId,
  )
}
