import { tokenDigest } from '../../../server/lib/security/crypto.ts'
import type { Answer, World } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'
import { pipelinesWithoutGit, type PipelinesWithoutGit } from './processing.ts'

let made = 0

/** All features of a current runner that jobs can require. */
export const FEATURES = {
  upload_multiple_artifacts: true,
  refspecs: true,
  artifacts_exclude: true,
  multi_build_steps: true,
  return_exit_code: true,
}

/** A client of the runner protocol. */
export interface RunnerClient {
  readonly id: number
  readonly token: string
  /** Requests a job. */
  ask(more?: object): Promise<Answer>
  /** Requests jobs until there is one, and returns it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  take(): Promise<any>
  trace(job: { id: number; token: string }, start: number, text: string, query?: string): Promise<Answer>
  update(job: { id: number; token: string }, state: string, more?: object): Promise<Answer>
}

/** Inserts a runner directly into the database, with `columns` as its values. */
export function runnerClient(world: World, columns: Record<string, unknown> = {}): RunnerClient {
  const ctx = world.ctx()
  const token = `glrt-test-${++made}`
  const row: Record<string, unknown> = {
    runner_type: 'instance_type',
    token_digest: tokenDigest(token),
    short_token: `test-${made}`,
    created_at: ctx.now,
    updated_at: ctx.now,
    ...columns,
  }
  const names = Object.keys(row)
  const { id } = ctx.db.exec(
    `INSERT INTO runners (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ...Object.values(row),
  )
  const open = world.as(null)
  const info = { name: 'gitlab-runner', version: '15.11.1', executor: 'shell', features: FEATURES }
  const ask: RunnerClient['ask'] = (more = {}) => open.post('/jobs/request', { token, info, ...more })
  return {
    id,
    token,
    ask,
    async take() {
      const answer = await ask()
      if (answer.status !== 201) throw new Error(`There is no job: ${answer.status} ${answer.text}`)
      return answer.body
    },
    trace: (job, start, text, query = '') =>
      open.patch(`/jobs/${job.id}/trace${query}`, text, {
        'JOB-TOKEN': job.token,
        'Content-Type': 'text/plain',
        'Content-Range': `${start}-${start + Math.max(Buffer.byteLength(text) - 1, 0)}`,
      }),
    update: (job, state, more = {}) => open.put(`/jobs/${job.id}`, { token: job.token, state, ...more }),
  }
}

/** Like `pipelinesWithoutGit`, with a commit that runners can fetch, and pipelines that do not cancel each other. */
export async function pipelinesForRunners(
  w: World,
  params: Record<string, unknown> = {},
): Promise<PipelinesWithoutGit> {
  const made = await pipelinesWithoutGit(w, { auto_cancel_pending_pipelines: 'disabled', ...params })
  const sha = fill(w, made.project, [{ branch: 'main', files: { 'README.md': 'x' } }]).at(-1)!
  const make: PipelinesWithoutGit['make'] = async (config) => {
    const id = await made.make(config)
    w.ctx().db.exec('UPDATE ci_pipelines SET sha = ? WHERE id = ?', sha, id)
    return id
  }
  return { ...made, make }
}
