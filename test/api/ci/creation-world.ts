import { fill } from '../repository/fill.ts'
import type { World } from '../../support/world.ts'

/** A row of the database. */
export type Row = Record<string, unknown>

/** Creates projects with a configuration, and reads their pipelines. */
export function pipelinesOf(w: World) {
  const { db } = w.ctx()
  return {
    /** Creates a project with a configuration on its default branch. */
    async projectWith(config: string | null, files: Record<string, string> = {}, params: object = {}) {
      const made = await w.make.project({ ...params })
      const own: Record<string, string> = config === null ? {} : { '.gitlab-ci.yml': config }
      const [sha] = fill(w, made, [{ branch: 'main', files: { 'README.md': 'hello', ...own, ...files } }])
      return { ...made, sha: sha! }
    },
    jobs: (pipelineId: number) =>
      db.many<Row>('SELECT * FROM ci_jobs WHERE pipeline_id = ? ORDER BY id', pipelineId),
    details: (jobId: number) => {
      const row = db.one<{ options: string; variables: string }>(
        'SELECT options, variables FROM ci_job_details WHERE job_id = ?',
        jobId,
      )!
      return { options: JSON.parse(row.options) as Row, variables: JSON.parse(row.variables) as Row[] }
    },
    all: (projectId: number) =>
      db.many<Row>('SELECT * FROM ci_pipelines WHERE project_id = ? ORDER BY id', projectId),
    names: (pipelineId: number) =>
      db
        .many<{ name: string }>('SELECT name FROM ci_jobs WHERE pipeline_id = ? ORDER BY id', pipelineId)
        .map(({ name }) => name),
    /** The variables that a pipeline was started with, decrypted. */
    variables: (pipelineId: number) =>
      Object.fromEntries(
        db
          .many<{ key: string; value: string }>(
            'SELECT key, value FROM ci_pipeline_variables WHERE pipeline_id = ? ORDER BY key',
            pipelineId,
          )
          .map(({ key, value }) => [
            key,
            w.ctx().secrets.open(value, 'ci_pipeline_variables.value').toString(),
          ]),
      ),
  }
}
