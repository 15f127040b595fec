import type { Database } from '../../../../db/database.ts'
import { planLimits } from '../../../settings/index.ts'
import type { PipelineRow } from '../store.ts'

/** Child pipelines may have children, and those no more. */
const MAX_CHILD_DEPTH = 2
/** A pipeline may come back to a project and ref that it came from so often: A, B, A, B is let through. */
const MAX_RETURNS = 2
const MAX_CHAIN = 100

type Ancestor = Pick<PipelineRow, 'id' | 'project_id' | 'ref' | 'source' | 'upstream_pipeline_id'>

/** A pipeline and those that it came from, the nearest first. */
function chain(db: Database, pipelineId: number): Ancestor[] {
  return db.many<Ancestor>(
    `WITH RECURSIVE chain (id, depth) AS (
       SELECT ?, 1
       UNION ALL
       SELECT p.upstream_pipeline_id, depth + 1 FROM chain c JOIN ci_pipelines p ON p.id = c.id
        WHERE p.upstream_pipeline_id IS NOT NULL AND depth < ?
     )
     SELECT p.id, p.project_id, p.ref, p.source, p.upstream_pipeline_id FROM chain c JOIN ci_pipelines p ON p.id = c.id
      ORDER BY c.depth`,
    pipelineId,
    MAX_CHAIN,
  )
}

/** True where a pipeline is a child of a child already. */
export function isTooDeep(db: Database, pipelineId: number): boolean {
  const all = chain(db, pipelineId)
  const root = all.findIndex(({ source }) => source !== 'parent_pipeline')
  return (root < 0 ? all.length : root) >= MAX_CHILD_DEPTH
}

/** True where pipelines of several projects trigger each other in a ring. */
export function isLoop(db: Database, pipelineId: number): boolean {
  const all = chain(db, pipelineId)
  const own = all.filter(({ source }) => source !== 'parent_pipeline')
  const places = Map.groupBy(own, ({ project_id, ref, source }) => `${project_id} ${source} ${ref}`)
  return all.length >= MAX_CHAIN || [...places.values()].some((one) => one.length > MAX_RETURNS)
}

/** True where too many pipelines have come of one already: children with many children each have no end otherwise. */
export function isCrowded(db: Database, pipelineId: number): boolean {
  const { pipeline_hierarchy_size: most } = planLimits(db)
  const first = chain(db, pipelineId).at(-1)?.id ?? pipelineId
  const { n } = db.one<{ n: number }>(
    `WITH RECURSIVE family (id) AS (
       SELECT ? UNION SELECT p.id FROM family f JOIN ci_pipelines p ON p.upstream_pipeline_id = f.id
     )
     SELECT count(*) AS n FROM (SELECT id FROM family LIMIT ?)`,
    first,
    most,
  )!
  return most > 0 && n >= most
}
