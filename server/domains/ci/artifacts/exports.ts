import { readFile } from 'node:fs/promises'

import type { Ctx } from '../../../ctx.ts'
import { jsonList } from '../../../db/database.ts'
import { fail } from '../../../lib/fail.ts'
import type { JobRow } from '../jobs/store.ts'
import { parseDotenv, type Exported } from '../reports/dotenv.ts'
import { dependencyJobs } from './dependencies.ts'

const PURPOSE = 'ci_job_exports.value'
/** Compressed reports are far below; what is larger is not even read. */
const MAX_COMPRESSED = 64 * 1024

/** The variables of a dotenv report that arrived. Throws 400. */
export async function readExports(file: { path: string; size: number }): Promise<Exported[]> {
  if (file.size > MAX_COMPRESSED)
    throw fail('bad_request', 'Dotenv Artifact Too Big. Maximum Allowable Size: 5120')
  return parseDotenv(await readFile(file.path))
}

/** Keeps what a job exports; to be called in the transaction that stores its report. */
export function keepExports(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  jobId: number,
  variables: readonly Exported[],
): void {
  for (const { key, value } of variables)
    ctx.db.exec(
      'INSERT OR REPLACE INTO ci_job_exports (job_id, key, value) VALUES (?, ?, ?)',
      jobId,
      key,
      ctx.secrets.seal(value, PURPOSE),
    )
}

/** Variables that the jobs export which a job depends on; of one name that of the later job (spec ci 1.12). */
export function exportsFor(ctx: Ctx, job: JobRow): Exported[] {
  const ids = dependencyJobs(ctx, job).map((one) => one.id)
  if (ids.length === 0) return []
  const rows = ctx.db.many<Exported>(
    `SELECT key, value FROM ci_job_exports
     WHERE job_id IN (SELECT value FROM json_each(?)) ORDER BY job_id, key`,
    jsonList(ids),
  )
  const values = new Map(rows.map(({ key, value }) => [key, value]))
  return [...values].map(([key, value]) => ({ key, value: ctx.secrets.open(value, PURPOSE).toString() }))
}
